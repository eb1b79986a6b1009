"""Closed lists of answers: few values in many cells, whose words are answers and not things."""

from __future__ import annotations

from collections.abc import Sequence

from allonym.kinds.category import Category
from allonym.kinds.proposal.evidence import Evidence, percent
from allonym.kinds.proposal.profile import ColumnProfile, Proposal, plain, unnumbered
from allonym.kinds.proposal.vocabulary import answer_pairs, answer_words, negations, no_content

MAX_NAMED = 50  # values of a list that the name of a column announces
MAX_FEW = 12  # values of a list that a less certain name announces
MAX_VALUES = 20  # values of a list that only its words tell
MAX_ALTERNATIVES = 4  # values of a column that is a list of answers, unless its name says that they are things
SHORT = 2  # characters of a text that is an abbreviation rather than a word
MIN_ANSWERS = 1 / 3  # share of the values that are answers by their words


def has_no_content(text: str) -> bool:
    """Tell whether an answer says nothing of its subject: other, unknown, refused, not in universe.

    >>> has_no_content("Not in universe"), has_no_content("Don't know"), has_no_content("nurse")
    (True, True, False)
    """
    return no_content().fullmatch(plain(unnumbered(text))) is not None


def with_content(texts: Sequence[str]) -> list[str]:
    """Return the texts that say something of their subject."""
    return [x for x in texts if not has_no_content(x)]


def is_answer(text: str) -> bool:
    """Tell whether a text is an answer by its words: one that says no, or has no other words.

    >>> [is_answer(x) for x in ("Never-married", "Divorced", "Full-Time", "Strongly agree", "white bread", "nurse")]
    [True, True, True, True, False, False]
    """
    words = plain(unnumbered(text)).split()
    return bool(words) and (words[0] in negations() or all(x in answer_words() for x in words))


def two_answers(column: ColumnProfile) -> Proposal | None:
    """Propose a category where all values are the answers to a question such as yes or no."""
    if not 2 <= len(column.counts) <= MAX_FEW:
        return None
    answers = {plain(unnumbered(x)) for x in with_content(list(column.counts))}
    if not answers or not any(answers <= pair for pair in answer_pairs()):
        return None
    text = "Its values are the two answers to a question, such as yes and no."
    return Proposal(Category.name, (column.distinct, Evidence("two-answers", text)))


def short_texts(column: ColumnProfile) -> Proposal | None:
    """Propose a category where most cells are letters or abbreviations."""
    short = [x for x in column.counts if len(x) <= SHORT]
    if column.share(short) * 2 <= 1:
        return None
    text = f"{percent(column.share(short))} of cells have at most {SHORT} characters: abbreviations, not words."
    return Proposal(Category.name, (column.distinct, Evidence("short-texts", text)))


def numbered_answers(column: ColumnProfile) -> Proposal | None:
    """Propose a category where every value has its number in a list of answers, as "1 - Low" has."""
    if not 2 <= len(column.counts) <= MAX_VALUES or any(unnumbered(x) == x for x in column.counts):
        return None
    text = "Its values are numbered answers of a list."
    return Proposal(Category.name, (column.distinct, Evidence("numbered-answers", text)))


def closed_list(column: ColumnProfile) -> Proposal | None:
    """Propose a category where values are few, stand in many cells each, and are answers by their name or words."""
    size, evidence = len(column.counts), None
    if not column.is_repeated or size > MAX_NAMED:
        return None
    things = column.is_named("things")
    answers = [x for x in column.counts if is_answer(x) or has_no_content(x)]
    if column.is_named("answers"):
        evidence = Evidence("name-of-answers", "The name says that values are answers of a closed list.")
    elif size <= MAX_FEW and column.is_named("few_answers") and not things:
        evidence = Evidence("name-of-few-answers", "There are few values, and the name says that they are answers.")
    elif size <= MAX_VALUES and len(answers) >= MIN_ANSWERS * size and any(map(is_answer, answers)):
        text = f"{len(answers)} of {size} values are answers by their words, not things."
        evidence = Evidence("answer-words", text)
    elif size <= MAX_ALTERNATIVES and not things:
        evidence = Evidence("few-values", "There are too few values for an ontology to tell more than their equality.")
    return None if evidence is None else Proposal(Category.name, (column.distinct, evidence))
