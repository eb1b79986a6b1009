"""Linking of synonyms that were left out of their ontology: python benchmarks/linking_held_out.py

Leaves out 5% of the synonyms of an ontology at random, links them to the rest, and compares each link with the
concept the synonym was taken from. Synonyms that another concept still has are counted separately: for them the
ontology itself gives another answer. Beside it, a look-up of the label with the most similar character n-grams, as a
baseline. Needs the data beside the project (ESCO, the Disease Ontology) and the extra `health` (HPO). Writes a block
of docs/ontologies/linking.md. `--errors ONTOLOGY` lists wrong links, `--fit` fits the weights and prints them.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pages
from paths import DATA, ROOT
from scipy.optimize import minimize

from allonym.ontology.catalog import ontology
from allonym.ontology.lexicon import Entry, Lexicon, key
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.link import SURE, UNMATCHED, Link, link
from allonym.ontology.linking.readings.normalise import Normaliser
from allonym.ontology.linking.similar_labels.nearest import Candidates, NearestConcepts
from allonym.ontology.linking.similar_labels.propose import Proposal, Proposer, is_comparable
from allonym.ontology.linking.similar_labels.votes import WEIGHTS
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.taxonomy import Taxonomy

PAGE = ROOT / "docs" / "ontologies" / "linking.md"
SHARE = 0.05  # of the synonyms that are left out
FITTED, MEASURED = (1, 2, 3), (101, 102)  # seeds
SMALL_COLUMN = 50
ONTOLOGIES: dict[str, Callable[[], Taxonomy]] = {
    "ESCO": lambda: read_taxonomy(DATA / "esco"),
    "Disease Ontology": lambda: read_taxonomy(DATA / "taxonomies" / "doid_2019-03-07.obo.gz"),
    "HPO": lambda: ontology("hpo").taxonomy,
}


@dataclass(frozen=True)
class HeldOut:
    """An ontology without some synonyms."""

    taxonomy: Taxonomy
    synonyms: list[tuple[str, int]]  # with the concepts they were taken from
    ambiguous: list[tuple[str, int]]  # the same, but other concepts still have them
    unknown: list[tuple[str, int]]  # labels of concepts all of whose labels were left out


def entries(lexicon: Lexicon) -> list[Entry]:
    """Return the entries of a lexicon."""
    arrays = (lexicon.concepts, lexicon.ranks, lexicon.counts, lexicon.languages, lexicon.preferred, lexicon.notation)
    forms = (lexicon.forms[form] for form in lexicon.form_of.tolist())
    return [
        Entry(form, concept, rank, count, lexicon.language_names[number], preferred, notation)
        for form, concept, rank, count, number, preferred, notation in zip(
            forms, *(array.tolist() for array in arrays), strict=True
        )
    ]


def held_out(taxonomy: Taxonomy, seed: int, *, concepts: bool = False) -> HeldOut:
    """Leave out synonyms at random, and optionally all labels of some concepts."""
    draw, every = random.Random(seed), entries(taxonomy.lexicon)
    synonyms = [
        e for e in every if not e.preferred and not e.notation and key(e.form) != key(taxonomy.labels[e.concept])
    ]
    left_out = {e for e in synonyms if draw.random() < SHARE}
    leaves = np.flatnonzero(taxonomy.is_leaf).tolist()
    unknown = set(draw.sample(leaves, round(SHARE * len(leaves)))) if concepts else set()
    kept = [e for e in every if e not in left_out and e.concept not in unknown]
    known = {key(e.form) for e in kept if not e.notation}
    pairs = [(e.form, e.concept) for e in synonyms if e in left_out and e.concept not in unknown]
    labels = [(e.form, e.concept) for e in every if e.concept in unknown and e.preferred and key(e.form) not in known]
    return HeldOut(
        replace(taxonomy, lexicon=Lexicon.build(kept, taxonomy.lexicon.exceptions)),
        [pair for pair in pairs if key(pair[0]) not in known],
        [pair for pair in pairs if key(pair[0]) in known],
        labels,
    )


class Truth:
    """Whether a concept is right for a synonym of another."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self._above: dict[int, list[int]] = {}

    def above(self, concept: int) -> list[int]:
        """Return a concept and its ancestors."""
        if concept not in self._above:
            self._above[concept] = self.taxonomy.subsumers(concept).tolist()
        return self._above[concept]

    def is_true(self, linked: int, truth: int) -> bool:
        """Tell whether the synonym is a kind of the concept."""
        return linked in self.above(truth)

    def has_group(self, linked: int, truth: int, level: int = 4) -> bool:
        """Tell whether both are in one group: in ESCO at a level of ISCO, elsewhere below the same parent."""
        if self.taxonomy.name == "esco":
            group = self.group(truth, level)
            return group is not None and group == self.group(linked, level)
        parents = [set(self.taxonomy.parents_of(c).tolist()) for c in (linked, truth)]
        return self.is_true(linked, truth) or not parents[0].isdisjoint(parents[1])

    def group(self, concept: int, level: int) -> str | None:
        """Return the code of the group of ISCO."""
        ids = [self.taxonomy.ids[c] for c in self.above(concept)]
        return next((x for x in ids if len(x) == level + 1 and x[0] == "C" and x[1:].isdigit()), None)


