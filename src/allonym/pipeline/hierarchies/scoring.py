"""Scoring hierarchies by an ontology: link their values to concepts, then measure what generalisation loses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.errors import DIFFERENT_LEAVES, LinksError, OptionError, first_few, plural
from allonym.measures.hierarchies import Weights, level_losses, level_weights
from allonym.ontology import similarity
from allonym.ontology.catalog import open_ontology
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.hierarchy_senses import EVERYTHING, Meanings, meanings
from allonym.ontology.hierarchy_senses.candidates import part_of_speech
from allonym.ontology.hierarchy_senses.wholes import wholes_of
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.link import Link
from allonym.ontology.scope import Scope
from allonym.pipeline.hierarchies.model import ChosenSense, HierarchyComparison, HierarchyScore

MEASURE, DEPTH = "wu-palmer", "virtual-root"  # of the figures published by Ayala-Rivera et al.
MAX_POSSIBLE = 4  # concepts shown of a value that has none
Links = str | Path | Mapping[str, str] | None


@dataclass(frozen=True, eq=False)
class LinkedHierarchies:
    """Hierarchies of the same leaves with the concepts of their values."""

    hierarchies: Sequence[Hierarchy]
    scope: Scope
    meanings: Meanings  # of one hierarchy with the levels of all
    settled: links_files.Settled
    language: str
    accept_review: bool = False

    def to_csv(self) -> str:
        """Return a links file with every value: settle it, and give it back."""
        return links_files.to_csv(self.meanings.links.values(), self.scope, self.settled.rows, self.language)

    def scores(self, aggregate: str, weights: Weights, measure: str, depth: str) -> list[HierarchyScore]:
        """Return the score of every hierarchy.

        Raises:
            LinksError: some values have no sure concept.
        """
        if self.meanings.undecided:
            name = ", ".join(x.name for x in self.hierarchies)
            raise unsure(name, self.meanings.unsure, self.scope, review=not self.accept_review)
        for hierarchy in self.hierarchies:
            level_weights(hierarchy.height, weights)  # raises an error for another number of weights
        scores, start = [], 1
        for hierarchy in self.hierarchies:
            columns = [0, *range(start, start + hierarchy.height)]
            start += hierarchy.height
            paths = self.meanings.paths[:, columns]
            scores.append(self._score(hierarchy, paths, aggregate, weights, measure, depth))
        return scores

    def _score(
        self, hierarchy: Hierarchy, paths: Ints, aggregate: str, weights: Weights, measure: str, depth: str
    ) -> HierarchyScore:
        taxonomy = self.scope.taxonomy
        losses = similarity.distance(measure, taxonomy, paths[:, :1], paths[:, 1:], depth=depth)
        for i, row in enumerate(hierarchy.rows):
            if row[0] in self.settled.narrower:
                losses[i] = losses_of_kind(row, paths[i], self.scope, measure, depth)
        values = {value for row in hierarchy.rows for value in row}
        ids = [[taxonomy.ids[c] for c in path] for path in paths.tolist()]
        concepts: dict[str, str] = {}
        for row, of_row in zip(hierarchy.rows, ids, strict=True):
            for value, concept in zip(row, of_row, strict=True):
                concepts.setdefault(value, concept)
        kinds = _kinds(paths, self.scope)
        return HierarchyScore(
            hierarchy, losses, aggregate, weights, concepts,
            review=[value for value in self.meanings.review if value in values],
            senses=_chosen_senses(hierarchy, paths, self.meanings, self.scope),
            ids=ids, kinds=kinds, parts=_parts(paths, kinds, self.scope),
        )  # fmt: skip


def link_hierarchies(
    sources: Sequence[str | Path | Hierarchy],
    ontology: str | Scope = "wordnet",
    links: Links = None,
    *,
    language: str = "en",
    accept_review: bool = False,
) -> LinkedHierarchies:
    """Find the concepts of the values of hierarchies; their leaves have the same senses in all.

    Raises:
        OptionError: the hierarchies have different leaves.
        LinksError: the links file cannot be used.
    """
    hierarchies = [x if isinstance(x, Hierarchy) else Hierarchy.read(x) for x in sources]
    rows = [_rows_by_leaf(hierarchies[0], other) for other in hierarchies]
    hierarchies = [Hierarchy(x.name, own) for x, own in zip(hierarchies, rows, strict=True)]
    scope = ontology if isinstance(ontology, Scope) else open_ontology(ontology)
    settled = settled_links(links)
    unseen = () if accept_review else settled.unseen
    concepts = {value: concept for value, concept in settled.concepts.items() if value not in unseen}
    proposed = {value: settled.concepts[value] for value in unseen}
    joint = Hierarchy(
        hierarchies[0].name, tuple(sum((x[1:] for x in own[1:]), own[0]) for own in zip(*rows, strict=True))
    )
    found = meanings(joint, scope, concepts, language, proposed=proposed, accept_review=accept_review)
    marked = {x.value: x for x in settled.mark(found.links.values())}
    linked = Meanings(found.paths, marked, found.undecided)
    return LinkedHierarchies(hierarchies, scope, linked, settled, language, accept_review)


def _joined(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return a leaf with its values at all levels of all hierarchies."""
    return (rows[0][0], *(value for row in rows for value in row[1:]))


