"""Other spellings of a word that mean the same: British and American English, ordinals and Roman numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ORDINALS = re.split(
    " ",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth",
)
_ORDINAL_DIGITS = {f"{n}{['st', 'nd', 'rd'][n - 1] if n < 4 else 'th'}": word for n, word in enumerate(_ORDINALS, 1)}
_ORDINAL_DIGITS |= {"21st": "twenty-first", "30th": "thirtieth", "40th": "fortieth", "50th": "fiftieth",
                    "60th": "sixtieth", "70th": "seventieth", "80th": "eightieth", "90th": "ninetieth",
                    "100th": "hundredth"}  # fmt: skip
_DIGITS_OF_ORDINAL = {word: digits for digits, word in _ORDINAL_DIGITS.items()}
_ROMAN = re.split(" ", "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")
_ARABIC_OF_ROMAN = {roman: str(n) for n, roman in enumerate(_ROMAN, 1)}
_ROMAN_OF_ARABIC = {arabic: roman for roman, arabic in _ARABIC_OF_ROMAN.items()}
NUMERALS = frozenset(_ARABIC_OF_ROMAN) | frozenset(_ROMAN_OF_ARABIC)
# British and American letters, both ways
_REGIONAL = [(re.compile(british), american) for british, american in [
    ("ae", "e"), ("oe", "e"), ("our", "or"), ("ise", "ize"), ("isa", "iza"), ("isi", "izi"), ("yse", "yze"),
    ("tre$", "ter"), ("tres$", "ters"), ("bre", "ber"), ("ogue", "og"), ("ence", "ense"), ("lled", "led"),
    ("lling", "ling"), ("ller", "ler"), ("programme", "program"), ("grey", "gray"), ("mould", "mold"),
    ("plough", "plow"), ("tyre", "tire"), ("cheque", "check"), ("sulph", "sulf"), ("yoghurt", "yogurt"),
    ("jewellery", "jewelry"), ("aluminium", "aluminum"), ("kerb", "curb"), ("doughnut", "donut"),
    ("oestr", "estr"), ("foet", "fet"), ("ph", "f"),
]]  # fmt: skip
_AMERICAN = [(re.compile(american), british) for american, british in [
    ("e", "ae"), ("e", "oe"), ("or", "our"), ("ize", "ise"), ("iza", "isa"), ("izi", "isi"), ("yze", "yse"),
    ("ter$", "tre"), ("ters$", "tres"), ("og(?=s?$)", "ogue"), ("ense", "ence"), ("led$", "lled"),
    ("ling$", "lling"), ("ler$", "ller"), ("program(?!m)", "programme"), ("gray", "grey"), ("mold", "mould"),
    ("plow", "plough"), ("tire", "tyre"), ("sulf", "sulph"), ("yogurt", "yoghurt"), ("jewelry", "jewellery"),
    ("aluminum", "aluminium"), ("curb", "kerb"), ("donut", "doughnut"),
]]  # fmt: skip
MIN_REGIONAL_LETTERS = 4


def regional_spellings(word: str) -> Iterator[str]:
    """Yield a word in American letters, then in British ones, replaced at one place at a time.

    Most results are no words: the caller looks them up.

    >>> list(regional_spellings("haematology"))[0], "paediatrics" in regional_spellings("pediatrics")
    ('hematology', True)
    """
    if len(word) < MIN_REGIONAL_LETTERS or not word.isalpha():
        return
    for patterns in (_REGIONAL, _AMERICAN):
        for pattern, other in patterns:
            for found in pattern.finditer(word):
                yield word[: found.start()] + other + word[found.end() :]


def ordinal(word: str) -> str | None:
    """Return an ordinal in letters, or in digits if it has letters.

    >>> ordinal("2nd"), ordinal("eleventh"), ordinal("two")
    ('second', '11th', None)
    """
    return _ORDINAL_DIGITS.get(word) or _DIGITS_OF_ORDINAL.get(word)


def numeral(word: str) -> str | None:
    """Return a Roman numeral up to twenty in digits, and the reverse.

    >>> numeral("ii"), numeral("4"), numeral("civil")
    ('2', 'iv', None)
    """
    return _ARABIC_OF_ROMAN.get(word) or _ROMAN_OF_ARABIC.get(word)
