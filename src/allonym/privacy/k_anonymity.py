"""k-anonymity (Samarati and Sweeney 1998)."""

from __future__ import annotations

from allonym.records import Pairs


def k_anonymity(pairs: Pairs) -> int:
    """Return the size of the smallest group, in persons."""
    sizes = pairs.sizes[pairs.sizes > 0]
    return int(sizes.min()) if sizes.size else 0
