"""Claims and figures of the papers. A verdict is computed from measured figures and never typed by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"
VERDICTS = (HOLDS, IN_PART, NOT)
TOLERANCE = 1e-9  # figures that differ by less are equal
MAX_EXCEPTIONS = 3  # exceptions that are listed one by one
Results = TypeVar("Results")


@dataclass(frozen=True)
class Tally:
    """The number of cases in which one part of a claim holds; an uncounted part is shown only for comparison."""

    label: str
    held: int
    cases: int
    unit: str = "k"
    note: str = ""
    uncounted: bool = False

    @property
    def outcome(self) -> str:
        """The count as text."""
        if self.cases == 1 and not self.unit:
            return "yes" if self.held else "no"
        return f"{self.held} of {self.cases}" + (f" {self.unit}" if self.unit else "")


@dataclass(frozen=True)
class Claim(Generic[Results]):
    """One statement of a paper, its section, the test, and an explanation of the outcome."""

    statement: str
    section: str
    rule: str  # describes the test to the reader
    test: Callable[[Results], list[Tally]]
    explanation: str = ""  # has no influence on the verdict
    required_share: float = 1.0  # of the cases; less than 1 where the paper says "almost" or "in general"

    def verdict(self, results: Results) -> str:
        """Return the verdict on measured results."""
        return verdict(self.test(results), self.required_share)


def verdict(tallies: Sequence[Tally], required_share: float = 1.0) -> str:
    """Return "holds" if all parts hold, "holds in part" if one part holds or half of all cases do."""
    parts = [tally for tally in tallies if not tally.uncounted]
    if not parts:
        raise ValueError("A claim needs at least one part that counts.")
    part_holds = [part.cases > 0 and part.held >= required_share * part.cases for part in parts]
    if all(part_holds):
        return HOLDS
    held, cases = sum(part.held for part in parts), sum(part.cases for part in parts)
    return IN_PART if any(part_holds) or 2 * held >= cases > 0 else NOT


def below(
    label: str,
    one: ArrayLike,
    other: ArrayLike,
    *,
    unit: str = "k",
    note: str = "",
    places: Sequence[object] = (),
    uncounted: bool = False,
) -> Tally:
    """Count the places where one figure is below another, among those where the two differ.

    Two-dimensional figures hold several runs, one row per place: their means are compared, and the note says at how
    many places every run agrees. Up to three exceptions are listed.
    """
    a, b = _as_rows(one), _as_rows(other)
    difference = a.mean(axis=1) - b.mean(axis=1)
    lower, higher = difference < -TOLERANCE, difference > TOLERANCE
    held, cases = int(lower.sum()), int((lower | higher).sum())
    notes = [note] if note else []
    if places and 0 < higher.sum() <= MAX_EXCEPTIONS < len(a):
        notes.append("except at " + ", ".join(str(places[i]) for i in np.flatnonzero(higher).tolist()))
    if ties := len(a) - cases:
        notes.append(f"{ties} {'tie' if ties == 1 else 'ties'}")
    in_every_run = int((a.max(axis=1) < b.min(axis=1) - TOLERANCE).sum())
    if max(a.shape[1], b.shape[1]) > 1 and in_every_run < held:
        notes.append(f"{in_every_run} in every run")
    return Tally(label, held, cases, unit, "; ".join(notes), uncounted)


def count(
    label: str, held: Sequence[bool] | NDArray[np.bool_], *, unit: str = "k", note: str = "", uncounted: bool = False
) -> Tally:
    """Count the cases in which a condition holds."""
    return Tally(label, int(np.sum(held)), len(held), unit, note, uncounted)


def _as_rows(figures: ArrayLike) -> NDArray[np.float64]:
    """Return figures as one row per place."""
    rows = np.asarray(figures, np.float64)
    return rows if rows.ndim > 1 else rows[:, None]


def r_squared(x: ArrayLike, y: ArrayLike) -> float:
    """Return R² of the straight line through points."""
    across, up = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return float(np.corrcoef(across, up)[0, 1] ** 2) if np.ptp(up) > 0 else 1.0


@dataclass(frozen=True)
class Figure:
    """Published figures, our figures, and the reason where they differ."""

    label: str
    section: str
    published: tuple[float | str, ...]
    ours: tuple[float | str, ...]
    digits: int = 2  # as printed
    reason: str = ""

    @property
    def agreeing(self) -> int:
        """The number of our figures that equal the published ones after rounding."""
        return sum(
            a == b if isinstance(a, str) or isinstance(b, str) else abs(a - b) < 0.5 * 10.0**-self.digits + TOLERANCE
            for a, b in zip(self.published, self.ours, strict=True)
        )

    @property
    def agrees(self) -> bool:
        """Whether all figures are equal after rounding."""
        return self.agreeing == len(self.published)

    def row(self) -> str:
        """Return the table row.

        Raises:
            ValueError: If the figures differ and no reason is given.
        """
        if not self.agrees and not self.reason:
            raise ValueError(f"{self.label} ({self.section}) is {self._format(self.ours)}: give a reason.")
        reason = "" if self.agrees else self.reason
        return table_row(self.label, self.section, self._format(self.published), self._format(self.ours), reason)

    def _format(self, figures: Sequence[float | str]) -> str:
        return ", ".join(x if isinstance(x, str) else f"{x:,.{0 if x > 100 else self.digits}f}" for x in figures)


def table_row(*cells: str) -> str:
    """Return a Markdown row; the bars of |ε| are escaped."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def describe(tallies: Sequence[Tally]) -> list[str]:
    """Return one line per outcome: parts with the same outcome together, uncounted parts last."""
    lines = []
    for uncounted in (False, True):
        labels: dict[tuple[str, str], list[str]] = {}
        for tally in tallies:
            if tally.uncounted == uncounted:
                labels.setdefault((tally.outcome, tally.note), []).append(tally.label)
        for (outcome, note), parts in labels.items():
            line = f"*{outcome}*: {'; '.join(parts)}" + (f" ({note})" if note else "")
            lines.append(f"for comparison, {line}" if uncounted else line)
    return lines


