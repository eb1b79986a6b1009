"""The order in which a person reviews links: by cells times doubt, so that the first ones settle most cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from allonym.ontology.linking.link import REVIEW, SURE, UNMATCHED, Link

DOUBT_WITHOUT_CONFIDENCE = {REVIEW: 0.5, UNMATCHED: 1.0}
WORTHWHILE = 0.9  # share of the cells to review that the first values settle


def is_open(link: Link) -> bool:
    """Tell whether a person has yet to decide on a link; values without a concept may be settled, too."""
    return link.status == REVIEW or (link.status == UNMATCHED and link.reason != "settled")


def doubt(link: Link) -> float:
    """Return the probability that a link is wrong; by status, where no confidence was estimated."""
    if link.status != SURE and not is_open(link):
        return 0.0
    if link.status == UNMATCHED or (link.status == REVIEW and link.confidence == 1.0):
        return DOUBT_WITHOUT_CONFIDENCE[link.status]
    return 1.0 - link.confidence


def in_review_order(links: Iterable[Link]) -> list[Link]:
    """Return links by cells times doubt, largest first; those that need no review come last. Ties: count, value."""
    return sorted(links, key=lambda x: (not is_open(x), -x.count * doubt(x), -x.count, x.value))


def round_up(number: int) -> int:
    """Return the next number that is easy to remember: up to 10, the number; then 15, 20, … 100, 150, 200, …

    >>> [round_up(n) for n in (7, 38, 101)]
    [7, 40, 150]
    """
    step = 1
    while number > 10 * step * (2 if step > 1 else 1):
        step = 5 if step == 1 else step * 10
    return -(-number // step) * step


@dataclass(frozen=True)
class ReviewProgress:
    """How many cells of a column are settled, and how many values a person should review first."""

    cells: int
    to_review: int  # values
    cells_to_review: int
    first: int  # values that settle most of the cells to review
    cells_of_first: int

    @classmethod
    def of(cls, links: Iterable[Link]) -> ReviewProgress:
        """Count the cells of links, one link for each value."""
        links = list(links)
        counts = [x.count for x in in_review_order(links) if is_open(x)]
        total = sum(counts)
        first = covered = 0
        while covered < WORTHWHILE * total:
            covered += counts[first]
            first += 1
        first = min(round_up(first), len(counts)) if first else 0
        return cls(sum(x.count for x in links), len(counts), total, first, sum(counts[:first]))

    @property
    def settled(self) -> float:
        """The share of the cells whose links need no review."""
        return 1.0 - self.cells_to_review / self.cells if self.cells else 1.0

    @property
    def share(self) -> str:
        """The share of the cells whose links need no review, rounded down."""
        return f"{_percent(self.cells - self.cells_to_review, self.cells)} %"

    def __str__(self) -> str:
        """Say how many values settle most cells; nothing, where these are more than half of the values."""
        if 2 * self.first > self.to_review or not self.first:
            return ""
        values = (
            f"{self.first:,} of {self.to_review:,} values settle"
            if self.first > 1
            else (f"of {self.to_review:,} values settles")
        )
        return (
            f"The first {values} "
            f"{_percent(self.cells_of_first, self.cells_to_review)} % of the {self.cells_to_review:,} cells to review."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "cells": self.cells,
            "settled": round(self.settled, 4),
            "values_to_review": self.to_review,
            "cells_to_review": self.cells_to_review,
            "first_values": self.first,
            "cells_of_first_values": self.cells_of_first,
        }


def _percent(part: int, whole: int) -> int:
    return 100 * part // whole if whole else 100
