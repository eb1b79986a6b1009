"""Names of countries, regions and languages in many languages: translations of the ISO codes, and those of CLDR.

Neither package is imported: the translations are gettext files, and the names of CLDR are a Python literal.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from typing import Any

from allonym.ontology.catalog.package import Package

# language tags with the folder of their translations in pycountry; CLDR has names by the same tags
LANGUAGES = {
    "ar": "ar", "ca": "ca", "cs": "cs", "da": "da", "de": "de", "el": "el", "es": "es", "fi": "fi", "fr": "fr",
    "hu": "hu", "id": "id", "it": "it", "ja": "ja", "ko": "ko", "nl": "nl", "no": "nb_NO", "pl": "pl", "pt": "pt",
    "pt-BR": "pt_BR", "ro": "ro", "ru": "ru", "sv": "sv", "tr": "tr", "uk": "uk", "vi": "vi", "zh": "zh_CN",
    "zh-Hant": "zh_TW",
}  # fmt: skip
TAGS = ("en", *LANGUAGES)
_LINE = re.compile(r"    '([\w-]+)': (\{.*\}),")
_BRACKET = re.compile(r"^(.+?)\s*[(（](.+?)[)）]$")
_COMMA = re.compile(r"\s*[,،、]\s*")
_EXPLAINED = re.compile(r"[(（,،]| [-–] ")
_LATIN_OR_ARABIC = re.compile("[a-z\u0621-\u064a]", re.IGNORECASE)


def codes(package: Package, standard: str) -> list[dict[str, str]]:
    """Return the rows of an ISO standard: `3166-1`, `639-3` …"""
    rows: dict[str, list[dict[str, str]]] = json.loads(package.read(f"pycountry/databases/iso{standard}.json").text())
    return rows[standard]


class Translations:
    """The names of one ISO standard in all languages.

    >>> from allonym.ontology.catalog.package import Package
    >>> names = Translations(Package.find("pycountry"), "3166-1")
    >>> names.of("Germany", "fr"), names.of("Nowhere", "fr")
    ('Allemagne', '')
    """

    def __init__(self, package: Package, standard: str) -> None:
        self._by_language: dict[str, GNUTranslations] = {}
        for tag, folder in LANGUAGES.items():
            path = package.path(f"pycountry/locales/{folder}/LC_MESSAGES/iso{standard}.mo")
            if path.is_file():  # some standards are translated into some languages only
                catalog = GNUTranslations(BytesIO(package.read(path).content))
                catalog.add_fallback(_Untranslated())
                self._by_language[tag] = catalog

    def of(self, english: str, language: str) -> str:
        """Return the translation of an English name; empty without one."""
        catalog = self._by_language.get(language)
        return "" if catalog is None or not english else catalog.gettext(english)


class _Untranslated(NullTranslations):
    def gettext(self, message: str) -> str:
        return ""


def cldr_names(package: Package, wanted: Collection[str] | re.Pattern[str]) -> dict[str, dict[str, str]]:
    """Return the names of CLDR by code and language tag, of some codes or of those of a pattern."""
    names: dict[str, dict[str, str]] = {}
    for line in package.read("language_data/name_data.py").text().splitlines():
        found = _LINE.fullmatch(line)
        if found and (wanted.fullmatch(found[1]) if isinstance(wanted, re.Pattern) else found[1] in wanted):
            literal: Any = ast.literal_eval(found[2])
            names[found[1]] = literal
    if not names:
        raise package.changed("names in language_data/name_data.py")
    return names


@dataclass(frozen=True)
class Name:
    """A name in one language."""

    text: str
    language: str
    preferred: bool = False


def names_of(label: str, english: Iterable[str], translations: Translations, cldr: dict[str, str]) -> list[Name]:
    """Return the names of one concept in all languages, each language with one preferred name.

    Args:
        label: the preferred English name.
        english: all English names of the standard.
        translations: the translations of these.
        cldr: the names of CLDR by language tag.
    """
    english = [x for x in dict.fromkeys([label, *english]) if x]
    found = [Name(label, "en", True)]
    found += [Name(form, "en") for text in [*english, cldr.get("en", "")] for form in variants(text) if form != label]
    for tag in LANGUAGES:
        translated = [x for x in (translations.of(text, tag) for text in english) if x]
        unicode_name = cldr.get(tag, "")
        every = [unicode_name, *translated] if _is_plain(unicode_name) else [*translated, unicode_name]
        preferred = next((x for x in every if _is_plain(x)), next((x for x in every if x), ""))
        if preferred:
            found.append(Name(preferred, tag, True))
            found += [Name(form, tag) for text in every for form in variants(text) if form != preferred]
    return list(dict.fromkeys(found))


def _is_plain(text: str) -> bool:
    """Tell whether a name is neither inverted nor explained: no `Congo - Kinshasa`, no `Myanmar (Burma)`."""
    return bool(text) and not _EXPLAINED.search(text)


def variants(text: str) -> Iterator[str]:
    """Yield a name as it is, without its bracket, in the usual word order, with a bracket, each without accents.

    >>> list(variants("Korea, Republic of"))
    ['Korea, Republic of', 'Republic of Korea', 'Korea (Republic of)']
    >>> list(variants("Pérou (République du)"))
    ['Pérou (République du)', 'Perou (Republique du)', 'Pérou', 'Perou']
    """
    forms = [text] if text else []
    bracket = _BRACKET.match(text)
    if bracket:
        forms.append(bracket[1])
    elif "," in text or "،" in text:
        forms += [usual_order(text), f"{text.replace(', ', ' (', 1)})"]
    elif " - " in text:
        forms.append(text.replace(" - ", "-"))
    for form in forms:
        yield form
        plain = without_accents(form)
        if plain != form:
            yield plain


def usual_order(text: str) -> str:
    """Return an inverted name in the usual word order; as it is, if it has no comma or several.

    >>> usual_order("Iran, République islamique d'"), usual_order("Korea, Republic of")
    ("République islamique d'Iran", 'Republic of Korea')
    """
    before, *after = _COMMA.split(text)
    return (after[0] + ("" if after[0].endswith(("'", "’")) else " ") + before) if len(after) == 1 else text


def without_accents(text: str) -> str:
    """Return a text without the accents of Latin letters and the vowel signs of Arabic; ё is е.

    >>> without_accents("Perú, Türkiye, Соединённые")
    'Peru, Turkiye, Соединенные'
    """
    if text.isascii():
        return text
    return "".join(map(_without_accent, unicodedata.normalize("NFC", text)))


@cache
def _without_accent(letter: str) -> str:
    if unicodedata.combining(letter):
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    return base if letter in "ёЁ" or _LATIN_OR_ARABIC.match(base) else letter
