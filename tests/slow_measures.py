"""Slow reference versions of the disclosure and information-loss measures, written straight from their formulas."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from scipy.optimize import linprog  # type: ignore[import-untyped, unused-ignore]

Record = tuple[Hashable, ...]
CellFunction = Callable[[Any, Any], float]
Parents = Mapping[Any, Sequence[Any]]

NEAREST_TOLERANCE = 1e-9


# Weights, groups and persons


def _weights_of(weights: Sequence[float] | None, size: int) -> list[float]:
    """Return the weights, or 1 for each row where there are none."""
    return [1.0] * size if weights is None else list(weights)


def _persons_of(persons: Sequence[Hashable] | None, size: int) -> list[Hashable]:
    """Return the person of each row, each row its own person where there are none."""
    return list(range(size)) if persons is None else list(persons)


def _mean(values: Sequence[float]) -> float:
    """Return the plain mean."""
    return math.fsum(values) / len(values)


def _weighted_mean(values: Sequence[float], weights: Sequence[float] | None) -> float:
    """Return the weighted mean."""
    row_weights = _weights_of(weights, len(values))
    return math.fsum(w * v for w, v in zip(row_weights, values, strict=True)) / math.fsum(row_weights)


def _shares(labels: Sequence[Hashable], weights: Sequence[float] | None) -> dict[Hashable, float]:
    """Return the weighted share of each label."""
    row_weights = _weights_of(weights, len(labels))
    total = math.fsum(row_weights)
    shares: dict[Hashable, float] = {}
    for label in labels:
        if label not in shares:
            own = [w for other, w in zip(labels, row_weights, strict=True) if other == label]
            shares[label] = math.fsum(own) / total
    return shares


def _groups(labels: Sequence[Hashable]) -> list[list[int]]:
    """Return the row numbers of each group of equal labels, groups in order of first appearance."""
    groups: dict[Hashable, list[int]] = {}
    for row, label in enumerate(labels):
        groups.setdefault(label, []).append(row)
    return list(groups.values())


def _persons_around(labels: Sequence[Hashable], persons: Sequence[Hashable] | None) -> list[int]:
    """Return for each row the number of distinct persons in its group."""
    row_persons = _persons_of(persons, len(labels))
    sizes = [0] * len(labels)
    for group in _groups(labels):
        for row in group:
            sizes[row] = len({row_persons[other] for other in group})
    return sizes


# Information loss


def _mean_of_cells(
    original: Sequence[Record],
    masked: Sequence[Record],
    functions: Sequence[CellFunction],
    weights: Sequence[float] | None,
) -> float:
    """Return the weighted mean over records of the mean over attributes of a function of each pair of cells."""
    per_record = [
        _mean([function(a, b) for function, a, b in zip(functions, before, after, strict=True)])
        for before, after in zip(original, masked, strict=True)
    ]
    return _weighted_mean(per_record, weights)


def semantic_quality(
    original: Sequence[Record],
    masked: Sequence[Record],
    distances: Sequence[CellFunction],
    weights: Sequence[float] | None,
) -> float:
    """Return 100 times the weighted mean over records of the mean over attributes of 1 minus the distance."""

    def closeness(distance: CellFunction) -> CellFunction:
        """Return the function that gives 1 minus the distance."""
        return lambda a, b: 1 - distance(a, b)

    return 100 * _mean_of_cells(original, masked, [closeness(distance) for distance in distances], weights)


def mean_path(
    original: Sequence[Record],
    masked: Sequence[Record],
    path_lengths: Sequence[CellFunction],
    weights: Sequence[float] | None,
) -> float:
    """Return the weighted mean over records of the mean over attributes of the number of links."""
    return _mean_of_cells(original, masked, path_lengths, weights)


def local_ic_loss(original: Sequence[Record], masked: Sequence[Record], weights: Sequence[float] | None) -> float:
    """Return the mean loss of information content, each value's content taken from its share of its own column."""
    row_weights = _weights_of(weights, len(original))
    before = [_shares(column, weights) for column in zip(*original, strict=True)]
    after = [_shares(column, weights) for column in zip(*masked, strict=True)]
    per_record = []
    for old, new, weight in zip(original, masked, row_weights, strict=True):
        if weight == 0:  # its values may have a share of 0, and it counts for nothing in the mean
            per_record.append(0.0)
            continue
        losses = [-math.log(before[j][old[j]]) - -math.log(after[j][new[j]]) for j in range(len(old))]
        per_record.append(_mean(losses))
    return _weighted_mean(per_record, weights)


