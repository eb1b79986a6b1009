"""How likely a link is right: a logistic model of what is known about it.

The weights were fitted to columns linked by hand. Later changes of linking move the fit a little: `python
benchmarks/linking_quality.py --fit` prints the present one, and a test keeps each weight within 0.3 of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

MAX_LOG_ODDS = 4.0
WEIGHTS = {
    "constant": 0.14, "log_odds": 0.51, "not_noun": -0.70, "neighbour": 0.99, "out_of_place": -1.93, "derived": -1.00,
    "general_head": -0.24,
}  # fmt: skip


@dataclass(frozen=True)
class Features:
    """What is known about a link, as numbers."""

    log_odds: float  # of the chosen sense against all others
    not_noun: float  # how much oftener the matched word is no noun, as a logarithm
    neighbour: float  # mean similarity to the nearest values of the column
    out_of_place: float  # no noun, and far from the other values
    derived: float  # 1, if the noun is derived from an adjective, adverb or verb
    general_head: float  # if words were dropped: logarithm of the number of concepts below the head


def log_odds(probability: float) -> float:
    """Return the logarithm of the odds, within limits."""
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, log(max(probability, 1e-9) / max(1 - probability, 1e-9))))


# of links by similar labels, fitted to synonyms and concepts left out (benchmarks/linking_held_out.py --fit)
LABEL_WEIGHTS = {
    "constant": -2.78, "votes": 0.66, "best": 0.62, "mean": 0.61, "words": 0.37, "covered": 1.73, "group": 1.40,
}  # fmt: skip


@dataclass(frozen=True)
class LabelFeatures:
    """What is known about a link by similar labels, as numbers; see `Candidates`."""

    votes: float  # logarithm of the odds of the chosen concept
    best: float
    mean: float
    words: float
    covered: float
    group: float  # 1, if the concept is a group of candidates


def confidence_of_label(features: LabelFeatures) -> float:
    """Return the probability that a link by similar labels is right.

    >>> round(confidence_of_label(LabelFeatures(4.0, 0.9, 0.9, 1.0, 1.0, 0.0)), 2)
    0.96
    """
    score = LABEL_WEIGHTS["constant"] + sum([LABEL_WEIGHTS[name] * value for name, value in vars(features).items()])
    return 1 / (1 + exp(-score))


def confidence(features: Features) -> float:
    """Return the probability that a link is right.

    >>> round(confidence(Features(4.0, 0.0, 0.8, 0.0, 0.0, 0.0)), 2)
    0.95
    """
    score = WEIGHTS["constant"] + sum([WEIGHTS[name] * value for name, value in vars(features).items()])
    return 1 / (1 + exp(-score))
