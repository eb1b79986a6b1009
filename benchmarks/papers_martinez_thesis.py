"""Martínez, master thesis (2010) and its four articles: figures and measurements of fusion and recoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import fusion
import judgements
import numpy as np
from claims import Figure

import allonym as al
import fusion_choices
from allonym.methods.base import Method
from allonym.records import Records

TABLES = ("survey", "Adult")
GUIDES = ("wu-palmer", "leacock-chodorow", "path")
ORDERED = {guide: f"recoding-ordered, {guide}" for guide in (*GUIDES, fusion.RANDOM)}  # IPMU
PSEUDO_CODE = {guide: f"recoding-ordered to all, {guide}" for guide in GUIDES} | {fusion.RANDOM: ORDERED[fusion.RANDOM]}
LOCAL_NEW = "fusion towards a new value"  # of one column
LOCAL = {guide: f"recoding, {guide}" for guide in (*GUIDES, "discernibility", fusion.RANDOM)}  # MDAI
MDAI: dict[str, Callable[..., Method]] = {
    **{LOCAL[guide]: partial(al.Recoding, guide=guide) for guide in (*GUIDES, "discernibility")},
    LOCAL[fusion.RANDOM]: partial(al.Recoding, heuristics="none"),
    LOCAL_NEW: partial(al.Fusion, towards="new", refine=False),
}
FAMILIES = {
    "edges": ("path", "wu-palmer", "leacock-chodorow"),
    "features": ("rodriguez-egenhofer", "tversky", "x-similarity"),
    "content": ("resnik", "lin", "jiang-conrath"),
}
CLUSTER_DISTANCES = {  # Table 6
    ("original", "Wu-Palmer"): 0.398,
    ("original", "hierarchy"): 0.515,
    ("original", "discernibility"): 0.560,
    ("Wu-Palmer", "hierarchy"): 0.531,
    ("Wu-Palmer", "discernibility"): 0.589,
    ("hierarchy", "discernibility"): 0.623,
}
IPMU_TABLE_1 = {
    1: 84, 2: 9, 3: 6, 4: 24, 5: 23, 6: 37, 7: 12, 8: 1, 9: 2, 11: 7, 12: 5, 13: 1, 15: 5, 16: 2, 18: 2, 19: 1,
}  # repetitions: different answers  # fmt: skip
TABLE_5 = {
    1: 118, 2: 26, 3: 20, 4: 9, 5: 10, 7: 3, 8: 2, 9: 3, 10: 2, 11: 3, 13: 2, 14: 1, 15: 1, 17: 2, 18: 1, 19: 1, 23: 1,
    25: 1, 40: 1, 65: 1, 66: 1, 82: 1, 115: 1,
}  # fmt: skip
ARTICLE_CLUSTER_DISTANCES = {  # Information Fusion, Table 1
    ("original", "Wu-Palmer"): 0.26,
    ("original", "discernibility"): 0.57,
    ("Wu-Palmer", "discernibility"): 0.56,
}


@dataclass(frozen=True)
class Thesis:
    """Results of fusion, recoding and the similarity measures."""

    ks: tuple[int, ...]
    fusion_results: fusion.Results  # two columns: survey, Adult
    recoding_results: fusion.Results  # one column: hobby
    clusters: fusion.ClusterDistances
    correlations: judgements.Correlations
    unmasked_linkage: Mapping[str, float]  # linkage by text of the original tables
    answers: tuple[int, int, int] = (0, 0, 0)  # hobbies: records, distinct, unique
    clusters_by_both: fusion.ClusterDistances = field(default_factory=dict)  # by WordNet and the hierarchy together
    choices: Mapping[str, Sequence[fusion_choices.Choices]] = field(default_factory=dict)  # table -> one per k
    different_distances: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # column -> WordNet, hierarchy
    repetitions: Mapping[str, Mapping[int, int]] = field(default_factory=dict)  # table -> repetitions -> values

    def series(self, measure: str, table: str, variant: str) -> np.ndarray:
        """Return the figures of a variant, one per k."""
        return np.array((self.recoding_results if table == "hobby" else self.fusion_results)[measure][table][variant])


def measure(tables: Mapping[str, Records]) -> Thesis:
    """Run fusion, recoding and the comparison with human judgement."""
    measures = (fusion.QUALITY, fusion.LINKS, fusion.CONTENT, fusion.SECONDS)
    hobbies, recoding = fusion.measure_recoding(fusion.RECODING | MDAI, measures)
    return Thesis(
        fusion.KS,
        fusion.measure_fusion(tables),
        recoding,
        fusion.cluster_distances(tables),
        judgements.correlations(),
        {table: 100 * len(records) / records.n for table, records in tables.items()},
        (int(hobbies.n), len(hobbies), int((hobbies.counts == 1).sum())),
        fusion.cluster_distances(tables, by_both=True),
        {table: fusion_choices.choices(records, fusion.KS) for table, records in tables.items()},
        fusion_choices.different_distances(tables),
        {
            name: dict(Counter(records.counts.tolist()))
            for name, records in (("hobby", hobbies), ("survey", tables["survey"]))
        },
    )


def agreement(results: Thesis, measure: str, judged: str) -> float:
    """Return Pearson's r of a measure: the best of its variants, as Table 4 lists the best of each author."""
    return max(of_pairs[judged][0] for (name, _), of_pairs in results.correlations.items() if name == measure)


def largest_shortest_depth(taxonomy: al.Taxonomy) -> int:
    """Return the largest depth of a concept, where depth is the length of the shortest path to the root."""
    starts, above = taxonomy.parents
    depth = np.zeros(len(taxonomy), np.int64)
    for concept in np.argsort(taxonomy.depth, kind="stable").tolist():  # parents before children
        own = above[starts[concept] : starts[concept + 1]]
        depth[concept] = depth[own].min() + 1 if len(own) else 0
    return int(depth.max())


