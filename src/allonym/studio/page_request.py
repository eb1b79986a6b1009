"""A request for a page, and the declaration of pages: their addresses, views and actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from allonym.errors import OptionError, PlanError, Problem
from allonym.parameters import unknown
from allonym.studio.jobs import Job
from allonym.studio.workspace import Workspace

ROWS_PER_PAGE = 25


@dataclass(frozen=True)
class Page:
    """One page: its address, the view that shows it, and the forms it takes.

    A page with a `title` is a step of the navigation. `query` names the parameters of its address that undo and cancel
    keep. When an action fails, the page shows why.
    """

    path: str
    view: View
    title: str = ""
    parent: str = ""  # the path of the page that is marked as current in the navigation
    query: tuple[str, ...] = ()
    actions: Mapping[str, Action] = field(default_factory=dict)  # POST, by path
    resources: Mapping[str, View] = field(default_factory=dict)  # GET, by path: JSON, charts, downloads


@dataclass
class PageRequest:
    """A request of the browser, with the table and the plan version at its beginning."""

    workspace: Workspace
    query: Mapping[str, str]
    form: FormData = field(default_factory=FormData)
    pages: Sequence[Page] = ()
    upload_limit: int = 0  # bytes
    problems: Sequence[Problem] = ()  # why the action failed
    field_problems: Mapping[str, Problem] = field(default_factory=dict)  # the same, by form field
    wrong_values: Sequence[str] = ()  # the typed values that were wrong

    def __post_init__(self) -> None:
        """Read the current version."""
        self.read_version()

    def read_version(self) -> None:
        """Read the current version: the page declares that it shows this one, whatever changes meanwhile."""
        with self.workspace.lock:
            self.table = self.workspace.table
            self.version = None if self.table is None else self.table.history.current

    def text(self, name: str, default: str = "") -> str:
        """Return a field of the form or the address, stripped."""
        value = self.form.get(name, self.query.get(name, default))
        return value.strip() if isinstance(value, str) else default

    def raw(self, name: str, default: str = "") -> str:
        """Return a field of the form or the address with its blanks."""
        value = self.form.get(name, self.query.get(name, default))
        return value if isinstance(value, str) else default

    def flag(self, name: str) -> bool:
        """Return whether a checkbox is ticked."""
        return self.text(name) == "yes"

    def number(self, name: str, default: int = 0) -> int:
        """Return a field as a whole number; the default if it is not one."""
        text = self.text(name)
        return int(text) if re.fullmatch(r"\d{1,12}", text) else default

    def files(self, name: str) -> list[UploadFile]:
        """Return the uploaded files of a field."""
        return [x for x in self.form.getlist(name) if isinstance(x, UploadFile) and x.filename]

    def one_file(self, name: str, hint: str = "choose a file.") -> UploadFile:
        """Return the one uploaded file of a field."""
        files = self.files(name)
        if len(files) != 1:
            raise OptionError("No file was chosen.", hint=hint, code="no-file")
        return files[0]

    @property
    def base(self) -> int:
        """The number of the version that the person saw."""
        return self.number("base", -1)

    @property
    def page(self) -> int:
        """The page of a long table, from 1."""
        return max(1, self.number("page", 1))

    def without_paths(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems with file names in place of paths of the private folder."""
        return [replace(x, text=self._without_paths(x.text), hint=self._without_paths(x.hint)) for x in problems]

    def _without_paths(self, text: str) -> str:
        for path, name in self.workspace.file_names.items():
            text = text.replace(path, name)
        return re.sub(re.escape(str(self.workspace.folder)) + r"[\w./-]*/", "", text)


View = Callable[[PageRequest], Response]
Action = Callable[[PageRequest], "str | Job | Response"]  # returns the next address, a job, or an answer


class FormError(PlanError):
    """Problems of a form, by field."""

    def __init__(self, field_problems: Mapping[str, Problem]) -> None:
        super().__init__(list(field_problems.values()))
        self.field_problems = field_problems


def address(path: str, **query: object) -> str:
    """Return an address with its parameters; empty ones are left out.

    >>> address("/words", column="job", page=0)
    '/words?column=job'
    """
    present = {name: value for name, value in query.items() if value not in ("", None, 0)}
    return f"{path}?{urlencode(present)}" if present else path


def page_of(number: int, requested: int) -> tuple[int, int]:
    """Return the page to show of a number of rows, and the number of pages.

    >>> page_of(60, 9)
    (3, 3)
    """
    pages = max(1, -(-number // ROWS_PER_PAGE))
    return min(requested, pages), pages


def require_choice(value: str, choices: Iterable[str], what: str) -> str:
    """Return a value if it is one of the choices; raise an error otherwise."""
    choices = list(choices)
    if value not in choices:
        raise PlanError([unknown(what, value, choices)])
    return value
