"""How often suggestions contain the right concept: python benchmarks/suggestions.py

Takes the values of labelled columns that linking leaves unmatched or links wrongly, and counts how often an accepted
concept is among the first 1, 3 and 5 suggestions. Values of a column that mean the same count once. Vectors are
measured where their packages are installed (word_vectors.py). Needs the data beside the project. Writes two blocks of
docs/ontologies/reviewing.md.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from pages import write
from paths import DATA, ROOT

import word_vectors
from allonym.ontology.linking.link import Link, link
from allonym.ontology.linking.meaning import Suggester, Weights
from allonym.ontology.wordnet import bundled, wordnet
from word_vectors import Embed, Vectors

PAGE = ROOT / "docs" / "ontologies" / "reviewing.md"
FIRST = (1, 3, 5)
VECTOR_WEIGHT = 2.0  # the best of 1, 2, 3 on these columns
MAX_BY_VECTOR = 100  # candidates
SPELLING = Weights(0, 0, 0, 0, 0, 0, 0.3, 0)
STEPS = {
    "spelling": SPELLING,
    "… and other senses": replace(SPELLING, sense=0.3),
    "… and names": replace(Weights(), definition=0, derived=0, column=0),
    "… and definitions": replace(Weights(), derived=0, column=0),
    "… and related nouns": replace(Weights(), column=0),
    "**… and the column (used)**": Weights(),
}
Meaning = tuple[str, str]  # a column, and the accepted concepts


@dataclass(frozen=True)
class Labelled:
    """The values of a column with their links, and the accepted concepts of each, best first."""

    name: str
    links: Mapping[str, Link]
    accepted: Mapping[str, Sequence[int]]


@cache
def columns() -> list[Labelled]:
    """Return the labelled columns, without values that have no concept."""
    with (DATA / "words" / "gold_dev.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    labelled = []
    for name in dict.fromkeys(f"{row['dataset']} {row['column']}" for row in rows):
        own = [row for row in rows if f"{row['dataset']} {row['column']}" == name]
        links = {x.value: x for x in link({row["value"]: int(row["cells"]) for row in own}, wordnet())}
        accepted = {
            row["value"]: [c for x in row["concepts"].split() if (c := bundled().find(x)) is not None] for row in own
        }
        labelled.append(Labelled(name, links, {value: x for value, x in accepted.items() if x}))
    return labelled


def hits(suggester_of: Callable[[Labelled], Suggester]) -> dict[Meaning, NDArray[np.float64]]:
    """Return for each meaning that linking misses how often it is among the first suggestions."""
    found: dict[Meaning, list[list[bool]]] = {}
    for column in columns():
        suggester = suggester_of(column)
        for value, accepted in column.accepted.items():
            if column.links[value].concept not in accepted:
                concepts = suggester.concepts(column.links[value])
                row = [not set(accepted).isdisjoint(concepts[:most]) for most in FIRST]
                found.setdefault((column.name, str(accepted)), []).append(row)
    return {meaning: np.mean(rows, axis=0) for meaning, rows in found.items()}


# --- vectors -----------------------------------------------------------------------------------------------------


@cache
def concept_texts() -> list[str]:
    """Return the names and the definition of every concept."""
    names = (", ".join(x.replace("_", " ") for x in bundled().lexicon.terms(c)) for c in range(len(bundled())))
    return [f"{name}: {bundled().definition(c)}" for c, name in enumerate(names)]


class VectorSuggester(Suggester):
    """Suggests by vectors as well."""

    def __init__(self, column: Labelled, embed: Embed, concepts: Vectors) -> None:
        super().__init__(wordnet(), column.links.values())
        self.embed, self.vectors = embed, concepts

    def scores(self, link: Link, texts: Sequence[str], words: Sequence[int]) -> dict[int, float]:
        """Add the cosine of a value and the names and definitions of concepts."""
        scores = super().scores(link, texts, words)
        similar = self.vectors @ self.embed([texts[min(2, len(texts) - 1)]])[0]  # with abbreviations written out
        nearest = np.argsort(-similar, kind="stable")[:MAX_BY_VECTOR].tolist()
        return {c: scores.get(c, 0.0) + VECTOR_WEIGHT * float(similar[c]) for c in dict.fromkeys([*scores, *nearest])}


def table() -> str:
    """Return the shares of values with a right suggestion as Markdown, with intervals of what vectors gain."""
    lines = ["| suggestions by | first | first 3 | first 5 |", "|---|---:|---:|---:|"]
    measured = {}
    for name, weights in STEPS.items():
        measured[name] = hits(lambda x, weights=weights: Suggester(wordnet(), x.links.values(), weights=weights))  # type: ignore[misc]
        lines.append(f"| {name} | " + " | ".join(f"{x:.0%}" for x in _mean(measured[name])) + " |")
    used = measured[list(STEPS)[-1]]
    for name, load in word_vectors.available().items():
        embed = load(concept_texts())
        vectors = embed(concept_texts())
        with_vectors = hits(lambda x, e=embed, v=vectors: VectorSuggester(x, e, v))  # type: ignore[misc]
        cells = [
            f"{share:.0%} ({low:+.0%} to {high:+.0%})"
            for share, (low, high) in zip(_mean(with_vectors), _gains(used, with_vectors), strict=True)
        ]
        lines.append(f"| … and vectors of {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + f"\n\n{len(used)} meanings in {len(columns())} columns.\n"


def _mean(found: Mapping[Meaning, NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.asarray(np.mean(list(found.values()), axis=0), np.float64)


def _gains(
    before: Mapping[Meaning, NDArray[np.float64]], after: Mapping[Meaning, NDArray[np.float64]]
) -> list[tuple[float, float]]:
    """Return 95 % intervals of the gains, by resampling meanings."""
    gains = np.array([after[x] - before[x] for x in before])
    drawn = np.random.default_rng(1).integers(0, len(gains), (2000, len(gains)))
    low, high = np.percentile(gains[drawn].mean(axis=1), [2.5, 97.5], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


# --- senses ------------------------------------------------------------------------------------------------------


def senses_table() -> str:
    """Return how often the first sense is right, by what ranks the senses of ambiguous values, as Markdown."""
    cases = []
    for column in columns():
        first = {x.value: x for x in link(list(column.links), wordnet(), senses="first")}
        for value, accepted in column.accepted.items():
            senses = [c for c in (first[value].concept, *first[value].alternatives) if c is not None]
            if len(senses) > 1 and not set(accepted).isdisjoint(senses):
                context = f"{value}, {column.name.partition(' ')[2]}".replace("_", " ").replace("-", " ")
                cases.append((senses, set(accepted), context, column.links[value].concept in accepted))
    shares = {
        "frequency": np.mean([senses[0] in accepted for senses, accepted, _, _ in cases]),
        "**the column and frequency (used)**": np.mean([right for _, _, _, right in cases]),
    }
    for name, load in word_vectors.available().items():
        embed = load(concept_texts())
        for weight, title in ((0.0, f"vectors of {name}"), (0.5, f"vectors of {name} and frequency")):
            shares[title] = np.mean([_by_vectors(embed, x[0], x[2], weight) in x[1] for x in cases])
    lines = ["| senses by | right |", "|---|---:|", *(f"| {name} | {share:.0%} |" for name, share in shares.items())]
    return "\n".join(lines) + f"\n\n{len(cases)} values with several senses, one of them accepted.\n"


def _by_vectors(embed: Embed, senses: Sequence[int], context: str, weight: float) -> int:
    """Return the sense whose names and definition are nearest to a value with its column; frequent ones first."""
    vectors = embed([context, *(concept_texts()[c] for c in senses)])
    similar = vectors[1:] @ vectors[0] + weight / (1 + np.arange(len(senses)))
    return senses[int(np.argmax(similar))]


if __name__ == "__main__":
    write(PAGE, "suggestions", table())
    write(PAGE, "senses", senses_table())
