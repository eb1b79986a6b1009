"""Slow, obviously-correct semantic PRAM, written from the formulas: an oracle. Nothing here is shared with the product.

Values are 0 … p-1, `d[v][w]` are their distances, `f[v]` their shares of the records.

- First stage: P(v, w) ∝ f(w)·exp(-d(v, w)/τ), rows summing to one.
- Second stage (Gouweleeuw, Kooiman, Willenborg and de Wolf 1998): Q(w, v) = f(v)·P(v, w) / Σ_u f(u)·P(u, w), and
  R = P·Q, so that f·R = f.
- Deniability: the odds of each value, given what is seen, are at most B, or B times its prior odds if more than half of
  the records have it. R becomes (1-λ)·R + λ·1·f, with the least λ for which that holds.
"""

import math
from collections.abc import Sequence

Matrix = Sequence[Sequence[float]]


def first_stage(d: Matrix, f: Sequence[float], tau: float) -> list[list[float]]:
    """Return P.

    >>> first_stage([[0, 1], [1, 0]], [0.5, 0.5], 1e9)[0][0].__round__(6)
    0.5
    """
    p = range(len(f))
    weights = [[f[w] * math.exp(-d[v][w] / tau) for w in p] for v in p]
    return [[x / math.fsum(row) for x in row] for row in weights]


def invariant(d: Matrix, f: Sequence[float], tau: float) -> list[list[float]]:
    """Return R = P·Q."""
    p, first = range(len(f)), first_stage(d, f, tau)
    seen = [math.fsum(f[u] * first[u][w] for u in p) for w in p]
    second = [[f[v] * first[v][w] / seen[w] for v in p] for w in p]
    return [[math.fsum(first[v][u] * second[u][w] for u in p) for w in p] for v in p]


def mixed(r: Matrix, f: Sequence[float], share: float) -> list[list[float]]:
    """Return (1-λ)·R + λ·1·f."""
    p = range(len(f))
    return [[(1 - share) * r[v][w] + share * f[w] for w in p] for v in p]


def changed(r: Matrix, f: Sequence[float]) -> float:
    """Return the expected share of records whose value changes."""
    return 1 - math.fsum(f[v] * r[v][v] for v in range(len(f)))


def odds(share: float) -> float:
    """Return the odds of a probability."""
    return math.inf if share >= 1 else share / (1 - share)


def excess(r: Matrix, f: Sequence[float]) -> float:
    """Return the largest odds of any value given what is seen, as multiples of the prior odds where these exceed 1."""
    p = range(len(f))
    seen = [math.fsum(f[u] * r[u][w] for u in p) for w in p]
    return max(odds(f[v] * r[v][w] / seen[w]) / max(1.0, odds(f[v])) for v in p for w in p if f[v] < 1)


def least_share(r: Matrix, f: Sequence[float], bound: float) -> float:
    """Return the least λ with which the bound holds, by bisection."""
    if len(f) < 2 or excess(r, f) <= bound:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(mixed(r, f, middle), f) <= bound else (middle, high)
    return high


def tau_for(d: Matrix, f: Sequence[float], share: float) -> float:
    """Return the τ with which so many records are expected to change, before any mixing."""
    low, high = 1e-6, 1e6
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if changed(invariant(d, f, middle), f) > share else (middle, high)
    return high