def _rows_by_leaf(first: Hierarchy, other: Hierarchy) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a hierarchy in the order of the leaves of another, which must be the same."""
    own, rows = set(first.leaves), {row[0]: row for row in other.rows}
    missing, added = [x for x in first.leaves if x not in rows], [x for x in rows if x not in own]
    if missing or added:
        raise OptionError(
            f"{other.name} has other leaves than {first.name}: {len(missing):,} are missing, {len(added):,} are new.",
            hint="compare hierarchies of the same values.",
            values=[*missing, *added],
            code=DIFFERENT_LEAVES,
        )
    return tuple(rows[leaf] for leaf in first.leaves)


def score(
    source: str | Path | Hierarchy,
    ontology: str | Scope = "wordnet",
    links: Links = None,
    *,
    aggregate: str = "max",
    weights: Weights = "constant",
    measure: str = MEASURE,
    depth: str = DEPTH,
    language: str = "en",
    accept_review: bool = False,
) -> HierarchyScore:
    """Score a hierarchy by its generalisation semantic loss in an ontology (Ayala-Rivera et al.).

    Args:
        source: a hierarchy, or the path of one.
        ontology: the ontology, or its name as on the command line.
        links: the concepts of values, as a mapping or a links file.
        aggregate: LevelGSL of the losses of a level: `max`, `mean`, `median` or `quantile:Q`.
        weights: the weights of levels: `constant`, `level`, or a number for each level.
        measure: the similarity measure, a name in `similarity.MEASURES`.
        depth: the depth convention of Wu-Palmer.
        language: the language of the values.
        accept_review: whether to use likely concepts of values that a person should settle.

    Returns:
        The score, with the losses, the senses of all values and the findings.

    Raises:
        LinksError: some values have no sure concept.
        OptionError: the aggregate, the weights or the measure are unknown.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "vertebrate"), ("cat", "mammal", "vertebrate")))
    >>> round(score(pets).value, 4)
    0.1769
    """
    return compare([source], ontology, links, aggregate=aggregate, weights=weights, measure=measure, depth=depth,
                   language=language, accept_review=accept_review).scores[0]  # fmt: skip


def compare(
    sources: Sequence[str | Path | Hierarchy],
    ontology: str | Scope = "wordnet",
    links: Links = None,
    *,
    aggregate: str = "max",
    weights: Weights = "constant",
    measure: str = MEASURE,
    depth: str = DEPTH,
    language: str = "en",
    accept_review: bool = False,
) -> HierarchyComparison:
    """Score hierarchies of the same leaves side by side; a leaf has the same sense in all of them.

    Args:
        sources: the hierarchies, or their paths.
        ontology: the ontology, or its name as on the command line.
        links: the concepts of values, as a mapping or a links file.
        aggregate: LevelGSL of the losses of a level: `max`, `mean`, `median` or `quantile:Q`.
        weights: the weights of levels: `constant`, `level`, or a number for each level.
        measure: the similarity measure, a name in `similarity.MEASURES`.
        depth: the depth convention of Wu-Palmer.
        language: the language of the values.
        accept_review: whether to use likely concepts of values that a person should settle.

    Returns:
        The scores in the given order; `comparable_value` of each leaves out levels that repeat the one below.

    Raises:
        LinksError: some values have no sure concept.
        OptionError: the leaves differ, or an option is unknown.

    >>> fine = Hierarchy("fine", (("cat", "mammal", "animal"), ("dog", "mammal", "animal"), ("owl", "bird", "animal")))
    >>> flat = Hierarchy("flat", (("cat", "animal"), ("dog", "animal"), ("owl", "animal")))
    >>> [round(x.comparable_value, 4) for x in compare([fine, flat]).scores]
    [0.2291, 0.3043]
    """
    check_options(aggregate, weights, measure)
    linked = link_hierarchies(sources, ontology, links, language=language, accept_review=accept_review)
    return HierarchyComparison(linked.scores(aggregate, weights, measure, depth))


def check_options(aggregate: str, weights: Weights, measure: str) -> None:
    """Refuse unknown options before anything is read."""
    level_losses(np.zeros((1, 1)), aggregate)
    level_weights(1 if isinstance(weights, str) else len(weights), weights)
    if measure not in similarity.MEASURES:
        raise OptionError.of("measure", measure, list(similarity.MEASURES))


def losses_of_kind(row: Sequence[str], path: Ints, scope: Scope, measure: str, depth: str) -> Floats:
    """Return the loss at each level of a value that is a kind of its concept: none, where it stays itself."""
    losses = similarity.distance(measure, scope.taxonomy, path[0], path[1:], depth=depth, below=(True, False))
    return np.where([value == row[0] for value in row[1:]], 0.0, losses)


def _kinds(paths: Ints, scope: Scope) -> NDArray[np.bool_]:
    """Return which leaves are kinds of their values at which levels."""
    above = {leaf: set(scope.taxonomy.subsumers(leaf).tolist()) for leaf in set(paths[:, 0].tolist())}
    return np.array([[concept in above[leaf] for concept in rest] for leaf, *rest in paths.tolist()], bool)


def _parts(paths: Ints, kinds: NDArray[np.bool_], scope: Scope) -> NDArray[np.bool_]:
    """Return which leaves are no kinds of their values, but parts of them, at one or several removes."""
    parts = np.zeros_like(kinds)
    for row in np.flatnonzero(~kinds.all(axis=1)).tolist():
        wholes = wholes_of(scope.taxonomy, int(paths[row, 0]))
        parts[row] = ~kinds[row] & np.isin(paths[row, 1:], list(wholes))
    return parts


def _chosen_senses(hierarchy: Hierarchy, paths: Ints, linked: Meanings, scope: Scope) -> list[ChosenSense]:
    """Return the concept of every value, leaves first; several, if leaves give a value different senses."""
    places: dict[tuple[str, int], list[int]] = {}
    for level in range(hierarchy.height + 1):
        for row, concept in zip(hierarchy.rows, paths[:, level].tolist(), strict=True):
            if level == 0 or row[level] != row[0]:
                places.setdefault((row[level], concept), []).append(level)
    taxonomy = scope.taxonomy
    return [
        ChosenSense(
            value, min(levels), taxonomy.ids[concept], levels.count(min(levels)), linked.links[value].reason,
            linked.links[value].status, links_files.short_definition(taxonomy, concept, scope.root),
            tuple(taxonomy.ids[c] for c in linked.links[value].alternatives if c != concept),
        )
        for (value, concept), levels in places.items()
    ]  # fmt: skip


def settled_links(links: Links) -> links_files.Settled:
    """Return the content of a links file, or of a mapping."""
    if links is None:
        return links_files.Settled()
    return links_files.Settled(dict(links)) if isinstance(links, Mapping) else links_files.read(links)


def narrower_of(links: Links) -> Collection[str]:
    """Return the values that a links file settles as a kind of their concept."""
    return settled_links(links).narrower


def settled_of(links: Links) -> Mapping[str, str]:
    """Return the settled concepts of a links file or a mapping."""
    return settled_links(links).concepts


def unsure(name: str, links: Sequence[Link], scope: Scope, *, review: bool = False) -> LinksError:
    """Return the error that lists values without a sure concept, with the concepts they may have."""
    return LinksError(
        f"{name}: {plural(len(links), 'value')} without a sure concept.",
        hint="settle them in a file with the columns value and concept, and name it with --links"
        + ("; --accept-review accepts likely concepts." if review else "."),
        values=[_possible(x, scope) for x in links],
    )


def _possible(x: Link, scope: Scope) -> str:
    """Return a value with what it is, if it is no noun, and with the concepts it may have."""
    ids = scope.taxonomy.ids
    senses = [ids[c] for c in (x.concept, *x.alternatives) if c is not None]
    if x.value == EVERYTHING:
        senses = [ids[scope.root]]
    might = ", ".join(senses[:MAX_POSSIBLE]) or first_few(list(x.suggestions)[:MAX_POSSIBLE])
    told = ": ".join(filter(None, [part_of_speech(x.value, scope), might]))
    return f"{x.value} ({told})" if told else x.value
