"""A plan fitted to a table: masks records that come alone, in batches or as a stream, with the same draws each way."""

from __future__ import annotations

import json
import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Keys
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import OptionError, PlanError, Problem, TableError
from allonym.kinds.domain import Domain
from allonym.kinds.linking import concept_style, concept_writer
from allonym.kinds.numbers import MAX_DECIMALS, decimals_of, number_label, numbers_of, to_number
from allonym.methods.draws import key_of, words, words_of_one
from allonym.methods.exponential import Candidates, Exponential
from allonym.methods.noise import Noise, NumericNoise, SemanticNoise
from allonym.methods.randomise import Drawing
from allonym.methods.record_level import Perturbation, RecordLevelMethod, summed
from allonym.ontology.linking.link import link
from allonym.ontology.scope import Scope
from allonym.parameters import is_number
from allonym.pipeline import record_level as rows
from allonym.pipeline.encoding import open_scopes
from allonym.pipeline.prepare import Prepared, opened, prepare
from allonym.pipeline.run import problems_of
from allonym.plan import toml
from allonym.plan.column import Column
from allonym.progress import Progress
from allonym.records import Value
from allonym.release.write import save_text
from allonym.tables.files import open_any

if TYPE_CHECKING:
    from allonym.plan.model import Plan

FORMAT = 1
SEEN = 100_000  # new words whose concepts are kept


class _Fitted(ABC):
    """One column: what its cells mean, what they may become, and how that is written."""

    perturbation: Perturbation

    @abstractmethod
    def meaning(self, cell: Any) -> Value:
        """Return what a cell that says something means."""

    @abstractmethod
    def written(self, value: Value, like: Any) -> Any:
        """Return how a value is written in a column whose cells are like one."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return what is saved of the column."""


@dataclass(frozen=True, eq=False)
class _Words(_Fitted):
    """A column of words."""

    name: str
    column: Column
    scope: Scope
    links: Mapping[str, int | None]
    perturbation: Perturbation
    way: str  # how concepts are written
    individuals: bool
    _seen: dict[str, int | None] = field(default_factory=dict)  # words that were not in the table
    _labels: dict[Value, str] = field(default_factory=dict)

    def meaning(self, cell: Any) -> Value:
        """Return the concept of a word: as it was understood, else its first sense."""
        text = str(cell)
        if text not in self.links and text not in self._seen:
            if len(self._seen) >= SEEN:
                self._seen.clear()
            options: dict[str, Any] = {"language": self.column.language, "individuals": self.individuals}
            found = link([text], self.scope, senses="first", suggest=False, **options)[0]
            known = found.status == "sure" or (found.status == "review" and self.column.accept_review)
            self._seen[text] = found.concept if known else None
        concept = self.links[text] if text in self.links else self._seen[text]
        domain = getattr(self.perturbation, "domain", None)
        if concept is not None and (concept not in self.scope or (domain and domain.place(concept) < 0)):
            concept = None
        if concept is None and self.column.unmatched != "suppress":
            raise TableError(
                f"A word in column {self.name} is not understood.",
                hint="settle it in the links of the plan and fit again, or say unmatched = suppress.",
                values=[text],
            )
        return concept

    def written(self, value: Value, like: Any) -> Any:
        """Return the label of a concept, or its code; as a number, where cells are numbers."""
        if value is None:
            return None
        if value not in self._labels:
            self._labels[value] = concept_writer(self.scope.taxonomy, self.way)(value)
        label = self._labels[value]
        return int(label) if isinstance(like, int) and label.isdecimal() else label

    def to_dict(self) -> dict[str, Any]:
        """Return the links and what was fitted, by ids."""
        ids = self.scope.taxonomy.ids
        told: dict[str, Any] = {
            "kind": "text",
            "ontology": {"name": self.scope.name, "sha256": self.scope.taxonomy.source.sha256},
            "written": self.way,
            "individuals": self.individuals,
            "links": {text: None if c is None else ids[c] for text, c in self.links.items()},
        }
        match self.perturbation:
            case SemanticNoise(mean=mean, variance=variance):
                told |= {"mean": ids[mean], "variance": variance}
            case Drawing(known=known, counts=counts):
                told |= {"values": [ids[c] for c in known], "counts": list(counts)}
            case Candidates(candidates=candidates):
                told |= {"candidates": [None if c is None else ids[c] for c in candidates]}
        return told


