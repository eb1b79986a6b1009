"""From the concepts and links that a reader collects to a taxonomy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import to_rows
from allonym.errors import (
    CycleError,
    DanglingParentError,
    DuplicateIdError,
    FlatOntologyError,
    UnknownFormatError,
    first_few,
)
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.readers.retired import Retired
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Source, Taxonomy


@dataclass
class OntologyBuilder:
    """The concepts and is-a links of a file, by id and with their lines where the format has lines.

    A concept is a root if its parent is empty or itself.
    """

    ids: list[str] = field(default_factory=list)
    id_lines: list[int] = field(default_factory=list)
    labels: list[str] | None = None
    child: list[str] = field(default_factory=list)
    parent: list[str] = field(default_factory=list)
    link_lines: Sequence[int] = field(default_factory=list)
    codes: dict[str, int] | None = None  # id -> its place in `ids`, if the reader has it already
    labels_are_words: bool = True  # in any language; False if `words` contains them
    words: list[Entry] = field(default_factory=list)
    instances: set[int] = field(default_factory=set)
    definitions: list[str] | None = None
    parts: list[tuple[int, int]] = field(default_factory=list)
    retired: Retired = field(default_factory=Retired)
    exceptions: dict[str, tuple[str, ...]] = field(default_factory=dict)  # irregular plurals
    name: str = ""
    version: str = ""
    licence: str = ""
    attribution: str = ""  # a statement that the publisher asks for

    def build(self, file: File) -> Taxonomy:
        """Resolve the ids and build the taxonomy.

        Raises:
            OntologyError: the concepts do not form a taxonomy; the error names file, line and id.
        """
        if not self.ids:
            raise UnknownFormatError(
                "the file contains no concept.", path=file.path, hint="check that this is the right file."
            )
        codes = self.codes or dict(zip(self.ids, range(len(self.ids)), strict=True))
        if len(codes) < len(self.ids):
            self._refuse_duplicate(file)
        child, parent = self._resolve(codes, file)
        if len(self.ids) > 1 and not child.size:
            raise FlatOntologyError(
                f"{len(self.ids):,} concepts and no is-a link among them: all distances would be the same.",
                path=file.path,
                hint="check that the column or property with the parents is present.",
            )
        try:
            return Taxonomy.build(
                self.name or file.name,
                self.ids,
                child=child,
                parent=parent,
                labels=self.labels,
                lexicon=self._lexicon(codes),
                instances=self._instance_mask(),
                source=Source(str(file.path), self.version, self.licence, file.sha256, attribution=self.attribution),
                definitions=self.definitions,
                parts=self._parts(),
                codes=codes,
            )
        except CycleError as error:
            raise self._cycle(error, file) from None

    def _instance_mask(self) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.ids), bool)
        mask[list(self.instances)] = True
        return mask

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

    def _resolve(self, codes: dict[str, int], file: File) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if self.child is self.ids:
            child = np.arange(len(codes))
        else:
            child = np.fromiter(map(codes.__getitem__, self.child), np.int64, len(self.child))
        parent = np.fromiter(map(codes.get, self.parent, repeat(-1)), np.int64, len(self.parent))
        dangling = np.array([i for i in np.flatnonzero(parent < 0) if self.parent[i]], np.int64)
        if dangling.size:
            i = int(dangling[0])
            missing = list(dict.fromkeys(self.parent[j] for j in dangling))
            raise DanglingParentError(
                f"{self.child[i]!r} has the parent {self.parent[i]!r}, which is not defined; "
                f"{len(missing):,} undefined parent{'s' * (len(missing) > 1)} in total: {first_few(missing)}.",
                path=file.path,
                line=self._line(self.link_lines, i),
                hint="define the parent, or merge the file with the ontology that defines it.",
                values=missing,
            )
        is_link = (parent >= 0) & (parent != child)
        return child[is_link], parent[is_link]

    def _cycle(self, error: CycleError, file: File) -> CycleError:
        """Return the error with the file and line of the cycle."""
        line = None
        for i, (child, parent) in enumerate(zip(self.child, self.parent, strict=True)):
            if child in error.values and parent in error.values:
                line = self._line(self.link_lines, i)
                break
        cycle = " → ".join([*error.values[:6], error.values[0]])
        return CycleError(
            f"the is-a links form a cycle: {cycle}.",
            path=file.path,
            line=line,
            hint="remove one of these links.",
            values=error.values,
        )

    def _lexicon(self, codes: dict[str, int]) -> Lexicon:
        """Make every label a word; without labels and words the ids, unless all of them are numbers."""
        entries = list(self.words)
        if self.labels is not None and self.labels_are_words:
            entries += [Entry(label, c, preferred=True) for c, label in enumerate(self.labels) if label]
        elif not entries and not all(map(str.isdecimal, self.ids)):
            entries = [Entry(identifier, c, preferred=True) for c, identifier in enumerate(self.ids)]
        entries = [_on_one_line(entry) for entry in entries + self.retired.entries(codes, entries)]
        return Lexicon.build(entries, self.exceptions)

    def _parts(self) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
        if not self.parts:
            return None
        whole, part = np.array(self.parts, np.int64).T
        return to_rows(np.append(whole, part), np.append(part, whole), len(self.ids))


def _on_one_line(entry: Entry) -> Entry:
    """Return a word without line breaks, which some publishers leave in their files."""
    return entry._replace(form=" ".join(entry.form.split())) if "\n" in entry.form or "\r" in entry.form else entry