def discernibility(masked: Sequence[Record]) -> int:
    """Return the sum over groups of identical records of the square of the group's size."""
    return sum(len(group) ** 2 for group in _groups(masked))


def average_group_size(masked: Sequence[Record], k: int) -> float:
    """Return the number of records over k times the number of groups of identical records."""
    return len(masked) / (len(_groups(masked)) * k)


def loss_metric(
    original: Sequence[Record],
    masked: Sequence[Record],
    cell_losses: Sequence[CellFunction],
    weights: Sequence[float] | None,
) -> float:
    """Return the sum over attributes of the weighted mean over records of the loss of each cell."""
    total = 0.0
    for j, cell_loss in enumerate(cell_losses):
        losses = [cell_loss(old[j], new[j]) for old, new in zip(original, masked, strict=True)]
        total += _weighted_mean(losses, weights)
    return total


def ncp(
    original: Sequence[Record],
    masked: Sequence[Record],
    cell_penalties: Sequence[CellFunction],
    weights: Sequence[float] | None,
) -> float:
    """Return the weighted mean over all cells of the penalty of each, a cell weighing as much as its record."""
    penalties = []
    cell_weights = []
    for old, new, weight in zip(original, masked, _weights_of(weights, len(original)), strict=True):
        for cell_penalty, a, b in zip(cell_penalties, old, new, strict=True):
            penalties.append(cell_penalty(a, b))
            cell_weights.append(weight)
    return _weighted_mean(penalties, cell_weights)


def _ancestors_or_self(parents: Parents, concept: Hashable) -> set[Hashable]:
    """Return the concept and everything above it."""
    ancestors = {concept}
    for parent in parents.get(concept, ()):
        ancestors |= _ancestors_or_self(parents, parent)
    return ancestors


def _minimal_common_subsumers(parents: Parents, a: Hashable, b: Hashable) -> list[Hashable]:
    """Return the common ancestors-or-self of two concepts that have no other common one below them."""
    common = _ancestors_or_self(parents, a) & _ancestors_or_self(parents, b)
    return [
        high for high in common if not any(low != high and high in _ancestors_or_self(parents, low) for low in common)
    ]


def _leaves_subsumed(
    parents: Parents, leaves: Iterable[Hashable], a: Hashable, b: Hashable, distance: CellFunction
) -> tuple[int, int]:
    """Return the number of leaves at or below the least common subsumer, and of all of them."""
    leaves = set(leaves)
    if a is None or b is None or a not in parents or b not in parents:
        return len(leaves), len(leaves)
    candidates = _minimal_common_subsumers(parents, a, b)
    if not candidates:
        return len(leaves), len(leaves)
    subsumer = min(candidates, key=lambda p: (distance(p, a) + distance(p, b), str(p)))
    below = [leaf for leaf in leaves if subsumer in _ancestors_or_self(parents, leaf)]
    return len(below), len(leaves)


def leaves_of(parents: Parents) -> set[Hashable]:
    """Return the leaves of a hierarchy: the values that are above no other."""
    return set(parents) - {parent for above in parents.values() for parent in above}


def leaf_loss(parents: Parents, leaves: Iterable[Hashable], a: Hashable, b: Hashable, distance: CellFunction) -> float:
    """Return the loss of a cell, (M_P - 1) / (M - 1), with P the least common subsumer of the two values.

    The leaves are those of the hierarchy T (Martínez 2010, §2.6); of an ontology without one, the values of the data.
    The loss is normalised by the worst case, the root: with a single leaf, every change is that.
    """
    if a == b:
        return 0.0
    below, total = _leaves_subsumed(parents, leaves, a, b, distance)
    return 1.0 if total == 1 else (below - 1) / (total - 1)


def leaf_penalty(
    parents: Parents, leaves: Iterable[Hashable], a: Hashable, b: Hashable, distance: CellFunction
) -> float:
    """Return the penalty of a cell, |u_p| / |I| or 0 for a single leaf (eq. 3), with P the least common subsumer."""
    if a == b:
        return 0.0
    below, total = _leaves_subsumed(parents, leaves, a, b, distance)
    return 0.0 if below == 1 < total else below / total


# Clusters and partitions


def _lance_williams(n_i: float, n_j: float, n_k: float, c_ik: float, c_jk: float, c_ij: float) -> float:
    """Return the cost of joining cluster k to the union of clusters i and j by Ward's recurrence."""
    return ((n_i + n_k) * c_ik + (n_j + n_k) * c_jk - n_k * c_ij) / (n_i + n_j + n_k)


