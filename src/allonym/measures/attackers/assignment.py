"""An attacker who links all records at once: the optimal assignment of persons to records of the release."""

from __future__ import annotations

from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures.attackers.base import Attacker, Estimate, Setting
from allonym.measures.attackers.likelihood import Likelihoods, relative
from allonym.records import Pairs

MAX_RECORDS = 1_000  # that are assigned exactly
ROUNDS = 50  # of balancing, for more records
RECORDS_PER_TUPLE = 10  # of a sample, for each original tuple: with fewer, balancing would fit chance
IMPOSSIBLE = 1_000.0  # added to the largest cost of a possible pair
LEAST = 1e-300


def assignment(setting: Setting) -> Estimate:
    """Return how often the most likely assignment of all persons to all records is right, in per cent.

    Costs are negative log-likelihoods. Up to `MAX_RECORDS` records, the assignment is the optimal one (Kuhn 1955; by
    the algorithm of Jonker and Volgenant 1987). For more records, the likelihoods of original tuples are balanced until
    every person has one record and every record one person (Sinkhorn 1967), and each record goes to its likeliest
    person; the records are a sample where there are too many likelihoods. A sample with less than `RECORDS_PER_TUPLE`
    records for each original tuple does not tell how to balance them: the attack does not apply then.
    """
    pairs = setting.pairs
    if not pairs.counts.size:
        return Estimate(0.0)
    likelihoods = setting.likelihoods
    if pairs.counts.sum() > MAX_RECORDS or likelihoods.sampled:
        return likelihoods.guessed(balanced(likelihoods))
    return Estimate(assigned(pairs, likelihoods.logs, setting.seed))


def applies(setting: Setting) -> bool:
    """Return whether values are replaced at random, and enough records can be compared."""
    if setting.mechanism is None:
        return False
    likelihoods = setting.likelihoods
    return not likelihoods.sampled or len(likelihoods.chosen) >= RECORDS_PER_TUPLE * len(likelihoods.sizes)


def assigned(pairs: Pairs, logs: Floats, seed: int) -> float:
    """Return how often the optimal assignment is right, in per cent; `logs` has a row for each original tuple.

    Equal records are assigned at random. Ties between assignments are broken by a random order of the records.
    """
    from scipy.optimize import linear_sum_assignment

    known, first = pairs.original_tuples
    seen, shown = pairs.masked_tuples
    before, after = (sum_by(x, pairs.counts.astype(np.float64), len(y)) for x, y in ((known, first), (seen, shown)))
    rows = np.repeat(np.arange(len(before)), before.astype(np.int64))
    columns = np.repeat(np.arange(len(after)), after.astype(np.int64))
    rng = np.random.Generator(np.random.Philox(key=seed))
    rows, columns = rng.permutation(rows), rng.permutation(columns)
    possible = np.isfinite(logs)
    worst = -float(logs[possible].min()) if possible.any() else 0.0
    costs = np.where(possible, -logs, worst + IMPOSSIBLE)
    row, column = linear_sum_assignment(costs[np.ix_(rows, columns)])
    x, y = rows[row], columns[column]
    right = _of_one_person(pairs, known, seen)[x, y] / (before[x] * after[y])
    return float(100 * right.sum() / len(rows))


def _of_one_person(pairs: Pairs, known: Ints, seen: Ints) -> Any:
    """Return how many pairs of an original record and a record of the release are one person's, tuple by tuple."""
    from scipy.sparse import csr_array

    shape, counts = (int(known.max()) + 1, int(seen.max()) + 1), pairs.counts.astype(np.float64)
    if pairs.units is None:
        return csr_array((counts, (known, seen)), shape).toarray()
    persons = int(pairs.units.max()) + 1
    was, now = (csr_array((counts, (x, pairs.units)), (n, persons)) for x, n in zip((known, seen), shape, strict=True))
    return (was @ now.T).toarray()


def balanced(likelihoods: Likelihoods) -> Floats:
    """Return log weights of the original tuples under which each is as likely as it has records (Sinkhorn 1967)."""
    weights_of_columns = sum_by(likelihoods.columns, likelihoods.weights, likelihoods.logs.shape[1])
    matrix = relative(likelihoods.logs)
    factors = np.ones(len(likelihoods.sizes))
    for _ in range(ROUNDS):
        of_columns = weights_of_columns / np.maximum((likelihoods.sizes * factors) @ matrix, LEAST)
        factors = 1 / np.maximum(matrix @ of_columns, LEAST)
        factors /= factors.max()
    return np.log(np.maximum(factors, LEAST))


ATTACKER = Attacker(
    "assignment",
    "linked by assignment",
    "knows the plan and the whole table, and links all persons to all records at once, so that the whole is likeliest",
    "releases of methods that replace each value at random, up to a number of different original records",
    applies,
    assignment,
)
