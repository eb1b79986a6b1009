"""Building hierarchies of the values of a column: from an ontology, or as ranges, periods and prefixes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.cells import Cells
from allonym.errors import OptionError, plural
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.registry import automatic_kind, kind_named
from allonym.metric import Metric, Value
from allonym.ontology import similarity
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.hierarchy_builder import ITSELF, concept_levels
from allonym.ontology.hierarchy_builder.levels import nearest_sizes, spread_limits
from allonym.ontology.linking.link import NARROWER, Link
from allonym.ontology.scope import Scope
from allonym.pipeline.hierarchies.labels import ANYTHING, OTHER, labels_of

NUMERIC, DATE, CODE = "numeric", "date", "code"
LINKS_ENDING = ".links.csv"
KINDS = (NUMERIC, DATE, CODE)  # of columns whose hierarchies need no ontology


@dataclass(frozen=True, eq=False)
class Built:
    """A hierarchy, the loss of each leaf at each level, and the concepts of its values."""

    hierarchy: Hierarchy
    losses: Floats
    concepts: Mapping[str, str] = field(default_factory=dict)
    narrower: frozenset[str] = frozenset()  # values that are a kind of their concept
    notes: Sequence[str] = ()  # how the hierarchy differs from what was asked for


@dataclass(frozen=True)
class _Leaf:
    """A concept and the values that mean it; or a value that is a kind of it."""

    concept: int
    is_kind: bool
    texts: tuple[str, ...]


def recognised_kind(values: Mapping[str, int]) -> str | None:
    """Return the kind of values that are all numbers or all dates.

    >>> recognised_kind({"17": 1, "39": 2}), recognised_kind({"2021-03-04": 1}), recognised_kind({"cat": 1})
    ('numeric', 'date', None)
    """
    kind = automatic_kind(_cells(values))
    return kind if kind in KINDS else None


def _cells(values: Mapping[str, int]) -> Cells:
    return Cells(list(values), np.arange(len(values)), np.array(list(values.values()), np.int64))


# --- from an ontology --------------------------------------------------------------------------------------------


def from_concepts(
    links: Iterable[Link],
    scope: Scope,
    measure: str,
    depth: str,
    *,
    levels: int,
    limits: Sequence[int] | None,
    others: Sequence[str] = (),
    name: str,
) -> Built:
    """Return the hierarchy of linked values; values without a concept are under "other"."""
    leaves = _leaves(links)
    if len({x.concept for x in leaves}) < 2:
        raise OptionError("All values have the same concept: there is nothing to generalise.", hint="check the column.")
    concepts = np.array([x.concept for x in leaves], np.int64)
    kinds = np.array([x.is_kind for x in leaves], bool)
    above = concept_levels(concepts, scope, measure, depth, levels=levels, limits=limits, is_kind=kinds, alike=True)
    if others:
        above[:, -1] = scope.root
    losses = _losses(concepts, kinds, above, scope, measure, depth)
    labels = labels_of(above, [(x.concept, x.is_kind, x.texts) for x in leaves], scope, is_top_open=bool(others))
    rows: list[tuple[str, ...]] = []
    lost: list[Floats] = []
    for i, leaf in enumerate(leaves):
        for text in leaf.texts:
            rows.append((text, *(labels.at(i, level, text) for level in range(above.shape[1]))))
            lost.append(losses[i])
    for text in others:
        rows.append((text, *[OTHER] * (above.shape[1] - 1), labels.top))
        root = np.full(above.shape[1], scope.root)
        lost.append(_losses(root[:1], np.array([True]), root[None, :], scope, measure, depth)[0])
    order = sorted(range(len(rows)), key=lambda i: (rows[i][::-1], rows[i]))
    built = Hierarchy(name, tuple(rows[i] for i in order))
    ids = labels.concepts | {text: leaf.concept for leaf in leaves for text in leaf.texts}
    ids |= dict.fromkeys([*others, *([OTHER] if others and above.shape[1] > 1 else [])], scope.root)
    written = {value for row in built.rows for value in row}
    narrower = {text for leaf in leaves if leaf.is_kind for text in leaf.texts} | set(others)
    return Built(
        built,
        np.stack([lost[i] for i in order]),
        {value: scope.taxonomy.ids[c] for value, c in ids.items() if value in written},
        frozenset(narrower),
        _notes(built, levels, limits),
    )


def _leaves(links: Iterable[Link]) -> list[_Leaf]:
    """Return the leaves of a hierarchy: spellings of one concept are one, each kind of a concept is its own."""
    texts: dict[tuple[int, str], list[str]] = {}
    for x in links:
        assert x.concept is not None
        texts.setdefault((x.concept, x.value if x.relation == NARROWER else ""), []).append(x.value)
    return [_Leaf(concept, bool(kind), tuple(texts[concept, kind])) for concept, kind in sorted(texts)]


def _losses(concepts: Ints, kinds: Ints, above: Ints, scope: Scope, measure: str, depth: str) -> Floats:
    """Return the distance of each leaf to its concept at each level; 0, where it stays itself."""
    losses = np.zeros(above.shape)
    for is_kind in (False, True):
        some = (above != ITSELF) & (kinds == is_kind)[:, None]
        leaf = np.broadcast_to(concepts[:, None], above.shape)[some]
        pairs = leaf, above[some]
        losses[some] = similarity.distance(measure, scope.taxonomy, *pairs, depth=depth, below=(is_kind, False))
    return losses


def _notes(built: Hierarchy, levels: int, limits: Sequence[int] | None) -> list[str]:
    """Return how a hierarchy differs from what was asked for."""
    wanted, notes = levels if limits is None else len(limits), []
    if built.height < wanted:
        levels_text = plural(built.height, "level")
        notes.append(f"{levels_text} instead of {wanted}: the ontology has no concepts for another level.")
    sizes = [len(built.values(i + 1)) for i in range(built.height)]
    if limits is not None and built.height == wanted and any(a > b for a, b in zip(sizes, limits, strict=True)):
        text = ", ".join(map(str, sizes))
        notes.append(f"The levels have {text} values: the ontology has no concepts for fewer.")
    return notes


# --- ranges, periods and prefixes ----------------------------------------------------------------------------------


def from_kind(values: Mapping[str, int], kind: str, *, levels: int, limits: Sequence[int] | None, name: str) -> Built:
    """Return the hierarchy of numbers, dates or codes: readable ranges, periods or prefixes, and * for all."""
    encoded = kind_named(kind)().encode(name, _cells(values))
    every = _generalisations(encoded.attribute.metric, kind, limits)
    texts = [[_text(encoded.label, value) for value in level] for level in every]
    sizes = [len(set(level)) for level in texts]
    between = [i for i in range(1, len(every)) if 1 < sizes[i] < sizes[0]]
    chosen = _chosen(between, sizes, levels, limits)
    top = [ANYTHING] * len(encoded.attribute.values)
    codes = encoded.code_of.tolist()
    rows = [
        (text, *(_own_text(texts, i, code, text) for i in chosen), top[code])
        for text, code in zip(values, codes, strict=True)
    ]
    metric = encoded.attribute.metric.extend([value for i in chosen for value in every[i]] + [None])
    places = {value: place for place, value in enumerate(metric.values)}
    columns = [[places[every[i][code]] for code in codes] for i in chosen]
    columns.append([places[None]] * len(codes))
    losses = np.stack([metric.distances(np.array(codes), np.array(column)) for column in columns], axis=1)
    order = sorted(range(len(rows)), key=lambda i: (codes[i], rows[i]))
    built = Hierarchy(name, tuple(rows[i] for i in order))
    return Built(built, losses[order], notes=_notes_of_kind(built, levels, limits))


def _generalisations(metric: Metric, kind: str, limits: Sequence[int] | None) -> list[list[Value]]:
    """Return the generalisations of all values; of numbers, as many classes as the limits allow."""
    if limits is None or kind != NUMERIC:
        return metric.generalisations()
    assert isinstance(metric, NumericMetric)
    return [list(metric.values), *metric.classes_within(limits[:-1]), [None] * len(metric.values)]


def _text(label: object, value: object) -> str:
    assert callable(label)
    if isinstance(value, str):
        return value
    return ANYTHING if value is None else str(label(value))


def _own_text(texts: Sequence[Sequence[str]], level: int, code: int, text: str) -> str:
    """Return the text of a value at a level; where it stays itself, as it is spelled in the data."""
    return text if texts[level][code] == texts[0][code] else texts[level][code]


def _chosen(between: Sequence[int], sizes: Sequence[int], levels: int, limits: Sequence[int] | None) -> list[int]:
    """Return the levels to keep: those with the numbers of values that are wanted, or nearest to even fractions."""
    if not between:
        return []
    if limits is None:
        own = [sizes[i] for i in between]
        if levels == 1:
            return []
        return [between[i] for i in nearest_sizes(own, spread_limits(sizes[0], min(own), levels - 1))]
    chosen: list[int] = []
    for limit in limits[:-1]:
        left = [i for i in between if not chosen or i > chosen[-1]]
        fits = [i for i in left if sizes[i] <= limit] or left[-1:]
        chosen += fits[:1]
    return chosen


def _notes_of_kind(built: Hierarchy, levels: int, limits: Sequence[int] | None) -> list[str]:
    wanted = levels if limits is None else len(limits)
    if built.height >= wanted:
        return []
    return [f"{plural(built.height, 'level')} instead of {wanted}: there are no other readable ranges."]


# --- links -----------------------------------------------------------------------------------------------------------


def links_path(path: Path) -> Path:
    """Return the path of the links file beside a hierarchy.

    >>> links_path(Path("jobs.csv")).name
    'jobs.links.csv'
    """
    return path.with_name(path.name.removesuffix(".csv").removesuffix(".json") + LINKS_ENDING)


def links_text(concepts: Mapping[str, str], narrower: Iterable[str] = ()) -> str:
    """Return a links file with the concepts of the values of a hierarchy.

    >>> print(links_text({"cat": "cat.n.01", "old cat": "cat.n.01"}, ["old cat"]), end="")
    value,concept,relation
    cat,cat.n.01,same
    old cat,cat.n.01,narrower
    """
    kinds = set(narrower)
    out = io.StringIO(newline="")
    rows = [(value, concept, "narrower" if value in kinds else "same") for value, concept in concepts.items()]
    csv.writer(out, lineterminator="\n").writerows([("value", "concept", "relation"), *rows])
    return out.getvalue()
