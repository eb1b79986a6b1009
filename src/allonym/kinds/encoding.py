"""From the cells of a column to the codes methods see, and back: the only place where text and meaning meet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from allonym.arrays import Ints, count_units
from allonym.cells import MISSING, Cells
from allonym.errors import TableError
from allonym.kinds.blend import BlendedMetric
from allonym.kinds.category import EqualityMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.kinds.text import ConceptMetric
from allonym.ontology.linking.link import Link
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.records import Attribute, Metric, Value

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_RANGE = re.compile(r"[\[\](]?\s*" + _NUMBER + r"\s*(?:-|–|~|to|;|\.\.+)\s*" + _NUMBER + r"\s*[\[\])]?")
_BRACKETS = re.compile(r"[\[\]({]\s*" + _NUMBER + r"\s*[,;:]\s*" + _NUMBER + r"\s*[\[\])}]")
_ABOVE = re.compile(rf"(?:>=?|≥)\s*{_NUMBER}|{_NUMBER}\s*\+|[\[\](]\s*{_NUMBER}\s*[,;]\s*(?:\+?inf|∞)\s*[\[\])]")
_BELOW = re.compile(rf"(?:<=?|≤)\s*{_NUMBER}|[\[\](]\s*-(?:inf|∞)\s*[,;]\s*{_NUMBER}\s*[\[\])]")
EXACT = 2.0**53  # beyond, neighbouring integers are one number
DIGITS = 15  # decimals a float can tell apart


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """A column understood: the attribute, its code for every row, and how its values are written."""

    attribute: Attribute
    cells: Cells
    code_of: Ints  # for every distinct cell
    original_of: Ints  # the same before words were suppressed
    label: Callable[[Value], Any]  # how a value is written that has no spelling to use

    @property
    def codes(self) -> Ints:
        """The attribute's code for every row."""
        return self.code_of[self.cells.codes]

    @property
    def suppressed(self) -> int:
        """How many cells became null because nobody knows what they mean."""
        return int(self.cells.counts[self.code_of != self.original_of].sum())

    def decoded(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None, seed: int = 0) -> Cells:
        """Return the cells for codes of the (extended) attribute.

        A value is written in the spelling that most units hold, if at least k do (ties: text order), else by its label.
        Null is an empty cell, unless the column never has one and says so in words (?, NA).
        """
        held = self.cells.counts if units is None else count_units(self.cells.codes, units, len(self.cells.values))
        best: dict[int, tuple[int, str, Any]] = {}
        spelled = self.code_of == self.original_of  # a suppressed cell is no spelling of null
        for cell, code, is_spelling, holders in zip(self.cells.values, self.code_of, spelled, held, strict=True):
            rank = (-int(holders), str(cell), cell)
            if is_spelling and holders >= k and (int(code) not in best or rank[:2] < best[int(code)][:2]):
                best[int(code)] = rank
        if any(cell is None or cell == "" for cell in self.cells.values):
            best = {code: rank for code, rank in best.items() if attribute.values[code] is not None}
        written = [best[c][2] if c in best else self.label(v) for c, v in enumerate(attribute.values)]
        return Cells(written, codes, self.cells.row_counts)


def as_text(cell: Any) -> str:
    """Return a cell as text, the same whichever type its table gives it.

    >>> as_text(1.0), as_text(1), as_text(True), as_text("01")
    ('1', '1', 'true', '01')
    """
    if isinstance(cell, (bool, np.bool_)):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def is_missing(cell: Any, missing: Sequence[str] = MISSING) -> bool:
    """Tell whether there is nothing in a cell, or it says so."""
    return cell is None or cell == "" or (isinstance(cell, str) and cell in missing)


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
    originals: Sequence[Value] | None = None,
) -> EncodedColumn:
    """Number the values of a column in an order of their own, so that the order of rows does not matter; null last."""
    originals = values if originals is None else originals
    distinct = sorted({v for v in (*values, *originals) if v is not None}, key=order)
    if None in values:
        distinct.append(None)
    place = {v: i for i, v in enumerate(distinct)}
    code_of, original_of = (np.array([place[v] for v in each], np.int64) for each in (values, originals))
    return EncodedColumn(Attribute(name, kind, metric(distinct), weight), cells, code_of, original_of, label)


