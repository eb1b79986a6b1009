"""What is wrong with a hierarchy: values that are no kinds of their ancestors, and levels that are out of order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats
from allonym.errors import first_few
from allonym.measures.hierarchies import deviations, redundant_levels, reversals
from allonym.ontology.hierarchy import Hierarchy

NO_KIND, FARTHER, REDUNDANT, HEIGHT, UNEVEN = "no-kind", "farther", "redundant-level", "unequal-heights", "uneven-level"
UNEVEN_RATIO = 5  # leaves of the largest value of a level for each leaf of the smallest
MAX_NAMED = 4  # leaves named in a sentence


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a hierarchy.

    Codes: `no-kind` (leaves are no kinds of the value), `farther` (the value is farther from leaves than the value
    above it), `redundant-level` (it groups the leaves as the level below), `unequal-heights` (leaves are repeated at
    the level), `uneven-level` (some values have many more leaves than others).
    """

    code: str
    level: int
    value: str = ""
    leaves: tuple[str, ...] = ()
    above: str = ""  # of `farther`, the value above; of `uneven-level`, the smallest value
    losses: tuple[float, float] = (0.0, 0.0)  # of `farther`, of its first leaf: to the value, and to the one above
    are_parts: bool = False  # of `no-kind`: whether the ontology says that the leaves are parts of the value
    counts: tuple[int, int] = (0, 0)  # of `uneven-level`: leaves of the largest and the smallest value

    @property
    def text(self) -> str:
        """The finding as a sentence.

        >>> Finding("no-kind", 1, "bird", ("bat",)).text
        'bat is no kind of bird (level 1).'
        >>> Finding("no-kind", 1, "Asia", ("China", "India"), are_parts=True).text
        'China, India are parts of Asia, not kinds of it (level 1).'
        """
        return _SENTENCES[self.code](self)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding for JSON; what does not apply is left out."""
        applies = {key: x for key, x in asdict(self).items() if x and x not in ((0.0, 0.0), (0, 0))}
        return applies | {"text": self.text}


def findings(
    hierarchy: Hierarchy, losses: Floats, kinds: NDArray[np.bool_] | None, parts: NDArray[np.bool_] | None
) -> list[Finding]:
    """Return what is wrong with a hierarchy; wrong transitions by how unusual their losses are for their level."""
    unusual = deviations(losses)
    groups: list[list[tuple[float, Finding]]] = []
    if kinds is not None:
        are_parts = np.zeros_like(kinds) if parts is None else parts
        for part in (False, True):
            places = np.argwhere(~kinds & (are_parts == part)).tolist()
            groups.append(_no_kinds(hierarchy, places, unusual, are_parts=part))
    groups.insert(1, list(_farther(hierarchy, losses, unusual)))
    in_order = [x for group in groups for _, x in sorted(group, key=lambda pair: -round(pair[0], 9))]
    return [*in_order, *_shape(hierarchy)]


def _no_kinds(
    hierarchy: Hierarchy, places: Sequence[Sequence[int]], unusual: Floats, *, are_parts: bool
) -> list[tuple[float, Finding]]:
    """Return a finding for each value of a level, with the leaves that are no kinds of it, most unusual first."""
    leaves: dict[tuple[int, str], list[tuple[float, str]]] = {}
    for row, i in places:
        key = (i + 1, hierarchy.rows[row][i + 1])
        leaves.setdefault(key, []).append((-float(unusual[row, i]), hierarchy.rows[row][0]))
    return [
        (-min(own)[0], Finding(NO_KIND, level, value, tuple(leaf for _, leaf in sorted(own)), are_parts=are_parts))
        for (level, value), own in leaves.items()
    ]


def _farther(hierarchy: Hierarchy, losses: Floats, unusual: Floats) -> Iterator[tuple[float, Finding]]:
    """Yield a finding for each value that is farther from leaves than the value above it, the worst leaf first."""
    leaves: dict[tuple[int, str, str], list[tuple[float, int]]] = {}
    for row, i in np.argwhere(reversals(losses)).tolist():
        key = (i + 1, hierarchy.rows[row][i + 1], hierarchy.rows[row][i + 2])
        leaves.setdefault(key, []).append((float(losses[row, i + 1] - losses[row, i]), row))
    for (level, value, above), own in leaves.items():
        rows = [row for _, row in sorted(own)]
        worst = (float(losses[rows[0], level - 1]), float(losses[rows[0], level]))
        names = tuple(hierarchy.rows[row][0] for row in rows)
        yield float(unusual[rows, level - 1].max()), Finding(FARTHER, level, value, names, above, worst)


def _shape(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield what is wrong whatever the values mean: redundant levels, leaves of unequal heights, uneven levels."""
    for level in redundant_levels(hierarchy.groups):
        yield Finding(REDUNDANT, level)
    for level in range(1, hierarchy.height + 1):
        repeated = tuple(row[0] for row in hierarchy.rows if row[0] in row[1:] and _last_place(row) == level)
        if repeated and len(repeated) < len(hierarchy.rows):
            yield Finding(HEIGHT, level, leaves=repeated)
        sizes: dict[str, int] = {}
        for row in hierarchy.rows:
            if row[level] != row[0]:
                sizes[row[level]] = sizes.get(row[level], 0) + 1
        largest, smallest = max(sizes, key=sizes.__getitem__, default=""), min(sizes, key=sizes.__getitem__, default="")
        if sizes and sizes[largest] >= UNEVEN_RATIO * sizes[smallest]:
            counts = sizes[largest], sizes[smallest]
            yield Finding(UNEVEN, level, largest, above=smallest, counts=counts)


def _last_place(row: Sequence[str]) -> int:
    """Return the highest level at which a leaf is repeated."""
    return max(level for level, value in enumerate(row) if value == row[0])


def _no_kind_text(x: Finding) -> str:
    names, one = first_few(x.leaves, MAX_NAMED), len(x.leaves) == 1
    if x.are_parts:
        parts, kinds = ("is a part", "a kind") if one else ("are parts", "kinds")
        return f"{names} {parts} of {x.value}, not {kinds} of it (level {x.level})."
    return f"{names} {'is no kind' if one else 'are no kinds'} of {x.value} (level {x.level})."


def _farther_text(x: Finding) -> str:
    leaf, *others = x.leaves
    also = f"; so it is from {first_few(others, MAX_NAMED)}" if others else ""
    return (
        f"{x.value} (level {x.level}) is farther from {leaf} ({x.losses[0]:.4f}) than {x.above} above it is "
        f"({x.losses[1]:.4f}){also}."
    )


def _redundant_text(x: Finding) -> str:
    below = "no leaves together" if x.level == 1 else f"the leaves as level {x.level - 1} does"
    return f"Level {x.level} groups {below}: it adds a name, and no generalisation."


def _height_text(x: Finding) -> str:
    verb = "is" if len(x.leaves) == 1 else "are"
    return f"Unequal heights: {first_few(x.leaves, MAX_NAMED)} {verb} not generalised up to level {x.level}."


def _uneven_text(x: Finding) -> str:
    return f"Level {x.level} is uneven: {x.value} has {x.counts[0]:,} leaves, {x.above} has {x.counts[1]:,}."


_SENTENCES = {
    NO_KIND: _no_kind_text, FARTHER: _farther_text, REDUNDANT: _redundant_text, HEIGHT: _height_text,
    UNEVEN: _uneven_text,
}  # fmt: skip