def figures_table(figures: Sequence[Figure]) -> str:
    """Return the table of figures, with the number that agree."""
    lines = ["| figure | section | published | ours | reason for the difference |", "|---|---|---:|---:|---|"]
    lines += [figure.row() for figure in figures]
    agreeing, total = sum(x.agreeing for x in figures), sum(len(x.published) for x in figures)
    return "\n".join(lines) + f"\n\n{agreeing} of {total} figures agree to the last printed digit.\n"


def claims_table(claims: Sequence[Claim[Results]], results: Results) -> str:
    """Return the table of claims with their verdicts."""
    lines = ["| claim | verdict | test and result | explanation |", "|---|---|---|---|"]
    for claim in claims:
        share = claim.required_share
        rule = claim.rule + (f" {share:.0%} of the cases suffice." if share < 1 else "")
        tested = "<br>".join([rule, *describe(claim.test(results))])
        statement = f"{claim.statement} ({claim.section})"
        lines.append(table_row(statement, f"**{claim.verdict(results)}**", tested, claim.explanation))
    return "\n".join(lines) + "\n"


def summary_table(verdicts_of: Mapping[str, Sequence[str]]) -> str:
    """Return the table of how many claims of each paper hold."""
    lines = ["| paper | claims | " + " | ".join(VERDICTS) + " |", "|---|---:|" + "---:|" * len(VERDICTS)]
    for paper, verdicts in verdicts_of.items():
        counts = " | ".join(str(list(verdicts).count(x)) for x in VERDICTS)
        lines.append(f"| {paper} | {len(verdicts)} | {counts} |")
    total = [verdict for verdicts in verdicts_of.values() for verdict in verdicts]
    lines.append(f"| total | {len(total)} | " + " | ".join(str(total.count(x)) for x in VERDICTS) + " |")
    return "\n".join(lines) + "\n"
