"""The set with the least sum of distances to all sets of a large group, as sets leave the group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.kinds.set_metric.distances import SetDistances

COST_BITS = 40  # of a distance, where distances are added up
SUM_BITS = 62
WEIGHT_BITS = 30  # of all weights together, where they are no whole numbers
ESTIMATE_ERROR = 1e-9  # of an estimate, for each unit of weight: far more than rounding
MAX_COMPUTED = 0.02  # sums that are computed before all are estimated anew, for each class of elements
SETS_PER_CLASS = 0.5  # up to which sums are computed, not estimated, for each class of elements
MAX_ESTIMATES = 30  # of all sums; then, they tell too little, and all sums are computed


class Medoids:
    """Sums of distances ω·d to all sets of a group, for those of its sets that may have the least sum.

    Distances are rounded to whole numbers of units 2^-40, so that sums are exact, and may be updated as weights change.
    An estimate of the sum of every set, less what may have changed since, tells which sets may have the least sum.
    """

    def __init__(self, sets: SetDistances) -> None:
        self.sets = sets
        number = len(sets.sizes)
        self.weights = np.zeros(number, np.int64)
        self.costs, self.known = np.zeros(number, np.int64), np.zeros(number, bool)  # exact sums, and whose are known
        self.computed = 0  # of these, since the estimate
        self.repeated = 0  # estimates of this group
        self.estimates: Floats | None = None
        self.estimated = self.weights  # the weights at the estimate
        self.bits, self.scale = 0, 0.0

    def least(self, group: Ints, weights: Floats, tie: float) -> tuple[Ints, Floats]:
        """Return the sets of a group with the least Σ ω·d and those that tie with them, and Σ ω·d of each.

        `weights` has ω of each set of the group. Sums tie that differ by `tie` at most.
        """
        self._update(group, weights)
        if not self.known[group].any():
            self._estimate(group)
            self._compute(group[[0 if self.estimates is None else int(np.argmin(self.estimates[group]))]])
        self._compute(self._candidates(group, tie))
        codes = group[self.known[group]]
        return codes, self.costs[codes] / (self.scale * 2.0**self.bits)

    # --- weights ---------------------------------------------------------------------------------------------

    def _update(self, group: Ints, weights: Floats) -> None:
        """Bring the sums that are known up to date; start anew, if the group is another one."""
        units, whole = _units(weights), self._whole(group, weights)
        changed = np.flatnonzero(whole != self.weights)
        if units != (self.scale, self.bits) or len(changed) * 2 > len(group):
            self.scale, self.bits = units
            self._start(group, weights)
            return
        kept = np.zeros(len(self.known), bool)
        kept[group] = self.known[group]
        self.known = kept
        known = self._by_size(kept)
        if len(known):
            for code in changed.tolist():
                self.costs[known] += (whole[code] - self.weights[code]) * self._distances(code, known)
        self.weights = whole

    def _start(self, group: Ints, weights: Floats) -> None:
        """Start with another group."""
        self.weights = self._whole(group, weights)
        self.known[:], self.estimates, self.repeated = False, None, 0

    def _whole(self, group: Ints, weights: Floats) -> Ints:
        """Return the weights of all sets as whole numbers; survey weights are rounded to a part of their sum."""
        whole = np.zeros(len(self.known), np.int64)
        whole[group] = np.rint(weights * self.scale)
        return whole

    # --- sums ------------------------------------------------------------------------------------------------

    def _by_size(self, which: NDArray[np.bool_]) -> Ints:
        """Return some sets in the order of their sizes."""
        return self.sets.by_size[which[self.sets.by_size]]

    def _distances(self, code: int, codes: Ints) -> Ints:
        """Return the distances of a set to some sets, as whole numbers."""
        return np.rint(self.sets.from_code(code, codes) * 2.0**self.bits).astype(np.int64)

    def _compute(self, codes: Ints) -> None:
        """Compute the sums of some sets."""
        others = self._by_size(self.weights != 0) if len(codes) else codes
        for code in codes.tolist():
            self.costs[code] = (self._distances(code, others) * self.weights[others]).sum()
        self.known[codes] = True
        self.computed += len(codes)

    # --- estimates -------------------------------------------------------------------------------------------

    def _estimate(self, group: Ints) -> None:
        """Estimate the sums of all sets of the group, from what has changed since the last estimate.

        An estimate compares each set with all classes of elements: fewer sets than these are compared themselves.
        """
        self.repeated += 1
        if len(group) <= self.sets.elements.number_of_classes * SETS_PER_CLASS or self.repeated > MAX_ESTIMATES:
            self.estimates = None
            return
        before = np.zeros_like(self.weights) if self.estimates is None else self.estimated
        changes = self.sets.cost_estimates((self.weights - before).astype(np.float64), group)
        if changes is not None:
            if self.estimates is None:
                self.estimates = np.zeros(len(self.weights))
            self.estimates[group] += changes
            self.estimated, self.computed = self.weights, 0

    @property
    def _removed(self) -> int:
        """The weight that has left the group since all sums were estimated."""
        return int(np.maximum(self.estimated - self.weights, 0).sum())

    def _candidates(self, group: Ints, tie: float) -> Ints:
        """Return the sets whose sums are not known and may be as small as the least known sum, or tie with it."""
        codes = self._may_be_least(group, tie)
        limit = MAX_COMPUTED * self.sets.elements.number_of_classes
        if self.estimates is not None and self.computed + len(codes) > limit and (removed := self._removed):
            least = self.costs[group[self.known[group]]].min()
            self.known &= self.costs <= least + (removed << self.bits)  # others will not be the least for some time
            self._estimate(group)
            codes = self._may_be_least(group, tie)
        return codes

    def _may_be_least(self, group: Ints, tie: float) -> Ints:
        unknown = group[~self.known[group]]
        if self.estimates is None:
            return unknown
        least = float(self.costs[group[self.known[group]]].min()) * 2.0**-self.bits + tie * self.scale
        error = ESTIMATE_ERROR * float(self.estimated.sum()) + 2.0**-self.bits * float(self.weights.sum())
        return unknown[self.estimates[unknown] <= least + self._removed + error]  # no distance is larger than 1


def _units(weights: Floats) -> tuple[float, int]:
    """Return the whole numbers in which weights and distances are added up: so many to a weight of 1, and bits."""
    total = float(weights.sum())
    if (weights == np.rint(weights)).all() and total < 2.0**WEIGHT_BITS:
        return 1.0, min(COST_BITS, SUM_BITS - int(total).bit_length())
    return 2.0 ** float(WEIGHT_BITS - np.frexp(total)[1]), SUM_BITS - WEIGHT_BITS
