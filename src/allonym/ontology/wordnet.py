"""The nouns of WordNet 3.0, bundled with the package and compiled by tools/build_wordnet.py.

Three files are bundled, all memory-mapped. The first has the concepts, their is-a links and their words. The second has
the details, and is opened only when they are needed: see `allonym.ontology.details`. The third has the offsets by which
wordnets of other languages refer to concepts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.array_file import damaged, mapped, parted
from allonym.ontology.compiled import unpack
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

if TYPE_CHECKING:
    from allonym.ontology.details import Details

FILE = "wordnet-3.0-nouns.bin"
DETAILS_FILE = "wordnet-3.0-details.bin"
OFFSETS_FILE = "wordnet-3.0-offsets.bin"
DATA = Path(__file__).parent / "data"


def wordnet(root: str | None = None) -> Scope:
    """Return the bundled WordNet, or the part of it under a root.

    Args:
        root: a word (its first sense counts) or a concept id.

    Raises:
        UnknownConceptError: WordNet has no such word or id.

    >>> people = wordnet(root="person")
    >>> people.name, len(people)
    ('wordnet:person.n.01', 10297)
    """
    return Scope.of(bundled(), root)


class _Bundled(Taxonomy):
    """The bundled taxonomy, pickled as a reference: every installation has the file."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (bundled, ()) if self is bundled() else super().__reduce_ex__(protocol)

    @cached_property
    def details(self) -> Details:
        """The glosses and the links beside is-a, from the second bundled file.

        Raises:
            OntologyError: the file cannot be read, or was built from another version of WordNet.
        """
        from allonym.ontology.details import Details

        path = DATA / DETAILS_FILE
        header, arrays = parted(mapped(path), path)
        if header["sha256"] != self.source.sha256 or header["concepts"] != len(self):
            raise damaged(path)
        return Details.unpacked(arrays, header)


@lru_cache(maxsize=1)
def bundled() -> Taxonomy:
    """Return the bundled taxonomy; all callers share one."""
    taxonomy = unpack(mapped(DATA / FILE), DATA / FILE, _Bundled)
    return replace(taxonomy, source=replace(taxonomy.source, name=taxonomy.name))


def offsets() -> NDArray[np.uint32]:
    """Return the offset of every concept in Princeton's file data.noun.

    Raises:
        OntologyError: the file cannot be read, or was built from another version of WordNet.

    >>> int(offsets()[bundled().code("dog.n.01")])
    2084071
    """
    path = DATA / OFFSETS_FILE
    header, arrays = parted(mapped(path), path)
    if header["sha256"] != bundled().source.sha256:
        raise damaged(path)
    return arrays["offsets"]
