"""Evidence: a fact about a column that supports a proposal, as data and as a sentence."""

from __future__ import annotations

from dataclasses import dataclass

NOT_INSTALLED = "not-installed"  # the code of the evidence that an ontology is worth installing
FEW_DECIMALS = 0.995  # shares from here on have a decimal, so that nearly all is not told as all


@dataclass(frozen=True)
class Evidence:
    """One fact about a column; its sentence contains no cells of the data."""

    code: str  # stays the same where the sentence changes
    text: str


def percent(share: float) -> str:
    """Return a share for people.

    >>> percent(0.984), percent(0.9991), percent(1.0)
    ('98 %', '99.9 %', '100 %')
    """
    if FEW_DECIMALS <= share < 1:
        return f"{min(share, 0.9994):.1%}".replace("%", " %")
    return f"{share:.0%}".replace("%", " %")
