"""A plan: validated when made, saved and loaded as TOML, run on a frame or a file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from allonym.cells import MISSING
from allonym.errors import PlanError, Problem
from allonym.kinds.registry import is_multivalued
from allonym.methods import DEFAULT_METHOD, METHODS, find
from allonym.methods.base import KAnonymityMethod, Method
from allonym.methods.registry import with_new_names
from allonym.parameters import parameter, parameters_of, problems_of, unknown
from allonym.plan import privacy as promises
from allonym.plan import toml
from allonym.plan.column import Column
from allonym.plan.privacy import Privacy
from allonym.plan.toml import RELEASE_KEYS
from allonym.progress import Progress, no_progress
from allonym.tables.files import Reading

if TYPE_CHECKING:
    from allonym.pipeline.check import Check
    from allonym.pipeline.evaluate import Evaluation
    from allonym.pipeline.fit import Fitted
    from allonym.pipeline.run import Release


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
    """The role and kind of each column, the method, and the privacy models that a release must meet.

    >>> import allonym as al
    >>> plan = Plan(columns={"job": al.quasi("wordnet:person"), "age": al.quasi("numeric")}, k=3, seed=7)
    >>> plan.method.name, plan.method.required_k
    ('sa-mdav', 3)
    """

    columns: Mapping[str, Column]
    method: _MethodField = _MethodField()
    k: int | None = None  # that of the method, unless given
    seed: int | None = parameter(
        None,
        "Seed of the random draws: the same table, plan and seed give the same release. Without it, draws are secret.",
        type=int,
        minimum=0,
        maximum=2**64 - 1,
    )
    long: bool = parameter(False, "The table has one row for each item of its column of sets.")
    keep_rest: bool = parameter(False, "Columns that are not listed are kept unchanged.")
    rows_are_persons: bool = parameter(False, "Every row is another person, although identifiers repeat.")
    row_order: str = parameter(
        "shuffle", "Order of the rows of a file: shuffled, or kept as in the table.", choices=("shuffle", "keep")
    )
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the method, besides k
    privacy: Sequence[Privacy] = ()  # privacy models of sensitive columns, besides k
    about: Mapping[str, str] = field(default_factory=dict)  # the keys of `ReleaseInfo`
    reading: Reading = field(default_factory=Reading)
    missing: Sequence[str] = parameter(MISSING, "Missing-value markers.", type=str, many=True)
    folder: Path = Path()  # that paths are relative to
    sha256_as_read: ClassVar[str | None] = None  # of the file, set on a plan that was loaded and not changed since
    _built: Method | None = field(default=None, repr=False, compare=False)  # the method, if made from a name

    def missing_in(self, name: str) -> tuple[str, ...]:
        """Return the missing-value markers of a column: those of the plan, and its own."""
        own = self.columns[name].missing if name in self.columns else ()
        return (*self.missing, *((own,) if isinstance(own, str) else own))

    def __post_init__(self) -> None:
        """Build the method, and refuse a plan that cannot be run on any table."""
        if self.method is self._built and self._built is not None:  # `replace` may have changed its parameters
            object.__setattr__(self, "method", self._built.name)
        object.__setattr__(self, "parameters", with_new_names(str(self.method), self.parameters))
        problems = list(self._problems())
        if problems:
            raise PlanError(problems)
        if not isinstance(self.method, Method):
            method = self._named()
            object.__setattr__(self, "method", method)
            object.__setattr__(self, "_built", method)

    def _problems(self) -> Iterator[Problem]:
        yield from self._column_problems()
        yield from self._method_problems()
        yield from promises.problems(self)
        k = getattr(self.method, "k", None) if isinstance(self.method, Method) else self.k
        problem = None if k is None else parameters_of(KAnonymityMethod)["k"].problem(k)
        if problem is not None:
            yield problem
        yield from problems_of(self)
        for key in (key for key in self.about if key not in RELEASE_KEYS):
            yield _within("about", unknown("key", key, RELEASE_KEYS))

    def _column_problems(self) -> Iterator[Problem]:
        columns = {name: column for name, column in self.columns.items() if isinstance(column, Column)}
        for name in (name for name in self.columns if name not in columns):
            text = f"a column must be a role such as al.quasi(…), not {type(self.columns[name]).__name__}."
            yield Problem("wrong-type-column", text, column=name)
        for name, column in columns.items():
            yield from (replace(problem, column=name) for problem in column.problems())
            method = type(self.method) if isinstance(self.method, Method) else find(str(self.method))
            if method is not None:
                problems = column.problems_with(method, method.info.name)
                yield from (replace(problem, column=name) for problem in problems)
        roles = [column.role for column in columns.values()]
        sets = sum(is_multivalued(column.kind) for column in columns.values())
        if self.long and (sets != 1 or "unit" not in roles):
            yield Problem("long-without-unit", "a long table needs one column of sets and a column with the role unit.",
                          "--set ITEM=… and --unit PERSON.")  # fmt: skip
        for role in (r for r in ("unit", "household", "weight") if roles.count(r) > 1):
            text = f"{roles.count(role)} columns have the role {role}; only one can."
            yield Problem(f"several-{role}s", text, "give the others another role.")
        if "quasi" not in roles:
            yield Problem("no-quasi", "no column has the role quasi.", "name the columns that others may know.")

    def _method_problems(self) -> Iterator[Problem]:
        where, hint = f"method {getattr(self.method, 'name', self.method)}", "give it once."
        if isinstance(self.method, Method):
            if self.k is not None:
                yield Problem("k-given-twice", "k is given twice, to the plan and to its method.", hint)
            if self.parameters:
                yield Problem("parameters-given-twice", "parameters are given twice, to the plan and to its method.",
                              "give them once.")  # fmt: skip
            yield from (_within(where, problem) for problem in problems_of(self.method, skip=("k",)))
            yield from (_within(where, problem) for problem in self.method.conflicts({}))
            return
        kind = find(str(self.method))
        if kind is None:
            yield unknown("method", self.method, list(METHODS))
            return
        declared = parameters_of(kind)
        if self.k is not None and "k" not in declared:
            yield Problem("k-not-guaranteed", f"{where} guarantees no k.", "leave k out, or choose another method.")
        for name in (x for x in self.parameters if x in ("k", "seed") or x not in declared):
            if name in ("k", "seed"):
                text = f"{name} is given in the parameters of the method."
                yield _within(where, Problem(f"{name}-in-parameters", text, f"give {name} to the plan: {name}=…"))
            else:
                own = [x for x in ("name", "k", "seed") if x != "k" or x in declared]
                problem = unknown("parameter", name, [*own, *(x for x in declared if x != "k")])
                having = [x for x, other in METHODS.items() if name in parameters_of(other)]
                hint = f"{problem.hint} Methods with {name}: {', '.join(having)}." if having else problem.hint
                yield _within(where, replace(problem, hint=hint))
        wrong = [declared[x].problem(self.parameters[x]) for x in self.parameters if x in declared and x != "k"]
        yield from (_within(where, problem) for problem in wrong if problem is not None)
        if set(self.parameters) <= set(declared) - {"k"} and not any(wrong):
            yield from (_within(where, x) for x in kind(**self.parameters).conflicts(self.parameters))

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
        """The files that the plan names: links, abbreviations, hierarchies, ontologies, levels and candidates."""
        paths: list[Any] = []
        for column in self.columns.values():
            paths += [*column.links, column.hierarchy, column.levels, column.candidates, *column.ontology]
            paths += [column.abbreviations]
        texts = [str(x) for x in paths if isinstance(x, (str, Path)) and str(x)]
        return [self.folder / part for x in texts for part in {x, x.partition("#")[0]}]

    # --- TOML ------------------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan; all problems are reported at once, and paths are relative to the plan."""
        return toml.load(Path(path), cls)

    def save(self, path: str | Path, *, schema: str = toml.SCHEMA_FILE) -> None:
        """Write the plan as TOML; the first line names its JSON Schema, for editors, unless `schema` is empty."""
        toml.save(self, Path(path), schema)

    # --- use -------------------------------------------------------------------------------------------------

    def check(self, source: Any, tick: Progress = no_progress, **options: Any) -> Check:
        """Check the plan against a frame or a file without masking it.

        Options: `population` (a file or a frame with quasi-identifiers of the whole population), `combination_size`
        (columns in a combination that makes people unique, at most; 0 skips the search); `engine`, `master`,
        `partition_by` and `blocks_from`, as in `run`.
        """
        from allonym.pipeline.check import check
        from allonym.pipeline.source import ExecutionOptions

        execution = {x: options.pop(x) for x in ("engine", "master", "partition_by", "blocks_from") if x in options}
        return check(self, source, tick, options=ExecutionOptions(**execution), **options)

    def fit(self, source: Any, tick: Progress = no_progress) -> Fitted:
        """Fit a record-level method to a frame or a file: it then masks single records, batches or streams.

        >>> import allonym as al, pandas as pd
        >>> plan = Plan({"job": al.quasi("wordnet:person")}, method="noise", seed=1)
        >>> plan.fit(pd.DataFrame({"job": ["plumber", "cook", "dentist"]})).mask_one({"job": "plumber"}, key=2)
        {'job': 'barber'}
        """
        from allonym.pipeline.fit import fit

        return fit(self, source, tick)

    def evaluate(self, original: Any, masked: Any, **options: Any) -> Evaluation:
        """Measure a masked table, from any tool, against the original; both are files or frames.

        Options: `key` (the column that identifies rows), or `row_map` (the row map of a shuffled release); by default
        rows of pandas frames with the same index match by its labels, all others by position. `earlier` (another
        release of the same people) and `earlier_row_map`, `balance` of the score, `threshold` of risk, `attackers`
        (other similarity measures for linkage by meaning), `m` (items of a set that an attacker knows), `population`
        and `combination_size` (as in `check`), `exact_risk` (as in `run`), `clusters` (how many are compared, 14, or
        "auto": as many as the variance ratio suggests), `tick`.
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
        row_map: str | Path | None = None,
        exact_risk: bool = False,
        optimality_gap: bool = False,
    ) -> Release:
        """Mask a frame and return the same type; or mask a file and write a verified release to `output`.

        A frame comes back in the order in which it was given. The rows of a file are shuffled, unless the plan keeps
        their order; `row_map` is a file, readable by its owner only, that tells which row is which.

        A lazy frame of polars, a relation of DuckDB or a table of Spark stays in its engine. An engine masks large
        Parquet files, folders and patterns (`duckdb`, `polars`, or `spark` at a `master`; `memory`: none);
        `partition_by` names columns whose values partition the release into folders. From `blocks_from` distinct tuples
        on, tuples are grouped in blocks. `balance` weighs the score in the summary: 1 is all loss, 0 all linkage.
        Risks that would cost more than masking are measured on a sample of records; with `exact_risk`, on all. The
        summary's `optimality` is a lower bound on the loss of all releases with this k, if it is computed fast; with
        `optimality_gap`, even if that takes minutes.
        """
        from allonym.pipeline.run import run
        from allonym.pipeline.source import ExecutionOptions

        parts = partition_by if isinstance(partition_by, str) else tuple(partition_by)
        options = ExecutionOptions(engine, master, parts, blocks_from, row_map, exact_risk, optimality_gap)
        return run(self, source, output, tick, balance, options)


def _within(where: str, problem: Problem) -> Problem:
    """Return a problem whose text begins with what it is about."""
    return replace(problem, text=f"{where}: {problem.text}")
