"""Slow, obviously correct microaggregation and its measures, written from the formulas: a test oracle.

Nothing is shared with the package, and nothing is optimised. A record is a tuple of values, a value is any
hashable and None is null. A taxonomy is a mapping concept -> parents with one root; its depths are in nodes, the root
having depth 1. Formulas: Martínez, Sánchez and Valls (2012), §2-4.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

import reference

Parents = Mapping[Hashable, Sequence[Hashable]]
Pairs = Sequence[tuple[Hashable, float]]  # (value, count); a value may come more than once
Record = tuple[Hashable, ...]

TIE = 1e-12  # costs of candidates that differ by less, relative to the cost, are tied
DECIMALS = 12  # distances between records are compared rounded to so many decimals


def equality(a: Hashable, b: Hashable) -> float:
    """Return 0 for the same value and 1 for two different ones; null is a value."""
    return 0.0 if a == b else 1.0


def numeric(a: float | None, b: float | None, span: float) -> float:
    """Return |a - b| / span, or equality where a value is null or the span is 0."""
    if a is None or b is None or span == 0:
        return equality(a, b)
    return abs(a - b) / span


def ordinal(a: int | None, b: int | None, levels: int) -> float:
    """Return the distance of two ranks divided by levels - 1, or equality where a rank is null."""
    return numeric(a, b, levels - 1)


def is_linked(value: Hashable) -> bool:
    """Return whether a value is a concept, neither null nor a text that starts with "?"."""
    if value is None:
        return False
    return not (isinstance(value, str) and value.startswith("?"))


def exact_wu_palmer_distance(parents: Parents, a: Hashable, b: Hashable) -> Fraction:
    """Return 1 - 2·N3 / (N1 + N2 + 2·N3) as a fraction, the smallest over several LCSs."""
    if a == b:
        return Fraction(0)
    if not is_linked(a) or not is_linked(b):
        return Fraction(1)
    similarities = []
    for subsumer in minimal_common_subsumers(parents, [a, b]):
        n1 = reference.links_up(parents, a, subsumer)
        n2 = reference.links_up(parents, b, subsumer)
        n3 = reference.depth(parents, subsumer) + 1
        similarities.append(Fraction(2 * n3, n1 + n2 + 2 * n3))
    return 1 - max(similarities)


def float_wu_palmer_distance(parents: Parents, a: Hashable, b: Hashable) -> float:
    """Return the same in floating point as the formula is written: a quotient, and one minus it."""
    return 1.0 - float(1 - exact_wu_palmer_distance(parents, a, b))


def wu_palmer_distance(parents: Parents, a: Hashable, b: Hashable) -> float:
    """Return the Wu-Palmer distance of two values, unlinked texts and null being 1 from everything else."""
    return float(exact_wu_palmer_distance(parents, a, b))


def minimal_common_subsumers(parents: Parents, concepts: Sequence[Hashable]) -> set[Hashable]:
    """Return the common subsumers of one or more concepts that have no other common subsumer below them."""
    common = reference.ancestors(parents, concepts[0])
    for concept in concepts[1:]:
        common = common & reference.ancestors(parents, concept)
    minimal = set()
    for subsumer in common:
        below = [other for other in common if other != subsumer and subsumer in reference.ancestors(parents, other)]
        if not below:
            minimal.add(subsumer)
    return minimal


# Centroids of the values of one attribute.


def totals(pairs: Pairs) -> dict[Hashable, float]:
    """Return the total count of every distinct value, in the order of first appearance."""
    total: dict[Hashable, float] = {}
    for value, count in pairs:
        total[value] = total.get(value, 0) + count
    return total


def mode(pairs: Pairs, order: Sequence[Hashable]) -> Hashable:
    """Return the value with the largest total count, of several the first in the given order."""
    total = totals(pairs)
    largest = max(total.values())
    return min((value for value in total if total[value] == largest), key=list(order).index)


def null_is_majority(pairs: Pairs) -> bool:
    """Return whether null has more than half of the total count."""
    return 2 * sum(count for value, count in pairs if value is None) > sum(count for _, count in pairs)


def mean(pairs: Pairs, decimals: int) -> float | None:
    """Return the rounded weighted mean of the values that are not null, or null where that is the majority."""
    if null_is_majority(pairs):
        return None
    present = [(Fraction(value), Fraction(count)) for value, count in pairs if value is not None]
    exact = sum(value * count for value, count in present) / sum(count for _, count in present)
    return round(float(exact), decimals)


def median(pairs: Pairs) -> int | None:
    """Return the smallest rank at which at least half of the count is reached, or null where that is the majority."""
    if null_is_majority(pairs):
        return None
    present = sorted((rank, count) for rank, count in pairs if rank is not None)
    half = Fraction(sum(count for _, count in present)) / 2
    reached = 0
    for rank, count in present:
        reached += count
        if reached >= half:
            return rank
    raise ValueError("no pairs to take the median of")


def centroid_candidates(parents: Parents, values: Sequence[Hashable]) -> set[Hashable]:
    """Return H(V) of the linked values, all on a path to a minimal common subsumer, and the other values."""
    linked = [value for value in values if is_linked(value)]
    candidates = {value for value in values if not is_linked(value)}
    if not linked:
        return candidates
    for subsumer in minimal_common_subsumers(parents, linked):
        for value in linked:
            for concept in reference.ancestors(parents, value):
                if subsumer in reference.ancestors(parents, concept):
                    candidates.add(concept)
    return candidates


def centroid_cost(parents: Parents, pairs: Pairs, candidate: Hashable) -> Fraction:
    """Return the sum of count · distance from a candidate to all values, without rounding."""
    total = totals(pairs)
    return sum(Fraction(total[value]) * exact_wu_palmer_distance(parents, candidate, value) for value in total)


def semantic_centroid(parents: Parents, pairs: Pairs, order: Sequence[Hashable] | None = None) -> Hashable:
    """Return the cheapest candidate, ties going to concepts, the first by name, and else to the given order."""
    values = list(totals(pairs))
    costs = {c: centroid_cost(parents, pairs, c) for c in centroid_candidates(parents, values)}
    least = min(costs.values())
    tied = [candidate for candidate, cost in costs.items() if float(cost - least) <= TIE * float(least)]
    concepts = [candidate for candidate in tied if is_linked(candidate)]
    if concepts:
        return min(concepts, key=str)
    return min(tied, key=list(values if order is None else order).index)


def least_common_subsumer(parents: Parents, pairs: Pairs) -> Hashable:
    """Return the cheapest minimal common subsumer, the first by name of several; null if unlinked values differ."""
    values = list(totals(pairs))
    if not all(is_linked(value) for value in values):
        return values[0] if len(values) == 1 else None
    costs = {c: centroid_cost(parents, pairs, c) for c in minimal_common_subsumers(parents, values)}
    return min(costs, key=lambda c: (costs[c], str(c)))


# Records: functions composed of one function per attribute.


def record_distance(distances: Sequence[Callable[[Hashable, Hashable], float]]) -> Callable[[Record, Record], float]:
    """Return the distance of two records that is the mean of one distance per attribute."""

    def distance(t: Record, u: Record) -> float:
        """Return the mean distance of two records over their attributes."""
        return math.fsum(d(a, b) for d, a, b in zip(distances, t, u, strict=True)) / len(distances)

    return distance


def record_centroid(centroids: Sequence[Callable[[Pairs], Hashable]]) -> Callable[[Sequence[Record]], Record]:
    """Return the centroid of records that has one centroid per attribute, each of (value, count) pairs."""

    def centroid(records: Sequence[Record]) -> Record:
        """Return the record of the attributes' centroids."""
        columns = zip(*records, strict=True)
        return tuple(c([(value, 1) for value in column]) for c, column in zip(centroids, columns, strict=True))

    return centroid


