"""Taxonomies as tables: child-parent lists; and what tells tables apart."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

import numpy as np

from allonym.decoding import delimiter_of, lines_of, table_of
from allonym.errors import CycleError, DanglingParentError, DuplicateIdError, UnknownFormatError, first_few
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.source import File, Found
from allonym.ontology.taxonomy import Taxonomy

CHILD = ("id", "code", "child", "concept", "value", "taxid", "notation")
PARENT = ("parent", "parents", "broader", "is_a", "isa", "parent_id", "parentid", "parent_code", "subclassof")
LABEL = ("label", "name", "term", "title", "preflabel", "preferred", "description")
SYNONYMS = ("synonyms", "synonym", "altlabel")
TREE_NUMBER = re.compile(r"[A-Z]\d{2}(\.\d{3})*")


def rows_of(file: File) -> list[list[str]]:
    """Return the rows of a table, cells stripped."""
    text = file.text()
    delimiter = delimiter_of(text)
    if '"' not in text:  # nothing is quoted: splitting is ten times faster
        return [[cell.strip() for cell in line.split(delimiter)] for line in lines_of(text)]
    try:
        return [[cell.strip() for cell in row] for row in table_of(text, delimiter)]
    except csv.Error as error:
        raise UnknownFormatError(f"not a table: {error}.", path=file.path, hint="is a quote left open?") from error


def columns_of(file: File) -> tuple[list[list[str]], Sequence[int], Sequence[int]]:
    """Return a table by columns, blank lines left out, the line of each row, and how many cells it has of its own.

    A plain table (nothing quoted, no blanks, every line alike) of millions of rows is split in one go.
    """
    text = file.text()
    delimiter = delimiter_of(text)
    plain = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if plain and '"' not in plain and " " not in plain and plain.isascii():
        marks = np.frombuffer(plain.encode() + b"\n", np.uint8)
        marks = marks[(marks == ord(delimiter)) | (marks == 10)]
        width = int(np.flatnonzero(marks == 10)[0]) + 1
        if marks.size % width == 0 and np.array_equal(marks == 10, np.arange(1, marks.size + 1) % width == 0):
            cells = plain.replace(delimiter, "\n").split("\n")
            return [cells[i::width] for i in range(width)], range(1, marks.size // width + 1), [width]
    rows = [(line, row) for line, row in enumerate(rows_of(file), 1) if any(row)]
    if not rows:
        raise UnknownFormatError("the file is empty.", path=file.path)
    width = len(rows[0][1])
    if rows[0][1][-1].lower() in LABEL:  # what an unquoted label has too many cells of belongs to it
        gap = " " if delimiter == "\t" else f"{delimiter} "
        rows = [
            (line, [*row[: width - 1], gap.join(row[width - 1 :])] if len(row) > width else row) for line, row in rows
        ]
    wide = next((line for line, row in rows if len(row) > width), None)
    if wide is not None:
        raise UnknownFormatError(
            f"more cells than the {width} of the first row.", path=file.path, line=wide, hint="quote cells with commas."
        )
    filled = [row + [""] * (width - len(row)) for _, row in rows]
    own = [len(row) for _, row in rows]
    return [list(column) for column in zip(*filled, strict=True)], [line for line, _ in rows], own


def recognise(file: File) -> str:
    """Tell MeSH tree numbers, an ARX hierarchy and a child-parent table apart."""
    rows = rows_of(File(file.path, file.content[:200_000], ""))
    rows = [row for row in rows[: -1 if len(file.content) > 200_000 else None] if any(row)]
    used = max((i + 1 for row in rows for i, cell in enumerate(row) if cell), default=0)
    rows = [row[:used] for row in rows]
    if not rows or max(map(len, rows)) < 2:
        raise UnknownFormatError(
            "not an ontology in a format allonym knows.",
            path=file.path,
            hint="OBO, OWL or SKOS in RDF, WN-LMF, an ARX hierarchy, a child,parent table, or MeSH tree numbers.",
        )
    width = len(rows[-1])
    if len(rows) > 1 and all(len(row) == width and all(row) for row in rows) and len({row[-1] for row in rows}) == 1:
        return "hierarchy"
    header = [cell.lower().replace(" ", "_") for cell in rows[0]]
    if any(name in PARENT for name in header):
        return "child-parent"
    if len(rows) > 1 and len({row[-1] for row in rows if row[-1]}) == 1:
        return "hierarchy"
    if _are_tree_numbers([row[-1] for row in rows[0 if TREE_NUMBER.fullmatch(rows[0][-1]) else 1 :]]):
        return "mesh"
    if width in (2, 3) and {row[0] for row in rows} & {row[1] for row in rows if len(row) > 1}:
        return "child-parent"
    raise UnknownFormatError(
        f"a table of {width} columns that is neither a hierarchy (leaf first, one top value in the last column) "
        "nor a list of children and parents.",
        path=file.path,
        hint="name the columns, e.g. id,parent,label.",
    )


def _are_tree_numbers(cells: list[str]) -> bool:
    """Tell MeSH tree numbers from other codes: some have a parent that is there too."""
    numbers = set(cells)
    parents = {cell.rpartition(".")[0] for cell in numbers} - {""}
    return all(TREE_NUMBER.fullmatch(cell) for cell in numbers) and not parents.isdisjoint(numbers)


def read_child_parent(file: File) -> Taxonomy:
    """Read a table of concepts and parents: columns by their names, or child, parent, label without a header.

    A concept may stand in several rows, one for each parent. A root has an empty parent, or (as in NCBI's taxonomy)
    itself; in a table without any such row, the one parent that is no one's child is the root.
    """
    columns, lines, own = columns_of(file)
    header = [column[0].lower().replace(" ", "_") for column in columns]
    named = any(name in PARENT for name in header)
    if len(columns) < 2:
        raise UnknownFormatError("there is one column only.", path=file.path, hint="a table of children and parents.")
    child_at, parent_at, label_at, synonyms_at = (
        _columns(header) if named else (0, 1, 2 if len(columns) > 2 else None, None)
    )
    short = next((i for i, cells in enumerate(own) if cells <= max(child_at, parent_at)), None)
    if short is not None:
        raise UnknownFormatError("a row ends before its parent.", path=file.path, line=lines[short])
    if named:
        columns, lines = [column[1:] for column in columns], lines[1:]
    child, parent = columns[child_at], columns[parent_at]
    if "" in child:
        raise UnknownFormatError("a row has no id.", path=file.path, line=lines[child.index("")])
    found = _declare(child, parent, lines, file)
    if label_at is not None:
        _label(found, child, columns[label_at], lines, file)
    if synonyms_at is not None:
        number = {identifier: c for c, identifier in enumerate(found.ids)}
        names = (
            (c, name.strip()) for c, cell in zip(child, columns[synonyms_at], strict=True) for name in cell.split("|")
        )
        found.words += [Entry(name, number[identifier]) for identifier, name in names if name]
    return found.taxonomy(file)


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


def _declare(child: list[str], parent: list[str], lines: Sequence[int], file: File) -> Found:
    """Find the distinct concepts and their links; a row given twice is an error."""
    selves = [i for i, (c, p) in enumerate(zip(child, parent, strict=True)) if c == p]
    has_root = "" in parent
    if len(selves) > 1 or (selves and has_root):
        names = list(dict.fromkeys(child[i] for i in selves))
        raise CycleError(
            f"{names[0]!r} is its own parent; {len(names):,} such ids in all: {first_few(names)}.",
            path=file.path,
            line=lines[selves[0]],
            hint="leave the parent of a root empty, and give the others theirs.",
            values=names,
        )
    code = dict(zip(child, range(len(child)), strict=True))
    ids = child
    if len(code) < len(child):
        _refuse_repeats(child, parent, lines, file)
        ids = list(code)
        code = dict(zip(ids, range(len(ids)), strict=True))
    if not has_root and not selves:
        tops = [p for p in dict.fromkeys(parent) if p not in code]
        if len(tops) > 1:
            raise DanglingParentError(
                f"{len(tops):,} parents are no one's child, and no row marks a root: {first_few(tops)}.",
                path=file.path,
                line=lines[parent.index(tops[1])],
                hint="give every root a row with an empty parent; if they are not roots, define them.",
                values=tops,
            )
        ids = [*ids, *tops]
        code.update((p, len(code)) for p in tops)
    return Found(ids=ids, child=child, parent=parent, link_lines=lines, code=code)


def _refuse_repeats(child: list[str], parent: list[str], lines: Sequence[int], file: File) -> None:
    """A concept may come again with another parent, but not the same row."""
    seen: dict[tuple[str, str], int] = {}
    for i, link in enumerate(zip(child, parent, strict=True)):
        if link in seen:
            raise DuplicateIdError(
                f"the row of {link[0]!r} was there before, on line {lines[seen[link]]}.",
                path=file.path,
                line=lines[i],
                values=[link[0]],
            )
        seen[link] = i


def _label(found: Found, child: list[str], labels: list[str], lines: Sequence[int], file: File) -> None:
    """Give concepts their labels; two for one id are an error."""
    label_of: dict[str, str] = {}
    for i, (identifier, label) in enumerate(zip(child, labels, strict=True)):
        if label and label_of.setdefault(identifier, label) != label:
            raise DuplicateIdError(
                f"the id {identifier!r} has a second label.", path=file.path, line=lines[i], values=[identifier]
            )
    found.labels = [label_of.get(identifier, identifier) for identifier in found.ids]
    found.words += [Entry(identifier, c, notation=True) for c, identifier in enumerate(found.ids)]