@dataclass(frozen=True, eq=False)
class _Numbers(_Fitted):
    """A column of numbers."""

    name: str
    decimals: int
    comma: bool
    as_text: bool  # whether cells of the table were text
    perturbation: Perturbation

    def meaning(self, cell: Any) -> Value:
        """Return the number of a cell."""
        number = to_number(str(cell), self.comma)
        if number is None:
            raise TableError(f"A value in column {self.name} is no number.", hint="mend it.", values=[str(cell)])
        return number

    def written(self, value: Value, like: Any) -> Any:
        """Return a number with the column's decimals, as text where the table had text."""
        return number_label(value, self.decimals, self.comma, as_text=self.as_text)

    def to_dict(self) -> dict[str, Any]:
        """Return what was fitted."""
        told: dict[str, Any] = {"kind": "numeric", "decimals": self.decimals, "comma": self.comma}
        told["as_text"] = self.as_text
        match self.perturbation:
            case NumericNoise(mean=mean, variance=variance):
                told |= {"mean": mean, "variance": variance}
            case Drawing(known=known, counts=counts):
                told |= {"values": list(known), "counts": list(counts)}
        return told


class Fitted:
    """Masks records by a plan whose method goes row by row; `Plan.fit` makes one.

    The draws of a row go by the seed, the column and its key: the plan's key column, else the number of the row.
    """

    def __init__(self, plan: Plan, seed: int | None, columns: dict[str, _Fitted], row: int = 0) -> None:
        self.plan, self.seed = plan, seed
        self._columns = columns
        self._names = {name: key_of(name) for name in columns}
        self._dropped = [name for name, c in plan.columns.items() if c.role in ("identifier", "unit")]
        self._key = plan.method.key
        self._row = row  # the number of the next

    # --- masking ---------------------------------------------------------------------------------------------

    def mask_one(self, record: Mapping[str, Any], key: int | str | None = None) -> dict[str, Any]:
        """Mask one record, a mapping from columns to cells; without a key it is the next row.

        `key` is the number of the row, or, where the plan has a key column, its text.
        """
        lost = [name for name in self._columns if name not in record]
        lost += [self._key] if self._key and key is None and self._key not in record else []
        if lost:
            raise TableError(f"The record has no {', '.join(lost)}.", hint="every column of the plan must be there.")
        self._all_have_roles(record)
        number = self._number(record, key)
        found = {name: cell for name, cell in record.items() if name not in self._dropped}
        for name, column in self._columns.items():
            cell = record[name].strip() if isinstance(record[name], str) else record[name]
            value = None if self._says_nothing(cell) else column.meaning(cell)
            drawn = words_of_one(self.seed, self._names[name], number)
            found[name] = column.written(column.perturbation.one(value, drawn), cell)
        return found

    def _all_have_roles(self, names: Iterable[str]) -> None:
        extra = [] if self.plan.keep_rest else [name for name in names if name not in self.plan.columns]
        if extra:
            raise TableError(f"{len(extra)} columns have no role in the plan.", hint="name them, or keep the rest.")

    def _says_nothing(self, cell: Any) -> bool:
        """Tell whether a cell is null, in whatever way a library has for that, or says so."""
        if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
            return True
        return is_missing(cell, self.plan.missing) or bool(cell != cell)  # noqa: PLR0124 not a number

    def _number(self, record: Mapping[str, Any], key: int | str | None) -> int:
        """Return what the draws of a record go by."""
        if self._key:
            given = record[self._key] if key is None else key
            if self._says_nothing(given):
                raise TableError(f"The record has no {self._key}, which its draws go by.", hint="fill it in.")
            return key_of(cell_text(given).strip())
        if key is None:
            self._row += 1
            return self._row - 1
        return _row_number(key)

    def stream(self, records: Iterable[Mapping[str, Any]], start: int | None = None) -> Iterator[dict[str, Any]]:
        """Mask records as they come; the first is row number `start`, else the next."""
        self._row = self._row if start is None else _row_number(start)
        for record in records:
            yield self.mask_one(record)

    def mask(self, frame: Any, start: int | None = None) -> Any:
        """Mask a frame, giving back the same type; its first row is row number `start`, else the next.

        What it gives is not verified, as a release by `Plan.run` is.
        """
        if isinstance(frame, (str, Path)):
            raise OptionError("A fitted plan masks frames and records.", hint="Plan.run masks files.")
        table = open_any(frame, self.plan.reading)
        first = self._row if start is None else _row_number(start)
        self._row = first + table.n
        return self._masked(table, np.arange(first, first + table.n, dtype=np.uint64))

    def mask_rows(self, frame: Any, numbers: Keys | None) -> Any:
        """Mask a frame whose rows have these numbers; None, if they go by the plan's key."""
        table = open_any(frame, self.plan.reading)
        return self._masked(table, np.zeros(table.n, np.uint64) if numbers is None else numbers)

    def _masked(self, table: Any, keys: Keys) -> Any:
        """Mask a table whose rows have these numbers."""
        self._all_have_roles(table.names)
        cells = table.cells([x for x in table.names if x in self._columns or x == self._key])
        lost = [x for x in (*self._columns, self._key) if x and x not in cells]
        if lost:
            raise TableError(f"The table has no {', '.join(lost)}.", hint="every column of the plan must be there.")
        if self._key:
            if any(map(self._says_nothing, cells[self._key].values)):
                raise TableError(f"Some rows have no {self._key}, which draws go by.", hint="fill it in.")
            texts = [key_of(cell_text(x)) for x in cells[self._key].values]
            keys = np.array(texts, np.uint64)[cells[self._key].codes]
        written = {name: self._written(name, cells[name], keys) for name in self._columns}
        dropped = [x for x in self._dropped if x in table.names]
        return table.changed(written, dropped, discard_style=self.plan.method.info.data_independent)

    def _written(self, name: str, cells: Cells, keys: Keys) -> Cells:
        """Return the masked cells of a column."""
        column = self._columns[name]
        missing = [is_missing(x, self.plan.missing) for x in cells.values]
        values = [None if gone else column.meaning(x) for x, gone in zip(cells.values, missing, strict=True)]
        found, places = column.perturbation.column(values, cells.codes, words(self.seed, name, keys))
        said = (x for x, gone in zip(cells.values, missing, strict=True) if not gone)
        like = next((x for x in said if isinstance(x, (str, int))), "")
        return Cells([column.written(v, like) for v in found], places)

    # --- files -----------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write it as JSON, for its owner only: it has the seed, and the words of the table with what they mean."""
        path = Path(path)
        told = {
            "format": FORMAT,
            "plan": toml.dumped(self.plan, path.parent),
            "seed": self.seed,
            "row": self._row,
            "columns": {name: column.to_dict() for name, column in self._columns.items()},
        }
        save_text(path, json.dumps(told, indent=1, ensure_ascii=False) + "\n", private=True)

    @classmethod
    def load(cls, path: str | Path) -> Fitted:
        """Read what was saved; its ontologies must be the same."""
        from allonym.plan.model import Plan

        path = Path(path)
        try:
            told = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise TableError(f"{path} cannot be read.", hint="it must be what `Fitted.save` wrote.") from error
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise TableError(f"{path} is not of format {FORMAT}.", hint="fit the plan again, and save it.")
        try:
            plan = toml.loads(told["plan"], path, Plan)
            columns = {name: _restored(plan, name, x) for name, x in told["columns"].items()}
            row, seed = _row_number(told["row"]), None if told["seed"] is None else _row_number(told["seed"])
        except (LookupError, TypeError, AttributeError, ValueError, OptionError) as error:
            raise TableError(f"{path} is damaged.", hint="fit the plan again, and save it.") from error
        if set(columns) != {name for name, x in plan.columns.items() if x.role == "quasi"}:
            raise TableError(f"{path} is damaged: columns are missing.", hint="fit the plan again, and save it.")
        return cls(plan, seed, columns, row)


