"""The languages of values: stemmer, function words, and the side on which the head of a phrase stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from allonym.errors import OptionError
from allonym.ontology.linking.readings.function_words import function_words


@dataclass(frozen=True)
class Language:
    """A language by its two-letter code."""

    code: str
    stemmer: str  # Snowball's name; empty without one
    determiners: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()  # never dropped: the rest would mean the opposite
    prepositions: frozenset[str] = frozenset()  # the words after one qualify the words before it
    head_last: bool = True  # "grey parrot" is a parrot; "vino tinto" is a vino
    negators: frozenset[str] = frozenset()  # negate every word after them: "never married"
    negating_prepositions: frozenset[str] = frozenset()  # the same, and start a qualifier: "coffee without sugar"
    negating_prefixes: frozenset[str] = frozenset()  # negate the next word only: "non-small cell cancer"
    negating_suffixes: frozenset[str] = frozenset()  # negate the word before them only: "sugar-free tea"
    residual: frozenset[str] = frozenset()  # leave the kind open: "other vegetables"; alone they mean nothing
    residual_phrases: frozenset[str] = frozenset()  # whole values that mean nothing: "not applicable"
    conjunctions: frozenset[str] = frozenset()  # join the members of a union: "salt and pepper"
    classifiers: frozenset[str] = frozenset()  # a number follows them: "type 2"

    @cached_property
    def all_negations(self) -> frozenset[str]:
        """All words that negate others."""
        return self.negators | self.negating_prepositions | self.negating_prefixes | self.negating_suffixes


def _language(
    code: str, stemmer: str, determiners: str, negations: str, prepositions: str, head_last: bool
) -> Language:
    words = [frozenset(text.split()) for text in (determiners, negations, prepositions)]
    return Language(code, stemmer, words[0], words[1], words[2], head_last)


_ALL = [
    _language(
        "en",
        "english",
        "a an the my his her our their",
        "no not non never without other others except excluding excl former ex anti un neither nor none",
        "of with in for from on at to by due about as after before during because against under over per via and or "
        "associated caused following",
        True,
    ),
    _language(
        "de",
        "german",
        "der die das den dem des ein eine einen einem einer eines",
        "kein keine keinen keiner nicht ohne nie andere anderer anderes sonstige sonstiger sonstiges außer ausser "
        "ehemalige",
        "mit von vom aus für in im auf bei beim zu zum zur nach an am wegen gegen und oder",
        True,
    ),
    _language(
        "nl",
        "dutch",
        "de het een",
        "geen niet zonder nooit andere overige behalve voormalige",
        "van met in voor uit op bij naar tegen en of",
        True,
    ),
    _language(
        "fr",
        "french",
        "le la les un une des l",
        "pas sans non jamais autre autres sauf ancien ancienne aucun aucune",
        "de du des d à au aux avec en pour dans sur par et ou",
        False,
    ),
    _language(
        "es",
        "spanish",
        "el la los las un una unos unas",
        "no sin nunca otro otra otros otras excepto salvo antiguo antigua ningún ninguna",
        "de del con en para por a al sobre y o",
        False,
    ),
    _language(
        "it",
        "italian",
        "il lo la i gli le un uno una",
        "non senza mai altro altra altri altre eccetto tranne ex nessuno nessuna",
        "di del della dei delle con in per da a al alla su e o",
        False,
    ),
    _language(
        "pt",
        "portuguese",
        "o a os as um uma uns umas",
        "não sem nunca outro outra outros outras exceto ex nenhum nenhuma",
        "de do da dos das com em para por a ao à e ou",
        False,
    ),
]
_ALL = [replace(language, **function_words(language.code)) for language in _ALL]  # type: ignore[arg-type]
LANGUAGES = {language.code: language for language in _ALL}
_OTHERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "el": "greek", "fi": "finnish", "hu": "hungarian",
    "id": "indonesian", "no": "norwegian", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
    **dict.fromkeys(("cs", "ja", "ko", "pl", "uk", "vi", "zh"), ""),
}  # fmt: skip
LANGUAGES |= {code: Language(code, stemmer) for code, stemmer in _OTHERS.items()}


def language(code: str) -> Language:
    """Return a language by its code; `de-AT` is `de`.

    Raises:
        OptionError: the language is not supported.

    >>> language("de-AT").stemmer
    'german'
    """
    entry = LANGUAGES.get(code.split("-", maxsplit=1)[0].lower())
    if entry is None:
        raise OptionError.of("language", code, LANGUAGES)
    return entry
