"""The values that a release has once it is written: those too rare to be written give way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline.prepare import Prepared
from allonym.records import Masking

MORE_THAN_ANY_TABLE = 2**62  # units: a spelling that so many must share is never written


def as_written(prepared: Prepared, masking: Masking) -> Masking:
    """Return a masking that means what is written.

    A leaf without a spelling to use is written as its concept, and a text that too few units hold as null.
    """
    attributes, columns = [], []
    for a, attribute in enumerate(masking.attributes):
        encoded = prepared.encoded[attribute.name]
        wider, codes = encoded.as_written(
            attribute, masking.codes[:, a], fewest_holders(prepared, attribute.name), prepared.units
        )
        attributes.append(wider)
        columns.append(codes)
    if all(one is other for one, other in zip(attributes, masking.attributes, strict=True)):
        return masking
    return replace(masking, attributes=tuple(attributes), codes=np.stack(columns, axis=1))


def fewest_holders(prepared: Prepared, name: str) -> int:
    """Return how many units must hold a spelling that is written in a column.

    Methods that mask row by row write labels, so that a row alone and a table have the same text.
    """
    method = prepared.plan.method
    labelled = isinstance(method, RecordLevelMethod) and prepared.encoded[name].kind.labels
    return MORE_THAN_ANY_TABLE if labelled else method.required_k
