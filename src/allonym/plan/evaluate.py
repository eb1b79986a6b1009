"""Measuring any masked file, ours or another tool's, against the table it was made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allonym.errors import OptionError, PlanError, TableError, listed, many
from allonym.knowledge.linking import link
from allonym.knowledge.scope import Scope
from allonym.knowledge.similarity import MEASURES
from allonym.masking.base import Tick, silent
from allonym.measures import privacy, risk
from allonym.measures.measurement import BALANCE, THRESHOLD, Measurement, linkage_by_meaning, measured
from allonym.metrics.taxonomy import Taxonomic
from allonym.plan.columns import Column
from allonym.plan.prepare import Prepared, guessed_kind, levels_of, opened, part_of, prepare, refused
from allonym.records import Attribute, Ints, Pairs, Value, distinct
from allonym.tables import encode
from allonym.tables.base import Cells, Table, merged
from allonym.tables.encode import Coded
from allonym.tables.files import Reading
from allonym.tables.sets import CodedSets

if TYPE_CHECKING:
    from allonym.plan.plan import Plan

TOP = "*"  # what generalisation tools write for anything
RECURSIVE = 3.0  # c of (c, l)-diversity


ITEMS = 2  # that an attacker is taken to know of a set


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a release lost, what it still tells, and what it promises."""

    records: int
    units: int | None
    tuples: tuple[int, int]  # before and after
    suppressed: int
    privacy: Sequence[Mapping[str, Any]]
    measures: Mapping[str, Measurement]
    sizes: Ints = field(repr=False)  # of the groups, in persons
    attackers: Mapping[str, Measurement] = field(default_factory=dict)  # linkage by meaning under other measures
    earlier: Mapping[str, Any] | None = None
    strange: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)  # masked values not understood

    @property
    def summary(self) -> dict[str, Any]:
        """The figures, as they are printed as JSON; no values of the data."""
        measures = {name: x.told() for name, x in self.measures.items()}
        if self.attackers:
            measures["semantic_linkage"]["by_measure"] = {name: x.told() for name, x in self.attackers.items()}
        return {
            "format": 1,
            "records": self.records,
            "units": self.units,
            "tuples": {"before": self.tuples[0], "after": self.tuples[1]},
            "suppressed": self.suppressed,
            "not_understood": {name: len(values) for name, values in self.strange.items()},
            "privacy": [dict(x) for x in self.privacy],
            "groups": group_sizes(self.sizes),
            "measures": measures,
            "earlier": None if self.earlier is None else dict(self.earlier),
        }


def evaluate(
    plan: Plan,
    original: Any,
    masked: Any,
    *,
    key: str | None = None,
    earlier: Any = None,
    balance: float = BALANCE,
    threshold: float = THRESHOLD,
    attackers: Sequence[str] = (),
    m: int = ITEMS,
    tick: Tick = silent,
) -> Evaluation:
    """Measure a masked table against the original, both files or frames."""
    _check(balance, threshold, attackers, m)
    found = prepare(plan, opened(plan, original), part_of(tick, 0, 2))
    if found.problems or found.records is None:
        raise refused(found.problems, found)
    if not found.table.n:
        raise TableError("The original has no rows: there is nothing to measure.")
    release = _Release(found, masked, key, "the masked table")
    columns = {name: release.understood(name) for name in found.having("quasi")}
    facts = {name: release.fact(name) for name in found.having("sensitive")}
    common: dict[str, Any] = {
        "attributes": tuple(x.attribute for x in columns.values()),
        "original": [found.coded[name].original_of[found.coded[name].cells.codes] for name in columns],
        "masked": [x.codes for x in columns.values()],
        "weights": found.weights,
        "units": found.units,
        "sensitive": tuple(attribute for attribute, _ in facts.values()),
        "facts": [codes for _, codes in facts.values()],
        "looked": distinct([_in_order(found.coded[name], found.cells[name]).codes for name in columns])[0],
    }
    pairs = Pairs.of_rows(**common, looks=release.looks)
    together = None
    if earlier is not None:
        before = _Release(found, earlier, key, "the earlier release", partial=True)
        joint = Pairs.of_rows(**common, looks=risk.together(release.looks, before.looks))
        together = _narrowed(pairs, Pairs.of_rows(**common, looks=before.looks), joint)
    return Evaluation(
        records=found.table.n,
        units=None if found.units is None else found.records.persons,
        tuples=(len(found.records), int((pairs.sizes > 0).sum())),
        suppressed=int((release.looks < 0).sum()),
        privacy=[
            *_promises(pairs, plan.chosen.k_asked, list(columns), plan.chosen.by_column),
            *release.combinations(plan.chosen.k_asked, m),
        ],
        measures=measured(
            pairs,
            plan.chosen.k_asked,
            balance=balance,
            threshold=threshold,
            seed=plan.seed or 0,
            tick=part_of(tick, 1, 2),
        ),
        sizes=pairs.sizes[pairs.sizes > 0],
        attackers={name: linkage_by_meaning(pairs, name, plan.seed or 0) for name in attackers},
        earlier=together,
        strange={name: x.strange for name, x in columns.items() if x.strange},
    )


