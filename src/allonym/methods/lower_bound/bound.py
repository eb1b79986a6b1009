"""The lower bound on the loss of a release, and how far the release is from the optimum at most."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures import loss
from allonym.methods.lower_bound.ascent import ascend
from allonym.methods.lower_bound.candidates import candidate_distances
from allonym.methods.lower_bound.pricing import Pricing, pricing_of
from allonym.progress import Phase, Progress, no_progress, phase
from allonym.records import Masking, Pairs, Records

MAX_SIZE = 2_000_000  # tuples × representatives, up to which the bound is computed without being asked for
ITERATIONS, THOROUGH_ITERATIONS = 200, 500
THOROUGH_WORK = 30_000_000_000  # distances that are looked at, if the bound is asked for: a minute or more
ROUNDING = 1e-9  # share by which the bound is lowered, more than rounding can raise it


@dataclass(frozen=True)
class LowerBound:
    """What every release with the same k and the same kind of representatives loses at least: Σ ω·d² and L."""

    sse: float
    sst: float
    loss: float  # Σ ω·d² of this release

    @property
    def information_loss(self) -> float:
        """The bound as an information loss, in %."""
        return 100 * self.sse / self.sst if self.sst > 0 else 0.0

    @property
    def gap(self) -> float | None:
        """By how many % of the optimum this release loses more than the optimum, at most; None: by any factor."""
        if self.loss <= self.sse:
            return 0.0
        return 100 * (self.loss / self.sse - 1) if self.sse > 0 else None


@phase(Phase.MEASURE)
def lower_bound(
    records: Records,
    masking: Masking,
    k: int,
    representative: str,
    *,
    thorough: bool = False,
    tick: Progress = no_progress,
) -> LowerBound | None:
    """Return a lower bound on the loss of all groupings of whole tuples into groups of at least k rows.

    Args:
        records: the table.
        masking: a masking of it; its groups give the prices to start from.
        k: how many rows a group has at least.
        representative: what represents a group, as methods call it. The bound holds for releases with values that may
            represent a group by this rule.
        thorough: whether to take minutes; otherwise the bound is computed only for tables of at most 2,000,000 tuples
            times representatives, which take a part of a second.
        tick: called with the iterations done.

    Returns:
        The bound; None, if representatives cannot be listed, as sets of items cannot, or the bound would take long.
    """
    problem = problem_of(records, k, representative)
    if problem is None or not (thorough or problem.is_small):
        return None
    pairs = Pairs.of(records, masking)
    lost, total = loss.sse(pairs), loss.sst(pairs)
    if lost == 0:
        return LowerBound(0.0, total, lost)
    prices = shared_losses(records, masking)
    iterations = THOROUGH_ITERATIONS if thorough else ITERATIONS
    ascent = ascend(problem.pricing, prices, lost, iterations, THOROUGH_WORK, tick)
    if not np.isfinite(ascent.bound):
        return None
    return LowerBound(max(ascent.bound, 0.0) * (1 - ROUNDING), total, lost)


@dataclass(frozen=True, eq=False)
class Problem:
    """The pricing problem of a table.

    Args:
        pricing: the problem.
        columns: for each attribute, the distances of candidates to the values of tuples, in the order of the problem.
        records: the table.
    """

    pricing: Pricing
    columns: list[Floats]
    records: Records

    @property
    def is_small(self) -> bool:
        """Whether the tuples and all representatives are few."""
        return math.prod(len(column) for column in self.columns) * len(self.records) <= MAX_SIZE

    def costs_of(self, representatives: Ints) -> Floats:
        """Return ω·d² of each representative (a candidate of each attribute) and each tuple."""
        distances = np.zeros((len(representatives), len(self.records)))
        for column, candidates in zip(self.columns, representatives.T, strict=True):
            distances += column[candidates]
        with np.errstate(invalid="ignore"):  # infinite times 0
            return np.where(distances < np.inf, self.records.mass * distances**2, np.inf)

    @property
    def null_costs(self) -> Floats:
        """ω·d² of every tuple, if null represents it."""
        records = self.records
        each = [costs[codes] for costs, codes in zip(records.null_costs, records.codes.T, strict=True)]
        return np.asarray(records.mass * (records.shares @ np.array(each)) ** 2)


def problem_of(records: Records, k: int, representative: str) -> Problem | None:
    """Return the pricing problem of a table; None, if the representatives of an attribute cannot be listed."""
    columns = [candidate_distances(records, a, representative) for a in range(len(records.attributes))]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    order = np.argsort([len(column) for column in known], kind="stable")
    weighted = [known[a] * records.shares[a] for a in order]
    pricing = pricing_of(weighted, records.codes[:, order], records.mass, records.counts, k)
    return Problem(pricing, [x[:, records.codes[:, a]] for x, a in zip(weighted, order, strict=True)], records)


def shared_losses(records: Records, masking: Masking) -> Floats:
    """Return what each tuple loses, half of it shared by all tuples of its group."""
    source, share = masking.source, masking.share
    mass = records.mass_of(source, share)
    pairs = Pairs.with_costs_of(records, masking.attributes, records.codes[source], masking.codes, share, mass)
    lost = mass * pairs.tuple_distances**2
    number = int(masking.groups.max(initial=-1)) + 1
    shared = sum_by(masking.groups, lost, number) / np.maximum(np.bincount(masking.groups, minlength=number), 1)
    return sum_by(source, (lost + shared[masking.groups]) / 2, len(records))
