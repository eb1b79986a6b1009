"""Clusters of values that are probably spellings of one another, which a person may settle at once.

Key collision and nearest neighbours, as OpenRefine's "cluster and edit" has them:

- `fingerprint`: the words in lower case, without accents and punctuation, in any order;
- `n-gram fingerprint`: the pairs of letters, whatever the blanks between words;
- `nearest neighbours`: all words but one are equal, and that one differs by a slip (Damerau-Levenshtein).

A cluster is a star: every spelling is a variant of the most frequent one. Two values are kept apart if they differ in
a number, a sign, a word of one or two letters or a negation, if words differ in their first two letters or by prefixes
that are opposites, or if they mean different concepts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from allonym.errors import LinksError
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.languages import language as language_of
from allonym.ontology.linking.link import SAME, SURE, Link
from allonym.ontology.linking.readings.negation import is_negation

CLUSTER = "cluster"  # the status of a row whose concept holds for its cluster, or that takes the concept of it
MIN_LETTERS = 5  # of a word with a slip
MIN_LETTERS_TWO_SLIPS = 10
MAX_WORDS = 12  # of a value whose neighbours are searched
MAX_SHORT_WORD = 2  # letters of words that must be equal: they may be sizes, grades, wards
ROWS_AT_ONCE = 2000  # of a table of distances
PARTS = re.compile(r"[-−]?\d(?:[\d.,:/–-]*\d)?%?|[<>≤≥=±#]|(?<=\w)[+−-]+(?!\w)|\++|[^\W\d_]+(?:['’][^\W\d_]+)*")
ROMAN = re.compile(r"[ivxlcdm]{3,}")
OPPOSITES = (("hyper", "hypo"), ("inter", "intra"), ("ante", "anti"), ("pre", "pro"))


@dataclass(frozen=True)
class _Spelling:
    """A value, taken apart: what must be equal in all spellings, and the other words in order."""

    literal: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def fingerprint(self) -> tuple[object, ...]:
        return self.literal, tuple(sorted(set(self.words)))

    @property
    def pairs_of_letters(self) -> tuple[object, ...]:
        letters = "".join(self.words)
        return self.literal, len(letters), tuple(sorted(a + b for a, b in pairwise(letters)))


def clusters_of(links: Iterable[Link], language: str = "en") -> dict[str, str]:
    """Return for each value that has variants the most frequent spelling; it is its own.

    Ties between spellings: those that are linked to a concept first, then the order of the texts.

    >>> links = [Link(v, n, None, "unknown", "unmatched") for v, n in (("carpentr", 1), ("carpenter", 9), ("cook", 5))]
    >>> clusters_of(links)
    {'carpenter': 'carpenter', 'carpentr': 'carpenter'}
    """
    ordered = sorted(links, key=lambda x: (-x.count, x.concept is None, x.value))
    known = language_of(language)
    spellings = [_taken_apart(x.value, known) for x in ordered]
    head = list(range(len(ordered)))
    _join_equal_keys(ordered, spellings, head)
    _join_neighbours(ordered, spellings, head)
    sizes = Counter(head)
    return {x.value: ordered[head[i]].value for i, x in enumerate(ordered) if sizes[head[i]] > 1}


def _taken_apart(value: str, language: Language) -> _Spelling:
    literal, words = [], []
    for part in PARTS.findall(value):
        word = _plain(part)
        if (
            not word[:1].isalpha()
            or len(word) <= MAX_SHORT_WORD
            or ROMAN.fullmatch(word)
            or is_negation(word, language)
        ):
            literal.append(word)
        else:
            words.append(word)
    return _Spelling(tuple(literal), tuple(words))


@lru_cache(maxsize=100_000)
def _plain(word: str) -> str:
    """Return a word in lower case, without accents."""
    return "".join(x for x in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(x))


def _compatible(one: Link, other: Link) -> bool:
    """Tell whether nothing is known that makes two values mean different concepts."""
    differ = one.concept is not None and other.concept is not None and one.concept != other.concept
    return not (differ and one.relation == other.relation == SAME)


def _join_equal_keys(links: Sequence[Link], spellings: Sequence[_Spelling], head: list[int]) -> None:
    """Give values with the same key the head of the first of them."""
    first: dict[tuple[object, ...], int] = {}
    for i, spelling in enumerate(spellings):
        if not spelling.words:
            continue
        for key in (spelling.fingerprint, spelling.pairs_of_letters):
            other = head[first.setdefault(key, i)]
            if head[i] == i and other != i and _compatible(links[i], links[other]):
                head[i] = other


def _join_neighbours(links: Sequence[Link], spellings: Sequence[_Spelling], head: list[int]) -> None:
    """Give heads that differ from a more frequent one by a slip the head of the most frequent of these."""
    neighbours: dict[int, set[int]] = {}
    for i, j in _slips([i for i, h in enumerate(head) if h == i], spellings):
        neighbours.setdefault(max(i, j), set()).add(min(i, j))
    joined = {}
    for i in sorted(neighbours):
        stars = [x for x in sorted(neighbours[i]) if x not in joined and _compatible(links[i], links[x])]
        if stars:
            joined[i] = stars[0]
    for i, h in enumerate(head):
        if h in joined and _compatible(links[i], links[joined[h]]):
            head[i] = joined[h]


def _slips(values: Sequence[int], spellings: Sequence[_Spelling]) -> Iterator[tuple[int, int]]:
    """Yield pairs of values whose words are equal but for one, which differs by a slip."""
    blocks: dict[tuple[object, ...], list[tuple[str, int]]] = {}
    for i in values:
        words = spellings[i].words
        for place, word in enumerate(words if len(words) <= MAX_WORDS else ()):
            if len(word) >= MIN_LETTERS:
                others = tuple(sorted(words[:place] + words[place + 1 :]))
                blocks.setdefault((spellings[i].literal, others, word[:2]), []).append((word, i))
    for block in blocks.values():
        if len(block) > 1:
            yield from _slips_in([word for word, _ in block], [i for _, i in block])


def _slips_in(words: Sequence[str], values: Sequence[int]) -> Iterator[tuple[int, int]]:
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cdist

    lengths = np.array([len(word) for word in words])
    for start in range(0, len(words), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        distances = cdist(words[rows], words, scorer=OSA.distance, score_cutoff=2, dtype=np.uint8)
        allowed = 1 + (np.minimum(lengths[rows, None], lengths) >= MIN_LETTERS_TWO_SLIPS)
        for a, b in zip(*np.nonzero(distances <= allowed), strict=True):
            one, other = int(a) + start, int(b)
            if one < other and values[one] != values[other] and not _are_opposites(words[one], words[other]):
                yield values[one], values[other]


def _are_opposites(one: str, other: str) -> bool:
    return any(
        (one.startswith(a) and other.startswith(b)) or (one.startswith(b) and other.startswith(a)) for a, b in OPPOSITES
    )


# --- settling clusters in a links file ---------------------------------------------------------------------------


def settle_clusters(rows: Sequence[Mapping[str, str]], file: object) -> list[dict[str, str]]:
    """Return the rows of a links file with the status `cluster` carried out.

    In the row of the spelling that names a cluster, it settles every spelling of the cluster that is still to be
    reviewed or unmatched. In another row, it gives that row the concept of the spelling that names its cluster.

    Raises:
        LinksError: the cluster of a row is not settled, or the row has a concept of its own.
    """
    first: dict[str, Mapping[str, str]] = {}
    for row in rows:
        first.setdefault(row.get("value", ""), row)
    whole = {value for value, row in first.items() if row.get("status") == CLUSTER and row.get("cluster") == value}
    settled, unsettled, own = [], [], []
    for number, row in enumerate(rows, 2):
        value, name, marked = row.get("value", ""), row.get("cluster", ""), row.get("status") == CLUSTER
        if value in whole:
            settled.append({**row, **_decided(row)})
        elif not marked and not (name in whole and _is_untouched(row) and row.get("status") != SURE):
            settled.append(dict(row))
        elif name not in first or (name not in whole and not _is_settled(first[name])):
            unsettled.append(number)
        elif not _is_untouched(row) and row.get("concept") != first[name].get("concept"):
            own.append(number)
        else:
            taken = {x: first[name].get(x, "") for x in ("concept", "relation") if x in row}
            settled.append({**row, **taken, **_decided(row)})
    if unsettled or own:
        problem = "a cluster that is not settled" if unsettled else "a concept of its own"
        raise LinksError(
            f"{file}: row {(unsettled or own)[0]} is marked {CLUSTER}, but has {problem}.",
            hint="settle the row whose value names the cluster, or mark this row sure.",
        )
    return settled


def _decided(row: Mapping[str, str]) -> dict[str, str]:
    """Return the cells of a row that say that a person decided on it."""
    return {"status": SURE} | ({"proposed_status": ""} if "proposed_status" in row else {})


def _is_untouched(row: Mapping[str, str]) -> bool:
    """Tell whether a row has no concept, or the proposed one."""
    return row.get("concept", "") in ("", row.get("proposed", ""))


def _is_settled(row: Mapping[str, str]) -> bool:
    return row.get("status") == SURE or not _is_untouched(row)
