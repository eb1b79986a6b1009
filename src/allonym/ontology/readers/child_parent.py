"""Tables of concepts and their parents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from allonym.errors import CycleError, DanglingParentError, DuplicateIdError, UnknownFormatError, first_few
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.header import RETIRED, Header, Texts, has_parent_column
from allonym.ontology.readers.retired import unmarked
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.readers.table import columns_of
from allonym.ontology.taxonomy import Taxonomy

_SEPARATOR = re.compile(r"[|\r\n]")  # between the synonyms, parents or replacements of a cell


@dataclass(frozen=True)
class ConceptTable:
    """The rows of a table of concepts, without its header."""

    file: File
    columns: Sequence[list[str]]
    lines: Sequence[int]
    header: Header
    child: list[str]
    parent: list[str]


def recognise(sample: Sample) -> bool:
    """Recognise a column of parents by its name, or by ids that are both child and parent."""
    rows = sample.rows
    if not rows or has_parent_column(rows[0]):
        return bool(rows)
    children, parents = {row[0] for row in rows}, {row[1] for row in rows if len(row) > 1}
    return len(rows[-1]) in (2, 3) and not children.isdisjoint(parents)


def read(file: File) -> Taxonomy:
    """Read columns by their names, or child, parent and label in this order if there is no header.

    A concept has one row for each of its parents, or several parents in one cell, with | between them. The parent of a
    root is empty or (in NCBI's taxonomy) the root itself. If no row marks a root, it is the only parent that is not a
    child.
    """
    columns, lines, lengths = columns_of(file)
    first_row = [column[0] for column in columns]
    has_header = has_parent_column(first_row)
    if len(columns) < 2:
        raise UnknownFormatError("the table has only one column.", path=file.path, hint="add a column of parents.")
    header = _complete(Header.of(first_row), len(columns)) if has_header else Header(0, 1, _third(len(columns)))
    assert header.child is not None
    assert header.parent is not None
    short = next((i for i, length in enumerate(lengths) if length <= max(header.child, header.parent)), None)
    if short is not None:
        raise UnknownFormatError("the row ends before its parent.", path=file.path, line=lines[short])
    if has_header:
        columns, lines = [column[1:] for column in columns], lines[1:]
    return taxonomy_of(ConceptTable(file, columns, lines, header, columns[header.child], columns[header.parent]))


def _third(width: int) -> Texts:
    return ((2, ""),) if width > 2 else ()


def _complete(header: Header, width: int) -> Header:
    """Return a header with a column of concepts: the labels, or else any column that has not the parents."""
    if header.child is not None:
        return header
    child = header.labels[0][0] if header.labels else next(i for i in range(width) if i != header.parent)
    return replace(header, child=child, labels=())


def taxonomy_of(table: ConceptTable) -> Taxonomy:
    """Return the taxonomy of a table of concepts and their parents."""
    if "" in table.child:
        raise UnknownFormatError("the row has no id.", path=table.file.path, line=table.lines[table.child.index("")])
    table, retired = _without_retired(table)
    table = _one_parent_each(table)
    builder = _declare(table.child, table.parent, table.lines, table.file)
    number = builder.codes or {identifier: c for c, identifier in enumerate(builder.ids)}
    if table.header.labels:
        _label(builder, table)
    for at, language in table.header.synonyms:
        builder.words += [
            Entry(name, number[identifier], language=language)
            for identifier, cell in zip(table.child, table.columns[at], strict=True)
            for name in _split(cell)
        ]
    _retire(builder, retired)
    return builder.build(table.file)


def _rows(table: ConceptTable, rows: Sequence[int]) -> ConceptTable:
    columns = [[column[i] for i in rows] for column in table.columns]
    child, parent = [table.child[i] for i in rows], [table.parent[i] for i in rows]
    return replace(table, columns=columns, lines=[table.lines[i] for i in rows], child=child, parent=parent)


def _split(cell: str) -> list[str]:
    return [name for part in _SEPARATOR.split(cell) if (name := part.strip())]


def _without_retired(table: ConceptTable) -> tuple[ConceptTable, ConceptTable | None]:
    """Return the rows of concepts in use, and those of retired ones."""
    header = table.header
    if header.obsolete is not None:
        marks = [cell.lower() in RETIRED for cell in table.columns[header.obsolete]]
    elif header.replaced_by is not None:
        marks = [cell != "" for cell in table.columns[header.replaced_by]]
    else:
        return table, None
    in_use, retired = ([i for i, mark in enumerate(marks) if mark is wanted] for wanted in (False, True))
    return (_rows(table, in_use), _rows(table, retired)) if retired else (table, None)


def _one_parent_each(table: ConceptTable) -> ConceptTable:
    """Repeat the rows that name several parents in one cell, none of which is the id of a concept."""
    several = [i for i, cell in enumerate(table.parent) if "|" in cell]
    if not several or table.parent[several[0]] in set(table.child):
        return table
    parents = [_split(cell) or [""] for cell in table.parent]
    repeated = _rows(table, [i for i, cells in enumerate(parents) for _ in cells])
    return replace(repeated, parent=[parent for cells in parents for parent in cells])


def _retire(builder: OntologyBuilder, table: ConceptTable | None) -> None:
    if table is None:
        return
    header = table.header
    for i, identifier in enumerate(table.child):
        words = [Entry(identifier, -1, notation=bool(header.labels))]
        words += [Entry(unmarked(table.columns[at][i]), -1, language=language) for at, language in header.labels]
        words += [Entry(x, -1, language=lang) for at, lang in header.synonyms for x in _split(table.columns[at][i])]
        replacements = [] if header.replaced_by is None else _split(table.columns[header.replaced_by][i])
        builder.retired.add(identifier, replacements, words)


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


def _label(builder: OntologyBuilder, table: ConceptTable) -> None:
    """Add the labels; two labels of one id in one language are an error."""
    label_of: dict[str, str] = {}
    for at, language in table.header.labels:
        own: dict[str, str] = {}
        for i, (identifier, label) in enumerate(zip(table.child, table.columns[at], strict=True)):
            if label and own.setdefault(identifier, label) != label:
                line = table.lines[i]
                text = f"the id {identifier!r} has a second label."
                raise DuplicateIdError(text, path=table.file.path, line=line, values=[identifier])
        label_of = own | label_of
        if table.header.has_languages:
            entries = ((c, own.get(identifier)) for c, identifier in enumerate(builder.ids))
            builder.words += [Entry(x, c, language=language, preferred=True) for c, x in entries if x]
    builder.labels = [label_of.get(identifier, identifier) for identifier in builder.ids]
    builder.labels_are_words = not table.header.has_languages
    builder.words += [Entry(identifier, c, notation=True) for c, identifier in enumerate(builder.ids)]
