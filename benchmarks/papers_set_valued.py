"""Batet, Erola, Sánchez and Castellà-Roca (2014), set-valued data: figures, claims and their tests.

The query logs of the paper are not public: claims are tested on public data sets, and on the printed Table 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import set_generalisation
import sets
from claims import Claim, Figure, Tally, below, count

from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.set_metric import SetMetric
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

SIZE = 1000  # records per data set; the paper has as many users
SEEDS = tuple(range(5))
SEMANTIC, EQUALITY = "semantic", "equality"
AVG, MIN_SUM = "avg", "min-sum"
GENERALISE = "generalise"
TABLE_1 = {  # L for k = 2, 3, 4, 5
    ("min", SEMANTIC): (699, 759, 783, 799), ("min", EQUALITY): (825, 863, 883, 895),
    ("max", SEMANTIC): (724, 778, 806, 820), ("max", EQUALITY): (824, 860, 884, 895),
    ("avg", SEMANTIC): (639, 692, 724, 745), ("avg", EQUALITY): (768, 804, 829, 845),
    ("min-sum", SEMANTIC): (683, 733, 759, 781), ("min-sum", EQUALITY): (817, 859, 879, 891),
    ("max-sum", SEMANTIC): (716, 780, 819, 838), ("max-sum", EQUALITY): (822, 858, 884, 893),
}  # fmt: skip
PRINTED = "Table 1 of the paper"
Results = Mapping[str, sets.SetLosses]
Losses = Mapping[tuple[str, str], tuple[float, ...]]  # distance, semantic or equality -> L for each k


def measure() -> dict[str, sets.SetLosses]:
    """Mask every data set with every distance, and generalise it."""
    measured = {}
    for name, (rows, ontology) in sets.data_sets(SIZE).items():
        losses = sets.losses(rows, ontology, SEEDS)
        records = sets.records_of(rows, ontology)
        for variant in set_generalisation.GENERALISATION:
            losses.figures[GENERALISE, variant] = set_generalisation.loss_over_k(records, variant, SEEDS)
        measured[name.partition(",")[0]] = losses
    return measured


def example_distances() -> tuple[float, float]:
    """Return δ(Swimming, Windsurfing), and MinSum of the two records of the example in §3.1.1.

    A taxonomy has one root, so the Mediterranean is placed under Sports; this leaves both figures unchanged.
    """
    names = ["Sports", "Water Sports", "Swimming", "Windsurfing", "Regional", "Europe", "Regions", "Mediterranean"]
    taxonomy = Taxonomy.build("example", names, child=range(1, 8), parent=[0, 1, 1, 0, 4, 5, 6])
    swim, surf, sea = (taxonomy.code(x) for x in ("Swimming", "Windsurfing", "Mediterranean"))
    concepts = ConceptMetric([swim, surf, sea], Scope.of(taxonomy), "ancestor-overlap")
    both = SetMetric([frozenset({swim, sea}), frozenset({surf, sea})], concepts, MIN_SUM)
    return float(concepts.distances(0, [1])[0]), float(both.distances(0, [1])[0])


def published_figures() -> list[Figure]:
    """Return the published figures that public data can reproduce, with ours."""
    delta, min_sum = example_distances()
    return [
        Figure("δ of swimming and windsurfing", "§3.1.1", (0.5,), (delta,), 1),
        Figure("MinSum of the two records of the example", "§3.1.1", (0.25,), (min_sum,), 2),
    ]


def _losses(results: Results, by: str = AVG) -> dict[str, Losses]:
    """Return the losses of each data set, computed with a distance."""
    return {
        name: {variant: tuple(losses[by]) for variant, losses in data_set.figures.items()}
        for name, data_set in results.items()
    }


def _distances(losses: Losses) -> list[str]:
    return [distance for distance, comparison in losses if comparison == SEMANTIC]


def _reduction(losses: Losses, distance: str) -> np.ndarray:
    """Return by how many per cent semantics reduces the loss, for each k."""
    return 100 * (1 - np.array(losses[distance, SEMANTIC]) / np.array(losses[distance, EQUALITY]))


def semantics_beats_equality(results: Results) -> list[Tally]:
    """Test whether every distance loses less with semantics than with equality."""
    parts = []
    by_min_sum = {f"{name}, L computed with min-sum": losses for name, losses in _losses(results, MIN_SUM).items()}
    for name, losses in {PRINTED: TABLE_1, **_losses(results), **by_min_sum}.items():
        one, other = ([losses[d, comparison] for d in _distances(losses)] for comparison in (SEMANTIC, EQUALITY))
        reduction = np.concatenate([_reduction(losses, d) for d in _distances(losses)])
        note = f"reduction of {reduction.min():.1f} to {reduction.max():.1f} %"
        uncounted = name == PRINTED or name in by_min_sum
        parts.append(
            below(name, np.ravel(one), np.ravel(other), unit="distances and k", note=note, uncounted=uncounted)
        )
    return parts


def sixteen_per_cent(results: Results) -> list[Tally]:
    """Test whether semantics reduces the loss of min-sum by 14 to 18 %, in the printed figures and in ours."""
    parts = []
    for name, losses in {PRINTED: TABLE_1, **_losses(results)}.items():
        reduction = _reduction(losses, MIN_SUM)
        note = ", ".join(f"{x:.1f}" for x in reduction) + " %"
        parts.append(count(name, (reduction >= 14) & (reduction <= 18), note=note))
    return parts


def avg_best(results: Results) -> list[Tally]:
    """Test whether avg has the lowest loss of the five distances; L computed with avg, as in the paper, and min-sum."""
    parts = []
    for by, uncounted in ((AVG, False), (MIN_SUM, True)):
        for name, losses in _losses(results, by).items():
            others = np.min([losses[d, SEMANTIC] for d in _distances(losses) if d != AVG], axis=0)
            label = name if by == AVG else f"{name}, L computed with min-sum"
            parts.append(below(label, losses[AVG, SEMANTIC], others, uncounted=uncounted))
    for name, data_set in results.items():
        under = sum(x < data_set.unmasked for x in data_set.figures[AVG, SEMANTIC][AVG])
        parts.append(count(f"{name}, L of avg below that of the unmasked data ({data_set.unmasked:.0f})",
                           [True] * under + [False] * (len(sets.KS) - under), uncounted=True))  # fmt: skip
    return parts


def max_worst(results: Results) -> list[Tally]:
    """Test whether max and max-sum have the highest losses, with semantics."""
    parts = []
    for name, losses in {PRINTED: TABLE_1, **_losses(results)}.items():
        high = np.min([losses[d, SEMANTIC] for d in ("max", "max-sum")], axis=0)
        low = np.max([losses[d, SEMANTIC] for d in ("min", AVG, MIN_SUM)], axis=0)
        parts.append(below(name, low, high, places=sets.KS, uncounted=name == PRINTED))
    return parts


def min_sum_better_than_min(results: Results) -> list[Tally]:
    """Test whether min-sum, which considers all terms, loses less than min."""
    parts = []
    for name, losses in {PRINTED: TABLE_1, **_losses(results)}.items():
        parts.append(below(name, losses[MIN_SUM, SEMANTIC], losses["min", SEMANTIC], uncounted=name == PRINTED))
    return parts


def min_sum_where_terms_are_shared(results: Results) -> list[Tally]:
    """Test whether min-sum loses less than avg on these data sets, whose records share items."""
    parts = []
    for by, uncounted in ((AVG, False), (MIN_SUM, True)):
        for name, losses in _losses(results, by).items():
            label = name if by == AVG else f"{name}, L computed with min-sum"
            parts.append(below(label, losses[MIN_SUM, SEMANTIC], losses[AVG, SEMANTIC], uncounted=uncounted))
    return parts


def generalisation_loses_more(results: Results) -> list[Tally]:
    """Test whether microaggregation, by avg, loses less than generalisation; k^2 is a weaker promise."""
    parts = []
    for by in (AVG, MIN_SUM):
        for name, losses in _losses(results, by).items():
            for variant in set_generalisation.GENERALISATION:
                local = variant == set_generalisation.LOCAL
                label = f"{name}, {variant}" + ("" if by == AVG else ", L computed with min-sum")
                distance = AVG if by == AVG else MIN_SUM
                uncounted = by == MIN_SUM or not local
                parts.append(below(label, losses[distance, SEMANTIC], losses[GENERALISE, variant], uncounted=uncounted))
    return parts


CLAIMS: list[Claim[Results]] = [
    Claim(
        "Every distance loses less with semantics than with equality, at every k",
        "§4.3, Table 1",
        "L of the five distances at k = 2 … 5.",
        semantics_beats_equality,
        "The Disease Ontology contains half of the diagnoses of the patients; the others are compared by equality "
        "in any case. `min` treats any two sets that share an item as equal, with semantics or without.",
    ),
    Claim(
        "For min-sum the improvement is around 16 %",
        "§4.3",
        "1 - L with semantics / L with equality, between 14 and 18 %.",
        sixteen_per_cent,
        "In Table 1 of the paper it is 16 % at k = 2 and less at each larger k. The queries of the paper share few "
        "words, so equality finds almost no similar records; baskets, recipes and diagnoses come from short lists.",
    ),
    Claim(
        "Avg gives the best results of the five distances",
        "§4.3, Table 1",
        "L with semantics at each k.",
        avg_best,
        "**L itself is computed with Avg.** Computed with min-sum, min-sum is best. The Avg distance of a set to "
        "itself is not 0, and a masked record of few central items can be nearer to a set than the set is to "
        "itself: L can fall below that of the unmasked data.",
    ),
    Claim(
        "Max and MaxSum give the worst results",
        "§4.3, Table 1",
        "L with semantics above that of the three others at each k.",
        max_worst,
        "Here `min` is the worst: it is 0 for any two sets that share an item, and these sets share many items.",
    ),
    Claim(
        "MinSum overcomes the limitations of Min: it loses less",
        "§4.3, Table 1",
        "L with semantics at each k.",
        min_sum_better_than_min,
    ),
    Claim(
        "Where records share many similar terms, MinSum would probably perform better than Avg",
        "§4.3, a conjecture",
        "L with semantics at each k.",
        min_sum_where_terms_are_shared,
        "L is computed with Avg, which hides the effect. Computed with min-sum, the loss confirms it on all three "
        "data sets.",
    ),
    Claim(
        "Methods based on generalisation lose more than microaggregation with semantics",
        "§1, §2, not measured there",
        "L of s-mdav with avg below that of local generalisation (He and Naughton 2009) at each k; both promise k.",
        generalisation_loses_more,
        "k^2-anonymity (Terrovitis et al. 2008) is a weaker promise: whole sets may be unique. As published, it loses "
        "more than s-mdav all the same; with items left out where that costs less, about as much.",
    ),
]
