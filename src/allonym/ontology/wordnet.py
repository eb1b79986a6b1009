"""WordNet 3.0's nouns, bundled: compiled by tools/build_wordnet.py, read without any other file.

Glosses are not bundled; `read_taxonomy` on a WNDB directory has them.
"""

from __future__ import annotations

import io
import zipfile
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.lexicon import Lexicon
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Source, Taxonomy

FILE = "wordnet-3.0-nouns.npz"


def wordnet(root: str | None = None) -> Scope:
    """Return the bundled WordNet under a word (its first sense) or an id, or the whole of it.

    >>> people = wordnet(root="person")
    >>> people.name, len(people)
    ('wordnet:person.n.01', 10297)
    """
    return Scope.of(bundled(), root)


@lru_cache(maxsize=1)  # immutable, and the same for everyone
def bundled() -> Taxonomy:
    """Return the bundled taxonomy itself."""
    return unpack((resources.files("allonym.ontology") / "data" / FILE).read_bytes())


def pack(taxonomy: Taxonomy) -> bytes:
    """Write a taxonomy's structure and words as one small file, the same bytes every time."""
    words = taxonomy.lexicon
    arrays: dict[str, NDArray] = {  # type: ignore[type-arg]
        "parent_starts": taxonomy.parents[0].astype(np.int32),
        "parents": taxonomy.parents[1].astype(np.int32),
        "form_starts": words.starts.astype(np.int32),
        "concepts": words.concepts.astype(np.int32),
        "ranks": words.ranks.astype(np.uint8),
        "counts": words.counts.astype(np.uint16),
        "preferred": np.packbits(words.preferred),
        "instances": np.packbits(taxonomy.instances),
        "ids": _text(taxonomy.ids),
        "forms": _text(words.forms),
        "exceptions": _text([" ".join(x.replace(" ", "_") for x in (k, *v)) for k, v in words.exceptions.items()]),
        "about": _text([taxonomy.name, taxonomy.source.version, taxonomy.source.licence, taxonomy.source.sha256]),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getvalue())
    return packed.getvalue()


def unpack(packed: bytes) -> Taxonomy:
    """Read what `pack` wrote."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    text = {name: arrays[name].tobytes().decode() for name in ("ids", "forms", "exceptions", "about")}
    ids, forms = text["ids"].split("\n"), text["forms"].split("\n")
    name, version, licence, sha256 = text["about"].split("\n")
    concepts, starts = arrays["concepts"], arrays["form_starts"].astype(np.int64)
    preferred = np.unpackbits(arrays["preferred"], count=len(concepts)).astype(bool)
    words = Lexicon(
        forms=forms,
        starts=starts,
        concepts=concepts,
        ranks=arrays["ranks"].astype(np.uint16),
        counts=arrays["counts"].astype(np.int32),
        languages=np.ones(len(concepts), np.uint16),
        preferred=preferred,
        notation=np.zeros(len(concepts), bool),
        language_names=("", "en"),
        exceptions=_exceptions(text["exceptions"]),
    )
    label_form = np.zeros(len(ids), np.int64)
    label_form[concepts[preferred]] = np.repeat(np.arange(len(forms)), np.diff(starts))[preferred]
    return Taxonomy(
        name=name,
        ids=ids,
        labels=tuple(map(forms.__getitem__, label_form.tolist())),
        parents=(arrays["parent_starts"].astype(np.int64), arrays["parents"]),
        lexicon=words,
        instances=np.unpackbits(arrays["instances"], count=len(ids)).astype(bool),
        source=Source(FILE, version, licence, sha256),
    )


def _text(lines: list[str] | tuple[str, ...] | object) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)  # type: ignore[arg-type]


def _exceptions(text: str) -> dict[str, tuple[str, ...]]:
    rows = ([field.replace("_", " ") for field in line.split()] for line in text.split("\n"))
    return {fields[0]: tuple(fields[1:]) for fields in rows if fields}