def first_proposal(x: Link, taxonomy: Taxonomy) -> int | None:
    """Return the concept of a link, or the first suggestion for an unmatched value."""
    if x.concept is not None or not x.suggestions:
        return x.concept
    concept = taxonomy.find(x.suggestions[0])
    return next(iter(taxonomy.senses(x.suggestions[0], "en")), None) if concept is None else concept


def nearest_label(held: HeldOut) -> list[int | None]:
    """Return the concept of the label with the most similar n-grams for each synonym, as a baseline."""
    found: Candidates = NearestConcepts(held.taxonomy, language("en")).candidates(
        [text for text, _ in held.synonyms], np.ones(len(held.taxonomy), bool)
    )
    rows = zip(found.starts[:-1].tolist(), found.starts[1:].tolist(), strict=True)
    return [None if low == high else int(found.concepts[low + found.best[low:high].argmax()]) for low, high in rows]


def linked(held: HeldOut, texts: Sequence[str], size: int | None = None) -> Iterator[Link]:
    """Link texts as one column, or as columns of a size."""
    texts = list(dict.fromkeys(texts))
    for low in range(0, len(texts), size or len(texts) or 1):
        yield from link(texts[low : low + (size or len(texts))], held.taxonomy)


def measured(held: HeldOut, truth: Truth, pairs: list[tuple[str, int]], size: int | None = None) -> Counter[str]:
    """Link synonyms and count how many links are right."""
    began = time.process_time()
    links = {x.value: x for x in linked(held, [text for text, _ in pairs], size)}
    counts = Counter({"all": len(pairs), "ms": round(1000 * (time.process_time() - began))})
    for text, concept in pairs:
        proposal = first_proposal(links[text], held.taxonomy)
        status = links[text].status
        right = proposal is not None and truth.has_group(proposal, concept)
        counts[status] += 1
        counts["concept"] += proposal == concept
        counts["kind"] += proposal is not None and truth.is_true(proposal, concept)
        counts["group"] += right
        counts["wide group"] += proposal is not None and truth.has_group(proposal, concept, 3)
        if status == SURE and proposal is not None:
            counts["sure kind"] += truth.is_true(proposal, concept)
            counts["sure group"] += right
    return counts


def measure(name: str, size: int | None = None) -> tuple[Counter[str], Counter[str]]:
    """Return the counts of an ontology over all seeds, and those of synonyms that other concepts have."""
    taxonomy, total, ambiguous = ONTOLOGIES[name](), Counter[str](), Counter[str]()
    for seed in MEASURED:
        held, truth = held_out(taxonomy, seed), Truth(taxonomy)
        total += measured(held, truth, held.synonyms, size)
        ambiguous += measured(held, truth, held.ambiguous, size)
        for guess, (_, concept) in zip(nearest_label(held), held.synonyms, strict=True):
            total["baseline"] += guess is not None and truth.has_group(guess, concept)
    return total, ambiguous


def share(counts: Counter[str], part: str, whole: str) -> str:
    """Return a share in per cent."""
    return f"{counts[part] / max(counts[whole], 1):.1%}"


def row(name: str, x: Counter[str]) -> str:
    """Return a row of the table."""
    shares = [share(x, part, whole) for part, whole in (
        ("concept", "all"), ("kind", "all"), ("group", "all"), ("baseline", "all"), ("sure", "all"),
        ("sure kind", "sure"), ("sure group", "sure"), ("unmatched", "all"),
    )]  # fmt: skip
    return f"| {name} | {x['all']:,} | " + " | ".join(shares) + " |"


