"""Section: which columns make people unique, before and after masking, and the risk in the population."""

from __future__ import annotations

from typing import Any

from allonym.cells import by_text
from allonym.measures.uniques import unique_combinations
from allonym.pipeline.disclosure.population import population_risk
from allonym.pipeline.disclosure.uniques import uniques_of
from allonym.pipeline.disclosure.wording import column_figures, counted_as, population_in_words, uniques_in_words
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.report.model import UniquePeople

SHOWN = 10  # combinations that are listed


def uniques(facts: ReleaseFacts) -> dict[str, Any]:
    """Return who is unique in combinations of masked columns, and the risk that survey weights estimate."""
    prepared, who = facts.prepared, counted_as(facts.prepared.persons is not None)
    texts = {name: by_text(cells).codes for name, cells in facts.release.written.items()}
    before = uniques_of(prepared)
    after = unique_combinations(
        list(texts), list(texts.values()), units=prepared.persons, row_counts=prepared.row_counts
    )
    were, are = dict(before.ranked()), dict(after.ranked())
    listed = list(dict.fromkeys([*list(are)[: SHOWN // 2], *were, *are]))
    population = population_risk(prepared, None, group_ids=texts)
    return {
        "unique_people": UniquePeople(
            before=uniques_in_words(before, who),
            after=uniques_in_words(after, who),
            combinations=[(" + ".join(x), were.get(x, 0), are.get(x, 0)) for x in listed[:SHOWN]],
            more=max(len(listed) - SHOWN, 0),
            columns=column_figures(before),
            who=who,
            population=list(population_in_words(population, who)) if population is not None else [],
        )
    }