def category(name: str, cells: Cells, *, weight: float = 1.0, missing: Sequence[str] = MISSING) -> EncodedColumn:
    """Understand a column as plain categories."""
    values = [None if is_missing(c, missing) else str(c) for c in cells.values]
    return _coded(name, "category", cells, values, EqualityMetric, str, lambda v: None, weight)


def ordinal(
    name: str, cells: Cells, levels: Sequence[str], *, weight: float = 1.0, missing: Sequence[str] = MISSING
) -> EncodedColumn:
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
        lambda v: OrdinalMetric(v, len(levels)),
        int,
        lambda v: None if v is None else cell_of.get(levels[v], levels[v]),
        weight,
    )


def numeric(name: str, cells: Cells, *, weight: float = 1.0, missing: Sequence[str] = MISSING) -> EncodedColumn:
    """Understand a column as numbers, with as many decimals as it has, and a decimal comma if it has one."""
    texts = [None if is_missing(c, missing) else str(c) for c in cells.values]
    numbers, comma = numbers_of(texts)
    strange = [t for t, x in zip(texts, numbers, strict=True) if t is not None and x is None]
    if strange:
        raise TableError(
            f"{len(strange):,} of {len(texts):,} values of column {name} are no numbers.",
            hint="say category, or give an ontology.",
            values=strange,
        )
    decimals = decimals_of(texts)
    as_text = any(isinstance(c, str) and not is_missing(c, missing) for c in cells.values)

    def label(value: float | None) -> Any:
        return number_label(value, decimals, comma, as_text=as_text)

    return _coded(name, "numeric", cells, numbers, lambda v: NumericMetric(v, decimals), float, label, weight)


def number_label(value: float | None, decimals: int, comma: bool, *, as_text: bool) -> Any:
    """Return how a number is written in a column with so many decimals.

    >>> number_label(2.5, 2, True, as_text=True), number_label(2.0, 0, False, as_text=False)
    ('2,50', 2)
    """
    if value is None:
        return None
    if not as_text:
        return round(value, decimals) if decimals else int(value)
    text = f"{value:.{decimals}f}"
    return text.replace(".", ",") if comma else text


def decimals_of(texts: Sequence[str | None]) -> int:
    """Return how many decimals the numbers of a column have at most."""
    comma = numbers_of(texts)[1]
    return max((_decimals(t.replace(",", ".") if comma else t) for t in texts if t), default=0)


def numbers_of(texts: Sequence[str | None]) -> tuple[list[float | None], bool]:
    """Return the numbers of a column, None where a text is none, and whether it has decimal commas.

    Where every comma may as well stand between thousands (1,234), nothing with a comma is taken for a number.

    >>> numbers_of(["1,5", "2", None]), numbers_of(["1,234", "2"])
    (([1.5, 2.0, None], True), ([None, 2.0], False))
    """
    given = [t for t in texts if t is not None]
    with_comma = [t for t in given if "," in t]
    comma = bool(with_comma) and not any("." in t for t in given) and not all(map(_THOUSANDS.fullmatch, with_comma))
    return [None if t is None else to_number(t, comma) for t in texts], comma


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


def number_or_range(text: str, numbers: Sequence[float], comma: bool = False) -> float | tuple[float, float] | None:
    """Return a number, or the ends of a range as tools write it; an open end is that of the data. Else None.

    >>> [number_or_range(x, [17.0, 90.0]) for x in ("42", "[20, 30[", "20-30", "-5 - 5", ">= 80", "60+", "1,000")]
    [42.0, (20.0, 30.0), (20.0, 30.0), (-5.0, 5.0), (80.0, 90.0), (60.0, 90.0), 1000.0]
    >>> number_or_range("2,5", [1.0], comma=True), number_or_range("2010-05", [1.0]), number_or_range("*", [1.0])
    (2.5, None, None)
    """
    text = text.strip()
    if not comma and _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    number = to_number(text, comma)
    if number is not None:
        return number
    plain = text.replace(",", ".") if comma else text
    match = (None if comma else _BRACKETS.fullmatch(plain)) or _RANGE.fullmatch(plain)
    if match:
        low, high = float(match[1]), float(match[2])
        return (low, high) if -EXACT < low <= high < EXACT else None
    if numbers and (match := _ABOVE.fullmatch(plain)):
        number = max(min(float(match[1] or match[2] or match[3]), EXACT), -EXACT)
        return (number, max(*numbers, number))
    if numbers and (match := _BELOW.fullmatch(plain)):
        number = max(min(float(match[1] or match[2]), EXACT), -EXACT)
        return (min(*numbers, number), number)
    return None


