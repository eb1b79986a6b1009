"""A plan fitted to a table: it masks single records, batches and streams, with the same draws each way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Keys
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import OptionError, PlanError, Problem, TableError
from allonym.methods import METHODS
from allonym.methods.correlation import ErrorCorrelation, column_draws, stored_correlation
from allonym.methods.draws import Draw, DrawOne, key_of, number_of, numbers_of, stream_of, words_of_one
from allonym.methods.record_level import RecordLevelMethod, summed
from allonym.metric import Value
from allonym.pipeline import fitted_file
from allonym.pipeline.budget import Ledger, bounds_persons, person_column
from allonym.pipeline.disclosure.kept import review_kept
from allonym.pipeline.fitted_column import FittedColumn
from allonym.pipeline.keys import method_seed, release_key
from allonym.pipeline.prepare import Prepared, method_problems, prepare
from allonym.pipeline.row_numbers import RowNumbers, row_number
from allonym.pipeline.source import open_source
from allonym.plan import toml
from allonym.plan.column import DROPPED_ROLES
from allonym.progress import Progress
from allonym.release.write import save_text
from allonym.release_key import ReleaseKey
from allonym.tables.files import open_any

if TYPE_CHECKING:
    from allonym.plan.model import Plan


class Fitted:
    """A plan whose method masks row by row, fitted to a table by `Plan.fit`; it masks other records alike.

    The draws of a row depend on the key of the fit, the column, the row's value, and the row's key: its cell in the
    plan's key column, else its number. A row with the same key and the same value is masked alike within one fit. No
    two fits share a draw, nor do a fitted plan and its saved copies, except the one that resumes its stream.
    """

    def __init__(
        self,
        plan: Plan,
        key: ReleaseKey,
        columns: dict[str, FittedColumn],
        row: int = 0,
        *,
        repeatable: bool = False,
        correlation: ErrorCorrelation | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.plan, self.seed = plan, key.seed
        self._release_key = key
        self._columns = columns
        self._correlation = correlation
        self._draws = key.number("method") if repeatable else method_seed(plan, key)
        self._streams = {name: None if self._draws is None else stream_of(self._draws, name) for name in columns}
        self._dropped = [name for name, c in plan.columns.items() if c.role in DROPPED_ROLES]
        self._key = plan.method.key
        self._rows = RowNumbers(row)
        self._ledger = ledger  # what persons have spent, where the plan bounds it
        self._person = person_column(plan)
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
        cells = {x: record[x].strip() if isinstance(record[x], str) else record[x] for x in self._columns}
        values = {
            x: None if self._is_missing(cells[x], x) else c.codec.read_one(cells[x]) for x, c in self._columns.items()
        }
        if self._ledger is not None:
            each = [(name, [self._columns[name].perturbation.answers(x)], [0]) for name, x in values.items()]
            self._ledger.charge_rows([self._person_of(record, key)], [number] if self._key else None, each)
        for (name, column), draw in zip(self._columns.items(), self._draws_of_one(number, values), strict=True):
            masked[name] = column.codec.write(column.perturbation.draw_one(values[name], draw), cells[name])
        return masked

    def _draws_of_one(self, number: int, values: Mapping[str, Value]) -> list[DrawOne]:
        """Return what draws for a record in each column."""
        draws: list[DrawOne] = [partial(words_of_one, self._streams[x], number) for x in values]
        if self._correlation is None:
            return draws
        drawn = [draw(number_of(value)) for draw, value in zip(draws, values.values(), strict=True)]
        return [partial(_drawn_before, own) for own in self._correlation.together_of_one(drawn)]

    def _person_of(self, record: Mapping[str, Any], key: int | str | None) -> int:
        """Return the number of the person that a record is about."""
        assert self._person is not None
        cell = key if self._person == self._key and key is not None else record.get(self._person)
        if self._is_missing(cell, self._person):
            raise TableError(f"The record has an empty {self._person}.", hint="fill in who it is about.")
        return key_of(cell_text(cell).strip())

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
        return self._rows.take() if key is None else row_number(key)

    def stream(self, records: Iterable[Mapping[str, Any]], start: int | None = None) -> Iterator[dict[str, Any]]:
        """Mask records one by one; the first has row number `start`, or else the next one."""
        if start is not None:
            self._rows.restart(start)
        for record in records:
            yield self.mask_one(record)

    def mask(self, frame: Any, start: int | None = None) -> Any:
        """Mask a frame and return the same type; its first row has number `start`, or else the next one.

        The result is not verified as a release by `Plan.run` is.
        """
        if isinstance(frame, (str, Path)):
            raise OptionError("A fitted plan masks frames and records, not files.", hint="Plan.run masks files.")
        table = open_any(frame, self.plan.reading)
        if start is not None:
            self._rows.restart(start)
        first = 0 if self._key else self._rows.take(table.n)
        return self._masked(table, np.arange(first, first + table.n, dtype=np.uint64))

    def mask_rows(self, frame: Any, numbers: Keys | None) -> Any:
        """Mask a frame whose rows have these numbers; None, if the plan has a key column."""
        table = open_any(frame, self.plan.reading)
        return self._masked(table, np.zeros(table.n, np.uint64) if numbers is None else numbers)

    def _masked(self, table: Any, keys: Keys) -> Any:
        """Mask a table whose rows have these numbers."""
        self._check_stream()
        self._check_roles(table.names)
        person = self._person if self._ledger is not None else None
        cells = table.cells([x for x in table.names if x in self._columns or x in (self._key, person)])
        lost = [x for x in dict.fromkeys((*self._columns, self._key, person)) if x and x not in cells]
        if lost:
            raise TableError(f"The table has no {', '.join(lost)}.", hint="every column of the plan must be there.")
        if self._key:
            if any(self._is_missing(x, self._key) for x in cells[self._key].values):
                raise TableError(f"Some rows have an empty key column {self._key}.", hint="fill it in.")
            texts = [key_of(cell_text(x)) for x in cells[self._key].values]
            keys = np.array(texts, np.uint64)[cells[self._key].codes]
        values = {name: self._values(name, cells[name]) for name in self._columns}
        if person is not None:
            if any(self._is_missing(x, person) for x in cells[person].values):
                raise TableError(f"Some rows have an empty {person}.", hint="fill in who they are about.")
            of_cells = [key_of(cell_text(x).strip()) for x in cells[person].values]
            persons = [of_cells[code] for code in cells[person].codes.tolist()]
            each = [
                (name, [self._columns[name].perturbation.answers(x) for x in values[name]], cells[name].codes.tolist())
                for name in values
            ]
            assert self._ledger is not None
            self._ledger.charge_rows(persons, keys.tolist() if self._key else None, each)
        numbers = (numbers_of(own)[cells[name].codes] for name, own in values.items())
        draws = column_draws(self._draws, keys, list(self._columns), numbers, self._correlation)
        written = {x: self._written(x, cells[x], values[x], draw) for x, draw in zip(self._columns, draws, strict=True)}
        dropped = [x for x in self._dropped if x in table.names]
        return table.changed(written, dropped, discard_style=self.plan.method.info.data_independent)

    def _values(self, name: str, cells: Cells) -> list[Value]:
        """Return the values of the distinct cells of a column."""
        codec, missing = self._columns[name].codec, self.plan.missing_in(name)
        return [None if is_missing(x, missing) else codec.read(x) for x in cells.values]

    def _written(self, name: str, cells: Cells, values: list[Value], draw: Draw) -> Cells:
        """Return the masked cells of a column."""
        column = self._columns[name]
        masked, places = column.perturbation.rows(values, cells.codes, draw)
        present = (x for x in cells.values if not is_missing(x, self.plan.missing_in(name)))
        like = next((x for x in present if isinstance(x, (str, int, tuple))), "")
        return Cells([column.codec.write(v, like) for v in masked], places)

    # --- files -----------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, stream: bool = False) -> None:
        """Write the fitted plan as JSON that only its owner can read: it holds the words of the table.

        With `stream`, the file also holds the secret of the draws; who loads it with `resume` continues them. Where the
        draws go by a key column, any number of workers may. Otherwise they go by the numbers of rows: one may, where
        this object stops; a copy of the file cannot be resumed.
        """
        path = Path(path)
        stored = {
            "format": fitted_file.FORMAT,
            "plan": toml.dumped(self.plan, path.parent),
            "columns": {name: column.to_dict() for name, column in self._columns.items()},
            **({} if self._correlation is None else {"correlation": self._correlation.to_dict()}),
        }
        if not stream and self._ledger is not None:
            raise OptionError(
                "Persons have a budget, and a copy would spend it a second time.", hint="save(…, stream=True)."
            )
        if not stream:
            save_text(path, fitted_file.text_of(stored), private=True)
        elif self._key and self._ledger is None:
            fitted_file.save_stream(path, stored, self._release_key, None)
        else:
            self._check_stream()
            self._rows.check()
            spent = None if self._ledger is None else self._ledger.to_dict()
            fitted_file.save_stream(path, stored, self._release_key, self._rows.next, spent)
            self._ended = True

    def _check_stream(self) -> None:
        if self._ended:
            raise OptionError("The stream of this fitted plan was saved.", hint="load the file with resume=True.")

    @classmethod
    def load(cls, path: str | Path, *, resume: bool = False, new_draws: bool = False) -> Fitted:
        """Read a fitted plan that was saved; its ontologies must be unchanged.

        Its draws derive from a new secret. With `resume`, it continues the stream that was saved in the file. Where
        draws go by the numbers of rows, the stream is then removed from the file: it is continued once. Where they go
        by a key column, a new secret would mask a person again, and errors could be averaged out: such a file needs
        `resume`, or `new_draws` if nothing else was or will be masked by this fit.
        """
        from allonym.plan.model import Plan

        path = Path(path)
        stored = fitted_file.read(path)
        try:
            plan = toml.loads(stored["plan"], path, Plan)
            columns = {name: FittedColumn.from_dict(plan, name, x) for name, x in stored["columns"].items()}
            correlated = getattr(plan.method, "correlated", False)
            correlation = stored_correlation(stored, len(columns), correlated=correlated)
        except (LookupError, TypeError, AttributeError, ValueError, OptionError) as error:
            raise TableError(f"{path} is damaged.", hint="fit the plan again, and save it.") from error
        if set(columns) != {name for name, x in plan.columns.items() if x.role == "quasi"}:
            raise TableError(f"{path} is damaged: columns are missing.", hint="fit the plan again, and save it.")
        if resume and (bounds_persons(plan) or not plan.method.key):
            claimed, row, spent = fitted_file.claimed_stream(path)
            ledger = None if spent is None else Ledger.from_dict(spent)
            return cls(plan, claimed, columns, row, correlation=correlation, ledger=ledger)
        if resume:
            return cls(plan, fitted_file.shared_key(path), columns, correlation=correlation)
        key = ReleaseKey.random()
        _refuse_second_answers(plan, path, key, new_draws=new_draws)
        return cls(plan, key, columns, correlation=correlation)


def _drawn_before(drawn: Sequence[int], number: int) -> Sequence[int]:
    """Return the draws of a record that were made for all columns together."""
    return drawn


def _refuse_second_answers(plan: Plan, path: Path, key: ReleaseKey, *, new_draws: bool) -> None:
    """Refuse new draws where the answers of a person must be repeated, or are counted."""
    if bounds_persons(plan):
        text = f"{path} has a budget of persons: new draws would answer them again and spend ε a second time."
        raise OptionError(text, hint="save(…, stream=True) and load(…, resume=True).")
    if plan.method.key and method_seed(plan, key) is not None and not new_draws:
        raise OptionError(
            f"{path} has a key column ({plan.method.key}): with new draws, a person would be masked again by each "
            "worker that loads the file, and the mean of the results reveals the value.",
            hint="save(…, stream=True) and load(…, resume=True) in every worker, or load(…, new_draws=True) if "
            "nothing else is masked by this fit.",
        )


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
    empty = [x.name for x in prepared.records.attributes if not any(v is not None for v in x.values)]
    if empty and method.info.min_values:
        text = f"{', '.join(empty)}: there is no value to fit {method.name} to."
        raise PlanError([Problem("too-few-values", text)])
    return fitted_to(prepared, release_key(prepared, prepared.table.sha256))


def fitted_to(prepared: Prepared, key: ReleaseKey, *, repeatable: bool = False) -> Fitted:
    """Fit a plan to a table that is encoded; `repeatable` draws are the same each time a row is masked."""
    method, records = prepared.plan.method, prepared.records
    assert isinstance(method, RecordLevelMethod)
    assert records is not None
    method = method.for_columns(records.attributes)
    columns: dict[str, FittedColumn] = {}
    for a, attribute in enumerate(records.attributes):
        perturbation = method.perturbation(attribute, *summed(records.codes[:, a], records.counts))
        columns[attribute.name] = FittedColumn.of(prepared, attribute.name, perturbation)
    correlation = method.error_correlation(records)
    ledger = None if repeatable else Ledger.of(prepared.plan, [x.kind for x in records.attributes])
    return Fitted(prepared.plan, key, columns, repeatable=repeatable, correlation=correlation, ledger=ledger)
