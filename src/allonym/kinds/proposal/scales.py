"""Well-known orders of answers: agreement, frequency, quality, size, severity, degrees and the like.

An order is proposed only where every value has a place of its own in one scale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from allonym.cells import is_missing
from allonym.kinds.category import Category
from allonym.kinds.ordinal import Ordinal
from allonym.kinds.proposal.evidence import Evidence
from allonym.kinds.proposal.profile import ColumnProfile, Proposal, plain, unnumbered
from allonym.kinds.proposal.ranges import intervals
from allonym.kinds.proposal.vocabulary import education, scales, vocabulary

MAX_LEVELS = 100
MIN_PLACED = 0.5  # share of the values that have a place in an order where others have none
MIN_LEVELS = 3  # two values have the same distance in either order

_NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL_NUMBER = re.compile(r"(\d{1,2}) ?(?:st|nd|rd|th)\b")
_SCHOOL_GRADE = re.compile(
    r"(?:\d{1,2}(?:st|nd|rd|th) (?:and |to |or )?)?(\d{1,2})(?:st|nd|rd|th)(?: grade| class| form)?"
)
_LETTER_GRADE = re.compile(r"([a-g])([1-5]?)([+-]?)")
_EDUCATED = re.compile(r"\w*educ\w*|school\w*|degree|qualification")
_SCHOOLED = re.compile(r"school|grade|bachelor|master|doctor|college|universit|diploma|degree")
_GRADED = re.compile(r"\w*grades?|ratings?|scores?|bands?|marks?")
_STAGED = re.compile(r"stages?|grades?|class|phase|asa|nyha|levels?")

Ranks = Sequence[float | None]


def ordered(column: ColumnProfile) -> Proposal | None:
    """Propose ordered categories where all values have a place of their own in a well-known order."""
    if not MIN_LEVELS <= len(column.counts) <= MAX_LEVELS or column.numbers is not None:
        return None
    cells = [str(x) for x in column.cells.values if not is_missing(x, column.missing)]
    places = intervals([unnumbered(x) for x in cells])
    if places is not None:
        text = "Its values are ranges of numbers that do not overlap."
        return _proposal(column, cells, places, Evidence("ranges", text))
    for name, rank in _scales(column):
        ranks = rank([plain(unnumbered(x)) for x in cells])
        found = [x for x in ranks if x is not None]
        if len(found) == len(cells) == len(set(found)):
            text = f"All its values have a place in a well-known order ({name})."
            return _proposal(column, cells, found, Evidence("scale", text))
    return None


def partly_ordered(column: ColumnProfile) -> Proposal | None:
    """Propose a category where most values, but not all, have a place in a well-known order: they are answers."""
    texts = [plain(unnumbered(x)) for x in column.counts] if len(column.counts) <= MAX_LEVELS else []
    if not column.is_repeated or len(texts) < MIN_LEVELS:
        return None
    for name, rank in _scales(column):
        placed = len(texts) - list(rank(texts)).count(None)
        if placed >= max(MIN_PLACED * len(texts), MIN_LEVELS):
            text = f"{placed} of {len(texts)} values have a place in a well-known order ({name})."
            return Proposal(Category.name, (column.distinct, Evidence("partly-ordered", text)))
    return None


def _proposal(column: ColumnProfile, cells: Sequence[str], ranks: Sequence[float], evidence: Evidence) -> Proposal:
    levels = tuple(cell for _, cell in sorted(zip(ranks, cells, strict=True)))
    return Proposal(Ordinal.name, (column.distinct, evidence), levels)


def _scales(column: ColumnProfile) -> list[tuple[str, Callable[[Sequence[str]], Ranks]]]:
    """Return the scales with their names; letters and Roman numbers are grades only where the name says so."""
    orders: list[tuple[str, Callable[[Sequence[str]], Ranks]]] = [
        (name, partial(map_ranks, ranks.get))
        for name, ranks in scales().items()
        if name != "stage" or column.is_named(_STAGED)
    ]
    if column.is_named(_EDUCATED) or any(_SCHOOLED.search(plain(x)) for x in column.counts):
        orders.append(("education", partial(map_ranks, rung)))
    orders += [("degrees", _by_degree), ("ranks", _by_number)]
    return [*orders, ("grades", _letter_grades)] if column.is_named(_GRADED) else orders


def map_ranks(rank: Callable[[str], float | None], texts: Sequence[str]) -> Ranks:
    """Rank each text by itself."""
    return [rank(x) for x in texts]


def rung(text: str) -> float | None:
    """Return the place of a text on the ladder of education; None, if it has none.

    >>> [rung(x) for x in ("less than high school", "high school", "9th", "bachelor", "graduate", "nurse")]
    [13.0, 15.0, 11.0, 20.0, 22.0, None]
    """
    grade = _SCHOOL_GRADE.fullmatch(text)
    if grade:
        return 2.0 + int(grade[1])
    return next((rank for rank, pattern in education() if pattern.fullmatch(text)), None)


def _by_degree(texts: Sequence[str]) -> Ranks:
    """Rank texts by the degree of one word, or of a pair of opposites.

    >>> _by_degree(["not at all worried", "worried", "very worried"]), _by_degree(["low", "medium", "high"])
    ([0.0, 2.0, 3.0], [-2.0, 0.0, 2.0])
    """
    for pair in vocabulary()["opposites"]["pairs"]:
        high, low = pair.split()
        ranks = [_degree(x, high, low) for x in texts]
        if None not in ranks:
            return ranks
    return [None] * len(texts)


def _degree(text: str, high: str, low: str) -> float | None:
    if text in vocabulary()["opposites"]["middle"] or text in (
        f"neither {high} nor {low}",
        f"neither {low} nor {high}",
    ):
        return 0.0
    for word, sign in ((high, 1), (low, -1)):
        if text == word or text.endswith(f" {word}") or text.startswith(f"{word} "):
            rest = text.removesuffix(f" {word}") if text.endswith(f" {word}") else text.removeprefix(word).strip()
            degree = vocabulary()["degrees"].get("" if text == word else rest)
            return None if degree is None else sign * float(degree)
    return None


def _by_number(texts: Sequence[str]) -> Ranks:
    """Rank texts by their ordinal number, where they have the same other words.

    >>> _by_number(["2nd class", "1st class", "3rd class"]), _by_number(["first", "third", "other"])
    ([2, 1, 3], [None, None, None])
    """
    places = [_number_and_rest(x) for x in texts]
    if None in places or len({x[1] for x in places if x}) > 1:
        return [None] * len(texts)
    return [x[0] for x in places if x]


def _number_and_rest(text: str) -> tuple[int, str] | None:
    match = _ORDINAL_NUMBER.search(text)
    if match:
        return int(match[1]), (text[: match.start()] + text[match.end() :]).strip()
    number = next((x for x in text.split() if x in _NUMBERS), None)
    return None if number is None else (_NUMBERS.index(number) + 1, text.replace(number, "").strip())


def _letter_grades(texts: Sequence[str]) -> Ranks:
    """Rank letter grades, the first letter highest.

    >>> _letter_grades(["a", "b+", "b"])
    [-1.0, -1.7, -2.0]
    """
    ranks: list[float | None] = []
    for text in texts:
        match = _LETTER_GRADE.fullmatch(text)
        sign = {"+": 0.3, "-": -0.3, "": 0.0}[match[3]] if match else 0.0
        ranks.append(sign - (ord(match[1]) - ord("a") + 1) - int(match[2] or 0) / 10 if match else None)
    return ranks