def _decimals(text: str) -> int:
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent[:6] or 0)  # more is no number, or nothing
    found = len(mantissa.partition(".")[2].rstrip() if "." in mantissa else "") - power
    return min(max(found, 0), DIGITS)


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
    coded: bool | None = None,
) -> EncodedColumn:
    """Understand a column through one ontology, or several; `links` say for each what the texts mean.

    A text without a concept stands for itself (`opaque`) or becomes null (`suppress`). Concepts are written by code if
    `coded`; by default, if most texts are codes.
    """

    def meaning(cell: Any) -> Value:
        if is_missing(cell, missing):
            return None
        found = tuple(links_of[str(cell)].concept for links_of in links)
        if all(concept is None for concept in found):
            return str(cell)
        return found[0] if len(found) == 1 else found

    originals = [meaning(c) for c in cells.values]
    values = [None if isinstance(v, str) and unmatched == "suppress" else v for v in originals]
    labels = [
        label_of(scope.taxonomy, way_of_writing(links_of, scope, coded))
        for links_of, scope in zip(links, scopes, strict=True)
    ]

    def label(value: Value) -> str | None:
        if value is None or isinstance(value, str):
            return None
        each = (value,) if len(scopes) == 1 else value
        return next(say(c) for c, say in zip(each, labels, strict=True) if c is not None)

    def metric(distinct: list[Value]) -> Metric:
        parts = [ConceptMetric([], scope, measure, depth) for scope in scopes]
        return parts[0].extend(distinct) if len(parts) == 1 else BlendedMetric(distinct, parts)

    spelled = _spellings(cells, originals)
    return _coded(name, "text", cells, values, metric, lambda v: spelled[v][1], label, weight, originals)


def in_tree(coded: EncodedColumn, links: Mapping[str, Link], scope: Scope, measure: str) -> EncodedColumn:
    """Place the values of a column in a hierarchy beside its ontology; its most frequent spelling says where."""
    places: dict[int, Value] = {}
    for value, (_, cell) in _spellings(coded.cells, coded.code_of.tolist()).items():
        places[value] = links[cell].concept if cell in links else None
    values = [places.get(code) for code in range(len(coded.attribute.values))]
    tree = ConceptMetric(values, scope, measure)
    return replace(coded, attribute=replace(coded.attribute, hierarchy=tree))


def _spellings(cells: Cells, values: Sequence[Value]) -> dict[Value, tuple[int, str]]:
    """Return for every value its most frequent spelling, after how often it is, as a negative; ties: text order."""
    found: dict[Value, tuple[int, str]] = {}
    for cell, value, count in zip(cells.values, values, cells.counts.tolist(), strict=True):
        found[value] = min(found.get(value, (1, "")), (-count, str(cell)))
    return found


def label_of(taxonomy: Taxonomy, way: str) -> Callable[[int], str]:
    """Return how concepts are written: by `label`, `id`, or `notation` (those without one by id)."""
    if way == "notation":
        return lambda c: next(iter(taxonomy.lexicon.notations(c)), taxonomy.ids[c])
    return lambda c: taxonomy.ids[c] if way == "id" else taxonomy.labels[c].replace("_", " ")


def way_of_writing(links: Mapping[str, Link], scope: Scope, coded: bool | None = None) -> str:
    """Return how a column's concepts are written: by code or label as asked for, else as most of it was linked."""
    if coded is not None:
        return "notation" if coded else "label"
    taxonomy = scope.taxonomy
    total = by_id = by_notation = 0
    has_codes = bool(taxonomy.lexicon.notation.any())
    for x in links.values():
        if x.concept is not None:
            total += x.count
            by_id += x.count * (x.value == taxonomy.ids[x.concept] != taxonomy.labels[x.concept])
            by_notation += x.count * (has_codes and x.value in taxonomy.lexicon.notations(x.concept))
    if (by_id + by_notation) * 2 <= total:
        return "label"
    return "id" if by_id > by_notation else "notation"
