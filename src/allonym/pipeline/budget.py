"""The privacy budget of a person: what the rows, columns, items and releases of differential privacy add up to.

A person contributes at most `max_rows` rows, which the plan states and nobody reads off the table: a bound that is
derived from the data would reveal something of it (cf. contribution bounding, Amin, Kulesza, Muñoz Medina and
Vassilvitskii 2019, proceedings.mlr.press/v97/amin19a.html). A table in which somebody has more is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints
from allonym.errors import Problem, TableError, plural
from allonym.kinds.registry import kind_named
from allonym.methods.calibration import Calibration
from allonym.methods.draws import key_of
from allonym.methods.exponential import SENSITIVITY, Candidates, Exponential
from allonym.records import Attribute, Records

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared
    from allonym.plan.model import Plan

REPRODUCIBLE = "reproducible: not private"
EXCEEDED = "exceeded: what the rows of a person spend adds up"
UNCOUNTED = "not checked: the engine does not count the rows of a person"


def problems(prepared: Prepared) -> Iterator[Problem]:
    """Yield what keeps a plan from bounding what a person contributes."""
    method = prepared.plan.method
    if not isinstance(method, Exponential):
        return
    if method.max_rows is not None and person_column(prepared.plan) is None:
        text = f"max_rows is {method.max_rows}, but no column tells which rows are of one person."
        hint = "give the role unit to the column that identifies persons (--unit COLUMN)."
        yield Problem("max-rows-without-unit", text, hint)


def row_problems(prepared: Prepared) -> Iterator[Problem]:
    """Yield that persons have more rows than a plan states; without a budget or max_rows, it states none."""
    method, column = prepared.plan.method, person_column(prepared.plan)
    if not isinstance(method, Exponential) or not method.bounds_persons or column is None or prepared.records is None:
        return
    limit = method.max_rows or 1
    if (persons := _persons(prepared)) is None:
        if limit > 1:
            text = f"max_rows is {limit}, but the engine does not count the rows of a person."
            yield Problem("rows-not-counted", text, "mask it in memory.", column)
            return
        over = prepared.repeated_values(column)
    else:
        answers = _answers_by_person(prepared, persons)
        over = int((answers > limit * method.answers_per_row(_kinds(prepared))).sum())
    if over:
        have = "person has" if over == 1 else "persons have"
        text = f"{over:,} {have} more rows than max_rows = {limit}: their budget would be exceeded."
        hint = "leave rows out, or state a larger max_rows: one that is known without looking at the table."
        yield Problem("too-many-rows", text, hint, column)


def cautions(prepared: Prepared) -> Iterator[Problem]:
    """Yield the columns of sets some of whose items are left out."""
    method, records = prepared.plan.method, prepared.records
    if not isinstance(method, Exponential) or records is None:
        return
    for a, attribute in enumerate(records.attributes):
        if kind_named(attribute.kind).multivalued:
            large = np.array([len(value or ()) > method.max_items for value in attribute.values], bool)
            sets = int(records.counts[large[records.codes[:, a]]].sum())
            text = f"{plural(sets, 'set')} with more than max_items = {method.max_items}: items are left out at random."
            hint = "a larger max_items leaves out fewer, and spends more."
            yield from [Problem("items-left-out", text, hint, attribute.name)] if sets else []


def _persons(prepared: Prepared) -> Ints | None:
    """Return the person of each row, by the unit or else by the key column; None, if an engine has not read it."""
    if prepared.with_role("unit"):
        return prepared.persons
    return None if prepared.keys is None else np.unique(prepared.keys, return_inverse=True)[1].ravel()


def _answers_by_person(prepared: Prepared, persons: Ints) -> Ints:
    """Return how many values of each person are drawn: with a key column, a key and a value are drawn once."""
    records, method = prepared.records, prepared.plan.method
    assert isinstance(method, Exponential)
    assert records is not None
    assert records.inverse is not None
    answers = np.zeros(int(persons.max(initial=-1)) + 1, np.int64)
    for a, perturbation in enumerate(method.mechanism(records).perturbations):
        codes = records.codes[records.inverse, a]
        each = [perturbation.answers(value) for value in records.attributes[a].values]
        if records.keys is None:
            sizes = np.array([len(x) for x in each], np.int64)
            answers += np.bincount(persons, weights=sizes[codes], minlength=len(answers)).astype(np.int64)
            continue
        seen: set[tuple[int, int, int]] = set()
        for person, key, code in zip(persons.tolist(), records.keys.tolist(), codes.tolist(), strict=True):
            for number in each[code]:
                answers[person] += number is None or (person, key, number) not in seen
                seen |= set() if number is None else {(person, key, number)}
    return answers


def _kinds(prepared: Prepared) -> list[str]:
    assert prepared.records is not None
    return [x.kind for x in prepared.records.attributes]


def promised(prepared: Prepared) -> Iterator[dict[str, Any]]:
    """Yield the differential privacy of each column, of all together, and of a person."""
    method, records = prepared.plan.method, prepared.records
    if not isinstance(method, Exponential):
        return
    assert records is not None
    spent = [_Spent.of(method, *pair) for pair in zip(records.attributes, _mechanisms(method, records), strict=True)]
    epsilon = method.value_epsilon(_kinds(prepared))
    for column in spent:
        entry = _entry(prepared, [column.name], epsilon * column.items, column.epsilon)
        entry |= {"scale": column.calibration.scale, "calibrated": column.calibration.exact}
        yield entry | ({"items": column.items, "sizes_hidden": method.hide_sizes} if column.is_set else {})
    if len(spent) > 1:
        asked = epsilon * sum(x.items for x in spent)
        yield _entry(prepared, [x.name for x in spent], asked, sum(x.epsilon for x in spent))
    if person_column(prepared.plan) is not None or method.bounds_persons or method.releases > 1:
        yield _of_person(prepared, method, epsilon, spent)


@dataclass(frozen=True)
class _Spent:
    """What a cell of a column spends."""

    name: str
    is_set: bool
    items: int  # that are drawn at most
    calibration: Calibration  # of one of them

    @classmethod
    def of(cls, method: Exponential, attribute: Attribute, mechanism: Candidates) -> _Spent:
        is_set = kind_named(attribute.kind).multivalued
        return cls(attribute.name, is_set, method.items_of(attribute.kind), mechanism.calibration)

    @property
    def epsilon(self) -> float:
        """The ε of a cell."""
        return self.items * self.calibration.epsilon


def _mechanisms(method: Exponential, records: Records) -> list[Candidates]:
    """Return the mechanism of each column, or of its items."""
    found = [getattr(x, "items", x) for x in method.mechanism(records).perturbations]
    return [x for x in found if isinstance(x, Candidates)]


def _entry(
    prepared: Prepared, columns: Sequence[str], asked: float, reached: float, note: str | None = None
) -> dict[str, Any]:
    seed = prepared.plan.seed
    entry = {"model": "differential privacy", "columns": list(columns), "asked": asked, "reached": reached}
    entry |= {"holds": seed is None and note is None, "sensitivity": SENSITIVITY}
    notes = [x for x in (None if seed is None else REPRODUCIBLE, note) if x]
    return entry | ({"note": "; ".join(notes)} if notes else {})


def _of_person(prepared: Prepared, method: Exponential, epsilon: float, spent: Sequence[_Spent]) -> dict[str, Any]:
    """Return what all values of a person spend: at most what is stated, or else as many as the table has."""
    values, rows, note = sum(x.items for x in spent), method.max_rows or 1, None
    asked, reached = (x * rows * method.releases for x in (epsilon * values, sum(x.epsilon for x in spent)))
    if (column := person_column(prepared.plan)) is not None:
        if (persons := _persons(prepared)) is not None:
            most = int(_answers_by_person(prepared, persons).max(initial=0))
            note = EXCEEDED if most > values * rows else None
            reached = max(x.calibration.epsilon for x in spent) * most * method.releases if note else reached
        elif prepared.repeated_values(column):
            note = UNCOUNTED
    if method.budget is not None:
        asked = method.budget
    entry = _entry(prepared, [x.name for x in spent], asked, reached, note)
    return entry | {"per": "person", "rows": rows, "releases": method.releases}


def spent_in_words(promise: Mapping[str, Any]) -> str:
    """Say which ε was asked for, and what is spent of it.

    >>> promise = {"asked": 2, "reached": 1.99899, "scale": 1.91843, "calibrated": True, "note": "reproducible"}
    >>> spent_in_words(promise)
    'ε = 2, of which 1.99899 is spent (scale 1.918), reproducible'
    >>> spent_in_words({"asked": 6, "reached": 12, "per": "person", "rows": 1, "releases": 1, "note": "exceeded"})
    'ε = 6 for a person (1 row, 1 release), but 12 is spent, exceeded'
    >>> spent_in_words({"asked": 5, "reached": 5, "items": 5, "sizes_hidden": False})
    'ε = 5 for a set (up to 5 items, whose number is not hidden)'
    """
    words = f"ε = {promise['asked']:g}"
    if "items" in promise:
        hidden = "" if promise["sizes_hidden"] else ", whose number is not hidden"
        words += f" for a set (up to {plural(promise['items'], 'item')}{hidden})"
    if "per" in promise:
        releases = plural(promise["releases"], "release")
        words += f" for a {promise['per']} ({plural(promise['rows'], 'row')}, {releases})"
    if promise["reached"] is not None and promise["reached"] != promise["asked"]:
        of_which = ", of which" if promise["reached"] < promise["asked"] else ", but"
        words += f"{of_which} {promise['reached']:g} is spent"
    if "scale" in promise:
        too_large = "" if promise["calibrated"] else ", half of ε: the domain is too large for a better one"
        words += f" (scale {promise['scale']:.4g}{too_large})"
    return words + (f", {promise['note']}" if "note" in promise else "")


class Ledger:
    """How many values of each person a fitted plan has drawn; more than a limit are refused.

    With a key column, the same key and value have the same draw: such an answer is counted once.
    """

    def __init__(self, limit: int, drawn: dict[int, int] | None = None, seen: set[int] | None = None) -> None:
        self._limit = limit
        self._drawn, self._seen = drawn or {}, seen or set()

    @classmethod
    def of(cls, plan: Plan, kinds: Sequence[str]) -> Ledger | None:
        """Return a ledger for a plan that bounds what a person contributes, and names who rows are about."""
        method = plan.method
        if not bounds_persons(plan):
            return None
        assert isinstance(method, Exponential)
        return cls((method.max_rows or 1) * method.answers_per_row(kinds))

    def charge_rows(
        self,
        persons: Sequence[int],
        keys: Sequence[int] | None,
        columns: Sequence[tuple[str, Sequence[Sequence[int | None]], Sequence[int]]],
    ) -> None:
        """Count the answers of rows, or refuse them all.

        Args:
            persons: the number of the person of each row.
            keys: the key of each row, where a key and a value are answered once.
            columns: for each column its name, the answers of its distinct values, and which of these each row has.
        """
        answers: list[tuple[int, int | None]] = []
        for name, of_values, codes in columns:
            for row, code in enumerate(codes):
                for answer in of_values[code]:
                    number = None if keys is None or answer is None else key_of(f"{name} {keys[row]} {answer}")
                    answers.append((persons[row], number))
        self.charge(answers)

    def charge(self, answers: Sequence[tuple[int, int | None]]) -> None:
        """Count answers, each by its person and, where it may be repeated, a number of its own; all or none."""
        new = {answer for _, answer in answers if answer is not None} - self._seen
        counts: dict[int, int] = {}
        counted: set[int] = set()
        for person, answer in answers:
            if answer is None or (answer in new and answer not in counted):
                counts[person] = counts.get(person, 0) + 1
                counted |= set() if answer is None else {answer}
        over = sum(self._drawn.get(person, 0) + count > self._limit for person, count in counts.items())
        if over:
            whose = "a person" if over == 1 else f"{over:,} persons"
            hint = f"no more than {plural(self._limit, 'value')} of a person may be masked; max_rows bounds them."
            raise TableError(f"The privacy budget of {whose} is spent.", hint=hint)
        for person, count in counts.items():
            self._drawn[person] = self._drawn.get(person, 0) + count
        self._seen |= new

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger for JSON."""
        return {"limit": self._limit, "drawn": [list(x) for x in self._drawn.items()], "seen": sorted(self._seen)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Ledger:
        """Return the ledger that was stored; refuse damaged figures by a ValueError."""
        drawn, seen = dict(map(tuple, stored["drawn"])), set(stored["seen"])
        if not all(type(x) is int and x >= 0 for x in (stored["limit"], *drawn, *drawn.values(), *seen)):
            raise ValueError("ledger")
        return cls(stored["limit"], drawn, seen)


def person_column(plan: Plan) -> str | None:
    """Return the column that tells who a row is about: the unit, or else the key column; None, if there is neither."""
    units = [name for name, x in plan.columns.items() if x.role == "unit"]
    return units[0] if units else plan.method.key or None


def bounds_persons(plan: Plan) -> bool:
    """Tell whether a plan bounds what a person contributes, and names who rows are about."""
    method = plan.method
    return isinstance(method, Exponential) and method.bounds_persons and person_column(plan) is not None