def _check(balance: float, threshold: float, attackers: Sequence[str], m: int) -> None:
    """Refuse options that make no sense."""
    if m < 1:
        raise OptionError(f"m is {m}, it must be at least 1.")
    for what, value in (("balance", balance), ("threshold", threshold)):
        if not 0 <= value <= 1:
            raise OptionError(f"The {what} is {value:g}, it must be from 0 to 1.")
    for name in attackers:
        if name not in MEASURES:
            raise OptionError.of("measure", name, list(MEASURES))


def group_sizes(sizes: Ints) -> dict[str, Any]:
    """Return how many groups have how many persons."""
    edges = [1, 2, 3, 5, 10, 20, 50, 100, 1000]
    bins = [(low, high - 1) for low, high in zip(edges, [*edges[1:], np.inf], strict=True)]
    counted = {
        str(low) if low == high else f"{low}-{int(high)}" if np.isfinite(high) else f"{low}-": int(
            ((sizes >= low) & (sizes <= high)).sum()
        )
        for low, high in bins
    }
    return {
        "number": len(sizes),
        "smallest": int(sizes.min(initial=sizes.max(initial=0))),
        "median": float(np.median(sizes)) if sizes.size else 0.0,
        "mean": float(sizes.mean()) if sizes.size else 0.0,
        "largest": int(sizes.max(initial=0)),
        "by_size": counted,
    }


def _promises(pairs: Pairs, k: int, columns: list[str], by_column: bool) -> list[dict[str, Any]]:
    """Return what holds of the release: k as the plan asks, of all columns or of each, and what it reaches beyond."""
    parts = [(columns, pairs)]
    if by_column:
        parts = [([name], pairs.column(a)) for a, name in enumerate(columns)]
    told: list[dict[str, Any]] = []
    for names, part in parts:
        reached = privacy.k_anonymity(part)
        asked, holds = (k, reached >= k) if k > 1 else (None, None)
        told.append({"model": "k-anonymity", "columns": names, "asked": asked, "reached": reached, "holds": holds})
    for a, attribute in enumerate(pairs.sensitive):
        for model, figure in (
            ("p-sensitive k-anonymity", privacy.l_diversity(pairs, a)),
            ("distinct l-diversity", privacy.l_diversity(pairs, a)),
            ("entropy l-diversity", privacy.entropy_l_diversity(pairs, a)),
            (f"recursive ({RECURSIVE:g},l)-diversity", privacy.recursive_l_diversity(pairs, a, RECURSIVE)),
            ("t-closeness", privacy.t_closeness(pairs, a)),
        ):
            told.append({"model": model, "columns": [attribute.name], "asked": None, "reached": figure, "holds": None})
    return told


def _narrowed(alone: Pairs, before: Pairs, joint: Pairs) -> dict[str, Any]:
    """Return what somebody knows who has both releases, beside each alone."""
    return {
        what: {
            "smallest": privacy.k_anonymity(pairs),
            "unique": risk.uniqueness(pairs),
            "prosecutor_risk": risk.prosecutor(pairs).mean,
        }
        for what, pairs in (("alone", alone), ("earlier", before), ("together", joint))
    }


