"""k^m-anonymity of set-valued data (Terrovitis, Mamoulis and Kalnis 2008)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Sequence

from allonym.errors import OptionError

MAX_COMBINATIONS = 5_000_000  # of items that are counted

Items = frozenset[Hashable]


def km_anonymity(
    sets: Sequence[Items], counts: Sequence[int], k: int, m: int, units: Sequence[int] | None = None
) -> tuple[int, int]:
    """Return how many records hold the rarest combination of up to m items, and how many combinations fewer than k do.

    k^m-anonymity holds if no combination is held by fewer than k: whoever knows m items of a person finds k records.
    With units, one for each set, persons are counted.

    >>> baskets = [frozenset({"milk", "bread"}), frozenset({"milk"})]
    >>> km_anonymity(baskets, [2, 3], k=3, m=1), km_anonymity(baskets, [2, 3], k=2, m=2)
    ((2, 1), (2, 0))
    """
    number = sum(math.comb(len(items), size) for items in sets for size in range(1, m + 1))
    if number > MAX_COMBINATIONS:
        raise OptionError(
            f"The sets have {number:,} combinations of up to {m} items, more than {MAX_COMBINATIONS:,}.",
            hint="ask for fewer items.",
        )
    held: Counter[Items] = Counter()
    of_unit: dict[int, set[Items]] = {}
    for place, (items, count) in enumerate(zip(sets, counts, strict=True)):
        combinations = {frozenset(x) for size in range(1, m + 1) for x in itertools.combinations(items, size)}
        if units is None:
            held.update(dict.fromkeys(combinations, count))
        else:
            of_unit.setdefault(units[place], set()).update(combinations)
    for combinations in of_unit.values():
        held.update(combinations)
    return min(held.values(), default=0), sum(n < k for n in held.values())
