"""Other names of industries, derived from the labels of classifications.

- "Growing of rice" is rice growing and rice farming; "Manufacture of furniture" is furniture manufacturing.
- "Veterinary activities" are veterinary services; the other way round in classifications that say "services".
- "Retail trade, except of motor vehicles": what a class leaves out is not said in everyday names.
- "Construction" is the construction industry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_WORDS = 2  # of a label to which "industry" or "sector" is added
_EXCEPTION = re.compile(r"\s*\(.*?\)|,? (?:except|excluding|excl\.|not) .*$|,? n\.e\.c\.?", re.IGNORECASE)
_SUFFIXES = ("industry", "sector")
_REWORDED = tuple(
    (re.compile(pattern, re.IGNORECASE), names)
    for pattern, names in (
        (r"manufacture of (.+)", ("{} manufacturing", "{} manufacture", "manufacturing of {}", "{} industry")),
        (r"(.+) manufacturing", ("manufacture of {}", "manufacturing of {}", "{} industry")),
        (r"growing of (.+)", ("{} growing", "{} farming", "{} cultivation")),
        (r"raising of (.+)", ("{} raising", "{} farming", "{} breeding")),
        (r"(.+) farming", ("{} growing", "growing of {}")),
        (r"mining of (.+)", ("{} mining",)),
        (r"extraction of (.+)", ("{} extraction",)),
        (r"(repair|construction|publishing|processing|production) of (.+)", ("{1} {0}",)),
        (r"wholesale of (.+)", ("{} wholesale", "wholesale trade of {}", "{} wholesalers")),
        (r"retail sale of (.+?)(?: in specialized stores)?", ("{} retail", "{} retailers", "{} stores", "{} shops")),
        (r"(.+) retailers", ("{} retail", "{} stores", "{} shops", "retail sale of {}")),
        (r"(.+) merchant wholesalers", ("{} wholesale", "wholesale of {}")),
        (r"(.+) activities", ("{} services", "{} industry")),
        (r"(.+) services", ("{} activities", "{} industry")),
    )
)


def other_names(label: str) -> list[str]:
    """Return the names derived from a label, without the label itself.

    >>> other_names("Growing of rice"), other_names("Veterinary activities")
    (['rice growing', 'rice farming', 'rice cultivation'], ['Veterinary services', 'Veterinary industry'])
    >>> other_names("Wholesale trade, except of motor vehicles and motorcycles")
    ['Wholesale trade', 'Wholesale trade industry', 'Wholesale trade sector']
    """
    plain = " ".join(_EXCEPTION.sub("", label).split()).strip(" ,;")
    return [x for x in dict.fromkeys([plain, *_reworded(plain)]) if x.casefold() != label.casefold()]


def _reworded(label: str) -> Iterator[str]:
    for pattern, names in _REWORDED:
        found = pattern.fullmatch(label)
        if found is not None:
            yield from (name.format(*found.groups()) for name in names if "," not in label)
    if 0 < len(label.split()) <= MAX_WORDS and not label.casefold().endswith(("activities", "services")):
        yield from (f"{label} {suffix}" for suffix in _SUFFIXES)
