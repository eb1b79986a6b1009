"""Texts that identify a person wherever they stand: e-mail addresses, bank accounts, national numbers and the like.

A pattern is a shape and, where the numbering scheme has one, a check digit. Some texts have it by chance; a pattern
therefore states how many of a column's distinct texts must have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from allonym.kinds.identifiers import check_digits as check

SPACING = re.compile(r"[\s.\-/]+")


@dataclass(frozen=True)
class Pattern:
    """Texts that identify a person: their shape, and what makes a column of them."""

    name: str  # for people, in the plural
    shape: re.Pattern[str]
    valid: Callable[[str], bool] = bool  # of a text that has the shape
    compact: bool = False  # whether blanks, full stops, hyphens and slashes are left out first
    part: bool = False  # whether it may be a part of a text
    share: float = 0.9  # of the distinct texts that must have it
    least: int = 2  # distinct texts that must have it
    personal: bool = True  # whether it identifies a person even where many rows share it

    def fits(self, texts: Sequence[str]) -> bool:
        """Tell whether enough of a column's distinct texts have the pattern, without surrounding or inner blanks."""
        may_lack = len(texts) - max(self.share * len(texts), self.least)
        find = self.shape.search if self.part else self.shape.fullmatch
        for text in texts if may_lack >= 0 else ():
            match = find(text)
            if match is None or not self.valid(match[0]):
                may_lack -= 1
                if may_lack < 0:
                    return False
        return may_lack >= 0


def _number(name: str, shape: str, valid: Callable[[str], bool], least: int = 6) -> Pattern:
    """Return the pattern of a number with a check digit, which one number in ten has by chance."""
    return Pattern(name, re.compile(shape, re.I), valid, compact=True, least=least)


PATTERNS: Sequence[Pattern] = (
    Pattern("e-mail addresses", re.compile(r"[\w.+%-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}", re.I), part=True,
            share=0.1, least=1),
    Pattern("bank accounts (IBAN)", re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.I), check.iban, compact=True,
            share=0.1, least=1),
    Pattern("US social security numbers", re.compile(r"(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}"),
            share=0.5, least=1),
    _number("payment card numbers", r"[3-6]\d{12,18}", check.luhn),
    Pattern("telephone numbers", re.compile(
        r"\+[1-9][\d ()./-]{6,18}\d"  # international
        r"|(1[ .-])?\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}"  # North American
        r"|\(?0\d{1,5}\)?[ /-]\d[\d /-]{4,12}\d"),  # with a trunk prefix
        check.telephone, share=0.8, personal=False),
    Pattern("web addresses", re.compile(r"(https?://|www\.)\S+", re.I), share=0.8, personal=False),
    Pattern("names of accounts", re.compile(r"@[\w.-]{2,30}"), share=0.8, personal=False),
    Pattern("network addresses", re.compile(r"[\da-f.:]+", re.I), check.network_address, share=0.8, personal=False),
    Pattern("UUIDs", re.compile(r"\{?[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}\}?", re.I), share=0.8, personal=False),
    Pattern("Italian tax codes", re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", re.I), compact=True),
    Pattern("British national insurance numbers",
            re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]", re.I), compact=True, least=4),
    Pattern("Danish personal numbers", re.compile(r"\d{6}-\d{4}"), check.day_month_year, least=4),
    _number("Swedish personal numbers", r"(\d{2})?\d{6}\+?\d{4}", check.swedish),
    _number("Finnish personal numbers", r"\d{6}[+A-F]?\d{3}[0-9A-Y]", check.finnish, least=3),
    _number("Norwegian personal numbers", r"\d{11}", check.norwegian, least=4),
    _number("Spanish identity numbers", r"[XYZ\d]\d{7}[A-Z]", check.spanish, least=3),
    _number("French social security numbers", r"[12]\d{4}[\dAB]\d{9}", check.french, least=3),
    _number("German tax numbers", r"[1-9]\d{10}", check.german),
    _number("Dutch citizen service numbers", r"\d{8,9}", check.dutch),
    _number("Belgian national numbers", r"\d{11}", check.belgian, least=4),
    _number("Polish personal numbers", r"\d{11}", check.polish),
    _number("Portuguese tax numbers", r"[1-35-9]\d{8}", check.portuguese),
    _number("Swiss social security numbers", r"756\d{10}", check.ean, least=3),
    _number("Austrian social security numbers", r"[1-9]\d{9}", check.austrian),
    _number("British health service numbers", r"\d{10}", check.british_health),
    _number("Canadian social insurance numbers", r"[1-9]\d{8}", check.luhn),
    _number("Brazilian tax numbers", r"\d{11}", check.brazilian, least=4),
    _number("Chinese identity numbers", r"\d{17}[\dX]", check.chinese, least=3),
    _number("Indian identity numbers", r"[2-9]\d{11}", check.verhoeff),
)  # fmt: skip


def pattern_of(texts: Sequence[str]) -> Pattern | None:
    """Return the pattern that the distinct texts of a column have; None where they have none.

    >>> pattern_of(["123-45-6789", "219-09-9998"]).name
    'US social security numbers'
    >>> pattern_of(["nurse", "cook"]) is None
    True
    """
    stripped, compact = [x.strip() for x in texts], [SPACING.sub("", x) for x in texts]
    return next((x for x in PATTERNS if x.fits(compact if x.compact else stripped)), None)