def published_figures(results: Thesis) -> list[Figure]:
    """Return the published figures with ours."""
    return [
        *_wordnet_figures(),
        *_correlation_figures(results),
        *_answer_figures(results),
        *_cluster_figures(results),
        *_time_figures(results),
    ]


def _wordnet_figures() -> list[Figure]:
    taxonomy = al.wordnet().taxonomy
    words = taxonomy.lexicon
    lowered = [form.lower() for form in words.forms]
    word_senses = {
        (lowered[i], int(c))
        for i in range(len(lowered))
        for c in words.concepts[words.starts[i] : words.starts[i + 1]].tolist()
    }
    reason = "WordNet 3.0, which has more nouns than 2.1"
    return [
        Figure("WordNet 2.1, nouns: strings, synsets, word-sense pairs", "§3.1.1, Table 3", (117097, 81426, 145104),
               (len(set(lowered)), len(taxonomy), len(word_senses)), 0, reason),
        Figure("largest depth of a noun", "§3.1.1", (16,), (largest_shortest_depth(taxonomy),), 0,
               f"WordNet 3.0, by the shortest path; {int(taxonomy.depth.max())} by the longest, which allonym uses"),
    ]  # fmt: skip


def _correlation_figures(results: Thesis) -> list[Figure]:
    names = [name for family in FAMILIES.values() for name in family]
    both = {name: judgements.PUBLISHED[name] for name in names}
    reason = (
        "the best of our variants, on WordNet 3.0; Table 4 lists the best figure of each author, on older versions: "
        "[similarity](measures/similarity.md#beside-human-judgement)"
    )
    return [
        Figure(f"correlation, Miller and Charles: {', '.join(names)}", "§3.3, Table 4",
               tuple(float(both[x][0]) for x in names),
               tuple(agreement(results, x, "M&C-30") for x in names), 2, reason),
        Figure(f"correlation, Rubenstein and Goodenough: {', '.join(x for x in names if both[x][1])}", "§3.3, Table 4",
               tuple(float(both[x][1]) for x in names if both[x][1]),
               tuple(agreement(results, x, "R&G-65") for x in names if both[x][1]), 2, reason),
    ]  # fmt: skip


def _answer_figures(results: Thesis) -> list[Figure]:
    random = results.series(fusion.LINKS, "hobby", ORDERED[fusion.RANDOM])[: 6 - 1]
    return [
        Figure("one question: answers, distinct answers, unique answers", "IPMU, Table 1; the hobbies of the survey "
               "follow it", (975, 221, 84), tuple(float(x) for x in results.answers), 0,
               "one hobby that occurs once is a synonym of another"),
        *_repetition_figures(results),
        *(
            Figure(f"distance by random replacement as a multiple, minimum over k ≤ 6, {reading}", "IPMU, §6", (3.0,),
                   (float((random / results.series(fusion.LINKS, "hobby", arms["wu-palmer"])[: 6 - 1]).min()),), 1,
                   "synthetic answers; at least the claimed factor")
            for reading, arms in (("prose", ORDERED), ("pseudo-code", PSEUDO_CODE))
        ),
    ]  # fmt: skip


def _repetition_figures(results: Thesis) -> list[Figure]:
    tables = (
        ("one question", "IPMU, Table 1", "hobby", IPMU_TABLE_1, "one hobby that occurs once is a synonym of another"),
        ("two questions", "§5, Table 5", "survey", TABLE_5, "the synthetic survey follows the table, but for these"),
    )
    return [
        Figure(
            f"{what}: answers that occur {', '.join(map(str, published))} times",
            f"{section}; the survey follows it",
            tuple(published.values()),
            tuple(float(results.repetitions.get(table, {}).get(times, 0)) for times in published),
            0,
            reason,
        )
        for what, section, table, published, reason in tables
    ]


def _cluster_figures(results: Thesis) -> list[Figure]:
    reason = (
        "the answers from the park are not public; these are synthetic, with other words. Only the order is comparable"
    )
    tables = (
        (CLUSTER_DISTANCES, "WordNet", "§5.4, Table 6", 3, results.clusters),
        (CLUSTER_DISTANCES, "WordNet and hierarchy", "CCIA, Table 1", 3, results.clusters_by_both),
        (ARTICLE_CLUSTER_DISTANCES, "WordNet", "IF, Table 1", 2, results.clusters),
    )
    return [
        Figure(
            f"distance of 14 clusters by {by}: " + "; ".join(f"{one} – {two}" for one, two in pairs),
            section,
            tuple(pairs.values()),
            tuple(ours[pair]["survey"] for pair in pairs),
            digits,
            reason,
        )
        for pairs, by, section, digits, ours in tables
    ]


def _time_figures(results: Thesis) -> list[Figure]:
    def span(table: str, variant: str) -> tuple[float, float]:
        spent = results.series(fusion.SECONDS, table, variant)
        return float(spent.min()), float(spent.max())

    reason = (
        "another machine; similarities are computed during the run here, and in advance in the thesis "
        "(6.33 and 2.24 minutes)"
    )
    return [
        Figure("seconds, two columns, minimum and maximum over k", "§5.6, Fig. 15", (1.2, 1.6),
               span("survey", "Wu-Palmer"), 2, reason),
        Figure("seconds, one column, minimum and maximum over k", "MDAI, Fig. 4", (0.7, 1.3),
               span("hobby", LOCAL["wu-palmer"]), 2, reason),
    ]  # fmt: skip
