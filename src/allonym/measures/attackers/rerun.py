"""An attacker who knows the plan and the data, and re-runs the tool."""

from __future__ import annotations

import numpy as np

from allonym.arrays import distinct, sum_by
from allonym.measures.attackers.base import Attacker, Estimate, Setting
from allonym.measures.attackers.likelihood import Likelihoods
from allonym.records import Pairs


def known_class(pairs: Pairs) -> float:
    """Return how often a person is found by somebody who knows everybody's equivalence class, in per cent.

    Records of a class look the same, so one of them is picked: without units the figure is 100 · classes / n. Where
    persons have several records, the class is searched in which the person has the largest share of the records.
    Suppressed records are a class.

    >>> was, now = np.array([[0], [1], [2]]), np.array([[0], [0], [2]])
    >>> known_class(Pairs((), was, now, np.array([2, 1, 1]), np.ones(3))) == 100 * 2 / 4
    True
    """
    if not pairs.counts.size:
        return 0.0
    groups = pairs.groups - int(pairs.groups.min(initial=0))
    counts = pairs.counts.astype(np.float64)
    if pairs.units is None:
        return float(100 * len(np.unique(groups)) / counts.sum())
    held, _, first = distinct([groups, pairs.units])
    shares = sum_by(held, counts, len(first)) / sum_by(groups, counts, int(groups.max()) + 1)[groups[first]]
    best = np.zeros(int(pairs.units.max()) + 1)
    np.maximum.at(best, pairs.units[first], shares)
    return float(100 * (counts * best[pairs.units]).sum() / counts.sum())


def rerun(setting: Setting) -> Estimate:
    """Return how often the attacker finds the right person, in per cent.

    A method that groups records gives the same classes again. A method that replaces values at random does not, but the
    attacker knows how likely each person becomes a record of the release, and names the likeliest: the best guess
    about a single record, by Bayes' theorem.
    """
    if setting.mechanism is None or not setting.pairs.counts.size:
        return Estimate(known_class(setting.pairs))
    if not setting.exact or not setting.likelihoods.sampled:
        return setting.likelihoods.guessed(np.zeros(len(setting.likelihoods.sizes)))
    parts = [
        (x.guessed(np.zeros(len(x.sizes))).value, float(x.weights.sum()))
        for x in Likelihoods.in_parts(setting.pairs, setting.mechanism)
    ]
    return Estimate(sum(value * weight for value, weight in parts) / sum(weight for _, weight in parts))


ATTACKER = Attacker(
    "re-run",
    "linked by re-running",
    "knows the plan and the whole table, re-runs the tool without knowing its random draws, and picks one of the "
    "records that look as the person's must, or names the likeliest person",
    "every release",
    lambda setting: True,
    rerun,
)