def _row_number(key: Any) -> int:
    """Return a number that a row may have; refuse any other."""
    try:
        number = operator.index(key)
    except TypeError:
        number = -1
    if not 0 <= number < 2**64:
        raise OptionError(
            "The number of a row must be a whole number from 0 on.",
            hint="a key of text needs a key in the plan.",
        )
    return number


def fit(plan: Plan, source: Any, tick: Progress) -> Fitted:
    """Fit a plan to a frame or a file."""
    method = plan.method
    if not isinstance(method, RecordLevelMethod):
        known = "noise, randomise-uniform, randomise-frequency, exponential"
        text = f"method {method.name} masks records together, not one by one."
        raise PlanError([Problem("method-not-fitted", text, f"{known} can be fitted.")])
    found = prepare(plan, opened(plan, source, lines=True), tick)
    problems = [*found.problems, *problems_of(found)]
    if problems or found.records is None:
        raise PlanError(problems)
    constant = [
        x.name for x in found.records.attributes if len([v for v in x.values if v is not None]) < method.info.min_values
    ]
    if constant:
        names = ", ".join(constant)
        text = f"{names}: too few different values to fit {method.name}; others would stay as they are."
        raise PlanError([Problem("too-few-values", text)])
    return fitted_to(found, rows.seed_of(plan))


