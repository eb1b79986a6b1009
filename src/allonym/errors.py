"""What can go wrong, as a tree.

    AllonymError
    ├── OntologyError            an ontology file cannot be used as it is
    │   ├── UnknownFormatError   its format was not recognised, or it is damaged
    │   ├── DuplicateIdError     one id stands for two things
    │   ├── DanglingParentError  a parent that is not defined
    │   ├── CycleError           a concept that is its own ancestor
    │   └── FlatOntologyError    no is-a link resolves, so every distance would be the same
    ├── UnknownConceptError      a word or id that the ontology does not have
    ├── OptionError              an unknown measure, depth convention, language, …
    ├── LinksError               a links file that cannot be used
    ├── TableError               a data file, a frame or a column that cannot be read
    ├── PlanError                a plan that cannot be run on a table; tells every problem at once
    ├── ReleaseError             a release that does not hold what it promised; it was not written
    └── OutputError              a file that cannot be written

The text of an error says what is wrong, where, and how to fix it; it holds counts, ids of ontologies and
line numbers, never cells of the user's data. Those are in ``.values`` for a caller who wants to show them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


class AllonymError(Exception):
    """The base of every error that allonym raises on purpose.

    >>> str(AllonymError("k is 0, it must be at least 2.", hint="k = 5 is usual."))
    'k is 0, it must be at least 2. Hint: k = 5 is usual.'
    """

    def __init__(self, what: str, *, hint: str = "", values: Sequence[str] = ()) -> None:
        self.values = tuple(values)
        super().__init__(f"{what} Hint: {hint}" if hint else what)


class OntologyError(AllonymError):
    """An ontology file cannot be used as it is; knows the file, and the line where there is one."""

    def __init__(
        self,
        what: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        hint: str = "",
        values: Sequence[str] = (),
    ) -> None:
        self.path, self.line = path, line
        where = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(where + what, hint=hint, values=values)


class UnknownFormatError(OntologyError):
    """The format of an ontology file was not recognised, or the file is damaged."""


class DuplicateIdError(OntologyError):
    """One id stands for two things."""


class DanglingParentError(OntologyError):
    """A concept names a parent that is not defined."""


class CycleError(OntologyError):
    """A concept is its own ancestor."""


class FlatOntologyError(OntologyError):
    """No is-a link resolves, so every distance would be the same."""


class UnknownConceptError(AllonymError):
    """A word or id that the ontology does not have."""


class OptionError(AllonymError):
    """An option outside its list; says what was meant and what there is."""

    @classmethod
    def of(cls, what: str, given: str, known: Iterable[str]) -> OptionError:
        """Say that an option is unknown, with the nearest known one as a hint.

        >>> str(OptionError.of("measure", "wu-palmr", ["path", "wu-palmer"]))
        "Unknown measure 'wu-palmr'. Hint: did you mean 'wu-palmer'? Known: path, wu-palmer."
        """
        known = list(known)
        close = difflib.get_close_matches(given, known, n=1)
        meant = f"did you mean {close[0]!r}? " if close else ""
        return cls(f"Unknown {what} {given!r}.", hint=f"{meant}Known: {', '.join(known)}.")


class LinksError(AllonymError):
    """A links file that cannot be used."""


class TableError(AllonymError):
    """A data file or a column that cannot be read."""


class PlanError(AllonymError):
    """A plan that cannot be run as it is; tells every problem at once.

    >>> print(PlanError(["k is 1.", "column age has no role."]))
    2 problems:
      - k is 1.
      - column age has no role.
    """

    def __init__(self, problems: Sequence[str], *, where: str = "", values: Sequence[str] = ()) -> None:
        self.problems = tuple(problems)
        self.details: Mapping[str, Sequence[str]] = {}  # values behind the problems, by column
        head = f"{where}: " if where else ""
        one = len(self.problems) == 1
        lines = [] if one else [f"{head}{len(self.problems)} problems:"]
        told = "\n".join([*lines, *(f"{head}{p}" if one else f"  - {p}" for p in self.problems)])
        super().__init__(told, values=values)


class ReleaseError(AllonymError):
    """A release that does not hold what it promised; it was not written."""


class OutputError(AllonymError):
    """A file that cannot be written."""


def many(count: int, what: str) -> str:
    """Say how many there are of something.

    >>> many(1, "column"), many(1200, "value")
    ('1 column', '1,200 values')
    """
    return f"{count:,} {what if count == 1 else what + 's'}"


def listed(items: Iterable[str], most: int = 5) -> str:
    """Join the first few of many names, and say how many more there are.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    items = list(items)
    head = ", ".join(items[:most])
    return head if len(items) <= most else f"{head} and {len(items) - most:,} more"
