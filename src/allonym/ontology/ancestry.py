"""Common subsumers of many pairs of concepts at once.

Every concept has a *slot* such that the ancestors of a concept have different slots, and the slot of a child is higher
than those of its parents. T(c) is then a short row of numbers, and T(a) ∩ T(b) is where two rows are equal: one
comparison, packed into the bits of an integer. The highest common slot is a least common subsumer. It is the only one
if it has as many ancestors as there are common slots, as for all but one in a thousand pairs of WordNet nouns. Other
pairs, and concepts with more than 29 slots, use a slower general algorithm with the same result.

The shortest path between two concepts may lead over a higher common subsumer than a least one, if one of them has a
second parent high up. Such pairs have ancestors nearer than the least common subsumer in lower slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import take_rows

if TYPE_CHECKING:
    from allonym.ontology.similarity.features import ConceptFeatures
    from allonym.ontology.similarity.gloss_vectors import GlossVectors
    from allonym.ontology.taxonomy import Taxonomy

Ints = NDArray[Any]  # integers of any width
Floats = NDArray[np.float64]
Score = Callable[[Ints, Ints], Floats]  # (N1 + N2, place of the subsumer) -> the score of the subsumer

MAIN = 30  # slots of the fast comparison; with the bits of filled slots, they fill a cache line of 16-bit numbers
MARK = MAIN - 1  # the last of them marks concepts with further slots
BLOCK = 4096  # pairs at a time, so that the working set fits into the cache


class Ancestry:
    """The ancestor sets of some concepts, laid out for comparison.

    >>> from allonym.ontology.taxonomy import Taxonomy
    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> t.ancestry([2, 3]).best([2, 2], [3, 1], lambda links, lcs: 10.0 - links)
    array([7., 9.])
    """

    def __init__(self, taxonomy: Taxonomy, concepts: ArrayLike) -> None:
        self.taxonomy = taxonomy
        self._used = taxonomy.above(np.append(np.ravel(np.asarray(concepts, np.int64)), taxonomy.root))
        self._row = np.full(len(taxonomy), -1, np.int64)
        self._row[self._used] = np.arange(len(self._used))
        starts, parents = take_rows(*taxonomy.parents, self._used)
        self._parents = starts, self._row[parents]
        depth = taxonomy.depth[self._used]
        by_depth = np.argsort(depth, kind="stable")
        self._levels = np.split(by_depth, np.flatnonzero(np.diff(depth[by_depth])) + 1)
        self._slot = self._assign_slots()
        self._fill()

    def __contains__(self, concept: int) -> bool:
        return bool(self._row[concept] >= 0)

    @cached_property
    def features(self) -> ConceptFeatures:
        """The features of the same concepts, for the measures on features."""
        from allonym.ontology.similarity.features import ConceptFeatures

        return ConceptFeatures(self.taxonomy, self._used)

    @cached_property
    def gloss_vectors(self) -> GlossVectors:
        """The gloss vectors of the same concepts."""
        from allonym.ontology.similarity.gloss_vectors import GlossVectors

        return GlossVectors(self.taxonomy, self._used)

    # --- construction ----------------------------------------------------------------------------------------

    def _conflicts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs of ancestors, in both orders, of concepts with several parents."""
        starts, _ = self._parents
        merging = self._used[np.flatnonzero(np.diff(starts) > 1)]
        pairs: list[NDArray[np.int64]] = []
        for block in np.array_split(merging, len(merging) // 2000 + 1):
            closure_starts, ancestors, _ = self.taxonomy.closure(block)
            rows = self._row[ancestors].astype(np.int64)
            lengths = np.diff(closure_starts)
            _, other = take_rows(closure_starts, rows, np.repeat(np.arange(len(block)), lengths))
            one = np.repeat(rows, np.repeat(lengths, lengths))
            pairs.append(np.unique(one * len(self._used) + other))
        one, other = np.divmod(np.unique(np.concatenate(pairs)), max(len(self._used), 1))
        return one[one != other], other[one != other]

    def _assign_slots(self) -> NDArray[np.int32]:
        """Give each concept the lowest slot above its parents' that no concept in a shared ancestor set has.

        Concepts with conflicts choose first, in the order of their paths down, so that few rows are wide.
        """
        one, other = self._conflicts()
        first = np.searchsorted(one, np.arange(len(self._used) + 1))
        starts, parents = self._parents
        slot = np.full(len(self._used), -1, np.int32)
        conflicting, below = np.unique(one), self._paths_down()
        depth = self.taxonomy.depth[self._used]
        for row in conflicting[np.lexsort((conflicting, depth[conflicting], -below[conflicting]))].tolist():
            taken = set(slot[other[first[row] : first[row + 1]]].tolist())
            lowest = int(slot[parents[starts[row] : starts[row + 1]]].max(initial=-1)) + 1
            while lowest in taken:
                lowest += 1
            slot[row] = lowest
        slot[self._levels[0]] = 0
        for level in self._levels[1:]:
            rest = level[slot[level] < 0]
            row_starts, above = take_rows(starts, parents, rest)
            slot[rest] = np.maximum.reduceat(slot[above], row_starts[:-1]) + 1 if rest.size else 0
        return slot

    def _paths_down(self) -> Floats:
        """Return the number of paths down from every concept; an ancestor has at least as many as a descendant."""
        paths = np.ones(len(self._used))
        for level in reversed(self._levels):
            starts, above = take_rows(*self._parents, level)
            np.add.at(paths, above, np.repeat(paths[level], np.diff(starts)))
        return paths

    def _fill(self) -> None:
        """Write T(c) and the fewest links up as rows over slots, each from the rows of the parents."""
        p = len(self._used)
        width = max(MAIN + 1, int(self._slot.max(initial=0)) + 1)
        order = np.lexsort((np.arange(p), self._slot))
        self._offset = np.searchsorted(self._slot[order], np.arange(width)).astype(np.int64) - 1
        self._concept_at = self._used[order]  # a slot's offset + a number in it -> the concept
        number = np.empty(p, np.int64)
        number[order] = np.arange(p) - self._offset[self._slot[order]]  # from 1: 0 is an empty slot
        self._numbers = np.zeros((p, width), np.uint16 if number.max(initial=0) < 2**16 else np.uint32)
        links = np.uint8 if self.taxonomy.deepest < 127 else np.uint16  # the sum of two must fit
        far = np.iinfo(links).max
        self._links = np.full((p, width), far, links)
        starts, parents = self._parents
        for level in self._levels:
            count = starts[level + 1] - starts[level]
            for i in range(int(count.max())):
                has = level[count > i]
                parent = parents[starts[has] + i]
                self._numbers[has] = np.maximum(self._numbers[has], self._numbers[parent])
                up = self._links[parent]
                self._links[has] = np.minimum(self._links[has], up + (up < far))
            self._numbers[level, self._slot[level]] = number[level]
            self._links[level, self._slot[level]] = 0
        self._index()

    def _index(self) -> None:
        """Derive the arrays of the fast comparison: main slots, bits, sizes."""
        p = len(self._used)
        filled = self._numbers > 0
        main = np.zeros((p, 32), self._numbers.dtype)
        main[:, :MARK] = self._numbers[:, :MARK]
        main[:, MARK] = filled[:, MARK:].any(axis=1)
        bits = np.packbits(main > 0, axis=1, bitorder="little").view(np.uint32).ravel()
        main.view(np.uint32)[:, -1] = bits  # in the two unused slots
        self._main = main
        self._main_links = np.zeros((p, 32), self._links.dtype)
        self._main_links[:, :MARK] = self._links[:, :MARK]
        self._nearest = self._nearest_below()
        self._place_of = np.append(self._offset[:MARK], p - 1)  # the mark refers to the place of no concept
        self.size = np.zeros(len(self.taxonomy), np.int32)  # |T(c)|
        self.size[self._used] = filled.sum(axis=1)
        self._size_at = np.append(self.size[self._concept_at], -1).astype(np.int16)
        filled[np.arange(p), self._slot] = False
        strict = np.packbits(filled, axis=1, bitorder="little")  # of proper ancestors
        padded = np.zeros((p, -(-strict.shape[1] // 8) * 8), np.uint8)
        padded[:, : strict.shape[1]] = strict
        self._above = padded.view(np.uint64)

    def _nearest_below(self) -> Ints:
        """Return for every main slot the fewest links up to an ancestor in a lower slot."""
        nearest = np.full((len(self._used), 32), np.iinfo(self._links.dtype).max // 2, self._links.dtype)
        nearest[:, 1:MARK] = np.minimum(np.minimum.accumulate(self._links[:, : MARK - 1], axis=1), nearest[:, 1:MARK])
        return nearest

    # --- queries ---------------------------------------------------------------------------------------------

    def by_place(self, amounts: NDArray[Any]) -> Floats:
        """Reorder a value per concept by place, the number by which a score knows subsumers."""
        return np.append(amounts[self._concept_at], 1.0)

    def twice_depths(self, of_root: int) -> Floats:
        """Return twice the depth of every concept by place, the root having a given one; kept, as it is used often."""
        if of_root not in self._twice_depths:
            self._twice_depths[of_root] = 2.0 * self.by_place(self.taxonomy.depth + of_root)
        return self._twice_depths[of_root]

    @cached_property
    def _twice_depths(self) -> dict[int, Floats]:
        return {}

    def shared(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return |T(a) ∩ T(b)| for pairs of concepts, broadcast as in NumPy."""
        pairs = self._pairs(a, b)
        count, hard = np.empty(pairs.size, np.int64), []
        for block, _, _, _, common in self._common(pairs):
            count[block] = np.bitwise_count(common)
            hard.append(np.flatnonzero(common >> MARK) + block.start)
        wide = np.concatenate([*hard, np.empty(0, np.int64)])
        x, y = pairs.at(wide)
        rest = self._numbers[x, MARK:]
        count[wide] += ((rest == self._numbers[y, MARK:]) & (rest > 0)).sum(axis=1) - 1
        return count.reshape(pairs.shape)

    def best(self, a: ArrayLike, b: ArrayLike, score: Score) -> Floats:
        """Return the best score over the least common subsumers of each pair.

        `a` and `b` broadcast as in NumPy: two arrays of equal length are pairs, a column and a row are a table.
        """
        return self._best(self._pairs(a, b), score, None, shortest=False)

    def links(self, a: ArrayLike, b: ArrayLike) -> Floats:
        """Return the fewest links of each pair up to a common subsumer, least or not; broadcast as in NumPy."""
        return -self._best(self._pairs(a, b), _fewest_links, None, shortest=True)

    def best_subsumer(self, a: ArrayLike, b: ArrayLike, score: Score) -> NDArray[np.int64]:
        """Return the least common subsumer with the best score; of equals the deepest, then the lowest number."""
        return self._subsumer(a, b, score, shortest=False)

    def nearest_subsumer(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the common subsumer on the shortest path; of equals the deepest, then the lowest number."""
        return self._subsumer(a, b, _fewest_links, shortest=True)

    def _subsumer(self, a: ArrayLike, b: ArrayLike, score: Score, *, shortest: bool) -> NDArray[np.int64]:
        pairs = self._pairs(a, b)
        place = np.empty(pairs.shape, np.int64)
        self._best(pairs, score, place.reshape(-1), shortest=shortest)
        return self._concept_at[place]

    def _best(self, pairs: _Pairs, score: Score, places: NDArray[np.int64] | None, *, shortest: bool) -> Floats:
        value, hard = np.empty(pairs.size), []
        flat_links, flat_nearest = self._main_links.reshape(-1), self._nearest.reshape(-1)
        for block, x, y, row_x, common in self._common(pairs):
            highest = np.frexp(common.astype(np.float64))[1]
            highest -= 1
            place = np.take(self._place_of, highest)
            place += np.take(row_x, pairs.start[: len(y)] + highest if x.ndim else highest)
            links = np.take(flat_links, x * 32 + highest)
            links += np.take(flat_links, y * 32 + highest)
            value[block] = score(links, place)
            if places is not None:
                places[block] = place
            is_hard = np.bitwise_count(common) != np.take(self._size_at, place)
            if shortest:
                higher = np.take(flat_nearest, x * 32 + highest)
                higher += np.take(flat_nearest, y * 32 + highest)
                is_hard |= higher < links
            hard.append(np.flatnonzero(is_hard) + block.start)
        several = np.concatenate([*hard, np.empty(0, np.int64)])
        for low in range(0, len(several), BLOCK):
            some = several[low : low + BLOCK]
            x, y = pairs.at(some)
            value[some], place = self._shortest(x, y) if shortest else self._general(x, y, score)
            if places is not None:
                places[some] = place
        return value.reshape(pairs.shape)

    def _pairs(self, a: ArrayLike, b: ArrayLike) -> _Pairs:
        return _Pairs(None if len(self._used) == len(self._row) else self._row, a, b)

    def _common(self, pairs: _Pairs) -> Iterator[tuple[slice, Ints, Ints, Ints, NDArray[np.uint32]]]:
        """Yield blocks of pairs, the rows of x and, as bits, the main slots where both rows hold the same concept."""
        row_x, row_y = np.empty((2, BLOCK, 32), self._main.dtype)
        same = np.empty((BLOCK, 32), bool)
        for block, x, y, fresh in pairs.blocks():
            size = len(y)
            if fresh:  # in a table, one block of columns serves every row
                np.take(self._main, y, axis=0, out=row_y[:size], mode="clip")
            mine = np.take(self._main, x, axis=0, out=row_x[:size], mode="clip") if x.ndim else self._main[x]
            equal = np.equal(mine, row_y[:size], out=same[:size])
            filled = mine.view(np.uint32)[..., -1]
            yield block, x, y, mine.reshape(-1), np.packbits(equal, bitorder="little").view(np.uint32) & filled

    def _general(self, x: Ints, y: Ints, score: Score) -> tuple[Floats, Ints]:
        """Compare whole rows; if the highest common slot is not the only least subsumer, compare all of them."""
        rows = self._numbers[x]
        common = (rows == self._numbers[y]) & (rows > 0)
        highest = common.shape[1] - 1 - np.argmax(common[:, ::-1], axis=1)
        place = self._offset[highest] + rows[np.arange(len(x)), highest]
        value = score(self._links[x, highest] + self._links[y, highest], place)
        several = np.flatnonzero(common.sum(axis=1) != self._size_at[place])
        if several.size:
            value[several], place[several] = self._several(x[several], y[several], common[several], score)
        return value, place

    def _several(self, x: Ints, y: Ints, common: NDArray[np.bool_], score: Score) -> tuple[Floats, Ints]:
        """Score every common slot whose concept is not above another common one."""
        pair, slot = np.nonzero(common)
        place = self._offset[slot] + self._numbers[x[pair], slot]
        starts = np.searchsorted(pair, np.arange(len(x)))
        covered = np.bitwise_or.reduceat(self._above[self._row[self._concept_at[place]]], starts, axis=0)
        word, bit = np.divmod(slot, 64)
        least = (covered[pair, word] >> bit.astype(np.uint64)) & np.uint64(1) == 0
        pair, slot, place = pair[least], slot[least], place[least]
        value = score(self._links[x[pair], slot] + self._links[y[pair], slot], place)
        subsumer = self._concept_at[place]
        order = np.lexsort((subsumer, -self.taxonomy.depth[subsumer], -value, pair))
        first = order[np.searchsorted(pair[order], np.arange(len(x)))]
        return value[first], place[first]

    def _shortest(self, x: Ints, y: Ints) -> tuple[Floats, Ints]:
        """Compare the links over every common slot."""
        rows = self._numbers[x]
        common = (rows == self._numbers[y]) & (rows > 0)
        links = np.where(common, self._links[x] + self._links[y], np.iinfo(self._links.dtype).max)
        fewest = links.min(axis=1)
        pair, slot = np.nonzero(links == fewest[:, None])
        place = self._offset[slot] + rows[pair, slot]
        subsumer = self._concept_at[place]
        order = np.lexsort((subsumer, -self.taxonomy.depth[subsumer], pair))
        return -fewest.astype(np.float64), place[order[np.searchsorted(pair[order], np.arange(len(x)))]]


def _fewest_links(links: Ints, subsumer: Ints) -> Floats:
    return -links.astype(np.float64)


class _Pairs:
    """Blocks of pairs: from two arrays of equal length, or from a table row by row."""

    def __init__(self, row: NDArray[np.int64] | None, a: ArrayLike, b: ArrayLike) -> None:
        a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)  # narrower codes would overflow below
        self.shape = np.broadcast_shapes(a.shape, b.shape)
        self.size = int(np.prod(self.shape))
        self.is_table = a.size == 1 or (a.ndim == 2 and a.shape[1] == 1 and b.ndim > 0 and b.size == b.shape[-1])
        if not self.is_table and a.shape != b.shape:
            a, b = np.broadcast_arrays(a, b)
        self.row, self.a, self.b = row, a.ravel(), b.ravel()
        self.start = np.arange(0, 32 * BLOCK, 32)

    def blocks(self) -> Iterator[tuple[slice, Ints, Ints, bool]]:
        """Yield the place of a block of results, its rows (in a table a single x), and whether its columns are new."""
        for low in range(0, len(self.b), BLOCK):
            y = self._rows(self.b[low : low + BLOCK])
            if not self.is_table:
                yield slice(low, low + len(y)), self._rows(self.a[low : low + BLOCK]), y, True
                continue
            for i in range(len(self.a)):
                start = i * len(self.b) + low
                yield slice(start, start + len(y)), self._rows(self.a[i]), y, i == 0

    def at(self, where: NDArray[np.int64]) -> tuple[Ints, Ints]:
        """Return the rows of some pairs."""
        i, j = np.divmod(where, len(self.b)) if self.is_table else (where, where)
        return self._rows(self.a[i]), self._rows(self.b[j])

    def _rows(self, concepts: Ints) -> Ints:
        rows = np.asarray(concepts) if self.row is None else np.take(self.row, concepts)
        if rows.min(initial=0) < 0:
            raise IndexError("the ancestry does not contain some of these concepts")
        return rows
