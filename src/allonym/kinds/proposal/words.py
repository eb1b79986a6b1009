"""Words of an ontology: whether it knows the values of a column as things, and under which root they all lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from allonym.arrays import Floats
from allonym.kinds.category import Category
from allonym.kinds.proposal.answers import with_content
from allonym.kinds.proposal.evidence import Evidence, percent
from allonym.kinds.proposal.profile import ColumnProfile, Proposal
from allonym.kinds.proposal.vocabulary import named_roots
from allonym.ontology.linking.link import REASONS_OF_SAME, SURE, UNMATCHED, Link, link
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

MAX_LOOKED_UP = 500  # values of a column
MIN_KNOWN = 0.75  # share of the cells, and of the values, that must be words of the ontology
MIN_KNOWN_OF_THINGS = 0.6  # the same where the name says that values are things
MIN_CONFIDENCE = 0.5  # in links that count at all
MIN_UNDER_ROOT = (0.98, 0.9)  # shares of the cells and of the values with sure links that must lie under a root
MIN_UNDER_NAMED_ROOT = (0.95, 0.8)  # the same under a root that the name announces
MIN_VALUES = 5  # with sure links
MIN_VALUES_OF_THINGS = 2  # where the name says that values are things
PLACE = "location.n.01"
ROOTS = (  # well-known ones, each before those that it lies under
    "country.n.02", "american_state.n.01", "city.n.01", PLACE, "person.n.01", "animal.n.01", "plant.n.02",
    "beverage.n.01", "food.n.01", "food.n.02", "disease.n.01", "ill_health.n.01", "symptom.n.01", "drug.n.01",
    "body_part.n.01", "sport.n.01", "occupation.n.01", "crime.n.01", "musical_instrument.n.01", "vehicle.n.01",
    "clothing.n.01", "color.n.01", "language.n.01", "discipline.n.01",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LinkedWords:
    """The values of a column that say something, linked to an ontology."""

    links: Sequence[Link]
    scope: Scope

    @cached_property
    def known(self) -> Sequence[Link]:
        """The links to concepts that are not mere guesses."""
        return [x for x in self.links if x.concept is not None and x.status != UNMATCHED and not _is_guess(x)]

    @cached_property
    def by_cells(self) -> float:
        """The share of cells that are known."""
        return _cells(self.known) / max(_cells(self.links), 1)

    @cached_property
    def by_values(self) -> float:
        """The share of values that are known."""
        return len(self.known) / max(len(self.links), 1)

    @cached_property
    def exact(self) -> tuple[float, float]:
        """The shares of cells and of values that are words or codes as they stand, in whatever spelling."""
        same = [x for x in self.known if x.reason in REASONS_OF_SAME]
        return _cells(same) / max(_cells(self.links), 1), len(same) / max(len(self.links), 1)

    def coverage(self, column: ColumnProfile) -> float:
        """Return the share of all cells of a column that are known."""
        return _cells(self.known) / max(column.rows, 1)

    def common_root(self, named: Sequence[str] = (), least: int = MIN_VALUES) -> tuple[int, float, float] | None:
        """Return the well-known concept above the column as a whole, with its shares of cells and values.

        Doubtful links count only against a root, where they have no sense under it. At least so many values, and half
        of the column, must have sure links. Roots that the name announces come first.
        """
        sure = [x for x in self.known if x.status == SURE]
        if len(sure) < least or _cells(sure) * 2 < _cells(self.links) or len(sure) * 2 < len(self.links):
            return None
        taxonomy = self.scope.taxonomy
        bars = [(x, MIN_UNDER_NAMED_ROOT) for x in named] + [(x, MIN_UNDER_ROOT) for x in ROOTS]
        cells, values = _shares_under(sure, taxonomy)
        for name, (of_cells, of_values) in bars:
            root = taxonomy.find(name)
            if root is not None and cells[root] >= of_cells and values[root] >= of_values:
                shares = self._shares(root, sure)
                if shares[0] >= of_cells and shares[1] >= of_values:
                    return root, *shares
        return None

    def _shares(self, root: int, sure: Sequence[Link]) -> tuple[float, float]:
        """Return the shares of cells and values under a root, among sure links and those without a sense under it."""
        inside = Scope(self.scope.taxonomy, root).members
        under = [x for x in sure if inside[x.concept]]
        senses = ((x, [y for y in (x.concept, *x.alternatives) if y is not None]) for x in self.known)
        outside = [x for x, concepts in senses if not inside[concepts].any()]
        counted = {x.value: x for x in (*sure, *outside)}.values()
        return _cells(under) / max(sum(x.count for x in counted), 1), len(under) / max(len(counted), 1)


def _shares_under(links: Sequence[Link], taxonomy: Taxonomy) -> tuple[Floats, Floats]:
    """Return for every concept the shares of cells and of values that lie under it."""
    starts, above, _ = taxonomy.closure(np.array([x.concept for x in links], np.int64))
    cells = np.repeat([float(x.count) for x in links], np.diff(starts))
    under = np.bincount(above, weights=cells, minlength=len(taxonomy)) / max(_cells(links), 1)
    return under, np.bincount(above, minlength=len(taxonomy)) / max(len(links), 1)


def _is_guess(found: Link) -> bool:
    return found.status != SURE and found.confidence < MIN_CONFIDENCE


def _cells(links: Sequence[Link]) -> int:
    return sum(x.count for x in links)


def linked_words(column: ColumnProfile, scope: Scope, language: str = "en") -> LinkedWords:
    """Link the most frequent values of a column, once for each ontology.

    Values that say nothing of their subject, such as "other", are left out. A classification may have such concepts,
    such as "Other diseases of stomach": only WordNet is not asked for them at all.
    """
    name = f"links to {scope.name} in {language}"
    if name not in column.cache:
        counts = column.counts
        frequent = sorted(counts, key=lambda x: (-counts[x], x))[:MAX_LOOKED_UP]
        meant = with_content(frequent)
        asked = meant if scope is column.ontologies.general else frequent
        links = link({x: counts[x] for x in asked}, scope, suggest=False, name=column.name, language=language)
        kept = {*meant, *(x.value for x in links if x.reason in REASONS_OF_SAME)}
        column.cache[name] = LinkedWords([x for x in links if x.value in kept], scope)
    found: LinkedWords = column.cache[name]
    return found


def words(column: ColumnProfile, kind: str, otherwise: str) -> Proposal:
    """Propose words of WordNet if it knows the column as a whole, else another kind."""
    scope = column.ontologies.general
    linked = linked_words(column, scope)
    coverage = linked.coverage(column)
    evidence = [column.distinct]
    share = f"{percent(linked.by_cells)} of cells and {percent(linked.by_values)} of values are words of WordNet"
    things = column.is_named("things")
    if things:
        evidence.append(Evidence("name-of-things", "The name says that values are things."))
    least = MIN_KNOWN_OF_THINGS if things else MIN_KNOWN
    if linked.by_cells < least or linked.by_values < least:
        evidence.append(Evidence("unknown-words", f"{share}: too few."))
        return Proposal(otherwise, tuple(evidence), coverage=coverage)
    if column.is_named("places"):
        share_of_places = float(_shares_under(linked.known, scope.taxonomy)[0][scope.taxonomy.code(PLACE)])
        if share_of_places < MIN_KNOWN_OF_THINGS:
            text = f"The name says that values are places, but only {percent(share_of_places)} of the known cells are."
            return Proposal(otherwise, (*evidence, Evidence("no-places", text)), coverage=coverage)
    evidence.append(Evidence("known-words", f"{share}."))
    named = [root for root, pattern in named_roots().items() if column.is_named(pattern)]
    found = linked.common_root(named, MIN_VALUES_OF_THINGS if things else MIN_VALUES)
    return _with_root(found, scope, Proposal(kind, tuple(evidence), coverage=coverage))


def _with_root(found: tuple[int, float, float] | None, scope: Scope, proposal: Proposal) -> Proposal:
    """Return a proposal of words with the root above the column as a whole, if there is one."""
    taxonomy = scope.taxonomy
    if found is None:
        evidence = Evidence("no-root", "The column as a whole lies under no well-known root.")
        return replace(proposal, ontology=taxonomy.name, evidence=(*proposal.evidence, evidence))
    root, cells, values = found
    label = taxonomy.labels[root]
    name = label if taxonomy.senses(label)[:1] == [root] and " " not in label else taxonomy.ids[root]
    text = f"{percent(cells)} of cells and {percent(values)} of values that are certain lie under `{name}`."
    evidence = Evidence("root", text)
    return replace(proposal, ontology=f"{taxonomy.name}:{name}", evidence=(*proposal.evidence, evidence))


def unknown(column: ColumnProfile) -> Proposal:
    """Propose a category for a column without values."""
    return Proposal(Category.name, (column.distinct,))
