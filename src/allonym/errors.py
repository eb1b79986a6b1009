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

Codes of problems that a plan meets in a table (`Problem.code`); they never change:

    columns   no-column-in-table  missing-column  column-without-role  every-column-dropped  unreadable-cells
              kind-not-supported  no-rows  kept-identifier  kept-copy  kept-unique  kept-index
    people    empty-unit  empty-household  repeated-identifier  invalid-weight  zero-weights  missing-key-column
              empty-key
    words     to-review  unmatched  several-ontologies  no-hierarchy  not-in-hierarchy
    row by    senses-compare-records  opaque-not-masked  outside-root  candidates-not-supported  no-candidates
    row       unknown-candidates  method-not-fitted  too-few-values  rows-without-number
    privacy   k-too-large  k-per-column  no-groups  requirement-unmet
    engines   long-table-in-engine  lists-in-engine  blocks-not-supported  blocks-too-small
              partition-column-dropped  partition-column-name  partition-column-twice  partition-by-every-column
    files     no-sheet  too-large  parser-crashed  parser-timeout
    nulls     all-null  many-nulls
    keys      repeated-key  unknown-key
    other     setting-failed  not-a-number  different-leaves
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

REPEATED_KEY, UNKNOWN_KEY = "repeated-key", "unknown-key"  # codes of problems with keys that pair rows
DIFFERENT_LEAVES = "different-leaves"  # of hierarchies that are compared


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, as data: the command line prints it, the studio shows it beside its field.

    `code` identifies the kind of problem and never changes; `text` and `hint` are for people. `values` are cells of the
    data behind it, shown only where the user asked to see them.

    >>> str(Problem("too-small", "k is 0; it must be at least 2.", hint="k = 5 is usual."))
    'k is 0; it must be at least 2. Hint: k = 5 is usual.'
    >>> str(Problem("no-levels", "an ordinal column needs levels.", column="size"))
    'column size: an ordinal column needs levels.'
    """

    code: str
    text: str
    hint: str = ""
    column: str = ""
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f"column {self.column}: " if self.column else ""
        hint = f" Hint: {self.hint}" if self.hint else ""
        return f"{where}{self.text}{hint}"


class AllonymError(Exception):
    """The base of every error that allonym raises on purpose.

    >>> error = AllonymError("k is 0; it must be at least 2.", hint="k = 5 is usual.")
    >>> str(error), error.problems[0].hint
    ('k is 0; it must be at least 2. Hint: k = 5 is usual.', 'k = 5 is usual.')
    """

    code = "error"

    def __init__(
        self, text: str, *, hint: str = "", values: Sequence[str] = (), code: str = "", column: str = ""
    ) -> None:
        self.values = tuple(values)
        self.problems: tuple[Problem, ...] = (Problem(code or self.code, text, hint, column, self.values),)
        super().__init__(str(self.problems[0]))


class OntologyError(AllonymError):
    """An ontology file cannot be used as it is; knows the file, and the line where there is one."""

    code = "ontology"

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

    code = "unknown-format"


class DuplicateIdError(OntologyError):
    """One id has two meanings."""

    code = "duplicate-id"


class DanglingParentError(OntologyError):
    """A concept names a parent that is not defined."""

    code = "dangling-parent"


class CycleError(OntologyError):
    """A concept is its own ancestor."""

    code = "cycle"


class FlatOntologyError(OntologyError):
    """No is-a link resolves, so every distance would be the same."""

    code = "flat-ontology"


class UnknownConceptError(AllonymError):
    """A word or id that the ontology does not have."""

    code = "unknown-concept"


class OptionError(AllonymError):
    """An option outside its list; says what was meant and what there is."""

    code = "option"

    @classmethod
    def of(cls, what: str, value: str, known: Iterable[str]) -> OptionError:
        """Say that an option is unknown, with the nearest known one as a hint.

        >>> str(OptionError.of("measure", "wu-palmr", ["path", "wu-palmer"]))
        "Unknown measure 'wu-palmr'. Hint: did you mean 'wu-palmer'? Known: path, wu-palmer."
        """
        known = list(known)
        close = difflib.get_close_matches(value, known, n=1)
        meant = f"did you mean {close[0]!r}? " if close else ""
        return cls(f"Unknown {what} {value!r}.", hint=f"{meant}Known: {', '.join(known)}.")


class LinksError(AllonymError):
    """A links file that cannot be used."""

    code = "links"


class TableError(AllonymError):
    """A data file or a column that cannot be read."""

    code = "table"


class PlanError(AllonymError):
    """A plan that cannot be run as it is; tells every problem at once.

    >>> print(PlanError([Problem("k", "k is 1."), Problem("no-role", "it has no role.", column="age")]))
    2 problems:
      - k is 1.
      - column age: it has no role.
    """

    code = "plan"

    def __init__(self, problems: Sequence[Problem], *, where: str = "") -> None:
        head = f"{where}: " if where else ""
        if len(problems) == 1:
            text = f"{head}{problems[0]}"
        else:
            text = "\n".join([f"{head}{len(problems)} problems:", *(f"  - {x}" for x in problems)])
        super().__init__(text)
        self.problems, self.where = tuple(problems), where
        self.values = tuple(value for x in problems for value in x.values)


class ReleaseError(AllonymError):
    """A release that does not hold what it promised; it was not written."""

    code = "release"


class OutputError(AllonymError):
    """A file that cannot be written."""

    code = "output"


def plural(count: int, what: str) -> str:
    """Say how many there are of something.

    >>> plural(1, "column"), plural(1200, "value")
    ('1 column', '1,200 values')
    """
    return f"{count:,} {what if count == 1 else what + 's'}"


def first_few(items: Iterable[str], most: int = 5) -> str:
    """Join the first few of many names, and say how many more there are.

    >>> first_few(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    items = list(items)
    head = ", ".join(items[:most])
    return head if len(items) <= most else f"{head} and {len(items) - most:,} more"