def ward(points: Sequence[Any], counts: Sequence[float], distance: CellFunction, clusters: int) -> list[int]:
    """Return the cluster number of each point after Ward's joining, clusters numbered by their first points."""
    members = {i: [i] for i in range(len(points))}
    sizes = dict(enumerate(counts))
    costs: dict[frozenset[int], float] = {}
    for i, j in itertools.combinations(range(len(points)), 2):
        costs[frozenset((i, j))] = (sizes[i] * sizes[j] / (sizes[i] + sizes[j])) * distance(points[i], points[j]) ** 2
    while len(members) > max(clusters, 1):
        # The union keeps the lower number, and min keeps the first of equal pairs in index order
        i, j = min(itertools.combinations(sorted(members), 2), key=lambda pair: costs[frozenset(pair)])
        c_ij = costs[frozenset((i, j))]
        for k in members:
            if k not in (i, j):
                c_ik, c_jk = costs[frozenset((i, k))], costs[frozenset((j, k))]
                costs[frozenset((i, k))] = _lance_williams(sizes[i], sizes[j], sizes[k], c_ik, c_jk, c_ij)
        members[i] += members.pop(j)
        sizes[i] += sizes.pop(j)
    labels = [0] * len(points)
    for number, first in enumerate(sorted(members)):
        for point in members[first]:
            labels[point] = number
    return labels


def variance_ratio(labels: Sequence[int], counts: Sequence[float], distance: Callable[[int, int], float]) -> float:
    """Return the variance ratio criterion of Calinski and Harabasz (1974) for points with counts.

    The squares of a group are the sum of d² over all pairs of its records, divided by its number of records.
    """

    def squares(points: Sequence[int]) -> float:
        pairs = itertools.combinations(points, 2)
        total = math.fsum(counts[i] * counts[j] * distance(i, j) ** 2 for i, j in pairs)
        return total / math.fsum(counts[i] for i in points)

    groups = [[i for i, x in enumerate(labels) if x == label] for label in sorted(set(labels))]
    within = math.fsum(map(squares, groups))
    between = squares(range(len(labels))) - within
    return (between / (len(groups) - 1)) / (within / (math.fsum(counts) - len(groups)))


def _information(labels: Sequence[Hashable], weights: Sequence[float] | None) -> float:
    """Return the Shannon information, in bits, of the labels' shares."""
    return math.fsum(-share * math.log2(share) for share in _shares(labels, weights).values() if share > 0)


def partition_distance(a: Sequence[Hashable], b: Sequence[Hashable], weights: Sequence[float] | None) -> float:
    """Return the normalised information distance of two partitions of the same rows."""
    joint = _information(list(zip(a, b, strict=True)), weights)
    if joint == 0:
        return 0.0
    return (2 * joint - _information(a, weights) - _information(b, weights)) / joint


# Disclosure risk


def semantic_linkage(
    original: Sequence[Record],
    masked: Sequence[Record],
    distances: Sequence[CellFunction],
    persons: Sequence[Hashable] | None,
    attribute_weights: Sequence[float] | None = None,
) -> float:
    """Return the percentage of rows that an attacker links to their person by the nearest masked rows."""
    row_persons = _persons_of(persons, len(original))
    successes = []
    for person, target in zip(row_persons, original, strict=True):
        gaps = []
        for candidate in masked:
            cells = [distance(a, b) for distance, a, b in zip(distances, target, candidate, strict=True)]
            gaps.append(_weighted_mean(cells, attribute_weights))
        least = min(gaps)
        nearest = [row for row, gap in enumerate(gaps) if gap <= least + NEAREST_TOLERANCE]
        successes.append(sum(row_persons[row] == person for row in nearest) / len(nearest))
    return 100 * _mean(successes)


def _sample_and_population_sizes(
    masked: Sequence[Record], persons: Sequence[Hashable] | None, weights: Sequence[float] | None
) -> list[tuple[int, float]]:
    """Return for each group its number of distinct persons, and its estimated number of them in the population."""
    row_persons = _persons_of(persons, len(masked))
    row_weights = _weights_of(weights, len(masked))
    sizes: list[tuple[int, float]] = []
    for group in _groups(masked):
        distinct = {row_persons[row] for row in group}
        in_sample = len(distinct)
        largest = [max(row_weights[row] for row in group if row_persons[row] == person) for person in distinct]
        in_population = float(in_sample) if weights is None else max(float(in_sample), math.fsum(largest))
        sizes.append((in_sample, in_population))
    return sizes


