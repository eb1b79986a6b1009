"""Plural and feminine forms in Romance languages, and words typed without their accents.

As in WordNet's rules for English plurals, an ending is replaced, and the result counts only if the ontology has it but
not the word itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

MIN_LETTERS = 4  # shorter words have no other form
MAX_WORDS = 4  # of a phrase
MAX_FORMS = 24  # of a phrase


def _rules(text: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of an ending and what stands for it: "ces z" is one, "s" alone removes the ending."""
    return tuple((ending, other) for ending, _, other in (rule.partition(" ") for rule in text.split(", ")))


RULES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "es": _rules(
        "s, es, ces z, ones ón, anes án, enes en, eses és, "
        "ora or, oras or, enta ente, entas ente, triz tor, trices tor, ina ín, ona ón, onas ón, "
        "esa és, esas és, a o, as o"
    ),
    "fr": _rules(
        "s, x, aux al, ière ier, ières ier, ère er, ères er, euse eur, euses eur, trice teur, trices teur, eure eur, "
        "eures eur, ienne ien, iennes ien, onne on, onnes on, ante ant, antes ant, ente ent, entes ent, ate at, "
        "ates at, ée é, ées é, ive if, ives if"
    ),
    "it": _rules(
        "i o, i e, e a, chi co, ghi go, che ca, ghe ga, ai aio, ari ario, isti ista, iste ista, "
        "iera iere, tora tore, trice tore, trici tore, essa e, essa o, essa a, esse e, esse o, aia aio, aie aio, "
        "aria ario, arie ario, loghe logo, iche ico, ate ato, a o"
    ),
    "pt": _rules(
        "s, es, ns m, ões ão, ães ão, ãos ão, ais al, eis el, éis el, óis ol, is il, "
        "ora or, oras or, triz tor, trizes tor, ã ão, ãs ão, esa ês, esas ês, a o, as o"
    ),
}


def base_forms(text: str, language: str) -> Iterator[str]:
    """Yield what a noun may be in the singular or the masculine, in the order of the rules.

    In a phrase, the first word is the noun; the others may agree with it.

    >>> {"enfermera", "enfermero"} <= set(base_forms("enfermeras", "es"))
    True
    >>> "auxiliar administrativo" in base_forms("auxiliares administrativos", "es")
    True
    """
    words = text.split(" ")
    if len(words) > MAX_WORDS or language not in RULES:
        return
    first, *others = [list(dict.fromkeys(_forms(word, language))) for word in words]
    rest = " ".join(words[1:])
    yield from (f"{form} {rest}".strip() for form in first)
    if any(others):
        agreeing = product(
            first or words[:1], *(forms or [word] for forms, word in zip(others, words[1:], strict=True))
        )
        yield from islice((" ".join(forms) for forms in agreeing), MAX_FORMS)


def _forms(word: str, language: str) -> Iterator[str]:
    if len(word) >= MIN_LETTERS and word.isalpha():
        for ending, other in RULES[language]:
            if word.endswith(ending) and len(word) > len(ending):
                yield word[: -len(ending)] + other


def without_accents(text: str) -> str:
    """Return a text without accents, cedillas and tildes.

    >>> without_accents("farmacêutico"), without_accents("niño")
    ('farmaceutico', 'nino')
    """
    return "".join(x for x in unicodedata.normalize("NFD", text) if not unicodedata.combining(x))


def accented(forms: Iterable[str]) -> dict[str, list[str]]:
    """Return the forms with accents, by what they are without accents."""
    by_plain: dict[str, list[str]] = {}
    for form in forms:
        if not form.isascii():
            by_plain.setdefault(without_accents(form), []).append(form)
    return by_plain
