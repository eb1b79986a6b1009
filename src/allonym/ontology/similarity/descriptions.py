"""What a source says about concepts beside is-a links: the words of their definitions, and their parts.

The bundled WordNet has both among its details, other sources in the taxonomy itself. A part of an ontology, and several
ontologies as one, have those of the ontologies that they were made from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import take_rows, to_rows
from allonym.ontology.gloss_words import words_of
from allonym.ontology.taxonomy import Rows, Taxonomy

WordRows = tuple[NDArray[np.int64], NDArray[np.int64]]  # the numbers of the words of each concept, in CSR form


def has_definitions(taxonomy: Taxonomy) -> bool:
    """Tell whether the source, or one of several, has definitions."""
    own = taxonomy.definitions is not None or taxonomy.details is not None
    return own or any(has_definitions(source) for source, _ in taxonomy.origins)


def part_rows(taxonomy: Taxonomy) -> Rows | None:
    """Return the wholes and parts of every concept, in CSR form; None, if the source has none."""
    if taxonomy.parts is not None:
        return taxonomy.parts
    if taxonomy.details is not None:
        wholes, parts = taxonomy.details.part_links
        return to_rows(np.concatenate([wholes, parts]), np.concatenate([parts, wholes]), len(taxonomy))
    owners, others = [], []
    for source, own in taxonomy.origins:
        rows = part_rows(source)
        if rows is not None:
            here = np.flatnonzero(own >= 0)
            code = np.full(len(source), -1, np.int64)
            code[own[here]] = here
            starts, linked = take_rows(*rows, own[here])
            owner, other = np.repeat(here, np.diff(starts)), code[linked]
            owners.append(owner[other >= 0])
            others.append(other[other >= 0])
    return to_rows(np.concatenate(owners), np.concatenate(others), len(taxonomy)) if owners else None


def definition_words(taxonomy: Taxonomy, concepts: NDArray[np.int64]) -> WordRows | None:
    """Return the words of the definitions of some concepts, without examples; None, if the source has none."""
    if not has_definitions(taxonomy):
        return None
    number: dict[str, int] = {}
    texts = (taxonomy.definition(c).partition('"')[0] for c in concepts.tolist())
    rows = [[number.setdefault(word, len(number)) for word in words_of(text)] for text in texts]
    return np.cumsum([0, *map(len, rows)]), np.array([word for row in rows for word in row], np.int64)


def gloss_words(taxonomy: Taxonomy) -> WordRows | None:
    """Return the words of the gloss of every concept, those of one stem as one if the source has that.

    None, if the source has no definitions.
    """
    details = taxonomy.details
    if details is not None:
        return details.word_starts.astype(np.int64), details.words.astype(np.int64)
    if len(taxonomy.origins) == 1 and taxonomy.definitions is None:
        source, own = taxonomy.origins[0]
        words = gloss_words(source)
        return None if words is None else take_rows(*words, own)
    return definition_words(taxonomy, np.arange(len(taxonomy)))
