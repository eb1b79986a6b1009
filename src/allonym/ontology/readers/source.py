"""Bytes of an ontology file, and a taxonomy from what a reader found in them."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import to_rows
from allonym.decoding import decode
from allonym.errors import (
    CycleError,
    DanglingParentError,
    DuplicateIdError,
    FlatOntologyError,
    OntologyError,
    UnknownFormatError,
    first_few,
)
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.taxonomy import Source, Taxonomy


@dataclass(frozen=True)
class File:
    """An ontology file, unpacked."""

    path: Path
    content: bytes
    sha256: str

    @classmethod
    def read(cls, path: str | Path) -> File:
        """Read a file, gzipped or not."""
        path = Path(path)
        try:
            packed = path.read_bytes()
        except OSError as error:
            raise OntologyError(f"cannot be read: {error.strerror}.", path=path) from error
        content = packed
        if packed[:2] == b"\x1f\x8b":
            try:
                content = gzip.decompress(packed)
            except (OSError, EOFError, zlib.error) as error:
                raise UnknownFormatError(
                    "the gzip data is damaged or cut off.", path=path, hint="fetch the file again."
                ) from error
        return cls(path, content, hashlib.sha256(packed).hexdigest())

    @property
    def name(self) -> str:
        """The file's name without its endings."""
        stem = self.path.name.removesuffix(".gz")
        return stem.rsplit(".", 1)[0] or stem

    def text(self) -> str:
        """Decode the file."""
        return decode(self.content)


@dataclass
class Found:
    """What a reader has found: concepts and links by id, each with its line where the format has lines.

    An empty parent, or a concept as its own parent, is a root.
    """

    ids: list[str] = field(default_factory=list)
    id_lines: list[int] = field(default_factory=list)
    labels: list[str] | None = None
    child: list[str] = field(default_factory=list)
    parent: list[str] = field(default_factory=list)
    link_lines: Sequence[int] = field(default_factory=list)
    code: dict[str, int] | None = None  # id -> place in ids, if the reader has it already
    label_words: bool = True  # labels are words of no particular language; else `words` has them
    words: list[Entry] = field(default_factory=list)
    instances: set[int] = field(default_factory=set)
    definitions: list[str] | None = None
    parts: list[tuple[int, int]] = field(default_factory=list)
    exceptions: dict[str, tuple[str, ...]] = field(default_factory=dict)  # irregular plurals
    name: str = ""
    version: str = ""
    licence: str = ""

    def taxonomy(self, file: File) -> Taxonomy:
        """Resolve ids and build the taxonomy; what does not fit is an error that names file, line and id."""
        if not self.ids:
            raise UnknownFormatError("no concept was found.", path=file.path, hint="is this the right file?")
        code = self.code or dict(zip(self.ids, range(len(self.ids)), strict=True))
        if len(code) < len(self.ids):
            self._refuse_duplicate(file)
        child, parent = self._resolve(code, file)
        if len(self.ids) > 1 and not child.size:
            raise FlatOntologyError(
                f"{len(self.ids):,} concepts and no is-a link among them: every distance would be the same.",
                path=file.path,
                hint="is the column or property that holds the parent there?",
            )
        try:
            return Taxonomy.build(
                self.name or file.name,
                self.ids,
                child=child,
                parent=parent,
                labels=self.labels,
                lexicon=self._lexicon(),
                instances=self._individuals(),
                source=Source(str(file.path), self.version, self.licence, file.sha256),
                definitions=self.definitions,
                parts=self._parts(),
                codes=code,
            )
        except CycleError as error:
            raise self._cycle(error, file) from None

    def _individuals(self) -> NDArray[np.bool_]:
        named = np.zeros(len(self.ids), bool)
        named[list(self.instances)] = True
        return named

    def _line(self, lines: Sequence[int], i: int) -> int | None:
        return int(lines[i]) if len(lines) > i else None

    def _refuse_duplicate(self, file: File) -> None:
        seen: dict[str, int] = {}
        for i, identifier in enumerate(self.ids):
            if identifier in seen:
                first, line = self._line(self.id_lines, seen[identifier]), self._line(self.id_lines, i)
                before = "" if first is None else f" (first on line {first})"
                raise DuplicateIdError(
                    f"the id {identifier!r} is defined twice{before}.", path=file.path, line=line, values=[identifier]
                )
            seen[identifier] = i

    def _resolve(self, code: dict[str, int], file: File) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        alike = self.child is self.ids
        child = (
            np.arange(len(code)) if alike else np.fromiter(map(code.__getitem__, self.child), np.int64, len(self.child))
        )
        parent = np.fromiter(map(code.get, self.parent, repeat(-1)), np.int64, len(self.parent))
        dangling = np.array([i for i in np.flatnonzero(parent < 0) if self.parent[i]], np.int64)
        if dangling.size:
            i = int(dangling[0])
            missing = list(dict.fromkeys(self.parent[j] for j in dangling))
            raise DanglingParentError(
                f"{self.child[i]!r} has the parent {self.parent[i]!r}, which is not defined; "
                f"{len(missing):,} such parent{'s' * (len(missing) > 1)} in all: {first_few(missing)}.",
                path=file.path,
                line=self._line(self.link_lines, i),
                hint="define the parent, or merge in the ontology that defines it.",
                values=missing,
            )
        real = (parent >= 0) & (parent != child)
        return child[real], parent[real]

    def _cycle(self, error: CycleError, file: File) -> CycleError:
        """Add file and line to a cycle found in the graph."""
        line = None
        for i, (child, parent) in enumerate(zip(self.child, self.parent, strict=True)):
            if child in error.values and parent in error.values:
                line = self._line(self.link_lines, i)
                break
        way = " → ".join([*error.values[:6], error.values[0]])
        return CycleError(
            f"the is-a links go round in a circle: {way}.",
            path=file.path,
            line=line,
            hint="remove one of these links.",
            values=error.values,
        )

    def _lexicon(self) -> Lexicon:
        """Every label is a word; ids are words too where there are no labels, unless they are mere numbers."""
        entries = list(self.words)
        if self.labels is not None and self.label_words:
            entries += [Entry(label, c, preferred=True) for c, label in enumerate(self.labels) if label]
        elif not entries and not all(map(str.isdecimal, self.ids)):
            entries = [Entry(identifier, c, preferred=True) for c, identifier in enumerate(self.ids)]
        return Lexicon.build(entries, self.exceptions)

    def _parts(self) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
        if not self.parts:
            return None
        whole, part = np.array(self.parts, np.int64).T
        return to_rows(np.append(whole, part), np.append(part, whole), len(self.ids))
