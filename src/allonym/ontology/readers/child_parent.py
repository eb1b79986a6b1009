"""Tables of concepts and their parents."""

from __future__ import annotations

from collections.abc import Sequence

from allonym.errors import CycleError, DanglingParentError, DuplicateIdError, UnknownFormatError, first_few
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.readers.table import (
    CHILD,
    LABEL,
    PARENT,
    SYNONYMS,
    column_names,
    columns_of,
    has_parent_column,
)
from allonym.ontology.taxonomy import Taxonomy


def recognise(sample: Sample) -> bool:
    """Recognise a column of parents by its name, or by ids that are both child and parent."""
    rows = sample.rows
    if not rows or has_parent_column(rows[0]):
        return bool(rows)
    children, parents = {row[0] for row in rows}, {row[1] for row in rows if len(row) > 1}
    return len(rows[-1]) in (2, 3) and not children.isdisjoint(parents)


def read(file: File) -> Taxonomy:
    """Read columns by their names, or child, parent and label in this order if there is no header.

    A concept has one row for each of its parents. The parent of a root is empty or (in NCBI's taxonomy) the root
    itself. If no row marks a root, it is the only parent that is not a child.
    """
    columns, lines, lengths = columns_of(file)
    header = column_names([column[0] for column in columns])
    has_header = has_parent_column(header)
    if len(columns) < 2:
        raise UnknownFormatError("the table has only one column.", path=file.path, hint="add a column of parents.")
    child_at, parent_at, label_at, synonyms_at = (
        _columns(header) if has_header else (0, 1, 2 if len(columns) > 2 else None, None)
    )
    short = next((i for i, length in enumerate(lengths) if length <= max(child_at, parent_at)), None)
    if short is not None:
        raise UnknownFormatError("the row ends before its parent.", path=file.path, line=lines[short])
    if has_header:
        columns, lines = [column[1:] for column in columns], lines[1:]
    child, parent = columns[child_at], columns[parent_at]
    if "" in child:
        raise UnknownFormatError("the row has no id.", path=file.path, line=lines[child.index("")])
    builder = _declare(child, parent, lines, file)
    if label_at is not None:
        _label(builder, child, columns[label_at], lines, file)
    if synonyms_at is not None:
        number = {identifier: c for c, identifier in enumerate(builder.ids)}
        names = (
            (c, name.strip()) for c, cell in zip(child, columns[synonyms_at], strict=True) for name in cell.split("|")
        )
        builder.words += [Entry(name, number[identifier]) for identifier, name in names if name]
    return builder.build(file)


def _columns(header: list[str]) -> tuple[int, int, int | None, int | None]:
    def at(names: tuple[str, ...]) -> int | None:
        return next((i for name in names for i, cell in enumerate(header) if cell == name), None)

    parent, child, label = at(PARENT), at(CHILD), at(LABEL)
    assert parent is not None
    if child is None:
        child, label = (
            (label, None) if label is not None else (next(i for i in range(len(header)) if i != parent), None)
        )
    return child, parent, label, at(SYNONYMS)


def _declare(child: list[str], parent: list[str], lines: Sequence[int], file: File) -> OntologyBuilder:
    """Return the distinct concepts and their links; a repeated row is an error."""
    own_parents = [i for i, (c, p) in enumerate(zip(child, parent, strict=True)) if c == p]
    has_root = "" in parent
    if len(own_parents) > 1 or (own_parents and has_root):
        names = list(dict.fromkeys(child[i] for i in own_parents))
        raise CycleError(
            f"{names[0]!r} is its own parent; {len(names):,} such ids in total: {first_few(names)}.",
            path=file.path,
            line=lines[own_parents[0]],
            hint="leave the parent of a root empty, and name the parents of the others.",
            values=names,
        )
    codes = dict(zip(child, range(len(child)), strict=True))
    ids = child
    if len(codes) < len(child):
        _refuse_repeats(child, parent, lines, file)
        ids = list(codes)
        codes = dict(zip(ids, range(len(ids)), strict=True))
    if not has_root and not own_parents:
        roots = [p for p in dict.fromkeys(parent) if p not in codes]
        if len(roots) > 1:
            raise DanglingParentError(
                f"{len(roots):,} parents are not children themselves, and no row marks a root: {first_few(roots)}.",
                path=file.path,
                line=lines[parent.index(roots[1])],
                hint="add a row with an empty parent for each root, and define the parents that are not roots.",
                values=roots,
            )
        ids = [*ids, *roots]
        codes.update((p, len(codes)) for p in roots)
    return OntologyBuilder(ids=ids, child=child, parent=parent, link_lines=lines, codes=codes)


def _refuse_repeats(child: list[str], parent: list[str], lines: Sequence[int], file: File) -> None:
    """Refuse a row that repeats both the concept and the parent of another."""
    seen: dict[tuple[str, str], int] = {}
    for i, link in enumerate(zip(child, parent, strict=True)):
        if link in seen:
            raise DuplicateIdError(
                f"the row of {link[0]!r} repeats line {lines[seen[link]]}.",
                path=file.path,
                line=lines[i],
                values=[link[0]],
            )
        seen[link] = i


def _label(builder: OntologyBuilder, child: list[str], labels: list[str], lines: Sequence[int], file: File) -> None:
    """Add the labels; two labels of one id are an error."""
    label_of: dict[str, str] = {}
    for i, (identifier, label) in enumerate(zip(child, labels, strict=True)):
        if label and label_of.setdefault(identifier, label) != label:
            raise DuplicateIdError(
                f"the id {identifier!r} has a second label.", path=file.path, line=lines[i], values=[identifier]
            )
    builder.labels = [label_of.get(identifier, identifier) for identifier in builder.ids]
    builder.words += [Entry(identifier, c, notation=True) for c, identifier in enumerate(builder.ids)]
