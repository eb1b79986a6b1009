"""The nouns of WordNet 3.0, bundled with the package and compiled by tools/build_wordnet.py.

The file is memory-mapped: loading it reads a header, and pages of its arrays only as they are used. Its first line is a
JSON header with the type, offset and length of each array; the arrays follow, uncompressed.

The bundled file has no glosses. To get them, call `read_taxonomy` on a WNDB directory.
"""

from __future__ import annotations

import json
import mmap
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.errors import OntologyError
from allonym.ontology.lexicon import Lexicon
from allonym.ontology.scope import Scope
from allonym.ontology.strings import PackedIndex, PackedStrings, SelectedStrings, hash_table, packed
from allonym.ontology.taxonomy import Source, Taxonomy

FILE = "wordnet-3.0-nouns.bin"
FORMAT = 1
ALIGNMENT = 64  # bytes; every array starts at a multiple of it
Arrays = dict[str, NDArray[Any]]


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


@lru_cache(maxsize=1)
def bundled() -> Taxonomy:
    """Return the bundled taxonomy; all callers share one."""
    path = Path(__file__).parent / "data" / FILE
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise OntologyError("the bundled WordNet cannot be read.", path=path, hint="reinstall allonym.") from error
    return unpack(content, path)


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
    return _joined(arrays, about | {"exceptions": words.exceptions})


def _joined(arrays: Arrays, about: dict[str, object]) -> bytes:
    places: dict[str, tuple[str, int, int]] = {}
    body = bytearray()
    for name, array in arrays.items():
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        places[name] = (little.dtype.str, len(body), len(little))
        body += little.tobytes()
        body += bytes(-len(body) % ALIGNMENT)
    header = json.dumps(
        {"format": FORMAT, "size": len(body), **about, "arrays": places}, separators=(",", ":")
    ).encode()
    return header + b" " * (-(len(header) + 1) % ALIGNMENT) + b"\n" + bytes(body)


def unpack(content: bytes | mmap.mmap, path: Path) -> Taxonomy:
    """Read what `pack` wrote, without copying it.

    Raises:
        OntologyError: the file has another format or another length than its header states.
    """
    header = _header(content, path)
    start = len(content) - header["size"]
    arrays: Arrays = {}
    for name, (dtype, offset, length) in header["arrays"].items():
        array = np.frombuffer(content, dtype, length, start + offset)
        arrays[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
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


def _header(content: bytes | mmap.mmap, path: Path) -> dict[str, Any]:
    end = content.find(b"\n") + 1
    try:
        header: dict[str, Any] = json.loads(content[:end])
        complete = header["format"] == FORMAT and len(content) == end + header["size"]
    except (ValueError, KeyError, TypeError):
        complete = False
    if not complete:
        raise OntologyError("the bundled WordNet is damaged.", path=path, hint="reinstall allonym.")
    return header
