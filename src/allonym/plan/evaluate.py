"""Measuring any masked file, ours or another tool's, against the table it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.errors import PlanError, TableError, listed, many
from allonym.knowledge.linking import link
from allonym.knowledge.scope import Scope
from allonym.masking.base import Tick, silent
from allonym.measures import privacy, risk
from allonym.measures.measurement import BALANCE, THRESHOLD, Measurement, linkage_by_meaning, measured
from allonym.metrics.taxonomy import Taxonomic
from allonym.plan.columns import Column
from allonym.plan.prepare import Prepared, guessed_kind, levels_of, prepare, refused
from allonym.records import Attribute, Ints, Pairs, Value, distinct
from allonym.tables import encode
from allonym.tables.base import Cells, Table
from allonym.tables.files import Reading, open_any

if TYPE_CHECKING:
    from allonym.plan.plan import Plan

TOP = "*"  # what generalisation tools write for anything
RECURSIVE = 3.0  # c of (c, l)-diversity


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
    strange: Mapping[str, Sequence[str]] = field(default_factory=dict)  # masked values that were not understood

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
    tick: Tick = silent,
) -> Evaluation:
    """Measure a masked table against the original, both files or frames."""
    found = prepare(plan, open_any(original, plan.reading), tick)
    if found.problems or found.records is None:
        raise refused(found.problems, found)
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
        privacy=_promises(pairs, plan.chosen.k, list(columns)),
        measures=measured(pairs, plan.chosen.k, balance=balance, threshold=threshold, seed=plan.seed),
        sizes=pairs.sizes[pairs.sizes > 0],
        attackers={name: linkage_by_meaning(pairs, name, plan.seed) for name in attackers},
        earlier=together,
        strange={name: x.strange for name, x in columns.items() if x.strange},
    )


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


def _promises(pairs: Pairs, k: int, columns: list[str]) -> list[dict[str, Any]]:
    """Return what holds of the release: k as the plan asks, and what it reaches beyond."""
    reached = privacy.k_anonymity(pairs)
    told: list[dict[str, Any]] = [
        {"model": "k-anonymity", "columns": columns, "asked": k, "reached": reached, "holds": reached >= k}
    ]
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
        plan = found.plan
        self.table: Table = open_any(source, Reading(header=plan.reading.header))
        self.names = self._names()
        wanted = found.having("quasi")
        lost = [x for x in wanted if x not in self.names]
        if lost and not (partial and len(lost) < len(wanted)):
            raise PlanError([f"{many(len(lost), 'column')} of the plan not in {what}: {listed(lost, 20)}."])
        self.rows = self._aligned(key)
        read = [x for x in [*wanted, *found.having("sensitive")] if x in self.names]
        cells = self.table.cells([self.names[x] for x in read])
        self.cells = {x: self._here(cells[self.names[x]]) for x in read}
        silent_cell = [
            np.array([v is None or v == TOP or encode.is_missing(v, plan.missing) for v in self.cells[x].values])
            for x in wanted
            if x in self.cells
        ]
        seen = [self.cells[x].codes for x in wanted if x in self.cells]
        nothing = np.all([says[codes] for says, codes in zip(silent_cell, seen, strict=True)], axis=0)
        self.looks = np.where(nothing, -1, distinct(seen)[0]) if found.table.n else np.zeros(0, np.int64)

    def _names(self) -> dict[str, str]:
        """Return what the columns of the original are called here; without a header they are numbered anew."""
        found = self.found
        if found.plan.reading.header is False:
            dropped = {*found.having("identifier"), *found.having("unit")}
            kept = [x for x in found.table.names if x not in dropped]
            if len(kept) == len(self.table.names):
                return dict(zip(kept, self.table.names, strict=True))
        return {x: x for x in self.table.names}

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
            if again := int((cells.counts > 1).sum()):
                raise TableError(f"{many(again, 'key')} occur more than once in {what}.", hint="choose another key.")
        place = {str(other.values[c]): row for row, c in enumerate(other.codes.tolist())}
        rows = np.array([place.get(str(mine.values[c]), -1) for c in mine.codes.tolist()], np.int64)
        if strange := theirs.n - int((rows >= 0).sum()):
            raise TableError(f"{many(strange, 'row')} of {self.what} have a key that is not in the original.")
        return rows

    def _here(self, cells: Cells) -> Cells:
        """Return a column in the order of the original; rows that are not here are null."""
        codes = np.where(self.rows >= 0, cells.codes[self.rows], len(cells.values))
        return Cells([*cells.values, None], codes)

    def understood(self, name: str) -> _Understood:
        """Say what the cells of a masked column mean."""
        coded, cells = self.found.coded[name], self.cells[name]
        known = {
            str(cell): coded.attribute.values[code]
            for cell, code in zip(coded.cells.values, coded.original_of, strict=True)
        }
        new = {
            str(cell): i
            for i, cell in enumerate(cells.values)
            if not encode.is_missing(cell, self.found.plan.missing) and str(cell) not in known
        }
        known |= self._meanings(name, new)
        strange = [text for text in new if text not in known]
        values = [
            None
            if encode.is_missing(cell, self.found.plan.missing)
            else known.get(str(cell), None if coded.attribute.kind in ("numeric", "ordinal") else str(cell))
            for cell in cells.values
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
            numbers = self.found.coded[name].attribute.values
            middles = {t: encode.middle_of(t, [x for x in numbers if x is not None]) for t in new}
            return {t: x for t, x in middles.items() if x is not None or t == TOP}
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
        found = self.found
        column = found.plan.columns[name]
        if name in found.coded and name in self.cells:
            known = self.understood(name)
            return known.attribute, known.codes
        cells = self.cells.get(name) or found.table.cells([name])[name]
        kind = column.kind or ("text" if name in found.coded else guessed_kind(cells, found.plan.missing))
        if name in found.coded:
            return found.coded[name].attribute, found.coded[name].codes
        if kind == "numeric":
            coded = encode.numeric(name, cells, missing=found.plan.missing)
        elif kind == "ordinal":
            coded = encode.ordinal(name, cells, levels_of(column, found.plan.folder), missing=found.plan.missing)
        else:
            coded = encode.category(name, cells, missing=found.plan.missing)
        return coded.attribute, coded.codes


def _nearest(senses: list[int], stood_for: Sequence[tuple[int | None, int]], scope: Scope, column: Column) -> int:
    """Return the sense with the least Σ ω·d to some concepts; the first of equals."""
    if len(senses) == 1 or not stood_for:
        return senses[0]
    values = list(dict.fromkeys([*senses, *(c for c, _ in stood_for)]))
    metric = Taxonomic(values, scope, column.similarity, column.depth)
    codes = metric.codes_of([c for c, _ in stood_for])
    costs = metric.rows(metric.codes_of(senses)[:, None], codes) @ np.array([n for _, n in stood_for], np.float64)
    return senses[int(np.argmin(np.round(costs, 9)))]
