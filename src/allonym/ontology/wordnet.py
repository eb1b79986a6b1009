"""The nouns of WordNet 3.0, bundled with the package and compiled by tools/build_wordnet.py.

Two files are bundled, both memory-mapped. The first has the concepts, their is-a links and their words. The second has
the details, and is opened only when they are needed: see `allonym.ontology.details`.
"""

from __future__ import annotations

import mmap
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.ontology.array_file import Arrays, damaged, joined, mapped, parted
from allonym.ontology.lexicon import Lexicon
from allonym.ontology.scope import Scope
from allonym.ontology.strings import PackedIndex, PackedStrings, SelectedStrings, hash_table, packed
from allonym.ontology.taxonomy import Source, Taxonomy

if TYPE_CHECKING:
    from allonym.ontology.details import Details

FILE = "wordnet-3.0-nouns.bin"
DETAILS_FILE = "wordnet-3.0-details.bin"
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
    return unpack(mapped(DATA / FILE), DATA / FILE)


def pack(taxonomy: Taxonomy) -> bytes:
    """Return the structure and words of a taxonomy as one file; equal taxonomies give equal bytes."""
    words = taxonomy.lexicon
    label_form = np.zeros(len(taxonomy), np.int32)
    label_form[words.concepts[words.preferred]] = np.repeat(np.arange(len(words.forms)), np.diff(words.starts))[
        words.preferred
    ]
    arrays: Arrays = {
        "parent_starts": taxonomy.parents[0],
        "parents": taxonomy.parents[1],
        "instances": taxonomy.instances,
        "label_form": label_form,
        "entry_starts": words.starts,
        "concepts": words.concepts,
        "ranks": words.ranks,
        "counts": words.counts,
        "preferred": words.preferred,
        "id_table": hash_table(taxonomy.ids),
        "key_table": hash_table(words.keys),
    }
    for name, strings in (("id", taxonomy.ids), ("form", words.forms), ("key", words.keys)):
        arrays[f"{name}_text"], arrays[f"{name}_starts"] = packed(strings)
    source = taxonomy.source
    about = {"name": taxonomy.name, "version": source.version, "licence": source.licence, "sha256": source.sha256}
    return joined(arrays, about | {"exceptions": words.exceptions})


def unpack(content: bytes | mmap.mmap, path: Path) -> Taxonomy:
    """Read what `pack` wrote, without copying it.

    Raises:
        OntologyError: the file has another format or another length than its header states.
    """
    header, arrays = parted(content, path)
    forms = PackedStrings(arrays["form_text"], arrays["form_starts"])
    entries = len(arrays["concepts"])
    lexicon = Lexicon(
        forms=forms,
        starts=arrays["entry_starts"],
        concepts=arrays["concepts"],
        ranks=arrays["ranks"],
        counts=arrays["counts"],
        languages=np.broadcast_to(np.uint16(1), entries),
        preferred=arrays["preferred"],
        notation=np.broadcast_to(np.False_, entries),
        language_names=("", "en"),
        exceptions={form: tuple(singulars) for form, singulars in header["exceptions"].items()},
        packed_keys=PackedIndex(arrays["key_text"], arrays["key_starts"], arrays["key_table"]),
    )
    return _Bundled(
        name=header["name"],
        ids=PackedIndex(arrays["id_text"], arrays["id_starts"], arrays["id_table"]),
        labels=SelectedStrings(forms, arrays["label_form"]),
        parents=(arrays["parent_starts"], arrays["parents"]),
        lexicon=lexicon,
        instances=arrays["instances"],
        source=Source(FILE, header["version"], header["licence"], header["sha256"]),
    )