# MDAV (Martínez, Sánchez and Valls 2012, Algorithm 1), one list entry per row.


def mdav(
    records: Sequence[Record],
    k: int,
    distance: Callable[[Record, Record], float],
    centroid: Callable[[Sequence[Record]], Record],
    order: Sequence[Record],
) -> list[list[Record]]:
    """Return the clusters of MDAV; ties between records are broken by the position of their tuples in `order`."""
    place = list(order).index
    left = list(records)
    clusters = []

    def farthest(centre: Record) -> Record:
        """Return the remaining record that is farthest from the centre."""
        return min(left, key=lambda t: (-round(distance(centre, t), DECIMALS), place(t)))

    def form_cluster(r: Record) -> None:
        """Move r and the k - 1 remaining records closest to it, copies of r first, to a new cluster."""
        left.remove(r)
        closest = sorted(left, key=lambda t: (t != r, round(distance(r, t), DECIMALS), place(t)))[: k - 1]
        for t in closest:
            left.remove(t)
        clusters.append([r, *closest])

    while len(left) >= 3 * k:
        r = farthest(centroid(left))
        form_cluster(r)
        form_cluster(farthest(r))  # among the remaining records, as the cluster of r may contain s
    if len(left) >= 2 * k:
        form_cluster(farthest(centroid(left)))
    if left:
        clusters.append(left)
    return clusters


