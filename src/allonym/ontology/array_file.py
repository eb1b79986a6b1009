"""Files of arrays that are memory-mapped: opening one reads its header, and pages of its arrays only as they are used.

The first line is a JSON header with the type, offset and length of each array; the arrays follow, uncompressed.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.errors import OntologyError

ALIGNMENT = 64  # bytes; every array starts at a multiple of it
FORMAT = 1
REPAIR = "reinstall allonym, or add the ontology again."
Arrays = dict[str, NDArray[Any]]


def joined(arrays: Arrays, about: Mapping[str, object], *, checksum: bool = False) -> bytes:
    """Return arrays and facts about them as one file, optionally with its hash; equal arrays give equal bytes."""
    places: dict[str, tuple[str, int, int]] = {}
    body = bytearray()
    for name, array in arrays.items():
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        places[name] = (little.dtype.str, len(body), len(little))
        body += little.tobytes()
        body += bytes(-len(body) % ALIGNMENT)
    facts: dict[str, Any] = {"format": FORMAT, "size": len(body), **about, "arrays": places}
    if checksum:
        facts["checksum"] = _checksum(facts, body)
    header = _dumped(facts)
    return header + b" " * (-(len(header) + 1) % ALIGNMENT) + b"\n" + bytes(body)


def _dumped(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode()


def _checksum(facts: Mapping[str, Any], body: bytes | bytearray | memoryview) -> str:
    digest = hashlib.sha256(_dumped(facts))
    digest.update(body)
    return digest.hexdigest()


def mapped(path: Path) -> mmap.mmap:
    """Map a file into memory.

    Raises:
        OntologyError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise OntologyError("the compiled ontology cannot be read.", path=path, hint=REPAIR) from error


def parted(content: bytes | mmap.mmap, path: Path) -> tuple[dict[str, Any], Arrays]:
    """Read what `joined` wrote, without copying it: the header and the arrays.

    Raises:
        OntologyError: the file has another format, length or hash than its header states.
    """
    header = header_of(content, path)
    start = len(content) - header["size"]
    stated = header.pop("checksum", None)
    if stated is not None and stated != _checksum(header, memoryview(content)[start:]):
        raise damaged(path)
    arrays: Arrays = {}
    for name, (dtype, offset, length) in header["arrays"].items():
        array = np.frombuffer(content, dtype, length, start + offset)
        arrays[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
    return header, arrays


def damaged(path: Path) -> OntologyError:
    """Return the error of a file that is not as it was built."""
    return OntologyError("the compiled ontology is damaged.", path=path, hint=REPAIR)


def header_of(content: bytes | mmap.mmap, path: Path) -> dict[str, Any]:
    """Return the header of a file of arrays.

    Raises:
        OntologyError: the file has another format or another length than its header states.
    """
    end = content.find(b"\n") + 1
    try:
        header: dict[str, Any] = json.loads(content[:end])
        complete = header["format"] == FORMAT and len(content) == end + header["size"]
    except (ValueError, KeyError, TypeError):
        complete = False
    if not complete:
        raise damaged(path)
    return header
