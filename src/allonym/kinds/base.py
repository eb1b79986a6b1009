"""The base of every kind of column: cells become the codes that methods see, and codes become cells again.

A kind is one class in one module, named in `registry`. Its fields are the options that a plan's column gives it; its
class attributes state what the rest of the package asks. It must define `encode` and `meanings`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, count_units
from allonym.cells import MISSING, Cells, cell_text, is_missing, plain_spelling, text_counts
from allonym.errors import Problem
from allonym.kinds.codec import CellCodec
from allonym.kinds.linking import ColumnLinks
from allonym.metric import Metric, Value
from allonym.ontology.narrower import broader_unless, is_narrower
from allonym.ontology.scope import Scope
from allonym.records import Attribute

ANYTHING = "*"  # generalisation tools write it for any value


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """A column as codes: the attribute, the code of every distinct cell, and how values are written."""

    attribute: Attribute
    cells: Cells
    code_of: Ints  # for every distinct cell
    original_of: Ints  # the same before unmatched values were suppressed, or numbers rounded
    label: Callable[[Value], Any]  # how a value is written that has no spelling to use
    kind: Kind

    @property
    def codes(self) -> Ints:
        """The attribute's code for every row."""
        return self.code_of[self.cells.codes]

    @property
    def suppressed(self) -> int:
        """How many cells became null because they have no link."""
        null = np.array([value is None for value in self.attribute.values], bool)
        return int(self.cells.counts[null[self.code_of] & (self.code_of != self.original_of)].sum())

    @property
    def recoded(self) -> bool:
        """Whether cells became other values before they were masked."""
        return bool((self.code_of != self.original_of).any())

    def decode(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None, seed: int = 0) -> Cells:
        """Return the cells for codes of the (extended) attribute.

        A value is written in the spelling that most units hold, if at least k do (ties: text order), else by its label.
        Null is an empty cell, unless the column has no empty cell but a missing-value marker (?, NA).
        """
        best = self._best_spellings(k, units)
        if any(cell is None or cell == "" for cell in self.cells.values):
            best = {code: rank for code, rank in best.items() if attribute.values[code] is not None}
        written = [best[c][2] if c in best else self.label(v) for c, v in enumerate(attribute.values)]
        if any(isinstance(written[c], str) for c in np.unique(codes).tolist()):
            written = self.kind.as_texts(written, attribute.metric)
        return Cells(written, codes, self.cells.row_counts)

    def decode_alike(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None, seed: int = 0) -> Cells:
        """Return the cells for codes of the (extended) attribute; every item of a set reads the same in all cells."""
        return self.decode(attribute, codes, k, units, seed)

    def decode_existing(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None) -> Cells:
        """Return the cells for codes of values that `existing_cells` allows, and for null."""
        return self.decode(attribute, codes, k, units)

    def existing_cells(self, k: int, units: Ints | None) -> NDArray[np.bool_]:
        """Return which distinct cells are written where only existing records are: one spelling for each value.

        It is the one that most units hold, if at least k do. Of missing values, empty cells are written.
        """
        best = self._best_spellings(k, units)
        empty = [cell is None or cell == "" for cell in self.cells.values]
        nulls = [self.attribute.values[code] is None for code in self.code_of.tolist()]
        written = [
            is_empty or (not (null and any(empty)) and code in best and best[code][2] == cell)
            for cell, code, is_empty, null in zip(self.cells.values, self.code_of.tolist(), empty, nulls, strict=True)
        ]
        return np.array(written, bool) & (self.code_of == self.original_of)

    def _best_spellings(self, k: int, units: Ints | None) -> dict[int, tuple[int, str, Any]]:
        """Return by code the spelling that most units hold, and at least k: its negated count, its text, its cell."""
        held = self.cells.counts if units is None else count_units(self.cells.codes, units, len(self.cells.values))
        best: dict[int, tuple[int, str, Any]] = {}
        spelled = self.code_of == self.original_of  # a suppressed cell is no spelling of null, 23 none of 25
        for cell, code, is_spelling, holders in zip(self.cells.values, self.code_of, spelled, held, strict=True):
            rank = (-int(holders), str(cell), cell)
            if is_spelling and holders >= k and (int(code) not in best or rank[:2] < best[int(code)][:2]):
                best[int(code)] = rank
        return best

    def spelled_values(self, k: int, units: Ints | None) -> set[Value]:
        """Return the values with a spelling that at least k units hold."""
        return {self.attribute.values[code] for code in self._best_spellings(k, units)}

    def as_written(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None) -> tuple[Attribute, Ints]:
        """Return the (extended) attribute and codes that mean what `decode` writes.

        A leaf below a concept is written as the concept, unless at least k units hold a spelling of it. A text that
        fewer than k units hold is written as null, if it has no label.
        """
        values = attribute.values
        texts = [c for c in np.unique(codes).tolist() if is_narrower(values[c]) or is_text(values[c])]
        if not texts:
            return attribute, codes
        spelled = self.spelled_values(k, units)
        written = {c: value for c in texts if (value := self._written_value(values[c], spelled)) != values[c]}
        if not written:
            return attribute, codes
        metric = attribute.metric.extend(list(written.values()))
        places = {value: code for code, value in enumerate(metric.values)}
        becomes = np.arange(len(metric.values))
        becomes[list(written)] = [places[value] for value in written.values()]
        return replace(attribute, metric=metric), becomes[codes]

    def _written_value(self, value: Value, spelled: Container[Value]) -> Value:
        """Return what is written for a leaf or a text, given the values with a spelling to use."""
        value = broader_unless(value, spelled)
        return None if isinstance(value, str) and value not in spelled and self.label(value) is None else value


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """A column of a release as codes: the attribute extended by its values, and the cells that mean nothing known."""

    attribute: Attribute
    codes: Ints
    unknown: Sequence[str]


