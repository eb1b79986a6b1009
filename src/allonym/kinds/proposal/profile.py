"""The profile of a column: its distinct texts with their counts, the words of its name, its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from allonym.cells import MISSING, Cells, is_missing
from allonym.kinds.identifiers.detect import MAX_TEXTS, text_of
from allonym.kinds.numbers import numbers_of, to_number
from allonym.kinds.proposal.available import Ontologies
from allonym.kinds.proposal.evidence import Evidence
from allonym.kinds.proposal.vocabulary import names_of

CELLS_PER_VALUE = 5  # on average, at least, in a list of answers
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_LISTING_NUMBER = re.compile(r"^\(?\d{1,2}\s*(?:[-:.=)_]+\s*(?=[^\W\d_])|_+(?=\S))")
_SEPARATORS = re.compile(r"[\s_\-/.,;:()&]+")


def plain(text: str) -> str:
    """Return a text in lower case, with single blanks for all that separates its words.

    >>> plain("Never-married "), plain("7th_grade")
    ('never married', '7th grade')
    """
    return _SEPARATORS.sub(" ", text.casefold()).strip()


def words_of_name(name: str) -> list[str]:
    """Return the words of a column's name, in lower case.

    >>> words_of_name("homeZIP_code5")
    ['home', 'zip', 'code', '5']
    """
    return [x.casefold() for x in _NAME_WORD.findall(name)]


def unnumbered(text: str) -> str:
    """Return an answer without the number that it has in its list.

    >>> unnumbered("1 - Low"), unnumbered("0_no"), unnumbered("4_51+"), unnumbered("18-24")
    ('Low', 'no', '51+', '18-24')
    """
    return _LISTING_NUMBER.sub("", text)


LIKELY_MARKERS = frozenset(
    {
        "unknown",
        "not known",
        "not available",
        "not stated",
        "not reported",
        "not recorded",
        "no answer",
        "no data",
        "missing",
        "n.a.",
        "na",
        "unk",
    }
)  # fmt: skip; words that say that a value is missing, unless a column means something by them
MIN_OTHER_VALUES = 2  # of a column in which they are markers


def likely_markers(cells: Cells, missing: Sequence[str] = MISSING) -> tuple[str, ...]:
    """Return the texts of a column that are likely missing-value markers, besides those that are.

    >>> import numpy as np
    >>> likely_markers(Cells(["cook", "Unknown", "smith", "?"], np.arange(4)))
    ('Unknown',)
    """
    texts = [x for x in cells.values if isinstance(x, str) and not is_missing(x, missing)]
    found = sorted(x for x in texts if x.strip().casefold() in LIKELY_MARKERS)
    return tuple(found) if len(texts) - len(found) >= MIN_OTHER_VALUES else ()


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """A column as proposals see it."""

    name: str
    cells: Cells
    missing: Sequence[str] = MISSING
    items: Mapping[str, int] | None = None  # with their counts, where cells hold several of them
    ontologies: Ontologies = field(default_factory=Ontologies)
    cache: dict[str, Any] = field(default_factory=dict)  # what rules derive from the column, by name

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The texts that occur, without surrounding blanks, with their counts; missing values are left out."""
        if self.items is not None:
            return self.items
        counts: dict[str, int] = {}
        for cell, count in zip(self.cells.values, self.cells.counts.tolist(), strict=True):
            if count and not is_missing(cell, self.missing):
                text = text_of(cell)
                counts[text] = counts.get(text, 0) + count
        return counts

    @cached_property
    def some(self) -> Sequence[str]:
        """At most `MAX_TEXTS` of the texts that occur, from all over the column."""
        return sorted(self.counts)[:: max(1, -(-len(self.counts) // MAX_TEXTS))]

    @cached_property
    def rows(self) -> int:
        """The number of cells that have a value."""
        return sum(self.counts.values())

    @cached_property
    def name_words(self) -> Sequence[str]:
        """The words of the name, in lower case."""
        return words_of_name(self.name)

    def is_named(self, what: str | re.Pattern[str]) -> bool:
        """Tell whether a word of the name says what the column holds: `codes`, `answers`, `things` and so on."""
        pattern = names_of(what) if isinstance(what, str) else what
        return any(pattern.fullmatch(x) for x in (*self.name_words, "".join(self.name_words)))

    @cached_property
    def numbers(self) -> Sequence[float] | None:
        """The distinct texts as numbers; None, if one is no number."""
        first = next(iter(self.counts), "")
        if to_number(first) is None and to_number(first, comma=True) is None:
            return None
        numbers = numbers_of(list(self.counts))[0]
        return None if None in numbers else [x for x in numbers if x is not None]

    @cached_property
    def whole_numbers(self) -> Mapping[int, int] | None:
        """The whole numbers in their order, with their counts; None, if a text is none."""
        if self.numbers is None or not all(x.is_integer() for x in self.numbers):
            return None
        return dict(sorted(zip(map(int, self.numbers), self.counts.values(), strict=True)))

    @property
    def is_repeated(self) -> bool:
        """Whether each value stands in many cells, on average."""
        return self.rows >= CELLS_PER_VALUE * len(self.counts)

    def share(self, texts: Sequence[str]) -> float:
        """Return the share of cells that hold one of some texts."""
        return sum(self.counts[x] for x in texts) / max(self.rows, 1)

    @property
    def distinct(self) -> Evidence:
        """How many values there are, in how many cells."""
        values = f"{len(self.counts):,} distinct value{'s' if len(self.counts) != 1 else ''}"
        return Evidence("distinct", f"{values} in {self.rows:,} cell{'s' if self.rows != 1 else ''}.")


@dataclass(frozen=True)
class Proposal:
    """What a column may be in a plan, and why."""

    kind: str
    evidence: tuple[Evidence, ...]
    levels: tuple[str, ...] = ()  # of ordered categories, lowest first
    ontology: str | None = None
    coverage: float | None = None  # share of cells that the ontology knows
    language: str | None = None  # of the words, if the ontology has several and they are not English
