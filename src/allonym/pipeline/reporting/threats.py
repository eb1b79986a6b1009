"""Who may attack a release, what they know, and what each kind of method does against them.

The report's cautions and docs/attackers.md both derive from `THREATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from allonym.methods.base import ColumnwiseMethod, Method, UngroupedMethod
from allonym.pipeline.reporting import cautions
from allonym.pipeline.reporting.facts import ReleaseFacts

FAMILIES = {
    "groups": "methods that form groups of k",
    "columns": "methods that recode one column at a time",
    "errors": "methods that replace each value at random",
    "private": "the exponential mechanism",
}


def family_of(method: Method | type[Method]) -> str:
    """Return which of `FAMILIES` a method belongs to."""
    kind = method if isinstance(method, type) else type(method)
    if method.info.data_independent:
        return "private"
    if issubclass(kind, UngroupedMethod):
        return "errors"
    return "columns" if issubclass(kind, ColumnwiseMethod) else "groups"


@dataclass(frozen=True)
class Threat:
    """An attacker: what they know, what protects against them by family of methods, and what a report says of it."""

    name: str
    knows: str
    protection: Mapping[str, str]  # by family of methods
    evidence: str  # the test that attacks, or the figure that measures it
    cautions: Callable[[ReleaseFacts], Iterable[str]] = lambda facts: ()


ALONE = "k in each column alone; combinations of columns are not protected"
ROLES = "not protected: give the column another role"
THREATS = (
    Threat(
        "prosecutor",
        "that a certain person is in the table, and all their quasi-identifiers",
        {
            "groups": "at most 1/k",
            "columns": ALONE,
            "errors": "no bound: `risk.highest` says how often",
            "private": "each value within a factor e^ε",
        },
        evidence="`test_linkage.py`, `test_uniques.py`",
        cautions=cautions.of_combinations,
    ),
    Threat(
        "journalist",
        "the quasi-identifiers of a population, from a register; not who is in the table",
        {
            "groups": "at most 1/k; less, by the size of the population",
            "columns": ALONE,
            "errors": "no bound; at most the prosecutor's",
            "private": "as above",
        },
        evidence="k-map: `evaluate --population`",
    ),
    Threat(
        "marketer",
        "the same; wants as many links as possible, right or wrong",
        {
            "groups": "classes/n on average, at most 1/k",
            "columns": ALONE,
            "errors": "no bound: `risk.attackers`, assignment",
            "private": "as above",
        },
        evidence="`test_linkage.py`",
    ),
    Threat(
        "insider",
        "also columns that are kept unchanged, or somebody's sensitive value",
        dict.fromkeys(FAMILIES, ROLES),
        evidence="`test_kept_identifiers.py`: identifiers are not kept unless they are named",
        cautions=cautions.of_kept_columns,
    ),
    Threat(
        "neighbour",
        "somebody's quasi-identifiers; wants their sensitive value",
        {
            "groups": "not by k: require l-diversity or t-closeness",
            "columns": "not by k: require l-diversity or t-closeness",
            "errors": "not protected: `risk.inference`",
            "private": "not protected: `risk.inference`",
        },
        evidence="`test_spellings.py`, `test_suppression.py`",
        cautions=cautions.of_sensitive_values,
    ),
    Threat(
        "re-run",
        "plan, tool and the whole table, except who is who",
        {
            "groups": "classes/n, at most 1/k",
            "columns": ALONE,
            "errors": "no bound: `risk.attackers`; a seed makes it worse",
            "private": "each value within a factor e^ε; nothing, with a seed",
        },
        evidence="`test_linkage.py`, `test_reused_draws.py`",
        cautions=cautions.of_repeated_draws,
    ),
    Threat(
        "outlier",
        "the other members of a group, and the mean or range that was published",
        {
            "groups": "protected by a dominance rule",
            "columns": "no means are written",
            "errors": "errors of the column's spread hide no outlier",
            "private": "numbers are not masked",
        },
        evidence="`test_dominance.py`, `test_ranges.py`",
        cautions=cautions.of_outliers,
    ),
    Threat(
        "known items",
        "some items of a person's set; wants the others",
        {
            "groups": "no set is one person's, except by `represent`: `verbatim_sets`, `read_by_3_items`",
            "columns": "not protected: `verbatim_sets`, `read_by_3_items`",
            "errors": "not protected: `verbatim_sets`, `read_by_3_items`",
            "private": "sets are not masked",
        },
        evidence="`test_known_items.py`",
        cautions=cautions.of_known_items,
    ),
    Threat(
        "two releases",
        "an earlier release of the same people",
        {
            "groups": "not protected; no two releases share a draw",
            "columns": "not protected; no two releases share a draw",
            "errors": "errors can be averaged over releases; no two share a draw",
            "private": "ε of the releases adds up; `releases` share the `budget`",
        },
        evidence="`test_reused_draws.py`; `evaluate --earlier`",
        cautions=cautions.of_several_releases,
    ),
    Threat(
        "several rows",
        "all rows of a person",
        {
            "groups": "k in persons, if the plan names the unit",
            "columns": "k in persons, if the plan names the unit",
            "errors": "errors can be averaged: `risk.attackers`, averaging",
            "private": "ε of the rows adds up to `budget`; with `key`, a value is answered once",
        },
        evidence="`test_linkage.py`, `test_spellings.py`, `test_budgets.py`, `test_several_years.py`",
        cautions=cautions.of_several_rows,
    ),
    Threat(
        "household",
        "everybody at home, and which rows are theirs",
        {
            "groups": "k in households, if the plan names them",
            "columns": "k in households, if the plan names them",
            "errors": "no bound",
            "private": "ε of the rows adds up",
        },
        evidence="`test_households.py`",
    ),
    Threat(
        "order",
        "the order in which the table was exported",
        dict.fromkeys(FAMILIES, "files are shuffled by a secret; frames are not"),
        evidence="`test_row_order.py`",
        cautions=cautions.of_row_order,
    ),
    Threat(
        "metadata",
        "what formats store besides cells",
        dict.fromkeys(FAMILIES, "protected: rebuilt from names, types and cells"),
        evidence="`test_metadata.py`",
    ),
    Threat(
        "figures",
        "the codebook and the public report, and everybody's value but one",
        dict.fromkeys(FAMILIES, "figures of the original are rounded, or left out"),
        evidence="`test_public_figures.py`",
    ),
    Threat(
        "membership",
        "everything about a person; wants to know whether they are in the table",
        {
            "groups": "not protected",
            "columns": "not protected",
            "errors": "not protected",
            "private": "not protected; each value within a factor e^ε",
        },
        evidence="",
        cautions=cautions.of_groups,
    ),
)


def not_protected(facts: ReleaseFacts) -> dict[str, list[str]]:
    """Section: what the release does not protect, attacker by attacker, and what its figures rest on."""
    by_attacker = [caution for threat in THREATS for caution in threat.cautions(facts)]
    return {"cautions": [*by_attacker, *cautions.of_unreviewed_links(facts)]}