@dataclass(frozen=True)
class Kind(ABC):
    """A kind of column, with the options that a plan gives it."""

    name: ClassVar[str]
    description: ClassVar[str]  # what its values are, for people
    options: ClassVar[frozenset[str]] = frozenset()  # of a plan's column, besides the common ones
    grouped_options: ClassVar[frozenset[str]] = frozenset()  # those that only methods which group records take
    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    automatic: ClassVar[bool] = False  # whether columns without a stated kind may be of it
    numeric: ClassVar[bool] = False  # whether its values are numbers
    ordered: ClassVar[bool] = False  # whether its values are on a line
    multivalued: ClassVar[bool] = False  # whether a cell may hold several items
    writes_rare: ClassVar[bool] = True  # whether a value that fewer than k units hold may be written as it stands
    labels: ClassVar[bool] = True  # whether values have labels, which may be written although nobody holds them
    argument: ClassVar[str] = ""  # the option that stands behind the kind, as in ordinal:FILE
    default_measure: ClassVar[str] = "wu-palmer"  # of similarity
    default_representative: ClassVar[str] = "truthful"  # of a group, where a method leaves it to the kind
    representatives: ClassVar[Mapping[str, str]] = {}  # choices of `represent`, as the methods name them
    max_true_distance: ClassVar[float | None] = None  # of a value that is true of a group to each that it replaces
    without_ontology: ClassVar[Mapping[str, str]] = {}  # the options of a column whose words no ontology has

    weight: float = 1.0
    max_distance: float | None = None
    missing: Sequence[str] = MISSING
    folder: Path = Path()
    writes_codes: bool | None = None  # whether concepts are written by code; None: as the column was

    @classmethod
    def of(cls, column: Any, **settings: Any) -> Self:
        """Return the kind with the options of a plan's column, and settings of the plan."""
        options = {f.name: getattr(column, f.name) for f in fields(cls) if hasattr(column, f.name)}
        return cls(**options | settings)

    @classmethod
    def problems(cls, column: Any) -> Iterator[Problem]:
        """Yield what is wrong with the options of a plan's column of this kind."""
        yield from ()

    @classmethod
    def recognises(cls, cells: Cells, missing: Sequence[str] = MISSING) -> bool:
        """Tell whether a column looks like this kind."""
        return False

    @property
    def bounds(self) -> dict[str, Any]:
        """How far a group's value may be from each value that it replaces, as options of an attribute."""
        return {"max_distance": self.max_distance, "max_true_distance": self.max_true_distance}

    @property
    def linked(self) -> bool:
        """Whether values are words that are linked to an ontology, and reviewed."""
        return False

    def words_of(self, cell: Any) -> list[str]:
        """Return the words of a cell, as they are linked; a missing value has none."""
        return [] if is_missing(cell, self.missing) else [str(cell)]

    def words(self, cells: Cells) -> Counter[str]:
        """Return the words of a column with their counts."""
        return text_counts(cells, self.missing)

    def words_together(self, cells: Cells) -> list[list[str]]:
        """Return the words of each cell that has several; they are evidence for one another's meaning."""
        return []

    @abstractmethod
    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode a column; a kind that is linked needs the links of its words."""

    def encode_release(self, encoded: EncodedColumn, cells: Cells, links: Sequence[ColumnLinks]) -> ReleasedColumn:
        """Encode a column of a release, from any tool, with its rows in the order of the encoded original."""
        values, unknown = self.released_values(encoded, cells, links)
        return released(encoded, cells, values, unknown)

    def released_values(
        self, encoded: EncodedColumn, cells: Cells, links: Sequence[ColumnLinks]
    ) -> tuple[list[Value], list[str]]:
        """Return the values of distinct cells of a release, or of another table, and the cells that mean nothing known.

        Rows of another table match none of the original: their code is -1.
        """
        known = {
            cell_text(cell): encoded.attribute.values[code]
            for cell, code in zip(encoded.cells.values, encoded.original_of, strict=True)
        }
        texts = [None if is_missing(cell, self.missing) else cell_text(cell) for cell in cells.values]
        new = {text: place for place, text in enumerate(texts) if text is not None and text not in known}
        known |= self.meanings(encoded, cells, new, links)
        variants = {plain_spelling(x): x for x in encoded.attribute.values if isinstance(x, str)}
        for text in new:  # other spellings of words that the original has
            if isinstance(known.get(text, text), str) and (key := plain_spelling(text)) in variants:
                known[text] = variants[key]
        unknown = [text for text in new if text not in known]
        return [None if text is None else known.get(text, text) for text in texts], unknown

    @abstractmethod
    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return the values of texts that only a release has, without those that mean nothing known.

        `new` has the place of each text in the cells of the release; `ANYTHING` may be among them.
        """

    def canonical(self, cells: Cells) -> Cells:
        """Return cells in which those that are the same to this kind are one."""
        return cells

    def items(self, cell: Any) -> list[str]:
        """Return the items of a cell; a missing value has none."""
        return [] if is_missing(cell, self.missing) else [cell_text(cell)]

    def text(self, cell: Any) -> str:
        """Return the text of a cell as a reader of the table sees it; null has none."""
        return "" if cell is None else cell_text(cell)

    def listed(self, cell: Any) -> list[str]:
        """Return the texts that a codebook lists for a cell."""
        return [cell_text(x) for x in cell] if isinstance(cell, tuple) else [cell_text(cell)]

    def as_texts(self, cells: list[Any], metric: Metric) -> list[Any]:
        """Return the cells of a column in which text is written; a kind whose cells are of one type makes all text."""
        return cells

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> CellCodec:
        """Return the codec of single cells; concepts must lie in the domain, if one is given."""
        raise NotImplementedError(f"a column of kind {self.name} has no codec")

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> CellCodec:
        """Return the codec that `CellCodec.to_dict` stored; refuse damaged figures by a ValueError."""
        raise ValueError(f"a column of kind {self.name} has no codec")

    def _encoded(
        self,
        name: str,
        cells: Cells,
        values: Sequence[Value],
        metric: Callable[[list[Value]], Metric],
        order: Callable[[Value], Any],
        label: Callable[[Value], Any],
        originals: Sequence[Value] | None = None,
    ) -> EncodedColumn:
        """Number values by `order`, so that the order of rows does not matter; null comes last."""
        originals = values if originals is None else originals
        distinct = sorted({v for v in (*values, *originals) if v is not None}, key=order)
        if None in values:
            distinct.append(None)
        place = {v: i for i, v in enumerate(distinct)}
        code_of, original_of = (np.array([place[v] for v in each], np.int64) for each in (values, originals))
        attribute = Attribute(name, self.name, metric(distinct), self.weight, **self.bounds)
        return EncodedColumn(attribute, cells, code_of, original_of, label, self)


def is_text(value: Value) -> bool:
    """Tell whether a value is a text that no ontology has, or a set with such texts."""
    return any(map(is_text, value)) if isinstance(value, frozenset) else isinstance(value, str)


def released(encoded: EncodedColumn, cells: Cells, values: Sequence[Value], unknown: Sequence[str]) -> ReleasedColumn:
    """Return a column of a release from the values of its distinct cells."""
    metric = encoded.attribute.metric.extend(values)
    places = {value: code for code, value in enumerate(metric.values)}
    codes = np.array([places[v] for v in values], np.int64)[cells.codes]
    return ReleasedColumn(replace(encoded.attribute, metric=metric), codes, unknown)
