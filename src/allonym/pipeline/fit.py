"""A plan fitted to a table: it masks single records, batches and streams, with the same draws each way."""

from __future__ import annotations

import json
import operator
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Keys
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import OptionError, OutputError, PlanError, Problem, TableError
from allonym.methods import METHODS
from allonym.methods.draws import key_of, number_of, numbers_of, stream_of, words, words_of_one
from allonym.methods.record_level import RecordLevelMethod, summed
from allonym.pipeline.disclosure.kept import review_kept
from allonym.pipeline.fitted_column import FittedColumn
from allonym.pipeline.keys import method_seed, release_key
from allonym.pipeline.prepare import Prepared, method_problems, prepare
from allonym.pipeline.source import open_source
from allonym.plan import toml
from allonym.plan.column import DROPPED_ROLES
from allonym.progress import Progress
from allonym.release.write import save_text
from allonym.release_key import ReleaseKey
from allonym.tables.files import open_any

if TYPE_CHECKING:
    from allonym.plan.model import Plan

FORMAT = 1


class Fitted:
    """A plan whose method masks row by row, fitted to a table by `Plan.fit`; it masks other records alike.

    The draws of a row depend on the key of the fit, the column, the row's value, and the row's key: its cell in the
    plan's key column, else its number. A row with the same key and the same value is masked alike within one fit. No
    two fits share a draw, nor do a fitted plan and its saved copies, except the one that resumes its stream.
    """

    def __init__(
        self, plan: Plan, key: ReleaseKey, columns: dict[str, FittedColumn], row: int = 0, *, repeatable: bool = False
    ) -> None:
        self.plan, self.seed = plan, key.seed
        self._release_key = key
        self._columns = columns
        self._draws = key.number("method") if repeatable else method_seed(plan, key)
        self._streams = {name: None if self._draws is None else stream_of(self._draws, name) for name in columns}
        self._dropped = [name for name, c in plan.columns.items() if c.role in DROPPED_ROLES]
        self._key = plan.method.key
        self._row = row  # the number of the next row
        self._ended = False  # whether the stream was saved, for another to continue

    # --- masking ---------------------------------------------------------------------------------------------

    def mask_one(self, record: Mapping[str, Any], key: int | str | None = None) -> dict[str, Any]:
        """Mask one record, a mapping from columns to cells; without a key, it is the next row.

        `key` is the number of the row or, where the plan has a key column, the text of that cell.
        """
        lost = [name for name in self._columns if name not in record]
        lost += [self._key] if self._key and key is None and self._key not in record else []
        if lost:
            raise TableError(f"The record has no {', '.join(lost)}.", hint="every column of the plan must be there.")
        self._check_roles(record)
        number = self._number(record, key)
        masked = {name: cell for name, cell in record.items() if name not in self._dropped}
        for name, column in self._columns.items():
            cell = record[name].strip() if isinstance(record[name], str) else record[name]
            value = None if self._is_missing(cell, name) else column.codec.read(cell)
            drawn = words_of_one(self._streams[name], number, number_of(value))
            masked[name] = column.codec.write(column.perturbation.one(value, drawn), cell)
        return masked

    def _check_roles(self, names: Iterable[str]) -> None:
        extra = [] if self.plan.keep_rest else [name for name in names if name not in self.plan.columns]
        if extra:
            raise TableError(
                f"{len(extra)} columns have no role in the plan.", hint="give each a role, or set keep_rest."
            )

    def _is_missing(self, cell: Any, name: str) -> bool:
        """Tell whether a cell is a missing-value marker, or null as any library writes it."""
        if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
            return True
        return is_missing(cell, self.plan.missing_in(name)) or bool(cell != cell)  # noqa: PLR0124 not a number

    def _number(self, record: Mapping[str, Any], key: int | str | None) -> int:
        """Return the number that keys the draws of a record."""
        self._check_stream()
        if self._key:
            cell = record[self._key] if key is None else key
            if self._is_missing(cell, self._key):
                raise TableError(f"The record has an empty key column {self._key}.", hint="fill it in.")
            return key_of(cell_text(cell).strip())
        if key is None:
            self._row += 1
            return self._row - 1
        return _row_number(key)

    def stream(self, records: Iterable[Mapping[str, Any]], start: int | None = None) -> Iterator[dict[str, Any]]:
        """Mask records one by one; the first has row number `start`, or else the next one."""
        self._row = self._row if start is None else _row_number(start)
        for record in records:
            yield self.mask_one(record)

    def mask(self, frame: Any, start: int | None = None) -> Any:
        """Mask a frame and return the same type; its first row has number `start`, or else the next one.

        The result is not verified as a release by `Plan.run` is.
        """
        if isinstance(frame, (str, Path)):
            raise OptionError("A fitted plan masks frames and records, not files.", hint="Plan.run masks files.")
        table = open_any(frame, self.plan.reading)
        first = self._row if start is None else _row_number(start)
        self._row = first + table.n
        return self._masked(table, np.arange(first, first + table.n, dtype=np.uint64))

    def mask_rows(self, frame: Any, numbers: Keys | None) -> Any:
        """Mask a frame whose rows have these numbers; None, if the plan has a key column."""
        table = open_any(frame, self.plan.reading)
        return self._masked(table, np.zeros(table.n, np.uint64) if numbers is None else numbers)

    def _masked(self, table: Any, keys: Keys) -> Any:
        """Mask a table whose rows have these numbers."""
        self._check_stream()
        self._check_roles(table.names)
        cells = table.cells([x for x in table.names if x in self._columns or x == self._key])
        lost = [x for x in (*self._columns, self._key) if x and x not in cells]
        if lost:
            raise TableError(f"The table has no {', '.join(lost)}.", hint="every column of the plan must be there.")
        if self._key:
            if any(self._is_missing(x, self._key) for x in cells[self._key].values):
                raise TableError(f"Some rows have an empty key column {self._key}.", hint="fill it in.")
            texts = [key_of(cell_text(x)) for x in cells[self._key].values]
            keys = np.array(texts, np.uint64)[cells[self._key].codes]
        written = {name: self._written(name, cells[name], keys) for name in self._columns}
        dropped = [x for x in self._dropped if x in table.names]
        return table.changed(written, dropped, discard_style=self.plan.method.info.data_independent)

    def _written(self, name: str, cells: Cells, keys: Keys) -> Cells:
        """Return the masked cells of a column."""
        column = self._columns[name]
        missing = [is_missing(x, self.plan.missing_in(name)) for x in cells.values]
        values = [None if gone else column.codec.read(x) for x, gone in zip(cells.values, missing, strict=True)]
        masked, places = column.perturbation.column(
            values, cells.codes, words(self._draws, name, keys, numbers_of(values)[cells.codes])
        )
        present = (x for x, gone in zip(cells.values, missing, strict=True) if not gone)
        like = next((x for x in present if isinstance(x, (str, int))), "")
        return Cells([column.codec.write(v, like) for v in masked], places)

    # --- files -----------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, stream: bool = False) -> None:
        """Write the fitted plan as JSON that only its owner can read: it holds the words of the table.

        With `stream`, the file also holds the secret and the position of the draws, and this object ends here: who
        loads the file with `resume` continues where it stopped. A copy of the file cannot be resumed.
        """
        path = Path(path)
        stored = {
            "format": FORMAT,
            "plan": toml.dumped(self.plan, path.parent),
            "columns": {name: column.to_dict() for name, column in self._columns.items()},
        }
        if stream:
            self._check_stream()
            position = {"secret": self._release_key.secret.hex(), "seed": self.seed, "row": self._row}
            _save_stream(path, stored, position)
            self._ended = True
        else:
            save_text(path, _text(stored), private=True)

    def _check_stream(self) -> None:
        if self._ended:
            raise OptionError("The stream of this fitted plan was saved.", hint="load the file with resume=True.")

    @classmethod
    def load(cls, path: str | Path, *, resume: bool = False) -> Fitted:
        """Read a fitted plan that was saved; its ontologies must be unchanged.

        Its draws derive from a new secret. With `resume`, it continues the stream that was saved in the file, which is
        then removed from the file: a stream is continued once.
        """
        from allonym.plan.model import Plan

        path = Path(path)
        stored = _read(path)
        try:
            plan = toml.loads(stored["plan"], path, Plan)
            columns = {name: FittedColumn.from_dict(plan, name, x) for name, x in stored["columns"].items()}
        except (LookupError, TypeError, AttributeError, ValueError, OptionError) as error:
            raise TableError(f"{path} is damaged.", hint="fit the plan again, and save it.") from error
        if set(columns) != {name for name, x in plan.columns.items() if x.role == "quasi"}:
            raise TableError(f"{path} is damaged: columns are missing.", hint="fit the plan again, and save it.")
        key, row = _claimed(path) if resume else (ReleaseKey.random(), 0)
        return cls(plan, key, columns, row)


