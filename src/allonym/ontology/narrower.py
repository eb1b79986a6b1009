"""Values that are a kind of a concept: each is a leaf of its own, one link below the concept."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Narrower:
    """A kind of a concept that the ontology does not have, such as a retired bus driver.

    It is a leaf below its concept, apart from the concept and from other leaves. Values that differ only in spelling
    have one text, and so are one leaf.
    """

    concept: int
    text: str  # the same for all spellings


class Senses(tuple[Any, ...]):
    """All that a word may mean, the likeliest first: concepts, or leaves below them."""

    __slots__ = ()


def is_narrower(value: Any) -> bool:
    """Tell whether a value is a leaf below a concept, or a set or a tuple of concepts with such leaves.

    The elements of a set may be tuples themselves.
    """
    if isinstance(value, (frozenset, tuple)):
        return any(isinstance(x, Narrower) or (isinstance(x, tuple) and is_narrower(x)) for x in value)
    return isinstance(value, Narrower)


def broader(value: Any) -> Any:
    """Return a value with each leaf replaced by its concept; other values stay.

    A tuple has the concepts of one value in several ontologies. If one of them has a concept for the value itself, the
    broader concepts of the others are left out.

    >>> broader(Narrower(7, "bus driver")), broader(frozenset({Narrower(7, "bus driver"), 2})) == {7, 2}
    (7, True)
    >>> broader((Narrower(7, "bus driver"), None)), broader((Narrower(7, "bus driver"), 2)), broader("x")
    ((7, None), (None, 2), 'x')
    """
    if isinstance(value, Narrower):
        return value.concept
    if not is_narrower(value):
        return value
    if isinstance(value, (frozenset, Senses)):
        return type(value)(map(broader, value))
    exact = tuple(None if isinstance(x, Narrower) else x for x in value)
    return exact if any(x is not None for x in exact) else tuple(map(broader, value))


def true_of_all(value: Any, values: Iterable[Any]) -> Any:
    """Return what stands for some values in place of a value: a leaf that is not the value of all gives way.

    >>> driver = Narrower(7, "bus driver")
    >>> true_of_all(driver, [driver, driver]), true_of_all(driver, [driver, 7])
    (Narrower(concept=7, text='bus driver'), 7)
    """
    if not is_narrower(value):
        return value
    if not isinstance(value, frozenset):
        return value if all(x == value for x in values) else broader(value)
    common = value
    for other in values:
        common &= other if other is not None else frozenset()
        if not is_narrower(common):
            break  # all leaves give way
    return common | broader(value - common)


def broader_unless(value: Any, spelled: Container[Any]) -> Any:
    """Return a value with its concept in place of a leaf, unless the leaf is among some values; a set leaf by leaf."""
    if isinstance(value, frozenset):
        return frozenset(broader_unless(x, spelled) for x in value)
    return value if value in spelled else broader(value)


def concept_order(value: Any) -> tuple[Any, ...]:
    """Return the key that sorts concepts and leaves by concept, leaves last.

    A tuple has the concepts of one value in several ontologies; it is sorted by the first that has it.

    >>> sorted([(None, 3), (Narrower(2, "x"), 1), (5, None), (2, None)], key=concept_order)
    [(2, None), (5, None), (Narrower(concept=2, text='x'), 1), (None, 3)]
    """
    if isinstance(value, tuple):
        return tuple((True, False, 0, "") if x is None else (False, *concept_order(x)) for x in value)
    return (True, value.concept, value.text) if isinstance(value, Narrower) else (False, value, "")
