"""How good a release is for analysts: benchmarks/utility.py.

A classifier reads a cell as the shares of the values it covers, and a number as the mean of those it covers; an empty
cell, as the mean of the other cells of its column. Suppressed rows are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from allonym.arrays import Floats, Ints
from utility_cells import ReadColumn, Release

FOLDS = 5
T = 2.776  # the 97.5 % quantile of Student's t with FOLDS - 1 degrees of freedom
RARE = 0.01  # values of fewer rows have no coefficient of their own
SMALL_GROUP = 30  # smaller groups of the original are not compared
Z = 1.96


class Interval(NamedTuple):
    """The mean over the folds, and half the width of its 95 % interval."""

    mean: float
    half: float

    @classmethod
    def of(cls, figures: list[float]) -> Interval:
        """Return the interval of some figures, one for each fold."""
        spread = np.std(figures, ddof=1) / np.sqrt(len(figures))
        return cls(float(np.mean(figures)), float(T * spread))


def features(release: Release) -> Floats:
    """Return the features of every row: the shares of all values of words, and one number for numbers."""
    parts = [standardised(x)[:, None] if x.column.numeric else x.imputed[x.inverse] for x in release.columns.values()]
    return np.concatenate(parts, axis=1)


def standardised(column: ReadColumn) -> Floats:
    """Return the numbers of a column, in standard deviations of the distinct original values from their mean."""
    numbers = column.column.numbers
    return np.asarray((column.expected - numbers.mean()) / numbers.std())


class Logistic:
    """Logistic regression with the ridge penalty that scikit-learn has by default, fitted by Newton's method."""

    def fit(self, x: Floats, y: Floats, weight: Floats) -> None:
        """Fit the coefficients."""
        self.estimate = newton(self._design(x), y, weight, ridge=1.0).estimate

    def chance(self, x: Floats) -> Floats:
        """Return the probability of the target for each row."""
        return logistic(self._design(x) @ self.estimate)

    def _design(self, x: Floats) -> Floats:
        return np.concatenate([np.ones((len(x), 1)), x], axis=1)


class Boosting:
    """Gradient boosting of decision trees."""

    def __init__(self) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        self.model = HistGradientBoostingClassifier(random_state=0, max_iter=60, learning_rate=0.2)

    def fit(self, x: Floats, y: Floats, weight: Floats) -> None:
        """Fit the trees."""
        self.model.fit(x, y, sample_weight=weight)

    def chance(self, x: Floats) -> Floats:
        """Return the probability of the target for each row."""
        return np.asarray(self.model.predict_proba(x)[:, 1])


CLASSIFIERS: dict[str, Callable[[], Logistic | Boosting]] = {"logistic": Logistic, "boosting": Boosting}


class Scores(NamedTuple):
    """The scores of a release on held-out rows, one for each fold."""

    on_original: dict[str, list[float]]  # AUC
    on_release: dict[str, list[float]]  # AUC
    brier: list[float]  # of the logistic regression, on original rows


def scores(original: Release, releases: list[Release]) -> Scores:
    """Train on released rows; test on rows that were held out, as they were and as they are released.

    `releases` is one release, or one for each fold that was made from the training rows of this fold alone.
    """
    from sklearn.metrics import brier_score_loss, roc_auc_score

    result = Scores({name: [] for name in CLASSIFIERS}, {name: [] for name in CLASSIFIERS}, [])
    truth = features(original)
    for fold, (train, test) in enumerate(folds(original.outcome)):
        release = releases[fold % len(releases)]
        x, y = features(release), release.outcome
        rows = train[~release.suppressed[train]] if not release.synthetic else np.arange(len(y))
        distinct_rows, weight = counted(release, rows)
        for name, make in CLASSIFIERS.items():
            model = make()
            model.fit(x[distinct_rows], y[distinct_rows].astype(float), weight)
            chance = model.chance(truth[test])
            result.on_original[name].append(float(roc_auc_score(original.outcome[test], chance)))
            if name == "logistic":
                result.brier.append(float(brier_score_loss(original.outcome[test], chance)))
            if not release.synthetic:
                held_out = test[~release.suppressed[test]]
                result.on_release[name].append(float(roc_auc_score(y[held_out], model.chance(x[held_out]))))
    return result


