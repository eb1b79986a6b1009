"""P0, the thesis and the four articles in it: its figures, and what fusion and recoding do here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import fusion
import judgements
import numpy as np
from claims import Figure

import allonym as al
from allonym.methods.base import Method
from allonym.records import Records

TABLES = ("survey", "Adult")
GUIDES = ("wu-palmer", "leacock-chodorow", "path")
ORDERED = {guide: f"recoding-ordered, {guide}" for guide in (*GUIDES, fusion.RANDOM)}  # IPMU
LOCAL = {guide: f"recoding, {guide}" for guide in (*GUIDES, "discernibility", fusion.RANDOM)}  # MDAI
MDAI: dict[str, Callable[..., Method]] = {
    **{LOCAL[guide]: partial(al.Recoding, guide=guide) for guide in (*GUIDES, "discernibility")},
    LOCAL[fusion.RANDOM]: partial(al.Recoding, heuristics="none"),
}
FAMILIES = {
    "edges": ("path", "wu-palmer", "leacock-chodorow"),
    "features": ("rodriguez-egenhofer", "tversky", "x-similarity"),
    "content": ("resnik", "lin", "jiang-conrath"),
}
APART = {  # Table 6; in the Information Fusion article .26, .57 and .56 for the first, third and fifth
    ("original", "Wu-Palmer"): 0.398,
    ("original", "hierarchy"): 0.515,
    ("original", "discernibility"): 0.560,
    ("Wu-Palmer", "hierarchy"): 0.531,
    ("Wu-Palmer", "discernibility"): 0.589,
    ("hierarchy", "discernibility"): 0.623,
}
ARTICLE = {("original", "Wu-Palmer"): 0.26, ("original", "discernibility"): 0.57, ("Wu-Palmer", "discernibility"): 0.56}


@dataclass(frozen=True)
class Thesis:
    """What fusion, recoding and similarity measures do."""

    ks: tuple[int, ...]
    fused: fusion.Found  # two columns: survey, Adult
    recoded: fusion.Found  # one column: hobby
    clusters: fusion.Apart
    correlations: judgements.Correlations
    before: Mapping[str, float]  # linkage by text of the tables as they are
    answers: tuple[int, int, int] = (0, 0, 0)  # hobbies: records, different, unique

    def of(self, measure: str, table: str, arm: str) -> np.ndarray:
        """Return the figures of an arm, one for each k."""
        return np.array((self.recoded if table == "hobby" else self.fused)[measure][table][arm])


def measured(every: Mapping[str, Records]) -> Thesis:
    """Run fusion, recoding and the comparison with human judgement."""
    what = (fusion.QUALITY, fusion.LINKS, fusion.CONTENT, fusion.SECONDS)
    hobbies, recoded = fusion.recoded(fusion.RECODED | MDAI, what)
    return Thesis(
        fusion.KS,
        fusion.fused(every),
        recoded,
        fusion.clustered(every),
        judgements.correlations(),
        {table: 100 * len(records) / records.n for table, records in every.items()},
        (int(hobbies.n), len(hobbies), int((hobbies.counts == 1).sum())),
    )


def agreement(found: Thesis, measure: str, judged: str) -> float:
    """Return Pearson's r of a measure, the best of its variants, as Table 4 has the best of each author."""
    return max(of[judged][0] for (name, _), of in found.correlations.items() if name == measure)


def fewest_links(taxonomy: al.Taxonomy) -> int:
    """Return the depth of the deepest concept if each is reached by its shortest way."""
    starts, above = taxonomy.parents
    depth = np.zeros(len(taxonomy), np.int64)
    for concept in np.argsort(taxonomy.depth, kind="stable").tolist():  # parents before children
        own = above[starts[concept] : starts[concept + 1]]
        depth[concept] = depth[own].min() + 1 if len(own) else 0
    return int(depth.max())


def published(found: Thesis) -> list[Figure]:
    """Return P0's figures, ours beside them."""
    return [*_of_wordnet(), *_of_judgement(found), *_of_answers(found), *_of_clusters(found), *_of_time(found)]


