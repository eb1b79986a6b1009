"""Similarity of concepts: one function per published measure.

Every function takes a taxonomy, or the `Ancestry` of some of its concepts if it is called often, and concepts `a` and
`b`, which broadcast as in NumPy: two integers are a pair, an integer and an array one against many, two arrays of equal
length pairs, a column and a row (`codes[:, None], codes`) a table. N1 and N2 are the fewest links from a and b up to
their least common subsumer (LCS), N3 is its depth. If there are several LCSs, the one of highest similarity counts.
Path lengths are the shortest over all common subsumers.

`distance` is the form used for masking: in [0, 1], and 0 for equal concepts whatever the measure. It also compares
*leaves below* concepts, which the taxonomy does not have: a value that is a kind of a concept. Such a leaf is one link
below its concept; its least common subsumers with other concepts are those of its concept.

To add a measure, write its function in `published`, `features` or `gloss_vectors`, and in `masking` its distance for
masking and a line in `ALL_MEASURES`.
"""

from allonym.ontology.similarity.masking import (
    ALL_MEASURES,
    FEATURES,
    MEASURES,
    NEITHER,
    Below,
    Measure,
    best_pair,
    distance,
    lcs,
    missing_source,
    table,
    weights_problem,
)
from allonym.ontology.similarity.published import (
    DEFAULT_CONTENT,
    DEPTHS,
    Content,
    Over,
    ancestor_overlap,
    jiang_conrath,
    leacock_chodorow,
    lin,
    path,
    resnik,
    wu_palmer,
)

__all__ = [
    "ALL_MEASURES",
    "DEFAULT_CONTENT",
    "DEPTHS",
    "FEATURES",
    "MEASURES",
    "NEITHER",
    "Below",
    "Content",
    "Measure",
    "Over",
    "ancestor_overlap",
    "best_pair",
    "distance",
    "jiang_conrath",
    "lcs",
    "leacock_chodorow",
    "lin",
    "missing_source",
    "path",
    "resnik",
    "table",
    "weights_problem",
    "wu_palmer",
]