def information_loss(
    original_records: Sequence[Record],
    masked_records: Sequence[Record],
    distance: Callable[[Record, Record], float],
    centre: Record,
) -> float:
    """Return L = 100 · SSE / SST, and 0 where both sums are 0."""
    sse = math.fsum(distance(x, y) ** 2 for x, y in zip(original_records, masked_records, strict=True))
    sst = math.fsum(distance(x, centre) ** 2 for x in original_records)
    return 0.0 if sse == sst == 0 else 100 * sse / sst


def record_linkage(original_records: Sequence[Record], masked_records: Sequence[Record]) -> float:
    """Return RL = 100 · mean P: 1 / number of originals equal to the masked record, 0 if its own is not among them."""
    probabilities = []
    for x, y in zip(original_records, masked_records, strict=True):
        linked = [original for original in original_records if original == y]
        probabilities.append(Fraction(1, len(linked)) if x in linked else Fraction(0))
    return float(100 * sum(probabilities) / len(probabilities))


def k_of(rows: Sequence[Record], persons: Sequence[Hashable] | None = None) -> int:
    """Return the smallest number of rows, or of distinct persons, that share one tuple, and 0 without rows."""
    holders: dict[Record, set[Hashable]] = {}
    for row, holder in zip(rows, range(len(rows)) if persons is None else persons, strict=True):
        holders.setdefault(row, set()).add(holder)
    return min((len(who) for who in holders.values()), default=0)


def sa_mdav(
    counts: Mapping[Record, int],
    k: int,
    distance: Callable[[Record, Record], float],
    centroid: Callable[[Sequence[Record]], Record],
    order: Sequence[Record],
    *,
    weighted: bool = True,
    static: bool = False,
) -> list[list[Record]]:
    """Return the clusters of Algorithm 2, SA-MDAV, as lists of tuples; ties are broken by the position in `order`."""
    left = [t for t in order if t in counts]

    def middle(tuples: Sequence[Record]) -> Record:
        return centroid([t for t in tuples for _ in range(counts[t])])

    def size(tuples: Sequence[Record]) -> int:
        return sum(counts[t] for t in tuples)

    def farthest(point: Record) -> Record:
        return max(left, key=lambda t: (counts[t] * distance(point, t), -order.index(t)))

    def nearest(point: Record) -> Record:
        return min(left, key=lambda t: ((counts[t] if weighted else 1) * distance(point, t), order.index(t)))

    def grown(seed: Record) -> list[Record]:
        cluster = [seed]
        left.remove(seed)
        while size(cluster) < k:
            one = nearest(seed if static else middle(cluster))
            cluster.append(one)
            left.remove(one)
        return cluster

    clusters = []
    while size(left) >= k:
        r = farthest(middle(left))
        clusters.append(grown(r))
        if size(left) >= k:
            clusters.append(grown(farthest(r)))
    centres = [middle(cluster) for cluster in clusters]
    for t in list(left):
        near = min(range(len(clusters)), key=lambda c: (distance(centres[c], t), c))
        clusters[near].append(t)
    return clusters
