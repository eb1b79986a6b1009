"""The figures of disclosure risk in words, for the command line, reports and the studio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from allonym.errors import first_few, plural

if TYPE_CHECKING:
    from allonym.measures.population import PopulationRisk
    from allonym.measures.uniques import UniqueCombinations

SHOWN = 5  # combinations that are listed


def counted_as(has_units: bool) -> str:
    """Return what is counted: persons, where the table has units, else records."""
    return "person" if has_units else "record"


def people_in_words(summary: Mapping[str, Any]) -> str:
    """Return whose records a summary counts, to follow their number; empty where no column says.

    >>> people_in_words({"units": 12, "households": 5}), people_in_words({"units": None, "households": 5})
    (' of 12 persons in 5 households', ' of 5 households')
    """
    persons, households = summary["units"], summary.get("households")
    homes = [] if households is None else [plural(households, "household")]
    people = [] if persons is None else [plural(persons, "person")]
    return f" of {' in '.join([*people, *homes])}" if people or homes else ""


def estimate_in_words(percentage: float, interval: Sequence[float] | None) -> str:
    """Return a percentage, and its confidence interval if it was measured on a sample.

    >>> estimate_in_words(12.58, None), estimate_in_words(12.58, (11.62, 13.61))
    ('12.6 %', 'about 12.6 % (11.6 to 13.6 %)')
    """
    if interval is None:
        return f"{percentage:.1f} %"
    return f"about {percentage:.1f} % ({interval[0]:.1f} to {interval[1]:.1f} %)"


def sets_in_words(measures: Mapping[str, Any], k: int) -> Iterator[tuple[str, str]]:
    """Yield what the sets of a release give away, each with its name; nothing, if it has no sets."""
    if "verbatim_sets" not in measures:
        return
    value = {name: x["value"] for name, x in measures.items()}
    yield (
        "somebody's sets",
        f"{value['verbatim_sets']:.1f} % of the released sets ({value['verbatim_rows']:,.0f} records) are one person's "
        f"whole set; {value['rare_items']:.1f} % of the released items are held by fewer than {k} persons",
    )
    read = [measures[f"read_by_{m}"] for m in ("1_item", "2_items", "3_items")]
    after, before = (", ".join(f"{x[when]:.1f}" for x in read) for when in ("value", "before"))
    yield (
        "items read",
        f"who knows 1, 2 or 3 items of a person reads about {after} % of the others (before: {before} %; the most "
        f"frequent items: {read[-1]['baseline']:.1f} %), and about {value['whole_sets_read']:.1f} % of the sets whole",
    )


def sample_in_words(risk: Mapping[str, Any]) -> str:
    """Say which figures of a summary were measured on a sample; empty if none was."""
    names = [*risk["intervals"], *(f"{name} inferred" for name, x in risk["inference"].items() if x["interval"])]
    if not names:
        return ""
    return f"{first_few(names)}: a sample of the records, with 95 % confidence intervals; --exact-risk measures all"


def uniques_in_words(uniques: UniqueCombinations, who: str) -> str:
    """Say how many people are unique, and in how many columns.

    >>> import numpy as np
    >>> from allonym.measures.uniques import unique_combinations
    >>> uniques_in_words(unique_combinations(["age", "job"], [np.array([1, 1, 2]), np.array([5, 6, 5])]), "record")
    '3 of 3 records are unique in 2 quasi-identifiers.'
    """
    columns = plural(len(uniques.columns), "quasi-identifier")
    where = columns if uniques.size >= len(uniques.columns) else f"up to {uniques.size} of {columns}"
    verb = "is" if uniques.unique == 1 else "are"
    return f"{uniques.unique:,} of {plural(uniques.people, who)} {verb} unique in {where}."


def top_combinations(uniques: UniqueCombinations, most: int = SHOWN) -> list[tuple[str, int]]:
    """Return the combinations that make most people unique, each with their number."""
    return [(" + ".join(names), people) for names, people in uniques.ranked()[:most]]


def column_figures(uniques: UniqueCombinations) -> list[tuple[str, float, int]]:
    """Return for each column its contribution to the scores, in %, and who is unique without it; largest first."""
    rows = zip(uniques.columns, uniques.contributions.tolist(), uniques.without.tolist(), strict=True)
    return sorted(rows, key=lambda row: -row[1])


def population_in_words(risk: PopulationRisk, who: str) -> Iterator[str]:
    """Yield sentences about the people of a population who share the values of a record."""
    figures, people = risk.to_dict(), f"{risk.people:,.0f}"
    about = "estimated from the weights" if risk.source == "weights" else "counted in the population table"
    least = f"{figures['k_map']:,.0f}"
    yield (
        f"k-map {least}: every record fits at least {least} of {people} people ({about}) in "
        f"{', '.join(risk.columns)}; median {figures['median']:,.0f}."
    )
    yield f"Expected re-identifications (Σ 1/F): {figures['expected_reidentifications']:,.2f} {who}s."
    individual = figures["individual_risk"]
    if individual is not None:
        yield (
            f"Individual risk (Benedetti and Franconi): mean {individual['mean']:.3g}, highest "
            f"{individual['highest']:.3g}; {individual['expected_reidentifications']:,.2f} re-identifications expected."
        )
    if fewer := figures["fewer_than_in_table"]:
        yield (
            f"{plural(fewer, 'record')} {'fits' if fewer == 1 else 'fit'} fewer people of the population table than "
            "there are in the group: the table lacks people, or values were changed. The size of the group counts."
        )
