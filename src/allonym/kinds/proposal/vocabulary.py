"""The words by which columns are recognised, from `vocabulary.toml`: of names, answers, scales and degrees."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any


@cache
def vocabulary() -> dict[str, Any]:
    """Return the vocabulary as it is stored."""
    return tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))


@cache
def names_of(what: str) -> re.Pattern[str]:
    """Return the pattern of words in names of columns that hold codes, answers, things and so on.

    >>> [names_of("codes").fullmatch(x) is not None for x in ("zip", "precinct", "age")]
    [True, True, False]
    """
    return re.compile("|".join(vocabulary()["names"][what]))


@cache
def named_roots() -> Mapping[str, re.Pattern[str]]:
    """Return for concepts the pattern of words in names of columns that announce them."""
    return {concept: re.compile("|".join(patterns)) for concept, patterns in vocabulary()["roots"].items()}


@cache
def names_of_ontologies(key: str = "names") -> Mapping[str, re.Pattern[str]]:
    """Return for named ontologies the pattern of words in names of columns that announce them.

    Names under the key `names_of_words` announce an ontology only if the values are words.
    """
    stated = [x for x in vocabulary()["ontologies"] if key in x]
    return {name: re.compile("|".join(x[key])) for x in stated for name in x["of"]}


@cache
def shapes_of_codes() -> Mapping[str, re.Pattern[str]]:
    """Return for named ontologies the pattern of their codes, where it tells them apart from other codes."""
    stated = [x for x in vocabulary()["ontologies"] if "codes" in x]
    return {name: re.compile(x["codes"], re.IGNORECASE) for x in stated for name in x["of"]}


@cache
def answer_words() -> frozenset[str]:
    """Return the words of answers that are no things."""
    return frozenset(vocabulary()["answers"]["words"].split())


@cache
def negations() -> frozenset[str]:
    """Return the words that deny what follows them."""
    return frozenset(vocabulary()["answers"]["negations"].split())


@cache
def answer_pairs() -> Sequence[frozenset[str]]:
    """Return the pairs of answers, such as yes and no."""
    return [frozenset(x.split()) for x in vocabulary()["answers"]["pairs"]]


@cache
def no_content() -> re.Pattern[str]:
    """Return the pattern of answers that say nothing of their subject."""
    return re.compile("|".join(vocabulary()["answers"]["no_content"]))


@cache
def scales() -> Mapping[str, Mapping[str, int]]:
    """Return for every scale the rank of each answer.

    >>> ranks = scales()["quality"]
    >>> ranks["poor"] < ranks["good"] < ranks["excellent"] == ranks["great"]
    True
    """
    return {
        name: {answer: rank for rank, step in enumerate(steps) for answer in step.split(", ")}
        for name, steps in vocabulary()["scales"].items()
    }


@cache
def education() -> Sequence[tuple[float, re.Pattern[str]]]:
    """Return the rungs of the ladder of education, with their ranks."""
    return [(x["rank"], re.compile(x["pattern"])) for x in vocabulary()["education"]]
