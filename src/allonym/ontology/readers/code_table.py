"""Tables of codes and labels without parents, whose codes nest: A, A10, A10B, A10BA (ATC, NACE, CPA, ISCO and others).

The parent of a code is the longest other code with which it begins; punctuation does not count. Codes of a level that
begins anew (NACE's division 01 in section A) need a column `level`: their parent is the last row before them that has a
lower level.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from allonym.errors import UnknownFormatError
from allonym.ontology.readers.child_parent import ConceptTable, taxonomy_of
from allonym.ontology.readers.header import Header, has_parent_column
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.readers.table import columns_of
from allonym.ontology.taxonomy import Taxonomy

MIN_SHARE = 0.5  # of the codes that have a parent, in a table that is recognised
MAX_NUMBERED = 0.8  # of the numbers between the first and the last that are codes; more are only row numbers
_PUNCTUATION = re.compile(r"[\s./_-]+")


def recognise(sample: Sample) -> bool:
    """Recognise codes and labels, by their names or in the first two columns, most of which begin with another code."""
    if not sample.rows or has_parent_column(sample.rows[0]):
        return False
    header = Header.of(sample.rows[0])
    if header.child is not None and header.labels:
        rows, at = sample.rows[1:], header.child
    elif len(sample.rows[-1]) == 2:
        rows, at = sample.rows, 0
    else:
        return False
    level = header.level if rows is not sample.rows else None
    rows = [row for row in rows if len(row) > max(at, level or 0) and row[at]]
    codes = [row[at] for row in rows]
    nested = sum(x != "" for x in parents_of(codes, [] if level is None else [row[level] for row in rows]))
    return nested >= max(MIN_SHARE * len(codes), 1) and not _are_row_numbers(codes)


def read(file: File) -> Taxonomy:
    """Read codes, labels in one or several languages, synonyms, and retired codes; a repeated row counts once."""
    columns, lines, _ = columns_of(file)
    header = Header.of([column[0] for column in columns])
    if header.child is not None and header.labels:
        columns, lines = [column[1:] for column in columns], lines[1:]
    elif len(columns) == 2:
        header = Header(child=0, labels=((1, ""),))
    else:
        raise UnknownFormatError(
            "the table has no columns of codes and labels.", path=file.path, hint="name the columns code and label."
        )
    assert header.child is not None
    shown = [header.child, *(at for at, _ in header.labels)]
    first = {tuple(columns[at][i] for at in shown): i for i in reversed(range(len(lines)))}
    rows = sorted(first.values())
    columns = [[column[i].strip() for i in rows] for column in columns]
    codes = columns[header.child]
    levels = [] if header.level is None else columns[header.level]
    return taxonomy_of(ConceptTable(file, columns, [lines[i] for i in rows], header, codes, parents_of(codes, levels)))


def parents_of(codes: Sequence[str], levels: Sequence[str] = ()) -> list[str]:
    """Return the parent of each code, or nothing for a root.

    >>> parents_of(["A", "A10", "A10BA", "B"]), parents_of(["A", "01", "01.1"], ["1", "2", "3"])
    (['', 'A', 'A10', ''], ['', 'A', '01'])
    """
    plain = [_PUNCTUATION.sub("", code).upper() for code in codes]
    code_of = dict(zip(reversed(plain), reversed(codes), strict=True))
    above = _by_level(codes, levels) if levels and all(map(str.isdecimal, levels)) else [""] * len(codes)
    parents = []
    for code, text, last in zip(codes, plain, above, strict=True):
        prefixes = (text[:length] for length in range(len(text) - 1, 0, -1))
        longest = next((code_of[prefix] for prefix in prefixes if prefix in code_of), "")
        parents.append(longest if longest != code and longest else last)
    return parents


def _by_level(codes: Sequence[str], levels: Sequence[str]) -> list[str]:
    """Return for each code the last one before it that has a lower level."""
    parents, open_codes = [], list[tuple[int, str]]()
    for code, level in zip(codes, map(int, levels), strict=True):
        while open_codes and open_codes[-1][0] >= level:
            open_codes.pop()
        parents.append(open_codes[-1][1] if open_codes else "")
        open_codes.append((level, code))
    return parents


def _are_row_numbers(codes: Sequence[str]) -> bool:
    """Tell whether codes are the numbers 1, 2, 3 …, some of which begin with others by chance."""
    if not all(code.isdecimal() and code == str(int(code)) for code in codes):
        return False
    numbers = [int(code) for code in codes]
    return len(numbers) >= MAX_NUMBERED * (max(numbers) - min(numbers) + 1)
