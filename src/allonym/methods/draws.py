"""Draws that belong to a row and its value: the same whether rows come alone, in batches or in another order.

They are blocks of Philox4x64-10, keyed by the seed and the attribute, at the counter (key of the row, its value). Rows
with one key but other values share no draw.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, Keys
from allonym.metric import Value
from allonym.ontology.narrower import Narrower
from allonym.release_key import derived

Words = NDArray[np.uint64]  # 4 × n: four random words of 64 bits for every row; of one row, just four
Draw = Callable[[Ints, Keys], Words]  # the draws of rows, given by their places, for the numbers of their values
DrawOne = Callable[[int], Sequence[int]]  # those of a single row for the number of its value
_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_ROUNDS = 10
_ALL = 2**64 - 1
_LOW, _HALF = np.uint64(2**32 - 1), np.uint64(32)
_BLOCK = 2**14  # rows at a time, so that all stays near the processor


def key_of(text: str) -> int:
    """Return the number that stands for the key of a row, given as text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def number_of(value: Value) -> int:
    """Return the number that stands for a value: the same for 7 and 7.0."""
    if isinstance(value, Narrower):
        return key_of(f"narrower {value.concept} {value.text}")
    return key_of(f"text {value}" if isinstance(value, str) else "null" if value is None else repr(float(value)))


def numbers_of(values: Iterable[Value]) -> Keys:
    """Return the numbers that stand for values."""
    return np.array([number_of(value) for value in values], np.uint64)


def stream_of(seed: int, attribute: str) -> tuple[int, int]:
    """Return the key of Philox for a seed and an attribute."""
    key = derived(seed, "column", attribute)
    return key & _ALL, key >> 64


def words(seed: int | None, attribute: str, keys: Keys, values: Keys) -> Words:
    """Return the draws of rows for an attribute; without a seed, they come from the system and never come again.

    >>> keys, values = np.array([0, 7, 0, 0], np.uint64), np.array([1, 1, 1, 2], np.uint64)
    >>> drawn = words(1, "job", keys, values)
    >>> [bool((drawn[:, 0] == drawn[:, i]).any()) for i in (1, 2, 3)]
    [False, True, False]
    """
    if seed is None:
        return np.frombuffer(os.urandom(32 * len(keys)), np.uint64).reshape(4, len(keys))
    stream = stream_of(seed, attribute)
    drawn = np.empty((4, len(keys)), np.uint64)
    for low in range(0, len(keys), _BLOCK):
        drawn[:, low : low + _BLOCK] = philox(stream, keys[low : low + _BLOCK], values[low : low + _BLOCK])
    return drawn


def draws_of_rows(seed: int | None, attribute: str, keys: Keys, rows: Ints, values: Keys) -> Words:
    """Return the draws of some rows for an attribute, given the keys of all rows."""
    return words(seed, attribute, keys[rows], values)


def words_of_one(stream: tuple[int, int] | None, key: int, value: int) -> tuple[int, ...]:
    """Return the draws of one row; the seed and the attribute by their stream."""
    if stream is None:
        drawn = os.urandom(32)
        return tuple(int.from_bytes(drawn[i : i + 8], "little") for i in (0, 8, 16, 24))
    a, b, c, d = key, value, 0, 0
    (multiplier, other_multiplier), word = _MULTIPLIERS, _ALL
    for one, other in _round_keys(stream):
        first, second = multiplier * a, other_multiplier * c
        a, b, c, d = (second >> 64) ^ b ^ one, second & word, (first >> 64) ^ d ^ other, first & word
    return a, b, c, d


@lru_cache(maxsize=256)
def _round_keys(key: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return the keys of all rounds."""
    return tuple(((key[0] + i * _STEPS[0]) & _ALL, (key[1] + i * _STEPS[1]) & _ALL) for i in range(_ROUNDS))


def philox(key: tuple[int, int], counters: Keys, others: Keys) -> Words:
    """Return the blocks of Philox4x64-10 (Salmon et al. 2011) for counters of two words."""
    zero = np.zeros(len(counters), np.uint64)
    a, b, c, d = counters.astype(np.uint64), others.astype(np.uint64), zero, zero
    one, other = key
    for _ in range(_ROUNDS):
        first, second = _times(_MULTIPLIERS[0], a), _times(_MULTIPLIERS[1], c)
        a, b, c, d = second[0] ^ b ^ np.uint64(one), second[1], first[0] ^ d ^ np.uint64(other), first[1]
        one, other = (one + _STEPS[0]) & _ALL, (other + _STEPS[1]) & _ALL
    return np.stack([a, b, c, d])


def _times(number: int, others: Words) -> tuple[Words, Words]:
    """Return the high and the low words of the products of a word and others."""
    high, low = np.uint64(number >> 32), np.uint64(number & 0xFFFFFFFF)
    other_high, other_low = others >> _HALF, others & _LOW
    middle = high * other_low + (low * other_low >> _HALF)
    last = low * other_high + (middle & _LOW)
    return high * other_high + (middle >> _HALF) + (last >> _HALF), np.uint64(number) * others


def below(limit: int, high: Words, low: Words) -> Words:
    """Return whole numbers below a limit, from 128 random bits each: no number is likelier by more than 2^-64."""
    top, rest = _times(limit, high)
    under, _ = _times(limit, low)
    return top + (rest + under < rest)  # the carry


def below_of_one(limit: int, high: int, low: int) -> int:
    """Return the same of one row."""
    return limit * ((high << 64) | low) >> 128


def uniform(drawn: Words) -> Floats:
    """Return words as numbers within (0, 1)."""
    return ((drawn >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def uniform_of_one(drawn: int) -> float:
    """Return the same of one row."""
    return ((drawn >> 12) + 0.5) * 2.0**-52
