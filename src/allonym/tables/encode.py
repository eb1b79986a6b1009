"""From the cells of a column to the codes methods see, and back: the only place where text and meaning meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.errors import TableError
from allonym.knowledge.linking import Link
from allonym.knowledge.scope import Scope
from allonym.metrics.blend import Blend
from allonym.metrics.equality import Equality
from allonym.metrics.numeric import Numeric
from allonym.metrics.ordinal import Ordinal
from allonym.metrics.taxonomy import Taxonomic
from allonym.records import Attribute, Ints, Metric, Value, count_units
from allonym.tables.base import MISSING, Cells

EXACT = 2.0**53  # beyond, neighbouring integers are one number
CODED = ("id", "notation")  # reasons for a link that go by code


@dataclass(frozen=True, eq=False)
class Coded:
    """A column understood: the attribute, its code for every row, and how its values are written."""

    attribute: Attribute
    cells: Cells
    code_of: Ints  # for every distinct cell
    spelled: Sequence[bool]  # whether a distinct cell is a spelling of its value: a suppressed one is not
    label: Callable[[Value], Any]  # how a value is written that has no spelling to use

    @property
    def codes(self) -> Ints:
        """The attribute's code for every row."""
        return self.code_of[self.cells.codes]

    def decoded(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None) -> Cells:
        """Return the cells for codes of the (extended) attribute.

        A value is written in the spelling that most units hold, if at least k do (ties: text order), else by its label.
        Null is an empty cell, unless the column never has one and says so in words (?, NA).
        """
        held = self.cells.counts if units is None else count_units(self.cells.codes, units, len(self.cells.values))
        best: dict[int, tuple[int, str, Any]] = {}
        for cell, code, spelled, holders in zip(self.cells.values, self.code_of, self.spelled, held, strict=True):
            rank = (-int(holders), str(cell), cell)
            if spelled and holders >= k and (int(code) not in best or rank[:2] < best[int(code)][:2]):
                best[int(code)] = rank
        if any(cell is None or cell == "" for cell in self.cells.values):
            best = {code: rank for code, rank in best.items() if attribute.values[code] is not None}
        written = [best[c][2] if c in best else self.label(v) for c, v in enumerate(attribute.values)]
        return Cells(written, codes)


def is_missing(cell: Any, missing: Sequence[str] = MISSING) -> bool:
    """Tell whether there is nothing in a cell, or it says so."""
    return cell is None or (isinstance(cell, str) and cell in missing)


def present(cells: Cells, missing: Sequence[str] = MISSING) -> Counter[str]:
    """Return the texts of a column with their counts, those that say nothing left out."""
    found: Counter[str] = Counter()
    for cell, count in zip(cells.values, cells.counts.tolist(), strict=True):
        if not is_missing(cell, missing):
            found[str(cell)] += count
    return found


def _coded(
    name: str,
    kind: str,
    cells: Cells,
    values: Sequence[Value],
    metric: Callable[[list[Value]], Metric],
    order: Callable[[Value], Any],
    label: Callable[[Value], Any],
    weight: float,
    spelled: Sequence[bool] | None = None,
) -> Coded:
    """Number the values of a column in an order of their own, so that the order of rows does not matter; null last."""
    distinct = sorted({v for v in values if v is not None}, key=order)
    if None in values:
        distinct.append(None)
    place = {v: i for i, v in enumerate(distinct)}
    code_of = np.array([place[v] for v in values], np.int64)
    attribute = Attribute(name, kind, metric(distinct), weight)
    return Coded(attribute, cells, code_of, [True] * len(values) if spelled is None else spelled, label)


def category(name: str, cells: Cells, *, weight: float = 1.0, missing: Sequence[str] = MISSING) -> Coded:
    """Understand a column as plain categories."""
    values = [None if is_missing(c, missing) else str(c) for c in cells.values]
    return _coded(name, "category", cells, values, Equality, str, lambda v: None, weight)


def ordinal(
    name: str, cells: Cells, levels: Sequence[str], *, weight: float = 1.0, missing: Sequence[str] = MISSING
) -> Coded:
    """Understand a column as ordered categories; the levels are given from low to high."""
    rank = {level: i for i, level in enumerate(levels)}
    if len(rank) < len(levels):
        raise TableError(f"A level of column {name} is listed twice.", hint="list every level once, from low to high.")
    strange = [str(c) for c in cells.values if not is_missing(c, missing) and str(c) not in rank]
    if strange:
        raise TableError(
            f"{len(strange):,} values of column {name} are none of its {len(levels)} levels.",
            hint="list every level, from low to high.",
            values=strange,
        )
    values = [None if is_missing(c, missing) else rank[str(c)] for c in cells.values]
    cell_of = {str(c): c for c in cells.values}
    return _coded(
        name,
        "ordinal",
        cells,
        values,
        lambda v: Ordinal(v, len(levels)),
        int,
        lambda v: None if v is None else cell_of.get(levels[v], levels[v]),
        weight,
    )