def record_risks(
    masked: Sequence[Record], persons: Sequence[Hashable] | None, weights: Sequence[float] | None
) -> dict[str, float]:
    """Return the prosecutor, journalist and marketer risks of the groups of identical masked rows."""
    sizes = _sample_and_population_sizes(masked, persons, weights)
    people = sum(f for f, _ in sizes)
    marketer = math.fsum(f / big_f for f, big_f in sizes) / people
    return {
        "prosecutor_max": 1 / min(f for f, _ in sizes),
        "prosecutor_mean": len(sizes) / people,
        "journalist_max": 1 / min(big_f for _, big_f in sizes),
        "journalist_mean": max(len(sizes) / math.fsum(big_f for _, big_f in sizes), marketer),
        "marketer": marketer,
    }


def share_above(
    masked: Sequence[Record],
    persons: Sequence[Hashable] | None,
    weights: Sequence[float] | None,
    threshold: float,
    which: str,
) -> float:
    """Return the share of the persons, counted per group, whose risk is above the threshold."""
    if which not in ("prosecutor", "journalist"):
        raise ValueError(f"which must be 'prosecutor' or 'journalist', not {which!r}")
    sizes = _sample_and_population_sizes(masked, persons, weights)
    above = sum(f for f, big_f in sizes if 1 / (f if which == "prosecutor" else big_f) > threshold)
    return above / sum(f for f, _ in sizes)


def unique_share(records: Sequence[Record], persons: Sequence[Hashable] | None) -> float:
    """Return the share of rows that are in groups of one person."""
    sizes = _persons_around(records, persons)
    return sum(size == 1 for size in sizes) / len(sizes)


def intersection(
    groups_a: Sequence[Hashable], groups_b: Sequence[Hashable], persons: Sequence[Hashable] | None
) -> tuple[int, float, float]:
    """Return the least and the mean size of the joint groups of two releases, and the share of rows alone in one."""
    sizes = _persons_around(list(zip(groups_a, groups_b, strict=True)), persons)
    return min(sizes), sum(sizes) / len(sizes), sum(size == 1 for size in sizes) / len(sizes)


# Privacy of the sensitive values


def _value_counts(
    masked: Sequence[Record], sensitive: Sequence[Hashable], persons: Sequence[Hashable] | None
) -> list[Counter[Hashable]]:
    """Return each group's counts of sensitive values, each value counted once for each person of the group."""
    row_persons = _persons_of(persons, len(masked))
    counts = []
    for group in _groups(masked):
        pairs = {(row_persons[row], sensitive[row]) for row in group}
        counts.append(Counter(value for _, value in pairs))
    return counts


def distinct_l(masked: Sequence[Record], sensitive: Sequence[Hashable], persons: Sequence[Hashable] | None) -> int:
    """Return the least number of different sensitive values in a group."""
    return min(len(counts) for counts in _value_counts(masked, sensitive, persons))


def entropy_l(masked: Sequence[Record], sensitive: Sequence[Hashable], persons: Sequence[Hashable] | None) -> float:
    """Return the exponential of the least entropy of a group's sensitive values."""
    entropies = []
    for counts in _value_counts(masked, sensitive, persons):
        total = sum(counts.values())
        entropies.append(math.fsum(-(n / total) * math.log(n / total) for n in counts.values()))
    return math.exp(min(entropies))


def recursive_l(
    masked: Sequence[Record], sensitive: Sequence[Hashable], persons: Sequence[Hashable] | None, c: float
) -> int:
    """Return the largest l for which every group is recursively (c, l)-diverse, 0 if there is none."""
    groups = [sorted(counts.values(), reverse=True) for counts in _value_counts(masked, sensitive, persons)]
    longest = max(len(r) for r in groups)
    holding = [level for level in range(1, longest + 1) if all(r[0] < c * sum(r[level - 1 :]) for r in groups)]
    return max(holding, default=0)


def _earth_movers_distance(
    supply: Mapping[Hashable, int], requirement: Mapping[Hashable, int], ground: CellFunction
) -> float:
    """Return the least cost of moving the shares of the supply to the shares of the demand."""
    values = list(dict.fromkeys([*supply, *requirement]))
    pairs = list(itertools.product(values, values))
    supply_total, demand_total = sum(supply.values()), sum(requirement.values())
    balance: list[list[int]] = []
    amounts: list[int] = []
    for value in values:  # both sides are scaled to supply_total * demand_total, so that every amount is an integer
        balance.append([int(source == value) for source, _ in pairs])
        amounts.append(supply.get(value, 0) * demand_total)
        balance.append([int(target == value) for _, target in pairs])
        amounts.append(requirement.get(value, 0) * supply_total)
    costs = [ground(source, target) for source, target in pairs]
    solution = linprog(costs, A_eq=balance, b_eq=amounts, bounds=(0, None), method="highs")
    if not solution.success:
        raise RuntimeError(solution.message)
    return float(solution.fun) / (supply_total * demand_total)


