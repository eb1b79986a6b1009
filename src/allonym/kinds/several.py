"""Values of a column with one ontology, or with several that are blended: what they mean, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from allonym.kinds.linking import ColumnLinks, concept_style, concept_writer, individual_leaf, linked_value
from allonym.metric import Value
from allonym.ontology.generality.ceiling import Ceiling, named_concepts
from allonym.ontology.linking.link import Link
from allonym.ontology.narrower import Narrower, Senses, broader
from allonym.ontology.scope import Scope


def joined_value(values: Sequence[int | Narrower | Senses | None]) -> Value:
    """Return what a word means in several ontologies as one value; None, if none of them has the word.

    Words that are one concept in an ontology are one value, and so one leaf in the others.

    >>> joined_value([3]), joined_value([None, 4]), joined_value([None, None])
    (3, (None, 4), None)
    """
    if len(values) == 1:
        return values[0]
    if all(value is None for value in values):
        return None
    concepts = [None if isinstance(value, Narrower) else value for value in values]
    if any(concept is not None for concept in concepts):
        return tuple(replace(v, text=repr(concepts)) if isinstance(v, Narrower) else v for v in values)
    return tuple(values)


def meanings_of(
    linked: Sequence[Mapping[str, Link]],
    texts: Iterable[str],
    links: Sequence[ColumnLinks],
    language: str,
    individuals: bool | None = None,
) -> dict[str, Value]:
    """Return what items of sets mean: concepts, or leaves below them; None for those that are not linked.

    Named individuals among other items are leaves of their own below their classes: nobody who has not asked for Paris
    is given it. A column that holds individuals, or is said to, has them as concepts.

    Args:
        linked: the links of the items, by each ontology.
        texts: the items.
        links: the links of the column that the items belong to, by each ontology.
        language: the language of the column.
        individuals: whether the column is said to hold individuals.
    """
    each = []
    for own, of_column in zip(linked, links, strict=True):
        values = {text: linked_value(own[text], of_column.scope, language) for text in texts}
        if not individuals and not of_column.holds_individuals:
            values = {text: individual_leaf(value, of_column.scope) for text, value in values.items()}
        each.append(values)
    return {text: joined_value([values[text] for values in each]) for text in texts}


def value_writer(links: Sequence[ColumnLinks], writes_codes: bool | None, language: str) -> Callable[[Value], str]:
    """Return the function that writes what a linked word means; of several ontologies, by the first that has it."""
    styles = [concept_style(x.links, x.scope, writes_codes) for x in links]
    writers = [concept_writer(x.scope.taxonomy, y, language) for x, y in zip(links, styles, strict=True)]

    def write(value: Value) -> str:
        if isinstance(value, Senses):
            return writers[0](broader(value[0]))
        each = (broader(value),) if len(links) == 1 else broader(value)
        return next(write(c) for c, write in zip(each, writers, strict=True) if c is not None)

    return write


def ceilings_of(
    counts: Iterable[tuple[Value, int]], scopes: Sequence[Scope], ceiling: str | Sequence[str], language: str
) -> list[Ceiling]:
    """Return for each ontology the concepts that are too general to stand for different values, which have counts."""
    counts, ceilings = list(counts), []
    for i, (scope, named) in enumerate(zip(scopes, named_concepts(ceiling, scopes), strict=True)):
        held: dict[int, int] = {}
        for value, count in counts:
            own = value[i] if isinstance(value, tuple) else value  # of all senses of a word, the likeliest
            if own is not None and not isinstance(own, str):
                held[broader(own)] = held.get(broader(own), 0) + count
        ceilings.append(Ceiling(scope, named, list(held), list(held.values()), language))
    return ceilings
