"""The columns of a table of concepts, by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

CHILD = (
    "id", "code", "child", "concept", "value", "taxid", "notation", "classid", "conceptid", "uri", "iri",
)  # fmt: skip
PARENT = (
    "parent", "parents", "broader", "isa", "parentid", "parentcode", "subclassof", "broadercode", "broaderid",
    "parenturi", "broaderuri",
)  # fmt: skip
LABEL = (
    "label", "name", "term", "title", "preflabel", "preferred", "preferredlabel", "heading", "description",
)  # fmt: skip
SYNONYMS = ("synonyms", "synonym", "altlabel", "altlabels", "alternativelabels")
LEVEL = ("level", "levelnumber")
OBSOLETE = ("obsolete", "isobsolete", "deprecated", "retired", "status")
REPLACED_BY = ("replacedby", "isreplacedby", "replacement", "replacementcode", "replacementid", "successor")
RETIRED = {"true", "1", "yes", "y", "obsolete", "deprecated", "retired", "inactive", "withdrawn"}  # cells of OBSOLETE
_LANGUAGE = re.compile(r"(.+?)[\s_@:.(\[-]+([a-z]{2})(?:[-_][a-z]{2})?[)\]]?", re.IGNORECASE)
_NOT_LANGUAGES = {"id", "no"}  # columns of ids and numbers
Texts = tuple[tuple[int, str], ...]  # columns and their languages


@dataclass(frozen=True)
class Header:
    """The places of the columns that are read.

    >>> Header.of(["Code", "Parent code", "Label_en", "Label_de", "Level"])
    Header(child=0, parent=1, labels=((2, 'en'), (3, 'de')), synonyms=(), level=4, obsolete=None, replaced_by=None)
    """

    child: int | None = None
    parent: int | None = None
    labels: Texts = ()
    synonyms: Texts = ()
    level: int | None = None
    obsolete: int | None = None
    replaced_by: int | None = None

    @classmethod
    def of(cls, first_row: Sequence[str]) -> Header:
        """Find the columns of a header by their names, whatever their case and punctuation."""
        names = [_compact(cell) for cell in first_row]

        def at(wanted: Sequence[str]) -> int | None:
            return next((names.index(name) for name in wanted if name in names), None)

        child = at(CHILD)
        if child is None:  # as in "ATC code"
            child = next((i for i, name in enumerate(names) if name.endswith("code") and name not in PARENT), None)
        labels = _texts(first_row, LABEL) or _texts(first_row, LABEL, endings=True)
        return cls(
            child, at(PARENT), labels, _texts(first_row, SYNONYMS), at(LEVEL), at(OBSOLETE), at(REPLACED_BY)
        )  # fmt: skip

    @property
    def has_languages(self) -> bool:
        """Whether a column of labels or synonyms is in a certain language."""
        return any(language for _, language in (*self.labels, *self.synonyms))


def _texts(first_row: Sequence[str], wanted: Sequence[str], *, endings: bool = False) -> Texts:
    """Return the columns of the first wanted name, one for each language, English and no language first."""
    named = [(i, *_name_and_language(cell)) for i, cell in enumerate(first_row)]
    for name in wanted:
        columns = [(i, lang) for i, own, lang in named if own == name or (endings and own.endswith(name))]
        if columns:
            once = {lang: i for i, lang in reversed(columns)}
            order = sorted(once, key=lambda lang: (lang not in ("", "en"), lang != "", once[lang]))
            return tuple((once[lang], lang) for lang in order)
    return ()


def _name_and_language(cell: str) -> tuple[str, str]:
    match = _LANGUAGE.fullmatch(cell.strip())
    if match and match[2].lower() not in _NOT_LANGUAGES:
        return _compact(match[1]), match[2].lower()
    return _compact(cell), ""


def _compact(cell: str) -> str:
    return "".join(c for c in cell.lower() if c.isalnum())


def has_parent_column(first_row: Sequence[str]) -> bool:
    """Tell whether a row is a header that names a column of parents."""
    return any(_compact(cell) in PARENT for cell in first_row)