def t_closeness(
    masked: Sequence[Record],
    sensitive: Sequence[Hashable],
    persons: Sequence[Hashable] | None,
    ground: CellFunction,
) -> float:
    """Return the largest earth mover's distance from a group's sensitive values to those of the whole table."""
    groups = _value_counts(masked, sensitive, persons)
    [whole] = _value_counts([()] * len(masked), sensitive, persons)
    return max(_earth_movers_distance(counts, whole, ground) for counts in groups)


def ordered_ground(values: Iterable[Any]) -> CellFunction:
    """Return the rank distance over the sorted distinct non-null values, null being 1 from everything else."""
    ranks = {value: rank for rank, value in enumerate(sorted({value for value in values if value is not None}))}

    def ground(a: Any, b: Any) -> float:
        """Return the rank distance of two values."""
        if a is None or b is None:
            return 0.0 if a is b else 1.0
        gap = abs(ranks[a] - ranks[b])
        return 0.0 if len(ranks) == 1 else gap / (len(ranks) - 1)

    return ground


# Suppressed values


def counting_nulls(
    distances: Sequence[CellFunction],
    original: Sequence[Record],
    centroids: Record,
    weights: Sequence[float] | None = None,
) -> list[CellFunction]:
    """Return the distances, but for null, which counts as the distance to the centroid or the mean of these."""

    def counting(a: int) -> CellFunction:
        distance, centroid = distances[a], centroids[a]
        total = sum(_weights_of(weights, len(original)))
        mean = _weighted_mean([distance(row[a], centroid) for row in original], weights) if total else 0.0

        def lost(before: Any, after: Any) -> float:
            if after is not None or before is None:
                return distance(before, after)
            return max(distance(before, centroid), mean or 1.0)

        return lost

    return [counting(a) for a in range(len(distances))]


def centroids_of(attributes: Sequence[Any], codes: Any, mass: Any, names: Sequence[Any]) -> tuple[Any, ...]:
    """Return the centroid of every column, by the functions that give a value its name in the reference."""
    return tuple(
        name(x.metric.centroid(codes[:, a], mass)) for a, (x, name) in enumerate(zip(attributes, names, strict=True))
    )


# Distributions of columns


def spread_marginal(
    before: Sequence[Any], after: Sequence[Any], is_true: Callable[[Any, Any], bool]
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Return the shares of values before and after; general values spread evenly over what they are true of."""
    had, has = Counter(before), Counter(after)
    shares = {value: n / len(before) for value, n in had.items()}
    spread = dict.fromkeys([*had, *has], 0.0)
    known = [value for value in had if value is not None]
    for value, n in has.items():
        kept = min(n / len(after), shares.get(value, 0.0))
        spread[value] += kept
        targets = [x for x in known if value is None or is_true(value, x)] or [value]
        for target in targets:
            spread[target] += (n / len(after) - kept) / len(targets)
    return {value: shares.get(value, 0.0) for value in spread}, spread


def total_variation(before: Mapping[Any, float], after: Mapping[Any, float]) -> float:
    """Return half of Σ |after - before|."""
    return sum(abs(after[x] - before[x]) for x in after) / 2


def moved_mass(before: Mapping[Any, float], after: Mapping[Any, float], distance: CellFunction) -> float:
    """Return the least Σ flow·distance from values with too much to values with too little, by linear programming."""
    surplus = [x for x in after if after[x] - before[x] > 1e-12]
    lack = [x for x in after if before[x] - after[x] > 1e-12]
    if not surplus:
        return 0.0
    cost = [distance(x, y) for x in surplus for y in lack]
    rows = [[float(i == j) for j in range(len(surplus)) for _ in lack] for i in range(len(surplus))]
    columns = [[float(i == j) for _ in surplus for j in range(len(lack))] for i in range(len(lack))]
    amounts = [after[x] - before[x] for x in surplus] + [before[x] - after[x] for x in lack]
    return float(linprog(cost, A_eq=(rows + columns)[:-1], b_eq=amounts[:-1], method="highs").fun)