@dataclass(frozen=True, eq=False)
class _Understood:
    """A masked column: the attribute with its new values, the code of every row, and what was not understood."""

    attribute: Attribute
    codes: Ints
    strange: Sequence[str]


class _Release:
    """A masked table beside the original: which of its rows is which, and what its cells mean."""

    def __init__(self, found: Prepared, source: Any, key: str | None, what: str, partial: bool = False) -> None:
        self.found, self.what = found, what
        plan, wanted = found.plan, found.having("quasi")
        self.table, self.names = self._opened(source, plan.reading)
        if not set(wanted) <= set(self.names):  # another tool may write in another way
            self.table, self.names = self._opened(source, Reading(header=plan.reading.header))
        lost = [x for x in wanted if x not in self.names]
        if lost and not (partial and len(lost) < len(wanted)):
            told = f"{many(len(lost), 'column')} of the plan not in {what}: {listed(lost, 20)}."
            raise PlanError([f"{told} Hint: it needs the columns that the plan masks, under the same names."])
        self.rows = self._aligned(key)
        read = [x for x in [*wanted, *found.having("sensitive")] if x in self.names]
        cells = self.table.cells([self.names[x] for x in read])
        self.cells = {x: self._here(_in_order(found.coded.get(x), cells[self.names[x]])) for x in read}
        self.looks = self._looks([x for x in wanted if x in self.cells])

    def _opened(self, source: Any, reading: Reading) -> tuple[Table, dict[str, str]]:
        table = opened(self.found.plan, source, reading=reading)
        return table, self._names(table)

    def _looks(self, columns: Sequence[str]) -> Ints:
        """Return which rows look alike; -1 for those that say nothing, if some of them did in the original."""
        missing = self.found.plan.missing
        now = self._silent([self.cells[x] for x in columns], lambda v: v == TOP or encode.is_missing(v, missing))
        was = self._silent([self.found.cells[x] for x in columns], lambda v: encode.is_missing(v, missing))
        looks = distinct([self.cells[x].codes for x in columns])[0]
        suppressed = np.isin(looks, looks[now & ~was])
        if suppressed.all():  # of everybody nothing is known: they all look alike
            suppressed[:] = False
        return np.where(suppressed | (self.rows < 0), -1, looks)

    @staticmethod
    def _silent(columns: Sequence[Cells], is_silent: Callable[[Any], bool]) -> NDArray[np.bool_]:
        """Return which rows have nothing to say in any column."""
        each = [np.array([is_silent(v) for v in cells.values], bool)[cells.codes] for cells in columns]
        found: NDArray[np.bool_] = np.all(each, axis=0)
        return found

    def _names(self, table: Table) -> dict[str, str]:
        """Return what the columns of the original are called here; without a header they are numbered anew."""
        found = self.found
        if found.plan.reading.header is False:
            dropped = {*found.having("identifier"), *found.having("unit")}
            kept = [x for x in found.table.names if x not in dropped]
            if len(kept) == len(table.names):
                return dict(zip(kept, table.names, strict=True))
        return {x: x for x in table.names}

    def _aligned(self, key: str | None) -> Ints:
        """Return for every row of the original which row it is here; -1, if it is none."""
        ours, theirs = self.found.table, self.table
        if key is None:
            if ours.n != theirs.n:
                raise TableError(
                    f"The original has {ours.n:,} rows, {self.what} has {theirs.n:,}.",
                    hint="name a column that says which row is which with --key.",
                )
            return np.arange(ours.n)
        lost = [what for what, t in (("the original", ours), (self.what, theirs)) if key not in t.names]
        if lost:
            raise TableError(f"The key {key} is no column of {listed(lost)}.", hint="both tables need it.")
        mine, other = ours.cells([key])[key], theirs.cells([key])[key]
        for what, cells in (("the original", mine), (self.what, other)):
            if any(v is None or v == "" for v, n in zip(cells.values, cells.counts, strict=True) if n):
                raise TableError(f"Some rows of {what} have no key.", hint="fill it in, or choose another.")
            if len({encode.as_text(v) for v in cells.values}) < len(cells.codes):
                again = int((cells.counts > 1).sum())
                raise TableError(f"The key {key} is not unique in {what}: {many(again, 'value')} of it come again.")
        place = {encode.as_text(other.values[c]): row for row, c in enumerate(other.codes.tolist())}
        rows = np.array([place.get(encode.as_text(mine.values[c]), -1) for c in mine.codes.tolist()], np.int64)
        if strange := theirs.n - int((rows >= 0).sum()):
            raise TableError(
                f"{self.what.capitalize()} has {many(strange, 'row')} whose key is not in the original.",
                hint="are the keys written alike in both tables?",
            )
        return rows

    def _here(self, cells: Cells) -> Cells:
        """Return a column in the order of the original; rows that are not here are null."""
        codes = np.full(len(self.rows), len(cells.values), np.int64)
        codes[self.rows >= 0] = cells.codes[self.rows[self.rows >= 0]]
        return Cells([*cells.values, None], codes)

    def understood(self, name: str) -> _Understood:
        """Say what the cells of a masked column mean."""
        coded, cells = self.found.coded[name], self.cells[name]
        missing = self.found.plan.missing
        if isinstance(coded, CodedSets):
            return self._sets(coded, cells)
        known = {
            encode.as_text(cell): coded.attribute.values[code]
            for cell, code in zip(coded.cells.values, coded.original_of, strict=True)
        }
        new = {
            encode.as_text(cell): i
            for i, cell in enumerate(cells.values)
            if not encode.is_missing(cell, missing) and encode.as_text(cell) not in known
        }
        known |= self._meanings(name, new)
        strange = [text for text in new if text not in known]
        values = [
            None if encode.is_missing(cell, missing) else known.get(encode.as_text(cell), encode.as_text(cell))
            for cell in cells.values
        ]
        metric = coded.attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes = np.array([places[v] for v in values], np.int64)[cells.codes]
        return _Understood(replace(coded.attribute, metric=metric), codes, strange)

    def combinations(self, k: int, m: int) -> Iterator[dict[str, Any]]:
        """Yield for columns of sets whether every combination of up to m items is held by at least k records."""
        for name, coded in self.found.coded.items():
            if isinstance(coded, CodedSets) and name in self.cells:
                cells = self.cells[name]
                codes, own = np.arange(len(cells.values)), None
                if self.found.units is not None:
                    first = distinct([cells.codes, self.found.units])[2]
                    codes, own = cells.codes[first], self.found.units[first].tolist()
                sets = [frozenset(coded.items(cells.values[c])) for c in codes.tolist()]
                least, below = privacy.km_anonymity(sets, cells.counts[codes].tolist(), k, m, own)
                entry = {"model": f"k^{m}-anonymity", "columns": [name], "asked": k, "reached": least}
                yield entry | {"holds": below == 0, "combinations_below": below}

    def _sets(self, coded: CodedSets, cells: Cells) -> _Understood:
        """Say what the cells of a masked column of sets mean; new items by their first senses."""
        items = dict.fromkeys(x for cell in cells.values for x in coded.items(cell))
        meanings = {x: x if (m := coded.meanings[x]) is None else m for x in items if x in coded.meanings}
        new = [x for x in items if x not in meanings]
        name = coded.attribute.name
        if name in self.found.words:
            scope, column = self.found.words[name][0].scope, self.found.plan.columns[name]
            told = link(new, scope, senses="first", language=column.language, individuals=True, suggest=False)
            meanings |= {x.value: x.concept for x in told if x.concept is not None}
        strange = [x for x in new if x not in meanings]
        values: list[Value] = [
            None if encode.is_missing(c, coded.missing) else frozenset(meanings.get(x, x) for x in coded.items(c))
            for c in cells.values
        ]
        metric = coded.attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes = np.array([places[v] for v in values], np.int64)[cells.codes]
        return _Understood(replace(coded.attribute, metric=metric), codes, strange)

    def _meanings(self, name: str, new: Mapping[str, int]) -> dict[str, Value]:
        """Return what words mean that are not in the original; those that mean nothing are left out."""
        kind, column = self.found.coded[name].attribute.kind, self.found.plan.columns[name]
        if kind == "category":
            return {text: None if text == TOP else text for text in new}
        if kind == "ordinal":
            levels = list(levels_of(column, self.found.plan.folder))
            return {t: levels.index(t) if t in levels else None for t in new if t in levels or t == TOP}
        if kind == "numeric":
            coded = self.found.coded[name]
            numbers = [x for x in coded.attribute.values if x is not None]
            comma = encode.numbers_of([encode.as_text(x) for x in coded.cells.values if x is not None])[1]
            found = {t: encode.number_or_range(t, numbers, comma) for t in new}
            return {t: x for t, x in found.items() if x is not None or t == TOP}
        words = self.found.words[name]
        each = [self._concepts(name, i, new) for i in range(len(words))]
        together = {t: tuple(concepts.get(t) for concepts in each) for t in new}
        return {
            t: concepts[0] if len(words) == 1 else concepts
            for t, concepts in together.items()
            if any(c is not None for c in concepts)
        }

    def _concepts(self, name: str, ontology: int, new: Mapping[str, int]) -> dict[str, int]:
        """Link new words; of several senses the one counts that is nearest to what the word stands for."""
        column: Column = self.found.plan.columns[name]
        scope: Scope = self.found.words[name][ontology].scope
        links = self.found.words[name][ontology].links
        settled = {x.value: scope.taxonomy.ids[x.concept] for x in links.values() if x.concept is not None}
        asked = {text: 1 for text in new if text != TOP}
        told = link(
            dict.fromkeys(settled, 1) | asked,
            scope,
            senses="first",
            language=column.language,
            settled=settled,
            suggest=False,
        )
        found = {TOP: scope.root} if TOP in new else {}
        was, cells = self.found.coded[name].cells, self.cells[name]
        for x in told:
            if x.value not in asked or x.concept is None:
                continue
            stood_for, counts = np.unique(was.codes[cells.codes == new[x.value]], return_counts=True)
            linked = [(links[t].concept, n) for i, n in zip(stood_for, counts, strict=True)
                      if (t := str(was.values[i])) in links and links[t].concept is not None]  # fmt: skip
            found[x.value] = _nearest([x.concept, *x.alternatives], linked, scope, column)
        return found

    def fact(self, name: str) -> tuple[Attribute, Ints]:
        """Return a sensitive column as it is in the release; as it was, if the release does not have it."""
        found, missing = self.found, self.found.plan.missing
        column = found.plan.columns[name]
        if name not in found.coded:
            cells = found.table.cells([name])[name]
            kind = column.kind or guessed_kind(cells, missing)
            if kind == "numeric":
                found.coded[name] = encode.numeric(name, cells, missing=missing)
            elif kind == "ordinal":
                found.coded[name] = encode.ordinal(name, cells, levels_of(column, found.plan.folder), missing=missing)
            else:
                found.coded[name] = encode.category(name, cells, missing=missing)
        if name not in self.cells:
            return found.coded[name].attribute, found.coded[name].codes
        known = self.understood(name)
        return known.attribute, known.codes


def _in_order(coded: Coded | None, cells: Cells) -> Cells:
    """Return cells; those that hold the same items, in whatever order, are one."""
    if not isinstance(coded, CodedSets):
        return cells
    items = [None if encode.is_missing(x, coded.missing) else tuple(sorted(set(coded.items(x)))) for x in cells.values]
    return merged(items, cells.codes)


def _nearest(senses: list[int], stood_for: Sequence[tuple[int | None, int]], scope: Scope, column: Column) -> int:
    """Return the sense with the least Σ ω·d to some concepts; the first of equals."""
    if len(senses) == 1 or not stood_for:
        return senses[0]
    values = list(dict.fromkeys([*senses, *(c for c, _ in stood_for)]))
    metric = Taxonomic(values, scope, column.measure, column.depth)
    codes = metric.codes_of([c for c, _ in stood_for])
    costs = metric.rows(metric.codes_of(senses)[:, None], codes) @ np.array([n for _, n in stood_for], np.float64)
    return senses[int(np.argmin(np.round(costs, 9)))]
