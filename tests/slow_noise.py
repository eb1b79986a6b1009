"""Slow, obviously-correct semantic noise, exponential mechanism and Philox, written from the formulas: an oracle.

Nothing here is shared with the product, and nothing is optimised: every call walks the taxonomy again. A taxonomy is a
mapping concept -> parents whose root is concept 0; its concepts are the domain D. The distance sd is that of Wu and
Palmer, with depths in nodes, the root having depth 1. Semantic noise is that of Rodriguez-Garcia, Batet and Sánchez;
Philox4x64-10 is that of Salmon et al. (2011).
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import reference

Parents = Mapping[int, Sequence[int]]  # concept -> its direct parents

TINY: Parents = reference.TINY  # the taxonomy of the doctests

TIE = 1e-12  # sums that differ by at most so much, relative to the sum, are tied
DECIMALS = 12  # distances are compared rounded to so many decimals

# Philox4x64: the multipliers, what the key grows by after a round, the number of rounds, and a word of 64 bits.
M0, M1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157
W0, W1 = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
ROUNDS = 10
WORD = 2**64


def sd(parents: Parents, a: int, b: int) -> float:
    """Return the semantic distance of two concepts.

    >>> sd(TINY, 4, 5), sd(TINY, 1, 2), sd(TINY, 6, 6)
    (0.25, 0.5, 0.0)
    """
    return reference.distance("wu-palmer", parents, a, b)


def rounded(parents: Parents, a: int, b: int) -> float:
    """Return the semantic distance of two concepts as it is compared with others.

    >>> rounded(TINY, 0, 1)
    0.333333333333
    """
    return round(sd(parents, a, b), DECIMALS)


# Semantic noise.


def laplace_error(u: float, variance: float) -> float:
    """Return the Laplace error below which a share u of all errors is: the inverse of the distribution function.

    F(e) = exp(e / b) / 2 below 0 and 1 - exp(-e / b) / 2 above; its variance is 2b².

    >>> b = math.sqrt(0.5 / 2)
    >>> math.isclose(math.exp(laplace_error(0.2, 0.5) / b) / 2, 0.2)
    True
    >>> math.isclose(1 - math.exp(-laplace_error(0.9, 0.5) / b) / 2, 0.9)
    True
    """
    b = math.sqrt(variance / 2)
    return b * math.log(2 * u) if u < 0.5 else -b * math.log(2 * (1 - u))


def mean(parents: Parents, counts: Mapping[int, int]) -> int:
    """Return the concept of D with the least sum of count · sd to all records, of tied ones the lowest number.

    >>> mean(TINY, {4: 1, 5: 1, 6: 1})
    3
    >>> mean(TINY, {1: 1, 2: 1}), mean(TINY, {1: 1, 2: 2})  # a tie, and none
    (1, 2)
    """
    sums = {c: math.fsum(count * sd(parents, c, x) for x, count in counts.items()) for c in parents}
    least = min(sums.values())
    return min(c for c in parents if sums[c] - least <= TIE * least)


def variance(parents: Parents, counts: Mapping[int, int], mu: int) -> float:
    """Return the mean of sd² from the records to mu.

    >>> variance(TINY, {4: 3, 5: 1}, 4) == (3 * 0**2 + 1 * 0.25**2) / 4
    True
    """
    return math.fsum(count * sd(parents, x, mu) ** 2 for x, count in counts.items()) / sum(counts.values())


def on_side(parents: Parents, x: int, mu: int, error: float) -> set[int]:
    """Return the concepts that are farther from mu than x for a positive error, and nearer for a negative one.

    >>> sorted(on_side(TINY, 3, 1, 0.1)), sorted(on_side(TINY, 3, 1, -0.1))
    ([0, 2, 4, 5], [1])
    """
    if error > 0:
        return {c for c in parents if rounded(parents, c, mu) > rounded(parents, x, mu)}
    return {c for c in parents if rounded(parents, c, mu) < rounded(parents, x, mu)}


def replacements(
    parents: Parents, x: int, mu: int, error: float, allow_same: bool = False, listed: Collection[int] | None = None
) -> set[int]:
    """Return the concepts that noise of this size and sign may put in the place of x, all equally likely.

    With a list, only its concepts may; x stays only if it is one of them.

    >>> replacements(TINY, 3, 1, 0.0)  # no noise
    {3}
    >>> sorted(replacements(TINY, 3, 1, 0.1)), replacements(TINY, 3, 1, -0.1)  # away from the mean, and towards it
    ([4, 5], {1})
    >>> replacements(TINY, 3, 1, -0.9)  # none towards the mean is far enough: the farthest that is
    {1}
    >>> sorted(replacements(TINY, 1, 1, -0.1)), replacements(TINY, 1, 1, 0.9)  # the mean itself knows no sides
    ([3, 6], {2})
    >>> sorted(replacements(TINY, 0, 4, 0.1))  # none is farther from the mean: the nearest on any side
    [1, 2]
    >>> sorted(replacements(TINY, 0, 4, 0.9))  # nor is one on any side far enough: the farthest of all
    [3, 4, 5, 6]
    >>> replacements(TINY, 3, 1, 0.05, allow_same=True), sorted(replacements(TINY, 3, 1, 0.1, allow_same=True))
    ({3}, [4, 5])
    >>> replacements({0: ()}, 0, 0, 0.5)
    {0}
    >>> replacements(TINY, 3, 1, 0.1, listed=[5, 6]), replacements(TINY, 3, 1, 0.0, listed=[5]), replacements(
    ...     TINY, 3, 1, 0.9, listed=[3]
    ... )
    ({5}, {5}, {3})
    """
    allowed = set(parents) if listed is None else set(listed)
    others = allowed - {x}
    if not others or (error == 0 and x in allowed):
        return {x}
    candidates = others
    if x != mu:
        candidates = on_side(parents, x, mu, error) & others or others
    distances = {c: rounded(parents, c, x) for c in candidates}
    far_enough = [d for d in distances.values() if d >= abs(error)]
    chosen = min(far_enough) if far_enough else max(distances.values())
    if allow_same and x in allowed and 2 * abs(error) < chosen:  # the farthest is nearer than the error
        return {x}
    return {c for c, d in distances.items() if d == chosen}


def report(parents: Parents, original: Sequence[int], masked: Sequence[int]) -> dict[str, float]:
    """Return the means and variances of the records before and after, and the errors between the two.

    >>> measured = report(TINY, [4, 4, 5], [4, 5, 5])
    >>> measured["mean_before"], measured["mean_after"], measured["mean_distance"]
    (4, 5, 0.25)
    >>> measured["rmse"] == math.sqrt(0.25**2 / 3), measured["mean_error"] == 0.25 / 3
    (True, True)
    """
    before, after = Counter(original), Counter(masked)
    mean_before, mean_after = mean(parents, before), mean(parents, after)
    errors = [sd(parents, x, y) for x, y in zip(original, masked, strict=True)]
    return {
        "mean_before": mean_before,
        "mean_after": mean_after,
        "mean_distance": sd(parents, mean_before, mean_after),
        "variance_before": variance(parents, before, mean_before),
        "variance": variance(parents, after, mean_after),
        "rmse": math.sqrt(math.fsum(e**2 for e in errors) / len(errors)),
        "mean_error": math.fsum(errors) / len(errors),
    }


# The exponential mechanism, where None is null.


def distance_or_null(parents: Parents, a: int | None, b: int | None) -> float:
    """Return sd of two concepts, null being 0 from itself and 1 from every concept.

    >>> distance_or_null(TINY, 4, 5), distance_or_null(TINY, None, 5), distance_or_null(TINY, None, None)
    (0.25, 1.0, 0.0)
    """
    if a is None or b is None:
        return 0.0 if a is b else 1.0
    return sd(parents, a, b)


def exponential(
    parents: Parents, x: int | None, candidates: Sequence[int | None], scale: float
) -> dict[int | None, float]:
    """Return the probability of every candidate, in proportion to exp(-s·d(x, c)).

    >>> drawn = exponential(TINY, 4, [4, 5, None], 4.0)
    >>> math.isclose(drawn[5], math.exp(-1) / (math.exp(0) + math.exp(-1) + math.exp(-4)))
    True
    """
    weights = {c: math.exp(-scale * distance_or_null(parents, x, c)) for c in candidates}
    total = math.fsum(weights.values())
    return {c: weight / total for c, weight in weights.items()}


def privacy_loss(parents: Parents, candidates: Sequence[int | None], scale: float) -> float:
    """Return the largest log P(c | x) / P(c | y) over all values x and y that anyone may have, and all candidates c.

    Values are the concepts, a leaf below each (a concept of its own, which is no candidate), and null.

    >>> loss = privacy_loss(TINY, [0, None], 1.0)  # 0 and null swap their probabilities
    >>> math.isclose(loss, 1.0)
    True
    >>> 0.5 < privacy_loss(TINY, list(TINY), 1.0) <= 2.0
    True
    """
    leaves = {len(parents) + concept: [concept] for concept in parents}
    known = [exponential({**parents, **leaves}, x, candidates, scale) for x in [*parents, *leaves, None]]
    return max(math.log(p_x[c] / p_y[c]) for c in candidates for p_x in known for p_y in known)


# Random numbers.


def philox(key: tuple[int, int], counter: int, second: int = 0) -> tuple[int, int, int, int]:
    """Return the four words of Philox4x64-10 for a key and a counter whose upper two words are 0.

    >>> import numpy  # which counts on before its first block
    >>> philox((1, 2), 6) == tuple(numpy.random.Philox(key=[1, 2], counter=[5, 0, 0, 0]).random_raw(4).tolist())
    True
    >>> large = numpy.array([2**64 - 1, 2**63 + 5], dtype=numpy.uint64)
    >>> philox((2**64 - 1, 2**63 + 5), 1) == tuple(numpy.random.Philox(key=large).random_raw(4).tolist())
    True
    """
    k0, k1 = key
    x0, x1, x2, x3 = counter, second, 0, 0
    for _ in range(ROUNDS):
        high0, low0 = divmod(M0 * x0, WORD)
        high1, low1 = divmod(M1 * x2, WORD)
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
        k0, k1 = (k0 + W0) % WORD, (k1 + W1) % WORD
    return x0, x1, x2, x3


# Noise on values without an ontology.


def category_after(values: Sequence[str], mode: str, value: str, error: float, tie: float) -> str:
    """Return what a category becomes by Algorithm 1, all categories being at distance 1; small errors leave it.

    The candidates on the side of the error are those nearer to the mean than the value (error below 0), or farther.
    Where there are none, or the value is the mean, all others are.

    >>> [category_after(("a", "b", "c"), "a", "b", error, 0.9) for error in (-0.4, -0.6, 0.6)]
    ['b', 'a', 'c']
    """
    distance = {other: 0 if other == mode else 1 for other in values}
    others = [other for other in values if other != value]
    if abs(error) < 0.5 or not others:  # nearer to the value itself than to any other
        return value
    side = [x for x in others if (distance[x] < distance[value] if error < 0 else distance[x] > distance[value])]
    candidates = side if side and value != mode else others
    return candidates[int(tie * len(candidates))]


def rank_after(levels: int, rank: int, error: float) -> int:
    """Return what a rank becomes: the nearest rank to it and its error.

    >>> [rank_after(4, 2, error) for error in (-0.4, 0.7, 9, -9)]
    [2, 3, 3, 0]
    """
    return min(range(levels), key=lambda level: (abs(level - (rank + error)), level % 2))
