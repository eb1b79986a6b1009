"""What may be written for a group in one attribute: which kind of value, how far from the group, and what never."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.kinds.registry import kind_named
from allonym.records import Attribute, Records

Bools = NDArray[np.bool_]
LEAST_SQUARES = "least-squares"  # the representative that is chosen for all attributes together
CONSENSUS = "consensus"  # the representative of sets that is nobody's


def representative_of(attribute: Attribute, representative: str) -> str:
    """Return what represents groups in an attribute: as its column says, else the method.

    `auto` leaves it to the kind of the attribute; fixed classes, which have no mean, are represented by true values.
    """
    if attribute.represent is not None:
        return attribute.represent
    default = kind_named(attribute.kind).default_representative if attribute.metric.averaged else "truthful"
    return default if representative == "auto" else representative


def is_averaged(attribute: Attribute) -> bool:
    """Tell whether the mean or the median of numbers may stand for a group."""
    return kind_named(attribute.kind).numeric and attribute.metric.averaged


def max_distance(attribute: Attribute, representative: str) -> float | None:
    """Return how far a group's value may be from a member; by default, true values and means of `auto` have one."""
    if attribute.max_distance is not None:
        return attribute.max_distance
    bounded = representative == "auto" and is_averaged(attribute)
    bounded = bounded or representative_of(attribute, representative) == "truthful"
    return attribute.max_true_distance if bounded else None


def barred_values(records: Records, a: int, k: int, *, averaged: bool = True) -> Bools:
    """Return which values are never written as they stand: of fewer than k units, numbers, codes and unlinked texts.

    Unless `averaged`, numbers of which the mean is written are not among them.
    """
    rare = records.holders(a) < k
    attribute = records.attributes[a]
    kind = kind_named(attribute.kind)
    if is_averaged(attribute):
        return rare if averaged else np.zeros(len(rare), bool)
    writes = kind.writes_rare or kind.numeric  # fixed classes are no numbers of single persons
    return rare & np.array([isinstance(v, str) or not (v is None or writes) for v in attribute.values], bool)
