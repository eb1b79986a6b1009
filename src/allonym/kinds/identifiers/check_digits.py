"""Check digits of numbers that identify people, each by its published rule. Texts are digits, unless stated."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from datetime import date

_VERHOEFF_PRODUCT = ("0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
                     "5987604321", "6598710432", "7659821043", "8765932104", "9876543210")  # fmt: skip
_VERHOEFF_PERMUTATION = ("0123456789", "1576283094", "5803796142", "8916043527",
                         "9453126870", "4286573901", "2793806415", "7046913258")  # fmt: skip

_DATE = re.compile(r"\d{1,4}[./ -]\d{1,2}[./ -]\d{1,4}")


def _weighted(text: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=False))


def luhn(text: str) -> bool:
    """Check a payment card or a Canadian social insurance number (ISO/IEC 7812-1, annex B).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    digits = [int(x) for x in reversed(text)]
    return sum(x if place % 2 == 0 else 2 * x - 9 * (x > 4) for place, x in enumerate(digits)) % 10 == 0


def iban(text: str) -> bool:
    """Check an international bank account number (ISO 13616: remainder 1 modulo 97).

    >>> iban("DE89370400440532013000"), iban("DE89370400440532013001")
    (True, False)
    """
    return int("".join(str(int(x, 36)) for x in text[4:] + text[:4])) % 97 == 1


def network_address(text: str) -> bool:
    """Check an address of the internet protocol; outlines of sections, such as 1.2.3.4, are none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.version == 6 or max(address.packed) > 31


def telephone(text: str) -> bool:
    """Tell whether a text has as many digits as a telephone number, and is no date."""
    return 7 <= sum(map(str.isdigit, text)) <= 15 and not _DATE.fullmatch(text)


def day_month_year(text: str) -> bool:
    """Tell whether a text begins with a date, as day, month and year of two digits each."""
    try:
        date(2000 + int(text[4:6]), int(text[2:4]), int(text[:2]))
    except ValueError:
        return False
    return True


def swedish(text: str) -> bool:
    """Check a Swedish personal number: a date of birth, and Luhn's rule over its last ten digits."""
    digits = text.replace("+", "")[-10:]
    day = int(digits[4:6])
    return 1 <= int(digits[2:4]) <= 12 and 1 <= (day - 60 if day > 60 else day) <= 31 and luhn(digits)


def finnish(text: str) -> bool:
    """Check a Finnish personal number; its last sign is the remainder modulo 31."""
    digits = "".join(x for x in text[:-1] if x.isdigit())
    return len(digits) == 9 and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(digits) % 31] == text[-1].upper()


def norwegian(text: str) -> bool:
    """Check a Norwegian personal number, with two check digits modulo 11."""
    first = _weighted(text, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and _weighted(text, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def spanish(text: str) -> bool:
    """Check a Spanish identity number (DNI or NIE); its letter is the remainder modulo 23.

    >>> spanish("12345678Z"), spanish("12345678A")
    (True, False)
    """
    number = text[:-1].upper().translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1].upper()


def french(text: str) -> bool:
    """Check a French social security number: the last two digits are 97 minus the remainder modulo 97."""
    upper = text.upper()
    number = int(upper[:-2].replace("A", "0").replace("B", "0"))
    number -= 1_000_000 * ("A" in upper) + 2_000_000 * ("B" in upper)
    return int(upper[-2:]) == 97 - number % 97


def german(text: str) -> bool:
    """Check a German tax number (ISO/IEC 7064, modulo 11 and 10)."""
    product = 10
    for digit in text[:-1]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(text[-1])


def dutch(text: str) -> bool:
    """Check a Dutch citizen service number, modulo 11."""
    return int(text) > 0 and _weighted(text.zfill(9), (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def belgian(text: str) -> bool:
    """Check a Belgian national number; those born from 2000 on have a 2 before it."""
    return int(text[-2:]) in (97 - int(text[:9]) % 97, 97 - int("2" + text[:9]) % 97)


def polish(text: str) -> bool:
    """Check a Polish personal number, modulo 10."""
    return 1 <= int(text[2:4]) % 20 <= 12 and _weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def portuguese(text: str) -> bool:
    """Check a Portuguese tax number, modulo 11."""
    rest = _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return int(text[-1]) == (0 if rest < 2 else 11 - rest)


def ean(text: str) -> bool:
    """Check a Swiss social security number, by the rule of article numbers."""
    return _weighted(text, (1, 3) * 6 + (1,)) % 10 == 0


def austrian(text: str) -> bool:
    """Check an Austrian social security number, modulo 11: the fourth digit."""
    return day_month_year(text[4:]) and _weighted(text, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(text[3])


def british_health(text: str) -> bool:
    """Check a number of the British health service, modulo 11."""
    return (11 - _weighted(text, range(10, 1, -1)) % 11) % 11 == int(text[-1])


def brazilian(text: str) -> bool:
    """Check a Brazilian tax number, with two check digits modulo 11.

    >>> brazilian("52998224725"), brazilian("52998224726")
    (True, False)
    """
    first = _weighted(text[:9], range(10, 1, -1)) * 10 % 11 % 10
    return first == int(text[9]) and _weighted(text[:10], range(11, 1, -1)) * 10 % 11 % 10 == int(text[10])


def chinese(text: str) -> bool:
    """Check a Chinese identity number (ISO/IEC 7064, modulo 11 and 2)."""
    weights = [2**place % 11 for place in range(17, 0, -1)]
    return "10X98765432"[_weighted(text[:17], weights) % 11] == text[-1].upper()


def verhoeff(text: str) -> bool:
    """Check an Indian identity number, by Verhoeff's rule.

    >>> verhoeff("2363"), verhoeff("2364")
    (True, False)
    """
    value = 0
    for place, digit in enumerate(reversed(text)):
        value = int(_VERHOEFF_PRODUCT[value][int(_VERHOEFF_PERMUTATION[place % 8][int(digit)])])
    return value == 0
