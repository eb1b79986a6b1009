"""The plan itself: checked when it is made, saved and loaded as TOML, run on a frame or a file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cells import MISSING
from allonym.errors import PlanError
from allonym.kinds.registry import is_multivalued
from allonym.methods import METHODS, find, method_parameters
from allonym.methods.base import KAnonymityMethod, Method
from allonym.parameters import parameters_of, problems_of
from allonym.plan import privacy as promises
from allonym.plan import toml
from allonym.plan.column import Column, unknown
from allonym.plan.privacy import Privacy
from allonym.progress import Progress, no_progress
from allonym.tables.files import Reading

if TYPE_CHECKING:
    from allonym.pipeline.check import Check
    from allonym.pipeline.evaluate import Evaluation
    from allonym.pipeline.fit import Fitted
    from allonym.pipeline.run import Release

DEFAULT_METHOD = "sa-mdav"
ABOUT = toml.RELEASE_KEYS


class _MethodField:
    """The field `method` of a plan: takes a name or a method, gives the method."""

    def __get__(self, plan: Plan | None, owner: type | None = None) -> Method:
        if plan is None:
            return DEFAULT_METHOD  # type: ignore[return-value]  # the default of the field
        return plan.__dict__["method"]

    def __set__(self, plan: Plan, method: str | Method) -> None:
        plan.__dict__["method"] = method


@dataclass(frozen=True)
class Plan:
    """What each column is, which method masks, and how.

    >>> import allonym as al
    >>> Plan(columns={"job": al.quasi("wordnet:person"), "age": al.quasi("numeric")}, k=3, seed=7).method
    SAMDAV(k=3, represent='centroid', refine=False, growth='plain')
    """

    columns: Mapping[str, Column]
    method: _MethodField = _MethodField()
    k: int | None = None  # 5, unless the method or this says otherwise
    seed: int | None = None  # 0; where every row has draws of its own, one nobody knows
    long: bool = False  # whether a table has a row for each item of its one column of sets
    keep_rest: bool = False  # whether columns that are not listed stay as they are
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the method, besides k
    privacy: Sequence[Privacy] = ()  # what is promised of sensitive columns, besides k
    about: Mapping[str, str] = field(default_factory=dict)  # title, purpose, decided_by, note
    reading: Reading = field(default_factory=Reading)
    missing: Sequence[str] = MISSING  # what cells say that have nothing to say
    folder: Path = Path()  # what paths are relative to
    _built: Method | None = field(default=None, repr=False, compare=False)  # the method, if made from a name

    def __post_init__(self) -> None:
        """Build the method, and refuse a plan that cannot be run on any table."""
        if self.method is self._built and self._built is not None:  # `replace` may have changed its parameters
            object.__setattr__(self, "method", self._built.name)
        problems = list(self._problems())
        if problems:
            raise PlanError(problems)
        if not isinstance(self.method, Method):
            method = self._named()
            object.__setattr__(self, "method", method)
            object.__setattr__(self, "_built", method)

    def _problems(self) -> Iterator[str]:
        yield from self._column_problems()
        yield from self._method_problems()
        yield from promises.problems(self)
        k = getattr(self.method, "k", None) if isinstance(self.method, Method) else self.k
        problem = None if k is None else parameters_of(KAnonymityMethod)["k"].problem(k)
        if problem is not None:
            yield str(problem)
        seed = 0 if self.seed is None else self.seed
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
            yield "the seed must be a whole number from 0 to 2^64 - 1."
        for name, given in (("keep_rest", self.keep_rest), ("long", self.long)):
            if not isinstance(given, bool):
                yield f"{name} must be true or false."
        yield from (f"about: {unknown('key', name, ABOUT)}" for name in self.about if name not in ABOUT)

    def _column_problems(self) -> Iterator[str]:
        columns = {name: column for name, column in self.columns.items() if isinstance(column, Column)}
        for name in (name for name in self.columns if name not in columns):
            yield f"column {name} must be a role such as al.quasi(…), not {type(self.columns[name]).__name__}."
        for name, column in columns.items():
            yield from (f"column {name}: {problem}" for problem in column.problems())
        roles = [column.role for column in columns.values()]
        sets = sum(is_multivalued(column.kind) for column in columns.values())
        if self.long and (sets != 1 or "unit" not in roles):
            yield "a long table needs one column of sets and a unit. Hint: --set ITEM=… and --unit WHO."
        for role in (r for r in ("unit", "weight") if roles.count(r) > 1):
            yield f"{roles.count(role)} columns have the role {role}; one can."
        if "quasi" not in roles:
            yield "no column has the role quasi. Hint: name the columns that others may know."

    def _method_problems(self) -> Iterator[str]:
        if isinstance(self.method, Method):
            if self.k is not None:
                yield "k is given twice, for the plan and for its method. Hint: give it once."
            if self.parameters:
                yield "parameters are given twice, for the plan and for its method. Hint: give them once."
            yield from (f"method {self.method.name}: {problem}" for problem in problems_of(self.method, skip=("k",)))
            return
        kind = find(str(self.method))
        if kind is None:
            yield unknown("method", self.method, list(METHODS))
            return
        if self.k is not None and not issubclass(kind, KAnonymityMethod):
            yield f"method {self.method} promises no k. Hint: leave k out, or choose another method."
        known = [name for name in method_parameters(str(self.method)) if name != "k"]
        strange = [name for name in self.parameters if name not in known]
        for name in strange:
            if name in ("k", "seed"):
                yield f"method {self.method}: {name} is given to the plan itself. Hint: {name}=…, not in parameters."
            else:
                own = ["name", "k", "seed"] if issubclass(kind, KAnonymityMethod) else ["name", "seed"]
                yield f"method {self.method}: {unknown('parameter', name, [*own, *known])}"
        if not strange:
            made = kind(**self.parameters)
            yield from (f"method {self.method}: {problem}" for problem in problems_of(made))

    def _named(self) -> Method:
        kind = find(str(self.method))
        assert kind is not None
        return kind(**self.parameters, **({} if self.k is None else {"k": self.k}))

    @property
    def chosen(self) -> Method:
        """The method; use `plan.method`."""
        warnings.warn("plan.chosen is now plan.method.", DeprecationWarning, stacklevel=2)
        return self.method

    @property
    def files(self) -> list[Path]:
        """The files that the plan names: links, hierarchies, ontologies, levels and candidates."""
        named: list[Any] = []
        for column in self.columns.values():
            named += [*column.links, column.hierarchy, column.levels, column.candidates, *column.ontology]
        texts = [str(x) for x in named if isinstance(x, (str, Path)) and str(x)]
        return [self.folder / part for x in texts for part in {x, x.partition("#")[0]}]

    # --- TOML ------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan; every problem is told at once, and paths are relative to the plan."""
        return toml.load(Path(path), cls)

    def save(self, path: str | Path) -> None:
        """Write the plan as TOML."""
        toml.save(self, Path(path))

    # --- use -------------------------------------------------------------------------------------------------

    def check(self, source: Any, tick: Progress = no_progress) -> Check:
        """Say everything about a frame or a file that this plan would meet; mask nothing."""
        from allonym.pipeline.check import check

        return check(self, source, tick)

    def fit(self, source: Any, tick: Progress = no_progress) -> Fitted:
        """Fit a method that goes row by row to a frame or a file: it then masks records alone, in batches or streams.

        >>> import allonym as al, pandas as pd
        >>> plan = Plan({"job": al.quasi("wordnet:person")}, method="noise", seed=1)
        >>> plan.fit(pd.DataFrame({"job": ["nurse", "cook", "baker"]})).mask_one({"job": "nurse"}, key=5)
        {'job': 'nurse-midwife'}
        """
        from allonym.pipeline.fit import fit

        return fit(self, source, tick)

    def evaluate(self, original: Any, masked: Any, **options: Any) -> Evaluation:
        """Measure a masked table, ours or another tool's, against the original; both are files or frames.

        Options: `key` (the column that says which row is which, else they go by position), `earlier` (another release
        of the same people), `balance` of the score, `threshold` of risk, `attackers` (other measures of similarity for
        linkage by meaning), `m` (items of a set that an attacker knows), `tick`.
        """
        from allonym.pipeline.evaluate import evaluate

        return evaluate(self, original, masked, **options)

    def run(
        self,
        source: Any,
        output: str | Path | None = None,
        tick: Progress = no_progress,
        *,
        balance: float = 0.5,
        engine: str | None = None,
        master: str | None = None,
        partition_by: Sequence[str] = (),
        blocks_from: int | None = None,
    ) -> Release:
        """Mask a frame, giving back the same type; or a file, writing a verified release to `output`.

        A lazy frame of polars, a relation of DuckDB or a table of Spark stays in its engine. Large files of Parquet are
        masked by an engine (`duckdb`, `polars`, or `spark` at a `master`; `memory`: none), also those of a folder or a
        pattern; `partition_by` names columns by which what is written is parted into folders. `blocks_from`: from how
        many distinct tuples on they are grouped in blocks. `balance` is that of the score in the summary: 1 is all
        loss, 0 all linkage.
        """
        from allonym.pipeline.engines import ExecutionOptions
        from allonym.pipeline.run import run

        parts = partition_by if isinstance(partition_by, str) else tuple(partition_by)
        way = ExecutionOptions(engine, master, parts, blocks_from)
        return run(self, source, output, tick, balance, way)