def _text(stored: Mapping[str, Any]) -> str:
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"


def _read(path: Path) -> dict[str, Any]:
    """Read the file of a fitted plan."""
    try:
        stored = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TableError(f"{path} cannot be read.", hint="name a file that `Fitted.save` wrote.") from error
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise TableError(f"{path} is not of format {FORMAT}.", hint="fit the plan again, and save it.")
    return stored


def _save_stream(path: Path, stored: dict[str, Any], position: dict[str, Any]) -> None:
    """Write a fitted plan with the position of its stream, bound to this very file: a copy is another file."""
    try:
        handle, part = tempfile.mkstemp(prefix=".allonym-", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_text(stored | {"stream": position | {"file": os.fstat(handle).st_ino}}))
        Path(part).replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.", hint="does its folder exist?") from error


def _claimed(path: Path) -> tuple[ReleaseKey, int]:
    """Take the stream out of a file, so that nobody else can continue it; return its key and its next row."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as error:
        hint = f"wait; if no other process is running, remove {lock.name}."
        raise TableError(f"Another process is opening {path}.", hint=hint) from error
    try:
        stored = _read(path)
        stream = stored.pop("stream", None)
        if not isinstance(stream, dict) or stream.get("file") != path.stat().st_ino:
            hint = "save(…, stream=True) stores a stream, for one to continue; load the file without resume."
            raise TableError(f"{path} has no stream to resume: it was taken, or the file is a copy.", hint=hint)
        try:
            seed = None if stream["seed"] is None else _row_number(stream["seed"])
            key, row = ReleaseKey(bytes.fromhex(stream["secret"]), seed), _row_number(stream["row"])
        except (LookupError, TypeError, ValueError, OptionError) as error:
            raise TableError(f"{path} is damaged.", hint="fit the plan again, and save it.") from error
        save_text(path, _text(stored), private=True)
        return key, row
    finally:
        lock.unlink()


def _row_number(key: Any) -> int:
    """Return the number of a row; refuse anything else."""
    try:
        number = operator.index(key)
    except TypeError:
        number = -1
    if not 0 <= number < 2**64:
        raise OptionError(
            "The number of a row must be a whole number from 0 on.",
            hint="for a key of text, name a key column in the plan.",
        )
    return number


def fit(plan: Plan, source: Any, tick: Progress) -> Fitted:
    """Fit a plan to a frame or a file."""
    method = plan.method
    if not isinstance(method, RecordLevelMethod):
        names = ", ".join(name for name, x in METHODS.items() if issubclass(x, RecordLevelMethod))
        text = f"method {method.name} masks records together, not one by one."
        raise PlanError([Problem("method-not-fitted", text, f"{names} can be fitted.")])
    prepared = prepare(plan, open_source(plan, source), tick)
    problems = [*prepared.problems, *review_kept(prepared).problems, *method_problems(prepared)]
    if problems or prepared.records is None:
        raise PlanError(problems)
    constant = [
        x.name for x in prepared.records.attributes if sum(v is not None for v in x.values) < method.info.min_values
    ]
    if constant:
        names = ", ".join(constant)
        text = f"{names}: too few different values to fit {method.name}; others would stay as they are."
        raise PlanError([Problem("too-few-values", text)])
    return fitted_to(prepared, release_key(prepared, prepared.table.sha256))


def fitted_to(prepared: Prepared, key: ReleaseKey, *, repeatable: bool = False) -> Fitted:
    """Fit a plan to a table that is encoded; `repeatable` draws are the same each time a row is masked."""
    method, records = prepared.plan.method, prepared.records
    assert isinstance(method, RecordLevelMethod)
    assert records is not None
    columns: dict[str, FittedColumn] = {}
    for a, attribute in enumerate(records.attributes):
        perturbation = method.fitted(attribute, *summed(records.codes[:, a], records.counts))
        columns[attribute.name] = FittedColumn.of(prepared, attribute.name, perturbation)
    return Fitted(prepared.plan, key, columns, repeatable=repeatable)
