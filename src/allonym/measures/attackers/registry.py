"""All attackers who link records to persons, and the highest figure that one of them reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from allonym.measures.attackers import assignment, averaging, known_items, meaning, rerun, text
from allonym.measures.attackers.base import Attacker, Estimate, Setting
from allonym.records import Pairs

ATTACKERS: dict[str, Attacker] = {
    x.name: x for x in (module.ATTACKER for module in (rerun, assignment, averaging, meaning, text, known_items))
}


@dataclass(frozen=True)
class Linkage:
    """What every attacker who applies to a release reaches, in per cent, beside a blind guess."""

    attackers: Mapping[str, Estimate]
    before: Mapping[str, float]  # the same on the original table
    blind_guess: float

    @property
    def highest(self) -> str:
        """The attacker with the highest figure; of equals, rounding aside, the first of the registry."""
        return max(self.attackers, key=lambda name: round(self.attackers[name].value, 9))

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        highest = self.attackers[self.highest]
        return {
            "highest": {
                "attacker": self.highest,
                "value": highest.value,
                "before": self.before[self.highest],
                "interval": None if highest.interval is None else list(highest.interval),
            },
            "blind_guess": self.blind_guess,
            "attackers": {name: x.value for name, x in self.attackers.items()},
            "before": dict(self.before),
            "intervals": {name: list(x.interval) for name, x in self.attackers.items() if x.interval is not None},
        }


def attacked(
    setting: Setting, known: Mapping[str, Estimate] | None = None, known_before: Mapping[str, float] | None = None
) -> Linkage:
    """Let every attacker attack who applies; figures that are known already are not computed again.

    On the original table, records are found by their values: an attacker who needs a random method does as well there
    as one who knows everybody's class.
    """
    known, known_before = known or {}, known_before or {}
    estimates = {name: known.get(name) or x.attack(setting) for name, x in ATTACKERS.items() if x.applies(setting)}
    unmasked = replace(setting, pairs=setting.pairs.unmasked, mechanism=None)
    before = {}
    for name in estimates:
        attacker = ATTACKERS[name] if ATTACKERS[name].applies(unmasked) else rerun.ATTACKER
        before[name] = known_before[name] if name in known_before else attacker.attack(unmasked).value
    return Linkage(estimates, before, blind_guess(setting.pairs))


def blind_guess(pairs: Pairs) -> float:
    """Return how often somebody is found who is guessed among all records, in per cent."""
    total = max(int(pairs.counts.sum()), 1)
    if pairs.units is None:
        return 100 / total
    return float(100 * ((np.bincount(pairs.units, weights=pairs.counts) / total) ** 2).sum())


def labelled(risk: Mapping[str, Any]) -> list[tuple[str, float, float, str]]:
    """Return the label, the figures before and after, and the story of each attacker of a summary."""
    figures = [(ATTACKERS[name], risk["before"][name], value) for name, value in risk["attackers"].items()]
    return [(x.label, before, after, x.story) for x, before, after in figures]
