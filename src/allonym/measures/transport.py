"""The transport problem: the cheapest way to move mass from where it is to where it is needed."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Floats

MIN_MASS = 1e-12  # less is rounding


def transport(supply: Floats, demand: Floats, cost: Floats) -> float:
    """Return the least Σ flow·cost that meets every demand from supplies of the same sum.

    Successive shortest paths (Ahuja, Magnanti and Orlin 1993, §9.7): each supply takes the cheapest path, on which
    flows of others may be taken back.

    >>> round(transport(np.array([0.5, 0.5]), np.array([0.7, 0.3]), np.array([[0.1, 1.0], [0.2, 0.4]])), 9)
    0.21
    """
    if min(cost.shape) == 1:
        return float((np.outer(supply, demand) * cost).sum() / supply.sum())
    state = _Transport(cost, demand.astype(np.float64))
    left = supply.astype(np.float64)
    for source in range(len(left)):
        while left[source] > MIN_MASS and state.demand.max() > MIN_MASS:
            left[source] -= state.send(source, float(left[source]))
    return float((state.flow * cost).sum())


def nearest_first(supply: Floats, demand: Floats, cost: Floats) -> tuple[float, float]:
    """Move mass between the nearest places first; return Σ flow·cost, and how much supply is left."""
    total, supply, demand = 0.0, supply.copy(), demand.copy()
    left = min(float(supply.sum()), float(demand.sum()))
    for i, j in zip(*np.unravel_index(np.argsort(cost, axis=None, kind="stable"), cost.shape), strict=True):
        amount = min(supply[i], demand[j])
        if amount > 0:
            total += float(amount * cost[i, j])
            left -= float(amount)
            supply[i] -= amount
            demand[j] -= amount
            if left <= MIN_MASS:
                break
    return total, float(supply.sum())


class _Transport:
    """Flows from supplies (rows) to demands (columns), and prices under which none could be cheaper."""

    def __init__(self, cost: Floats, demand: Floats) -> None:
        self.cost, self.demand = cost, demand
        self.flow = np.zeros(cost.shape)
        self.row_prices, self.column_prices = np.zeros(cost.shape[0]), np.zeros(cost.shape[1])

    def send(self, source: int, amount: float) -> float:
        """Send up to so much from a supply to the demand that is cheapest to reach; return how much."""
        column, before, back = self._search(source)
        amount, path = min(amount, float(self.demand[column])), []
        end = column
        while True:
            row = int(before[column])
            path.append((row, column, 1.0))
            if row == source:
                break
            column = int(back[row])
            path.append((row, column, -1.0))
            amount = min(amount, float(self.flow[row, column]))
        for row, column, sign in path:
            changed = self.flow[row, column] + sign * amount
            self.flow[row, column] = changed if changed > MIN_MASS else 0.0
        self.demand[end] -= amount
        return amount

    def _search(self, source: int) -> tuple[int, np.ndarray, np.ndarray]:
        """Return the open demand that is cheapest to reach, the row before each column, the column before each row."""
        rows, columns = self.cost.shape
        to_row, to_column = np.full(rows, np.inf), np.full(columns, np.inf)
        before, back = np.full(columns, -1), np.full(rows, -1)
        done, fresh = np.zeros(columns, bool), [source]
        to_row[source] = 0.0
        while True:
            for row in fresh:
                reduced = np.maximum(self.cost[row] + self.row_prices[row] - self.column_prices, 0.0)
                nearer = ~done & (to_row[row] + reduced < to_column)
                to_column[nearer], before[nearer] = (to_row[row] + reduced)[nearer], row
            column = int(np.argmin(np.where(done, np.inf, to_column)))
            done[column] = True
            if self.demand[column] > MIN_MASS:
                break
            fresh = np.flatnonzero((self.flow[:, column] > 0) & np.isinf(to_row)).tolist()
            to_row[fresh], back[fresh] = to_column[column], column
        end = to_column[column]
        self.column_prices += np.where(done, to_column - end, 0.0)
        self.row_prices += np.where(np.isfinite(to_row), to_row - end, 0.0)
        return column, before, back
