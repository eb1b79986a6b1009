"""Scores of hierarchies, as `allonym hierarchy` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from allonym.cli.output import say, short, show_table, width
from allonym.errors import plural

if TYPE_CHECKING:
    from allonym.pipeline.hierarchies import ChosenSense, HierarchyComparison, HierarchyScore

MIN_TRANSITIONS, MAX_TRANSITIONS, MAX_FINDINGS, MAX_SENSES = 3, 8, 15, 100
BAR_LENGTH, VALUE_LENGTH, CONCEPT_LENGTH, MAX_OTHERS = 40, 28, 26, 4
WEIGHTS = {"constant": "equal weights", "level": "lower levels count more"}


def show_score(scored: HierarchyScore) -> None:
    """Print the loss of a hierarchy: levels, what is wrong, unusual losses and the senses of values."""
    tree = scored.hierarchy
    say(f"{tree.name}: {len(tree.rows):,} leaves, {tree.height} levels\n")
    rows = [
        (str(x["level"]), f"{x['values']:,}", f"{x['gsl']:.4f}", f"{x['mean']:.4f}", f"{x['std']:.4f}", _bar(x["gsl"]))
        for x in scored.levels
    ]
    show_table(("level", "values", "LevelGSL", "mean", "std", ""), rows, right=(1, 2, 3, 4))
    weights = WEIGHTS[scored.weights] if isinstance(scored.weights, str) else "given weights"
    say(f"\nVghGSL {scored.value:.4f} ({scored.aggregate} of each level, {weights})")
    _show_findings(scored)
    _show_transitions(scored)
    _show_senses(scored)


def _show_findings(scored: HierarchyScore) -> None:
    """Print what is wrong with a hierarchy."""
    if not scored.findings:
        return
    say("\nPlease check:")
    for x in scored.findings[:MAX_FINDINGS]:
        say(f"  - {x.text}")
    if len(scored.findings) > MAX_FINDINGS:
        say(f"  … and {len(scored.findings) - MAX_FINDINGS:,} more, with --json")


def _show_transitions(scored: HierarchyScore) -> None:
    """Print the losses that are most unusual for their level."""
    transitions = [
        (short(t.leaf, 30), "→", short(t.ancestor, 30), str(t.level), f"{t.loss:.4f}", f"{t.deviation:+.1f}")
        for place, t in enumerate(scored.transitions[:MAX_TRANSITIONS])
        if t.deviation > 0 or place < MIN_TRANSITIONS
    ]
    say()
    show_table(("most unusual losses", "", "", "level", "TransGSL", "deviation"), transitions, right=(3, 4, 5))
    say("deviation: standard deviations above the mean of the level")


def _show_senses(scored: HierarchyScore) -> None:
    """Print the concept of every value, those to review first; of a large hierarchy, only these."""
    if not scored.senses:
        return
    uncertain = [x for x in scored.senses if x.status != "sure"]
    if uncertain:
        say("\nUncertain concepts, please check:")
        _show_sense_table(uncertain[:MAX_SENSES])
    sure = [x for x in scored.senses if x.status == "sure"]
    if len(scored.senses) > MAX_SENSES:
        say(f"\n{plural(len(sure), 'value')} with a sure concept: --write FILE or --json lists them.")
    elif sure:
        say("\nConcepts of the other values:" if uncertain else "\nConcepts of the values:")
        _show_sense_table(sure)


def _show_sense_table(senses: Sequence[ChosenSense]) -> None:
    """Print values with their concepts; below each uncertain one, its other senses."""
    rows = [(short(x.value, VALUE_LENGTH), short(x.concept, CONCEPT_LENGTH), _reason(x)) for x in senses]
    a, b, c = (max(len(row[i]) for row in rows) for i in range(3))
    for (value, concept, reason), x in zip(rows, senses, strict=True):
        click.echo(short(f"  {value:{a}}  {concept:{b}}  {reason:{c}}  {x.definition}", width()).rstrip())
        if x.status != "sure" and x.alternatives:
            more = " …" if len(x.alternatives) > MAX_OTHERS else ""
            click.echo(short(f"  {'':{a}}  or {', '.join(x.alternatives[:MAX_OTHERS])}{more}", width()))


def _reason(x: ChosenSense) -> str:
    if x.reason != "per leaf":
        return x.reason
    return f"{x.reason} ({x.leaves:,} {'leaf' if x.leaves == 1 else 'leaves'})"


def show_side_by_side(compared: HierarchyComparison) -> None:
    """Print hierarchies side by side, with a chart of their levels."""
    best = compared.best
    rows = [
        (
            x.hierarchy.name,
            f"{len(x.hierarchy.rows):,}",
            " → ".join(f"{level['values']:,}" for level in x.levels),
            f"{x.comparable_value:.4f}" + (" *" if x.comparable_value == best else ""),
            ", ".join(map(str, x.reversed)),
            ", ".join(map(str, x.redundant)),
        )
        for x in compared.scores
    ]
    heads = ("hierarchy", "leaves", "values per level", "VghGSL", "reversed levels", "left out")
    show_table(heads, rows)
    say("\n* smallest loss. Levels that group the leaves as the level below does are left out.\n")
    chart = [
        (f"level {i + 1}" if j == 0 else "", x.hierarchy.name, f"{x.levels[i]['gsl']:.4f}", _bar(x.levels[i]["gsl"]))
        for i in range(max(x.hierarchy.height for x in compared.scores))
        for j, x in enumerate(y for y in compared.scores if y.hierarchy.height > i)
    ]
    show_table(("", "", "LevelGSL", ""), chart, right=(2,))
    uncertain = list(dict.fromkeys(value for x in compared.scores for value in x.review))
    if uncertain:
        say(f"\nUncertain concepts, please check: {', '.join(short(x, 30) for x in uncertain)}")


def _bar(loss: float) -> str:
    """Return a bar whose length is a loss from 0 to 1."""
    eighths = round(loss * BAR_LENGTH * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
