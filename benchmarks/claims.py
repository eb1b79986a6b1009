"""What a paper claims, how it is tested, and what came of it: the verdict is computed from figures, never typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"
VERDICTS = (HOLDS, IN_PART, NOT)
SMALL = 1e-9  # figures nearer than this are equal: what is left are errors of rounding
FEW = 3  # as many exceptions are named
Figures = TypeVar("Figures")


@dataclass(frozen=True)
class Tally:
    """In how many of the cases in question a part of a claim held; asides are told, and do not count."""

    what: str
    held: int
    of: int
    unit: str = "k"
    note: str = ""
    aside: bool = False

    @property
    def count_by(self) -> str:
        """The figures in words."""
        if self.of == 1 and not self.unit:
            return "yes" if self.held else "no"
        return f"{self.held} of {self.of}" + (f" {self.unit}" if self.unit else "")


@dataclass(frozen=True)
class Claim(Generic[Figures]):
    """One statement of a paper: where it stands, how it is tested on figures, and why it came out as it did."""

    says: str
    where: str
    rule: str  # how it is tested, for the reader
    test: Callable[[Figures], list[Tally]]
    why: str = ""  # explains, and never judges
    need: float = (
        1.0  # the share of cases in which a part must hold; less where the paper says "almost" or "in general"
    )

    def verdict(self, figures: Figures) -> str:
        """Judge the claim by figures."""
        return verdict(self.test(figures), self.need)


def verdict(tallies: Sequence[Tally], need: float = 1.0) -> str:
    """Return whether all parts hold; if not, whether one does, or half of all cases at least."""
    parts = [x for x in tallies if not x.aside]
    if not parts:
        raise ValueError("A claim needs a part that counts.")
    whole = [x.of > 0 and x.held >= need * x.of for x in parts]
    if all(whole):
        return HOLDS
    held, of = sum(x.held for x in parts), sum(x.of for x in parts)
    return IN_PART if any(whole) or 2 * held >= of > 0 else NOT


def below(
    what: str,
    one: ArrayLike,
    other: ArrayLike,
    *,
    unit: str = "k",
    note: str = "",
    places: Sequence[object] = (),
    aside: bool = False,
) -> Tally:
    """Count where one figure is less than another, of the places where they differ; a few exceptions are named.

    Of several runs (a row for each place) the means are compared, and it is noted where every run agrees.
    """
    a, b = _rows(one), _rows(other)
    lower, higher = a.mean(axis=1) - b.mean(axis=1) < -SMALL, a.mean(axis=1) - b.mean(axis=1) > SMALL
    held, of = int(lower.sum()), int((lower | higher).sum())
    notes = [note] if note else []
    if places and 0 < higher.sum() <= FEW < len(a):
        notes.append("not at " + ", ".join(str(places[i]) for i in np.flatnonzero(higher).tolist()))
    if of < len(a):
        notes.append(f"equal at {len(a) - of}")
    sure = int((a.max(axis=1) < b.min(axis=1) - SMALL).sum())
    if max(a.shape[1], b.shape[1]) > 1 and sure < held:
        notes.append(f"in every run at {sure}")
    return Tally(what, held, of, unit, ", ".join(notes), aside)


def count(
    what: str, held: Sequence[bool] | NDArray[np.bool_], *, unit: str = "k", note: str = "", aside: bool = False
) -> Tally:
    """Count in how many cases something is so."""
    return Tally(what, int(np.sum(held)), len(held), unit, note, aside)


def _rows(figures: ArrayLike) -> NDArray[np.float64]:
    """Return figures as a row for each place."""
    found = np.asarray(figures, np.float64)
    return found if found.ndim > 1 else found[:, None]


def straight(x: ArrayLike, y: ArrayLike) -> float:
    """Return R² of the straight line through points: 1 if they lie on it."""
    across, up = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return float(np.corrcoef(across, up)[0, 1] ** 2) if np.ptp(up) > 0 else 1.0


@dataclass(frozen=True)
class Figure:
    """Published figures, ours beside them, and a sentence for the reader if they differ."""

    what: str
    where: str
    published: tuple[float | str, ...]
    ours: tuple[float | str, ...]
    digits: int = 2  # as printed
    note: str = ""

    @property
    def agreeing(self) -> int:
        """How many of ours are the published ones, rounded as these are."""
        return sum(
            a == b if isinstance(a, str) or isinstance(b, str) else abs(a - b) < 0.5 * 10.0**-self.digits + SMALL
            for a, b in zip(self.published, self.ours, strict=True)
        )

    @property
    def agrees(self) -> bool:
        """Whether all of them are."""
        return self.agreeing == len(self.published)

    def row(self) -> str:
        """Lay out one row; a difference without a sentence is a mistake."""
        if not self.agrees and not self.note:
            raise ValueError(f"{self.what} ({self.where}) is {self._told(self.ours)}: say why it differs.")
        note = "" if self.agrees else self.note
        return row(self.what, self.where, self._told(self.published), self._told(self.ours), note)

    def _told(self, figures: Sequence[float | str]) -> str:
        return ", ".join(x if isinstance(x, str) else f"{x:,.{0 if x > 100 else self.digits}f}" for x in figures)


def row(*cells: str) -> str:
    """Lay out a row; |ε| is no border."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def count_by(tallies: Sequence[Tally]) -> list[str]:
    """Say what was counted: parts with the same result together, asides after the rest."""
    lines = []
    for aside in (False, True):
        alike: dict[tuple[str, str], list[str]] = {}
        for x in tallies:
            if x.aside == aside:
                alike.setdefault((x.count_by, x.note), []).append(x.what)
        for (figure, note), names in alike.items():
            told = f"*{figure}*: {'; '.join(names)}" + (f" ({note})" if note else "")
            lines.append("aside, " + told if aside else told)
    return lines


def figures_table(figures: Sequence[Figure]) -> str:
    """Lay out figures, with how many agree."""
    lines = ["| figure | where | published | ours | where they differ |", "|---|---|---:|---:|---|"]
    lines += [x.row() for x in figures]
    same, every = sum(x.agreeing for x in figures), sum(len(x.published) for x in figures)
    return "\n".join(lines) + f"\n\n{same} of {every} figures agree to the last digit printed.\n"


def claims_table(claims: Sequence[Claim[Figures]], figures: Figures) -> str:
    """Lay out claims with their verdicts."""
    lines = ["| the paper says | verdict | tested by, and counted | why |", "|---|---|---|---|"]
    for claim in claims:
        rule = claim.rule + (f" {claim.need:.0%} of the cases suffice." if claim.need < 1 else "")
        tested = "<br>".join([rule, *count_by(claim.test(figures))])
        lines.append(row(f"{claim.says} ({claim.where})", f"**{claim.verdict(figures)}**", tested, claim.why))
    return "\n".join(lines) + "\n"


def summary_table(judged: Mapping[str, Sequence[str]]) -> str:
    """Lay out how many claims of each paper hold."""
    lines = ["| paper | claims | " + " | ".join(VERDICTS) + " |", "|---|---:|" + "---:|" * len(VERDICTS)]
    for paper, verdicts in judged.items():
        counts = " | ".join(str(list(verdicts).count(x)) for x in VERDICTS)
        lines.append(f"| {paper} | {len(verdicts)} | {counts} |")
    every = [x for verdicts in judged.values() for x in verdicts]
    lines.append(f"| all | {len(every)} | " + " | ".join(str(every.count(x)) for x in VERDICTS) + " |")
    return "\n".join(lines) + "\n"
