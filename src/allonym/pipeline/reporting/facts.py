"""What the sections of a report are built from: the original and the release row by row, with sensitive columns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from allonym.arrays import distinct
from allonym.cells import by_text, group_ids_of
from allonym.measures.measurement import measured
from allonym.pipeline.encoding import encode_sensitive
from allonym.records import Pairs, piece_of_rows

if TYPE_CHECKING:
    from allonym.pipeline.run import Release


class ReleaseFacts:
    """A release, the table it was made from, and the measures of both."""

    public = False  # whether others may know them

    def __init__(self, release: Release) -> None:
        self.release, self.prepared = release, release.prepared
        self.plan, self.method = self.prepared.plan, self.prepared.plan.method
        self.who = self.prepared.counted_units

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The figures of the release."""
        return self.release.summary

    def share(self, percentage: float | None) -> float | None:
        """Return a share of the records, or of persons, as the report shows it."""
        return percentage

    def of_original(self, figure: float) -> float | None:
        """Return a figure of the original as the report shows it; None: it does not."""
        return figure

    @cached_property
    def pairs(self) -> Pairs:
        """The rows of the original and of the release, with sensitive columns."""
        prepared, masking = self.prepared, self.release.masking
        assert prepared.records is not None
        piece = piece_of_rows(prepared.records, masking.source, masking.share)
        sensitive = [encode_sensitive(prepared, name) for name in prepared.counted_together("sensitive")]
        encoded = [prepared.encoded[x.name] for x in prepared.records.attributes]
        return Pairs.of_rows(
            masking.attributes,
            [x.original_of[x.cells.codes] for x in encoded],
            list(masking.codes[piece].T),
            weights=prepared.weights,
            units=prepared.units,
            group_ids=group_ids_of(list(self.release.written.values())),
            original_group_ids=distinct([by_text(x.kind.canonical(x.cells)).codes for x in encoded])[0],
            sensitive=tuple(x.attribute for x in sensitive),
            sensitive_codes=[x.codes for x in sensitive],
            row_counts=prepared.row_counts,
            suppressed=None if masking.suppressed is None else masking.suppressed[piece],
        )

    @cached_property
    def measures(self) -> dict[str, Any]:
        """The measures of the summary, and the risks that the report shows besides."""
        return self.exact_measures()

    def exact_measures(self) -> dict[str, Any]:
        """Measure the release; nothing is rounded."""
        risks = measured(self.pairs, 1, ("uniqueness", "prosecutor_risk"))
        return self.release.summary["measures"] | {name: x.to_dict() for name, x in risks.items()}

    def figures(self, name: str) -> tuple[float, float, float | None]:
        """Return a measure before masking, after masking, and of a blind guess."""
        measure = self.measures[name]
        return measure["before"], measure["value"], measure["baseline"]
