"""Sequences of strings that find the place of a string: held in memory, or packed into arrays of a mapped file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import overload
from zlib import compress, crc32, decompress

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.pickling import DropCaches

MAX_SEARCHES = 10_000  # before a dictionary of all strings is worth its time and memory


class Strings(Sequence[str]):
    """A sequence of strings with an index."""

    @abstractmethod
    def find(self, text: str) -> int | None:
        """Return the first place of a string, or None."""


class StringTuple(DropCaches, tuple[str, ...], Strings):
    """Strings in memory; their index is a dictionary, built at the first search.

    >>> StringTuple(["cat", "dog", "cat"]).find("cat")
    0
    """

    @classmethod
    def indexed(cls, strings: Iterable[str], places: dict[str, int]) -> StringTuple:
        """Return strings with an index that exists already."""
        indexed = cls(strings)
        indexed.__dict__["_places"] = places
        return indexed

    @cached_property
    def _places(self) -> dict[str, int]:
        return dict(zip(reversed(self), range(len(self) - 1, -1, -1), strict=True))

    def find(self, text: str) -> int | None:
        """Return the first place of a string, or None."""
        return self._places.get(text)


class PackedStrings(DropCaches, Sequence[str]):
    r"""Strings joined by line feeds in one UTF-8 array, decoded one by one as they are needed.

    >>> words = PackedStrings(*packed(["cat", "bärin"]))
    >>> words[1], list(words)
    ('bärin', ['cat', 'bärin'])
    """

    def __init__(self, text: NDArray[np.uint8], starts: NDArray[np.int32]) -> None:
        self.text, self.starts = text, starts

    @cached_property
    def _bytes(self) -> memoryview:
        return memoryview(self.text)  # type: ignore[arg-type]

    @cached_property
    def _starts(self) -> memoryview[int]:
        return memoryview(self.starts)  # type: ignore[arg-type]  # its items are Python integers

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            place = range(len(self))[place]
        return str(self._encoded(place), "utf-8")

    def __iter__(self) -> Iterator[str]:
        return iter(self.text.tobytes().decode().split("\n")[:-1])

    def _encoded(self, place: int) -> memoryview:
        return self._bytes[self._starts[place] : self._starts[place + 1] - 1]


class PackedIndex(PackedStrings, Strings):
    """Packed strings with a hash table: open addressing, linear probing, the first place of each distinct string.

    After many searches, a dictionary replaces the table.

    >>> strings = ["cat", "dog", "cat"]
    >>> index = PackedIndex(*packed(strings), hash_table(strings))
    >>> index.find("cat"), index.find("dog"), index.find("cow")
    (0, 1, None)
    """

    def __init__(self, text: NDArray[np.uint8], starts: NDArray[np.int32], table: NDArray[np.int32]) -> None:
        super().__init__(text, starts)
        self.table = table
        self._searches = 0

    @cached_property
    def _table(self) -> memoryview[int]:
        return memoryview(self.table)  # type: ignore[arg-type]

    def find(self, text: str) -> int | None:
        """Return the first place of a string, or None."""
        if self._searches >= MAX_SEARCHES:
            return self._places.get(text)
        self._searches += 1
        wanted = text.encode("utf-8", "surrogatepass")
        table = self._table
        last_slot = len(table) - 1
        slot = crc32(wanted) & last_slot
        while (place := table[slot]) >= 0:
            if self._encoded(place) == wanted:
                return place
            slot = (slot + 1) & last_slot
        return None

    @cached_property
    def _places(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for place, string in enumerate(self):
            places.setdefault(string, place)
        return places


class SelectedStrings(Sequence[str]):
    """Strings of another sequence, by their places in it.

    >>> list(SelectedStrings(("cat", "dog"), np.array([1, 1, 0])))
    ['dog', 'dog', 'cat']
    """

    def __init__(self, strings: Sequence[str], places: NDArray[np.int32]) -> None:
        self.strings, self.places = strings, places

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self.strings[i] for i in self.places[place].tolist()]
        return self.strings[int(self.places[place])]

    def __iter__(self) -> Iterator[str]:
        return map(list(self.strings).__getitem__, self.places.tolist())


class CompressedStrings(DropCaches, Sequence[str]):
    """Strings compressed in blocks; the strings of a block are decompressed together when one is first needed.

    >>> texts = CompressedStrings(*compressed(["a dog", "a cat", "a cow"], 2), 3, 2)
    >>> texts[1], list(texts)
    ('a cat', ['a dog', 'a cat', 'a cow'])
    """

    def __init__(self, blocks: NDArray[np.uint8], starts: NDArray[np.int32], length: int, block_length: int) -> None:
        self.blocks, self.starts, self.length, self.block_length = blocks, starts, length, block_length

    @cached_property
    def _decompressed(self) -> dict[int, list[str]]:
        return {}

    def _block(self, number: int) -> list[str]:
        if number not in self._decompressed:
            content = self.blocks[self.starts[number] : self.starts[number + 1]].tobytes()
            self._decompressed[number] = decompress(content).decode().split("\n")
        return self._decompressed[number]

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        block, at = divmod(range(self.length)[place], self.block_length)
        return self._block(block)[at]


def compressed(strings: Sequence[str], block_length: int) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the arrays of `CompressedStrings`: the blocks, and where each of them starts."""
    if any("\n" in string for string in strings):
        raise ValueError("a compressed string must not contain a line feed")
    blocks = [
        compress("\n".join(strings[first : first + block_length]).encode(), 9)
        for first in range(0, len(strings), block_length)
    ]
    return np.frombuffer(b"".join(blocks), np.uint8), np.cumsum([0, *map(len, blocks)], dtype=np.int32)


def packed(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the arrays of `PackedStrings`: the text, and where each string starts in it."""
    encoded = [string.encode() + b"\n" for string in strings]
    if any(string.count(b"\n") > 1 for string in encoded):
        raise ValueError("a packed string must not contain a line feed")
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return np.frombuffer(b"".join(encoded), np.uint8), starts


def hash_table(strings: Sequence[str]) -> NDArray[np.int32]:
    """Return the table of a `PackedIndex`: the place of a string in the slot of its checksum, or in the next free."""
    size = 1 << (2 * len(strings)).bit_length()
    table = np.full(size, -1, np.int32)
    for string, place in StringTuple(strings)._places.items():
        slot = crc32(string.encode()) & (size - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = place
    return table
