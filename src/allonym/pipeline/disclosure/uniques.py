"""The combinations of a table's quasi-identifiers that make people unique."""

from __future__ import annotations

from allonym.measures.uniques import SIZE, UniqueCombinations, unique_combinations
from allonym.pipeline.prepare import Prepared


def uniques_of(prepared: Prepared, size: int = SIZE) -> UniqueCombinations:
    """Find the combinations of quasi-identifiers, as the plan encodes them, that make people unique."""
    columns = [prepared.encoded[name] for name in prepared.with_role("quasi")]
    return unique_combinations(
        [x.attribute.name for x in columns],
        [x.original_of[x.cells.codes] for x in columns],
        size=size,
        units=prepared.persons,
        row_counts=prepared.row_counts,
    )