def numeric(name: str, cells: Cells, *, weight: float = 1.0, missing: Sequence[str] = MISSING) -> Coded:
    """Understand a column as numbers, with as many decimals as it has, and a decimal comma if it has one."""
    texts = [None if is_missing(c, missing) else str(c) for c in cells.values]
    comma = any("," in t for t in texts if t) and not any("." in t for t in texts if t)
    numbers = [None if t is None else to_number(t, comma) for t in texts]
    strange = [t for t, x in zip(texts, numbers, strict=True) if t is not None and x is None]
    if strange:
        raise TableError(
            f"{len(strange):,} of {len(texts):,} values of column {name} are no numbers.",
            hint="say category, or give an ontology.",
            values=strange,
        )
    decimals = max((_decimals(t.replace(",", ".") if comma else t) for t in texts if t), default=0)

    def label(value: float | None) -> Any:
        if value is None:
            return None
        if not any(isinstance(c, str) and not is_missing(c, missing) for c in cells.values):
            return round(value, decimals) if decimals else int(value)
        text = f"{value:.{decimals}f}"
        return text.replace(".", ",") if comma else text

    return _coded(name, "numeric", cells, numbers, lambda v: Numeric(v, decimals), float, label, weight)


def to_number(text: str, comma: bool = False) -> float | None:
    """Return a number, or None where a text is none (infinities, underscores, and integers too long, are none).

    >>> to_number("1,5", comma=True), to_number("1_0"), to_number("inf")
    (1.5, None, None)
    """
    try:
        found = float(text.replace(",", ".") if comma else text)
    except ValueError:
        return None
    return found + 0.0 if abs(found) < EXACT and "_" not in text else None


def _decimals(text: str) -> int:
    mantissa, _, exponent = text.lower().partition("e")
    return max(len(mantissa.partition(".")[2].rstrip() if "." in mantissa else "") - int(exponent or 0), 0)


def text(
    name: str,
    cells: Cells,
    links: Sequence[Mapping[str, Link]],
    scopes: Sequence[Scope],
    *,
    unmatched: str = "opaque",
    measure: str = "wu-palmer",
    depth: str = "nodes",
    weight: float = 1.0,
    missing: Sequence[str] = MISSING,
) -> Coded:
    """Understand a column through one ontology, or several; `links` say for each what the texts mean.

    A text without a concept stands for itself (`opaque`) or becomes null (`suppress`).
    """

    def meaning(cell: Any) -> Value:
        if is_missing(cell, missing):
            return None
        found = tuple(links_of[str(cell)].concept for links_of in links)
        if all(concept is None for concept in found):
            return None if unmatched == "suppress" else str(cell)
        return found[0] if len(found) == 1 else found

    values = [meaning(c) for c in cells.values]
    spelled = [v is not None or is_missing(c, missing) for c, v in zip(cells.values, values, strict=True)]
    labels = [_labels(links_of, scope) for links_of, scope in zip(links, scopes, strict=True)]

    def label(value: Value) -> str | None:
        if value is None or isinstance(value, str):
            return None
        each = (value,) if len(scopes) == 1 else value
        return next(say(c) for c, say in zip(each, labels, strict=True) if c is not None)

    def metric(distinct: list[Value]) -> Metric:
        parts = [Taxonomic([], scope, measure, depth) for scope in scopes]
        return parts[0].extend(distinct) if len(parts) == 1 else Blend(distinct, parts)

    return _coded(name, "text", cells, values, metric, _text_order(scopes), label, weight, spelled)


def _text_order(scopes: Sequence[Scope]) -> Callable[[Value], Any]:
    """Order concepts by id, then texts nobody linked."""

    def order(value: Value) -> Any:
        if isinstance(value, str):
            return (1, value)
        each = value if isinstance(value, tuple) else (value,)
        return (0, *("" if c is None else s.taxonomy.ids[c] for c, s in zip(each, scopes, strict=True)))

    return order


def _labels(links: Mapping[str, Link], scope: Scope) -> Callable[[int], str]:
    """Return how concepts are written: by code, if most of the column was linked by code, else by label."""
    linked = [x for x in links.values() if x.concept is not None]
    total = sum(x.count for x in linked)
    taxonomy = scope.taxonomy
    by = {reason: sum(x.count for x in linked if x.reason == reason) for reason in CODED}
    if sum(by.values()) * 2 > total:
        if by["id"] > by["notation"]:
            return lambda c: taxonomy.ids[c]
        return lambda c: next(iter(taxonomy.lexicon.notations(c)), taxonomy.ids[c])
    return lambda c: taxonomy.labels[c].replace("_", " ")