def table() -> str:
    """Return the table as Markdown."""
    lines = [
        "| ontology | synonyms | concept | kind | group | baseline | sure | `sure`: kind | `sure`: group | unmatched |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    notes = []
    for name in ONTOLOGIES:
        total, ambiguous = measure(name)
        lines.append(row(name, total))
        notes.append(
            f"- {name}: with the {ambiguous['all']:,} that other concepts still have, the group is right for "
            f"{share(total + ambiguous, 'group', 'all')}, and for {share(total + ambiguous, 'sure group', 'sure')} of "
            "`sure` links."
        )
    return "\n".join([*lines, "", *notes]) + "\n"


# --- fitting ---------------------------------------------------------------------------------------------------


def proposals(name: str, seeds: Sequence[int]) -> Iterator[tuple[str, int, Proposal, Truth]]:
    """Yield synonyms, and labels of unknown concepts, with their concepts and what similar labels propose for them."""
    taxonomy = ONTOLOGIES[name]()
    for seed in seeds:
        held, truth, english = held_out(taxonomy, seed, concepts=True), Truth(taxonomy), language("en")
        proposer = Proposer(held.taxonomy, english, Normaliser.of(held.taxonomy.lexicon, english))
        pairs = held.synonyms + held.unknown
        found = proposer.propose([text for text, _ in pairs], np.ones(len(taxonomy), bool))
        for text, concept in pairs:
            if text in found:
                yield text, concept, found[text], truth


def fitted_votes(name: str, regularisation: float = 1.0) -> dict[str, float]:
    """Return the weights of the votes that make the right candidates of an ontology likely."""
    known: list[tuple[np.ndarray, np.ndarray]] = []
    taxonomy, english = ONTOLOGIES[name](), language("en")
    for seed in FITTED:
        held, truth = held_out(taxonomy, seed), Truth(taxonomy)
        pairs = [(text, concept) for text, concept in held.synonyms if is_comparable(text, english)]
        nearest = NearestConcepts(held.taxonomy, english)
        found = nearest.candidates([text for text, _ in pairs], np.ones(len(taxonomy), bool))
        figures = np.stack([getattr(found, figure) for figure in WEIGHTS], axis=1)
        for row, (_, concept) in enumerate(pairs):
            part = slice(found.starts[row], found.starts[row + 1])
            right = np.array([truth.has_group(c, concept) for c in found.concepts[part].tolist()], bool)
            known += [(figures[part], right)] if right.any() else []

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = regularisation * float(weights @ weights) / 2, regularisation * weights
        for figures, right in known:
            odds = np.exp((scores := figures @ weights) - scores.max())
            likely, of_right = odds / odds.sum(), odds * right / (odds * right).sum()
            total -= float(np.log((likely * right).sum()))
            slope = slope - figures.T @ (of_right - likely)
        return total, slope

    fit = minimize(loss, np.zeros(len(WEIGHTS)), jac=True, method="L-BFGS-B")
    return dict(zip(WEIGHTS, np.round(fit.x, 2).tolist(), strict=True))


def fitted_confidence(regularisation: float = 0.5) -> dict[str, float]:
    """Return the weights of the confidence, by Newton's method; every ontology counts the same."""
    rows, right, weight, names = [], [], [], list[str]()
    for name in ONTOLOGIES:
        known = [(vars(x.features), truth.is_true(x.concept, c)) for _, c, x, truth in proposals(name, FITTED)]
        rows += [[1.0, *features.values()] for features, _ in known]
        right += [is_true for _, is_true in known]
        weight += [1000 / len(known)] * len(known)
        names = ["constant", *known[0][0]]
    figures, truths, weights = np.array(rows), np.array(right, float), np.zeros(len(names))
    penalty = np.diag([0.01, *[regularisation] * (len(names) - 1)])
    for _ in range(50):
        probability = 1 / (1 + np.exp(-figures @ weights))
        slope = figures.T @ (np.array(weight) * (truths - probability)) - penalty @ weights
        spread = np.array(weight) * probability * (1 - probability)
        weights += np.linalg.solve((figures * spread[:, None]).T @ figures + penalty, slope)
    return dict(zip(names, np.round(weights, 2).tolist(), strict=True))


def precision_by_confidence(name: str) -> Iterator[str]:
    """Yield how many proposals are right from each confidence on."""
    known = [
        (x.confidence, truth.is_true(x.concept, c), truth.has_group(x.concept, c))
        for _, c, x, truth in proposals(name, FITTED)
    ]
    for least in (0.95, 0.93, 0.92, 0.91, 0.9, 0.88, 0.85, 0.8, 0.7, 0.5, 0.25, 0.0):
        above = [x for x in known if x[0] >= least]
        shares = [sum(x[i] for x in above) / max(len(above), 1) for i in (1, 2)]
        yield f"{name:18} {least:.2f} {len(above) / len(known):6.1%} kind {shares[0]:.3f} group {shares[1]:.3f}"


def errors(name: str) -> Iterator[str]:
    """Yield wrong links, most confident first."""
    taxonomy = ONTOLOGIES[name]()
    held, truth = held_out(taxonomy, MEASURED[0]), Truth(taxonomy)
    concept_of = dict(held.synonyms)
    for x in sorted(linked(held, [text for text, _ in held.synonyms]), key=lambda x: -x.confidence):
        proposal, concept = first_proposal(x, held.taxonomy), concept_of[x.value]
        if proposal is None or not truth.has_group(proposal, concept):
            label = None if proposal is None else taxonomy.labels[proposal]
            certainty = 0.0 if x.status == UNMATCHED else x.confidence
            yield f"{x.status:9} {certainty:.2f} {x.reason:9} {x.value} -> {label} <- {taxonomy.labels[concept]}"


def main() -> None:
    """Write the table, or print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", metavar="ONTOLOGY", help="list wrong links")
    parser.add_argument("--fit", action="store_true", help="fit the weights of the confidence")
    parser.add_argument("--small", action="store_true", help=f"link in columns of {SMALL_COLUMN} values")
    options = parser.parse_args()
    if options.errors:
        print("\n".join(errors(options.errors)))
    elif options.fit:
        for name in ONTOLOGIES:
            print("votes", name, fitted_votes(name))
        print("confidence", fitted_confidence())
        print("\n".join(line for name in ONTOLOGIES for line in precision_by_confidence(name)))
    elif options.small:
        for name in ONTOLOGIES:
            print(row(name, measure(name, SMALL_COLUMN)[0]))
    else:
        pages.write(PAGE, "held out", table())


if __name__ == "__main__":
    main()
