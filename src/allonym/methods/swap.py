"""Swapping: records exchange their values with others that mean nearly the same. Every column keeps its values.

Data swapping goes back to Dalenius and Reiss (1982, doi:10.1016/0378-3758(82)90058-1), rank swapping to Moore (1996).
Martínez (2010), §7, and Martínez, Sánchez and Valls (2012), §5, name both as future work for words; Rodriguez-Garcia,
Batet and Sánchez (2019) have such a method. What is defined here is our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.arrays import Ints, distinct, frozen
from allonym.errors import Problem, first_few
from allonym.methods.base import MethodInfo, UngroupedMethod
from allonym.methods.swapping.blocks import ALL, Block, SwappedTable, blocks_of, named_groups
from allonym.methods.swapping.likelihood import (
    NearestTransition,
    RankTransition,
    SwapMechanism,
    Transition,
    taking_part,
)
from allonym.methods.swapping.nearest import NearPairs, outcomes
from allonym.methods.swapping.orders import REFERENCE, TAXONOMY
from allonym.methods.swapping.ranks import paired, window_of
from allonym.parameters import parameter
from allonym.progress import Progress, no_progress
from allonym.records import Masking, Records
from allonym.release_key import rng_of

RANK, NEAREST = "rank", "nearest"


@dataclass(frozen=True)
class Swap(UngroupedMethod):
    """Values change places between records. Nulls stay where they are, and no value is written that nobody had."""

    info: ClassVar = MethodInfo(
        "swap",
        "exchanges values between records that mean nearly the same; every column keeps its values",
        kinds=("text", "category", "code", "date", "ordinal", "numeric"),
        guarantees=(),
        splits_tuples=True,
        keeps_values=True,
    )
    window: float = parameter(
        0.05,
        "How far apart two records may be that exchange values, as a share of all ranks; for pairs = rank.",
        above=0,
        maximum=1,
        hint="0.05 or 5%.",
    )
    order: str = parameter(
        TAXONOMY,
        "The order of words. taxonomy: a depth-first walk through the ontology; reference: by their distance to the "
        "word farthest from the centroid. Numbers, dates and ordered categories have their own.",
        choices=(TAXONOMY, REFERENCE),
    )
    together: str = parameter(
        "",
        "Columns that are swapped as one, so that relations between them survive: names separated by commas, several "
        "groups separated by semicolons, or all.",
    )
    pairs: str = parameter(
        RANK,
        "Which records exchange values. rank: one and another drawn from those within the window of ranks; nearest: "
        "the two nearest records that differ.",
        choices=(RANK, NEAREST),
    )
    cap: float = parameter(
        0.5, "Largest distance of two records that exchange values, for pairs = nearest.", above=0, maximum=1
    )
    share: float | None = parameter(
        None,
        "Share of the records that take part, drawn at random. Unless given, all of them with pairs = rank, and half "
        "of them with pairs = nearest.",
        type=float,
        above=0,
        maximum=1,
        hint="0.5 or 50%.",
    )

    @property
    def share_taking_part(self) -> float:
        """The share of the records that take part: nearest pairs alone would be known to everybody who has the data."""
        return self.share if self.share is not None else 0.5 if self.pairs == NEAREST else 1.0

    def column_problems(self, columns: Sequence[str]) -> Iterator[Problem]:
        """Yield columns to swap as one that are not masked, or are named twice."""
        if self.together.strip() == ALL and ALL not in columns:
            return
        names = [name for group in named_groups(self.together) for name in group]
        absent = [x for x in dict.fromkeys(names) if x not in columns]
        if absent:
            text = f"together: {first_few(absent)} not among the columns that are masked."
            yield Problem("together-not-masked", text, "name quasi-identifiers, separated by commas.")
        twice = [x for x in dict.fromkeys(names) if names.count(x) > 1]
        if twice:
            text = f"together: {first_few(twice)} named twice."
            yield Problem("together-twice", text, "name each column in one group.")

    def mask(self, records: Records, seed: int = 0, tick: Progress = no_progress) -> Masking:
        """Swap every column, or group of columns, independently of the others."""
        table = SwappedTable.of(records)
        blocks = list(blocks_of(table.records, self.together))
        source = np.repeat(np.arange(len(records)), records.counts)
        codes = np.empty((len(source), len(records.attributes)), np.int64)
        swapped = self._nearest if self.pairs == NEAREST else self._by_rank
        for place, block in enumerate(blocks):
            tick(place, len(blocks))
            kinds = swapped(table.records, block, table.tuples[source], rng_of(seed, "swap", block.name))
            codes[:, block.columns] = block.codes[kinds]
        share = np.ones(len(source), np.int64)
        if records.units is None:  # a person's rows stay independent of each other
            source, share, codes = _merged(source, codes)
        pieces = source, share, np.arange(len(source)), frozen(codes)
        return Masking(*pieces, table.records.attributes, mechanism=self._mechanism(table, blocks))

    def _by_rank(self, records: Records, block: Block, rows: Ints, rng: np.random.Generator) -> Ints:
        """Return the kind that every row gets, if rows are swapped within the window of ranks."""
        ranked = block.ranked(self.order, rng)
        rank = np.empty(len(ranked), np.int64)
        rank[ranked] = np.arange(len(ranked))
        kinds = block.kinds[rows]
        taking = rng.permutation(len(rows))  # rows with equal values are in a random order
        taking = taking[: round(self.share_taking_part * len(rows))]
        taking = taking[np.argsort(rank[kinds[taking]], kind="stable")]
        swapped = kinds.copy()
        for stratum in np.unique(block.strata[kinds[taking]]).tolist():
            own = taking[block.strata[kinds[taking]] == stratum]
            partner = paired(len(own), window_of(self.window, len(own)), rng.random(len(own)))
            swapped[own] = kinds[own[partner]]
        return swapped

    def _nearest(self, records: Records, block: Block, rows: Ints, rng: np.random.Generator) -> Ints:
        """Return the kind that every row gets, if the nearest pairs that differ are swapped."""
        left = taking_part(records.counts, self.share_taking_part, rng)
        exchanges = NearPairs(records, block, self.cap).exchanged(left, rng)
        source, kinds, count = outcomes(block, records.counts, exchanges)
        by_source = np.argsort(source, kind="stable")
        swapped = np.empty(len(rows), np.int64)
        drawn = np.lexsort((rng.random(len(rows)), rows))  # which of equal rows is which
        swapped[drawn] = np.repeat(kinds[by_source], count[by_source])
        return swapped

    def mechanism(self, records: Records) -> SwapMechanism:
        """Return how likely each record becomes another, for attackers who know the plan and the table."""
        table = SwappedTable.of(records)
        return self._mechanism(table, list(blocks_of(table.records, self.together)))

    def _mechanism(self, table: SwappedTable, blocks: Sequence[Block]) -> SwapMechanism:
        share = self.share_taking_part

        def transition(block: Block) -> Transition:
            if self.pairs == NEAREST:
                return NearestTransition(table.records, block, self.cap, share)
            return RankTransition(block, self.window, share, self.order)

        return SwapMechanism(table, tuple(map(transition, blocks)))


def _merged(rows: Ints, codes: Ints) -> tuple[Ints, Ints, Ints]:
    """Merge rows of one tuple with one outcome: in the order in which outcomes first come, which is random."""
    _, counts, first = distinct([rows, *codes.T])
    order = np.lexsort((first, rows[first]))
    return rows[first[order]], counts[order], codes[first[order]]