def _of_wordnet() -> list[Figure]:
    taxonomy = al.wordnet().taxonomy
    words = taxonomy.lexicon
    lowered = [form.lower() for form in words.forms]
    meant = {
        (lowered[i], int(c))
        for i in range(len(lowered))
        for c in words.concepts[words.starts[i] : words.starts[i + 1]].tolist()
    }
    newer = "WordNet 3.0, which has more nouns than 2.1"
    return [
        Figure("WordNet 2.1, nouns: strings, synsets, pairs of the two", "§3.1.1, Table 3", (117097, 81426, 145104),
               (len(set(lowered)), len(taxonomy), len(meant)), 0, newer),
        Figure("largest depth of a noun", "§3.1.1", (16,), (fewest_links(taxonomy),), 0,
               f"WordNet 3.0, by the shortest way up; {int(taxonomy.depth.max())} by the longest, which is used here"),
    ]  # fmt: skip


def _of_judgement(found: Thesis) -> list[Figure]:
    names = [name for family in FAMILIES.values() for name in family]
    both = {name: judgements.PUBLISHED[name] for name in names}
    later = (
        "the best of our variants, on WordNet 3.0; Table 4 has the best of each author, on older versions: "
        "[similarity](measures/similarity.md#beside-human-judgement)"
    )
    return [
        Figure(f"correlation, Miller and Charles: {', '.join(names)}", "§3.3, Table 4",
               tuple(float(both[x][0]) for x in names),
               tuple(agreement(found, x, "M&C-30") for x in names), 2, later),
        Figure(f"correlation, Rubenstein and Goodenough: {', '.join(x for x in names if both[x][1])}", "§3.3, Table 4",
               tuple(float(both[x][1]) for x in names if both[x][1]),
               tuple(agreement(found, x, "R&G-65") for x in names if both[x][1]), 2, later),
    ]  # fmt: skip


def _of_answers(found: Thesis) -> list[Figure]:
    quality = [found.of(fusion.LINKS, "hobby", ORDERED[x])[: 6 - 1] for x in (fusion.RANDOM, "wu-palmer")]
    return [
        Figure("one question: answers, different ones, unique ones", "IPMU, Table 1; hobbies made to this shape",
               (975, 221, 84), tuple(float(x) for x in found.answers), 0,
               "a hobby that occurs once means the same as another"),
        Figure("times as far by random replacement, least of k ≤ 6", "IPMU, §6", (3.0,),
               (float((quality[0] / quality[1]).min()),), 1, "invented answers; at least as much as claimed"),
    ]  # fmt: skip


def _of_clusters(found: Thesis) -> list[Figure]:
    other = "the park's answers are not public: invented ones, with other words. Only the order can be compared"
    return [
        Figure(
            "distance of 14 clusters: " + "; ".join(f"{one} – {two}" for one, two in pairs),
            where,
            tuple(pairs.values()),
            tuple(found.clusters[pair]["survey"] for pair in pairs),
            digits,
            other,
        )
        for pairs, where, digits in ((APART, "§5.4, Table 6; CCIA, Table 1", 3), (ARTICLE, "IF, Table 1", 2))
    ]


def _of_time(found: Thesis) -> list[Figure]:
    def span(table: str, arm: str) -> tuple[float, float]:
        spent = found.of(fusion.SECONDS, table, arm)
        return float(spent.min()), float(spent.max())

    quick = "another machine; similarities are computed on the way here, in P0 before, in 6.33 and 2.24 minutes"
    return [
        Figure("seconds, two columns, least and most over k", "§5.6, Fig. 15", (1.2, 1.6), span("survey", "Wu-Palmer"),
               2, quick),
        Figure("seconds, one column, least and most over k", "MDAI, Fig. 4", (0.7, 1.3),
               span("hobby", LOCAL["wu-palmer"]), 2, quick),
    ]  # fmt: skip