def fitted_to(found: Prepared, seed: int | None) -> Fitted:
    """Fit a plan to a table that was understood."""
    method, records = found.plan.method, found.records
    assert isinstance(method, RecordLevelMethod)
    assert records is not None
    columns: dict[str, _Fitted] = {}
    for a, attribute in enumerate(records.attributes):
        perturbation = method.fitted(attribute, *summed(records.codes[:, a], records.counts))
        columns[attribute.name] = _fitted(found, attribute.name, perturbation)
    return Fitted(found.plan, seed, columns)


def _fitted(found: Prepared, name: str, perturbation: Perturbation) -> _Fitted:
    plan, coded = found.plan, found.coded[name]
    if name not in found.words:
        texts = [None if is_missing(c, plan.missing) else str(c) for c in coded.cells.values]
        as_text = any(isinstance(c, str) for c, t in zip(coded.cells.values, texts, strict=True) if t is not None)
        return _Numbers(name, decimals_of(texts), numbers_of(texts)[1], as_text, perturbation)
    words_of = found.words[name][0]
    links = {text: x.concept for text, x in words_of.links.items()}
    way = concept_style(words_of.links, words_of.scope, plan.method.codes)
    own = getattr(perturbation, "domain", None)
    individuals = (
        bool(plan.columns[name].individuals) if plan.method.info.data_independent or own is None else own.individuals
    )
    return _Words(name, plan.columns[name], words_of.scope, links, perturbation, way, individuals)


def _check(told: dict[str, Any], method: Any) -> None:
    """Refuse a column whose figures make no sense."""
    numeric, noise = told["kind"] == "numeric", isinstance(method, Noise)
    if numeric and not (type(told["decimals"]) is int and 0 <= told["decimals"] <= MAX_DECIMALS):
        raise ValueError("decimals")
    if noise and not (is_number(told["variance"]) and told["variance"] >= 0):
        raise ValueError("variance")
    if noise and numeric and not is_number(told["mean"]):
        raise ValueError("mean")
    if isinstance(method, Exponential) and not told["candidates"]:
        raise ValueError("candidates")
    if not noise and not isinstance(method, Exponential):
        values, counts = told["values"], told["counts"]
        if not all(type(x) is int and x >= 0 for x in counts) or len(counts) != len(values) or not sum(counts):
            raise ValueError("counts")
        if numeric and not all(is_number(x) for x in values):
            raise ValueError("values")


def _restored(plan: Plan, name: str, told: dict[str, Any]) -> _Fitted:
    """Return a column as it was fitted."""
    column, method = plan.columns[name], plan.method
    _check(told, method)
    if told["kind"] == "numeric":
        numbers: Perturbation = Drawing(tuple(told.get("values", ())), tuple(told.get("counts", ())))
        if isinstance(method, Noise):
            numbers = NumericNoise(told["mean"], told["variance"], method.alpha, told["decimals"])
        return _Numbers(name, told["decimals"], told["comma"], told["as_text"], numbers)
    scope = open_scopes(column, plan.folder)[0]
    taxonomy = scope.taxonomy
    if taxonomy.source.sha256 != told["ontology"]["sha256"]:
        raise TableError(f"The ontology of column {name} has changed since it was fitted.", hint="fit it again.")

    def code(id: str | None) -> int | None:
        return None if id is None else taxonomy.code(id)

    links = {text: code(id) for text, id in told["links"].items()}
    perturbation: Perturbation
    if isinstance(method, Noise):
        domain = Domain(scope, column.measure, column.depth, individuals=told["individuals"])
        mean = taxonomy.code(told["mean"])
        perturbation = SemanticNoise(domain, mean, told["variance"], method.alpha, method.allow_same)
    elif isinstance(method, Exponential):
        domain = Domain(scope, column.measure, column.depth, individuals=True)
        perturbation = Candidates(domain, tuple(map(code, told["candidates"])), method.epsilon)
    else:
        perturbation = Drawing(tuple(map(code, told["values"])), tuple(told["counts"]))
    return _Words(name, column, scope, links, perturbation, told["written"], told["individuals"])
