"""Example 3 of Martínez, Sánchez and Valls (2012, §3.3): the centroid of six sports, in three taxonomies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from claims import Figure, table_row

import allonym as al
from allonym.kinds.concept_metric import ConceptMetric
from allonym.ontology import similarity

EXAMPLE_CONCEPTS = [
    "sport",
    "contact_sport",
    "water_sport",
    "boxing",
    "football",
    "soccer",
    "rugby",
    "swimming",
    "surfing",
]
EXAMPLE_PARENTS = [0, 0, 1, 1, 4, 4, 2, 2]  # the hierarchy of Fig. 3 and Definitions 3 and 5
EXAMPLE_COUNTS = {"boxing": 1, "soccer": 2, "rugby": 2, "contact_sport": 1, "swimming": 1, "surfing": 3}  # of Example 3
NINE, CUT, WHOLE = "the nine concepts of Fig. 3", "WordNet 3.0 under sport", "all of WordNet 3.0"
PUBLISHED = {"contact_sport": 3.93, "sport": 5.23}
Sums = Mapping[str, Mapping[str, float]]  # taxonomy -> candidate -> sum of distances


def example_sums(taxonomy: al.Taxonomy, suffix: str = ".n.01") -> dict[str, float]:
    """Return the sum of distances of every candidate of Example 3 in a taxonomy."""
    values = np.array([taxonomy.code(word + suffix) for word in EXAMPLE_COUNTS])
    metric = ConceptMetric(values.tolist(), al.Scope.of(taxonomy))
    weights = np.array(list(EXAMPLE_COUNTS.values()))
    return {
        taxonomy.ids[c].partition(".")[0]: float(
            (weights * similarity.distance("wu-palmer", taxonomy, int(c), values)).sum()
        )
        for c in metric.candidates(values)
    }


def all_sums() -> dict[str, dict[str, float]]:
    """Return the sums of all candidates in the hierarchy of the article, in WordNet below sport, and in WordNet."""
    children = range(1, len(EXAMPLE_CONCEPTS))
    nine = al.Taxonomy.build("example 3", EXAMPLE_CONCEPTS, child=children, parent=EXAMPLE_PARENTS)
    return {
        NINE: example_sums(nine, ""),
        CUT: example_sums(al.wordnet(root="sport.n.01").cut()),
        WHOLE: example_sums(al.wordnet().taxonomy),
    }


def candidates_table(sums: Sums) -> str:
    """Return the table of all candidates, with the sum of distances in each taxonomy; the smallest is bold."""
    names = sorted({name for of in sums.values() for name in of}, key=lambda name: sums[WHOLE].get(name, np.inf))
    rows = [table_row("candidate", *sums), "|---|" + "---:|" * len(sums)]
    for name in names:
        cells = []
        for of in sums.values():
            text = f"{of[name]:.3f}" if name in of else "–"
            cells.append(f"**{text}**" if name in of and of[name] == min(of.values()) else text)
        rows.append(table_row(name.replace("_", " "), *cells))
    return "\n".join(rows) + "\n"


def published_figures() -> list[Figure]:
    """Return the published sums and the published centroid with ours, in each taxonomy."""
    figures = []
    for taxonomy, of in all_sums().items():
        reason = "depths are those of all of WordNet, so that distances are smaller" if taxonomy == WHOLE else ""
        figures.append(Figure(f"Example 3, {taxonomy}: contact sport, sport", "§3.3", tuple(PUBLISHED.values()),
                              tuple(of[name] for name in PUBLISHED), 2, reason))  # fmt: skip
        best = min(of, key=lambda name: of[name])
        reason = f"{best.replace('_', ' ')}, a candidate by Definition 5, has a sum of {of[best]:.2f}"
        figures.append(Figure(f"Example 3, {taxonomy}: the centroid", "§3.3, Definition 6", ("contact_sport",), (best,),
                              2, reason))  # fmt: skip
    return figures