def counted(release: Release, rows: Ints) -> tuple[Ints, Floats]:
    """Return one of each set of equal rows, target included, and how many there are."""
    keys = release.classes[rows] * 2 + release.outcome[rows]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return rows[first], counts.astype(float)


def folds(outcome: Ints) -> list[tuple[Ints, Ints]]:
    """Return the training and the test rows of each fold: the same for all tools."""
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    return list(splitter.split(np.zeros(len(outcome)), outcome))


def group_means(release: Release) -> tuple[Floats, Floats]:
    """Return the mean target and the number of rows in each group.

    A row counts in every group it may belong to, by its shares. Rows with an empty cell are left out.
    """
    one, other = (release.columns[x] for x in release.task.group_by)
    kept = ~(one.null[one.inverse] | other.null[other.inverse])
    a, b = one.shares[one.inverse[kept]], other.shares[other.inverse[kept]]
    rows = a.T @ b
    positive = (a * release.outcome[kept, None]).T @ b
    with np.errstate(invalid="ignore", divide="ignore"):
        return positive / rows, rows


def group_error(original: Release, release: Release) -> float:
    """Return the mean absolute error of the mean target over the groups, in percentage points."""
    truth, rows = group_means(original)
    means, _ = group_means(release)
    overall = release.outcome.mean()
    compared = rows >= SMALL_GROUP
    return float(100 * np.abs(np.nan_to_num(means, nan=overall) - truth)[compared].mean())


class Coefficients(NamedTuple):
    """A logistic regression without a penalty: its coefficients and their standard errors."""

    estimate: Floats
    error: Floats


def coefficients(release: Release, original: Release) -> Coefficients:
    """Regress the target on all columns. The most frequent value of a column is its reference; rare ones are one."""
    rows, weight = counted(release, np.flatnonzero(~release.suppressed))
    parts = [np.ones((len(rows), 1))]
    for name, column in release.columns.items():
        marginal = original.columns[name].marginal
        if column.column.numeric:
            numbers = column.column.numbers
            middle, spread = marginal @ numbers, np.sqrt(marginal @ (numbers - marginal @ numbers) ** 2)
            parts.append((column.expected[rows, None] - middle) / spread)
            continue
        shares = column.imputed[column.inverse[rows]]
        own = [i for i in np.flatnonzero(marginal >= RARE) if i != marginal.argmax()]
        parts.append(shares[:, own])
        if (rare := marginal < RARE).any():
            parts.append(shares[:, rare].sum(axis=1, keepdims=True))
    return newton(np.concatenate(parts, axis=1), release.outcome[rows].astype(float), weight)


def logistic(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))))


def newton(x: Floats, y: Floats, weight: Floats, steps: int = 30, ridge: float = 1e-6) -> Coefficients:
    """Fit a logistic regression with a ridge penalty, which spares the first column."""
    estimate = np.zeros(x.shape[1])
    penalty = np.full(x.shape[1], ridge)
    penalty[0] = 1e-9
    for _ in range(steps):
        chance = logistic(x @ estimate)
        information = (x * (weight * chance * (1 - chance))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(information, x.T @ (weight * (y - chance)) - penalty * estimate)
        estimate = estimate + np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-6:
            break
    return Coefficients(estimate, np.sqrt(np.diag(np.linalg.inv(information))))


def regression(original: Release, release: Release) -> tuple[float, float]:
    """Return the share of the original coefficients in the released 95 % intervals, and the overlap of intervals.

    The overlap is that of Karr et al. (2006), the mean over both intervals; 0 where they are apart.
    """
    truth, estimated = coefficients(original, original), coefficients(release, original)
    inside = np.abs(truth.estimate - estimated.estimate) <= Z * estimated.error
    low = np.maximum(truth.estimate - Z * truth.error, estimated.estimate - Z * estimated.error)
    high = np.minimum(truth.estimate + Z * truth.error, estimated.estimate + Z * estimated.error)
    common = np.maximum(high - low, 0)
    overlap = (common / (2 * Z * truth.error) + common / (2 * Z * estimated.error)) / 2
    return float(100 * inside.mean()), float(100 * overlap.mean())


def marginals(original: Release, release: Release) -> Mapping[str, float]:
    """Return the total variation between the distributions of each column, in %."""
    return {
        name: float(50 * np.abs(column.marginal - original.columns[name].marginal).sum())
        for name, column in release.columns.items()
    }
