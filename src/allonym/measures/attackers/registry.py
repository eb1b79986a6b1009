"""All attackers who link records to persons, and the highest figure that one of them reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from allonym.measures.attackers import assignment, averaging, meaning, rerun, text
from allonym.measures.attackers.base import Attacker, Estimate, Setting

ATTACKERS: dict[str, Attacker] = {
    x.name: x for x in (module.ATTACKER for module in (rerun, assignment, averaging, meaning, text))
}


@dataclass(frozen=True)
class Linkage:
    """What every attacker who applies to a release reaches, in per cent, beside a blind guess."""

    attackers: Mapping[str, Estimate]
    before: float  # what the attacker with the highest figure reaches on the original table
    blind_guess: float

    @property
    def highest(self) -> str:
        """The attacker with the highest figure; of equals, the first of the registry."""
        return max(self.attackers, key=lambda name: self.attackers[name].value)

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        highest = self.attackers[self.highest]
        return {
            "highest": {
                "attacker": self.highest,
                "value": highest.value,
                "before": self.before,
                "interval": None if highest.interval is None else list(highest.interval),
            },
            "blind_guess": self.blind_guess,
            "attackers": {name: x.value for name, x in self.attackers.items()},
            "intervals": {name: list(x.interval) for name, x in self.attackers.items() if x.interval is not None},
        }


def attacked(setting: Setting, known: Mapping[str, Estimate] | None = None) -> Linkage:
    """Let every attacker attack who applies; figures that are known already are not computed again."""
    from allonym.measures.risk import blind_guess

    known = known or {}
    estimates = {name: known.get(name) or x.attack(setting) for name, x in ATTACKERS.items() if x.applies(setting)}
    linkage = Linkage(estimates, 0.0, blind_guess(setting.pairs))
    unmasked = replace(setting, pairs=setting.pairs.unmasked, mechanism=None)
    attacker = ATTACKERS[linkage.highest]
    before = attacker if attacker.applies(unmasked) else ATTACKERS["re-run"]
    return replace(linkage, before=before.attack(unmasked).value)
