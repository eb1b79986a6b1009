"""Groups from the prices of the lower bound: a good partition for the search to start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures import loss
from allonym.methods.groups import Groups, distances, values_of
from allonym.methods.lower_bound.ascent import Ascent, ascend
from allonym.methods.lower_bound.bound import ITERATIONS, THOROUGH_WORK, problem_of, shared_losses
from allonym.records import Masking, Pairs, Records

Bools = NDArray[np.bool_]
TRIED = 20  # sets of representatives, those with the largest bounds, of which the best partition is taken
MAX_COSTS = 20_000_000  # tuples × representatives that are compared


def groups_by_price(records: Records, masking: Masking, k: int, representative: str) -> Groups | None:
    """Return groups around the representatives that the best prices of tuples single out; None, if these take long.

    Args:
        records: the table.
        masking: a masking of it, from whose losses the prices start.
        k: how many rows a group has at least.
        representative: what represents a group, as methods call it.
    """
    problem = problem_of(records, k, representative)
    if problem is None or not problem.is_small:
        return None
    lost = loss.sse(Pairs.of(records, masking))
    if lost == 0:
        return None
    ascent = ascend(problem.pricing, shared_losses(records, masking), lost, ITERATIONS, THOROUGH_WORK)
    if not np.isfinite(ascent.bound):
        return None
    known, sets = _representatives(ascent, len(records.attributes))
    if len(known) * len(records) > MAX_COSTS:
        return None
    costs = problem.costs_of(known)
    null = problem.null_costs
    partitions = [_partition(costs, null, records.counts, k, opened) for opened in sets]
    group = min(partitions, key=lambda found: found[1])[0]
    return Groups.of(np.stack([np.arange(len(records)), records.counts, _complete(records, group)], axis=1))


def _representatives(ascent: Ascent, width: int) -> tuple[Ints, list[Bools]]:
    """Return the representatives of the largest bounds, and which of them each of these bounds has."""
    each = [found.reshape(-1, width) for _, found in sorted(ascent.found, key=lambda x: -x[0])[:TRIED]]
    known, place = np.unique(np.concatenate(each), axis=0, return_inverse=True)
    ends = np.cumsum([len(found) for found in each])
    sets = [np.zeros(len(known), bool) for _ in each]
    for opened, own in zip(sets, np.split(place.ravel(), ends[:-1]), strict=True):
        opened[own] = True
    return known, sets


def _partition(costs: Floats, null: Floats, counts: Ints, k: int, opened: Bools) -> tuple[Ints, float]:
    """Give every tuple to its nearest representative, and close those with fewer than k rows, the cheapest first.

    Returns:
        The representative of every tuple, -1 if none can represent it; and the sum of the costs.
    """
    opened, every = opened.copy(), np.arange(len(counts))
    while True:
        left = np.vstack([np.where(opened[:, None], costs, np.inf), null])
        nearest = left.argmin(axis=0)
        cost = left[nearest, every]
        rows = sum_by(nearest, counts.astype(np.float64), len(left))[:-1]
        small = np.flatnonzero((rows > 0) & (rows < k))
        if not small.size:
            return np.where(nearest == len(costs), -1, nearest), float(cost.sum())
        left[nearest, every] = np.inf
        added = np.where(nearest == len(costs), 0.0, np.minimum(left.min(axis=0), null) - cost)
        opened &= rows > 0
        opened[small[np.argmin(sum_by(nearest, added, len(left))[small])]] = False


def _complete(records: Records, group: Ints) -> Ints:
    """Give tuples without a group that of the nearest tuple that has one; one group for all, if none has."""
    inside, group = np.flatnonzero(group >= 0), group.copy()
    if not inside.size:
        return np.zeros(len(group), np.int64)
    metrics, columns = [x.metric for x in records.attributes], records.codes.T
    for one in np.flatnonzero(group < 0).tolist():
        point = values_of(metrics, columns, one)
        group[one] = group[inside[np.argmin(distances(metrics, records.shares, point, columns[:, inside]))]]
    return np.unique(group, return_inverse=True)[1].ravel()
