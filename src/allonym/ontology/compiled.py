"""Taxonomies as files of arrays, which are memory-mapped: opening one takes milliseconds, whatever its size."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np

from allonym.ontology.array_file import Arrays, joined, parted
from allonym.ontology.lexicon import Lexicon
from allonym.ontology.strings import (
    CompressedStrings,
    PackedIndex,
    PackedStrings,
    SelectedStrings,
    compressed,
    hash_table,
    packed,
)
from allonym.ontology.taxonomy import Source, Taxonomy

DEFINITIONS_PER_BLOCK = 64
_ONLY_ENGLISH = ("", "en")


def pack(taxonomy: Taxonomy, *, checksum: bool = True) -> bytes:
    """Return a taxonomy as one file, with its hash unless that is not wanted; equal taxonomies give equal bytes."""
    words = taxonomy.lexicon
    arrays: Arrays = {
        "parent_starts": taxonomy.parents[0],
        "parents": taxonomy.parents[1],
        "instances": taxonomy.instances,
        **_labels(taxonomy),
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
    about: dict[str, Any] = {
        "name": taxonomy.name, "version": source.version, "licence": source.licence, "sha256": source.sha256
    }  # fmt: skip
    if source.attribution:
        about["attribution"] = source.attribution
    if taxonomy.proper_names:
        about["proper_names"] = True
    if words.language_names != _ONLY_ENGLISH or not (words.languages == 1).all():
        arrays["languages"], about["languages"] = words.languages, words.language_names
    if words.notation.any():
        arrays["notation"] = words.notation
    if taxonomy.definitions is not None:
        texts = [" ".join(text.split()) for text in taxonomy.definitions]
        arrays["definition_blocks"], arrays["definition_starts"] = compressed(texts, DEFINITIONS_PER_BLOCK)
    if taxonomy.parts is not None:
        arrays["part_starts"], arrays["parts"] = taxonomy.parts
    if taxonomy.steps is not None:
        arrays["steps"] = taxonomy.steps.ravel()
    return joined(arrays, about | {"exceptions": words.exceptions}, checksum=checksum)


def _labels(taxonomy: Taxonomy) -> Arrays:
    """Return labels by their places among the forms, or as texts if some are no preferred form."""
    words = taxonomy.lexicon
    form = np.zeros(len(taxonomy), np.int32)
    if len(words.forms):
        form[words.concepts[words.preferred]] = words.form_of[words.preferred]
        if list(SelectedStrings(words.forms, form)) == list(taxonomy.labels):
            return {"label_form": form}
    text, starts = packed([" ".join(label.split()) for label in taxonomy.labels])
    return {"label_text": text, "label_starts": starts}


def unpack(content: bytes | mmap.mmap, path: Path, kind: type[Taxonomy] = Taxonomy) -> Taxonomy:
    """Read what `pack` wrote, without copying it.

    Args:
        content: the file.
        path: where it lies, for errors and as the source of the taxonomy.
        kind: the class of the taxonomy.

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
        languages=arrays.get("languages", np.broadcast_to(np.uint16(1), entries)),
        preferred=arrays["preferred"],
        notation=arrays.get("notation", np.broadcast_to(np.False_, entries)),
        language_names=tuple(header.get("languages", _ONLY_ENGLISH)),
        exceptions={form: tuple(singulars) for form, singulars in header["exceptions"].items()},
        packed_keys=PackedIndex(arrays["key_text"], arrays["key_starts"], arrays["key_table"]),
    )
    ids = PackedIndex(arrays["id_text"], arrays["id_starts"], arrays["id_table"])
    texts, steps = arrays.get("definition_blocks"), arrays.get("steps")
    definitions = None
    if texts is not None:
        definitions = CompressedStrings(texts, arrays["definition_starts"], len(ids), DEFINITIONS_PER_BLOCK)
    return kind(
        name=header["name"],
        ids=ids,
        labels=SelectedStrings(forms, arrays["label_form"])
        if "label_form" in arrays
        else PackedStrings(arrays["label_text"], arrays["label_starts"]),
        parents=(arrays["parent_starts"], arrays["parents"]),
        lexicon=lexicon,
        instances=arrays["instances"],
        source=Source(
            path.name,
            header["version"],
            header["licence"],
            header["sha256"],
            attribution=header.get("attribution", ""),
        ),
        definitions=definitions,
        parts=(arrays["part_starts"], arrays["parts"]) if "parts" in arrays else None,
        steps=None if steps is None else steps.reshape(len(ids), -1),
        proper_names=header.get("proper_names", False),
    )
