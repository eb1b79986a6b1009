"""What a method suppressed, for the summary of a release."""

from __future__ import annotations

from typing import Any

from allonym.records import Masking


def suppression_figures(masking: Masking) -> dict[str, Any]:
    """Return what might be suppressed, what was, and the share of the loss that this saved, in per cent."""
    told = masking.suppression
    if told is None:
        return {}
    figures: dict[str, Any] = {"budget": told.budget, "records": told.records}
    if told.saved is not None:
        figures["loss_saved"] = 100 * told.saved
    if told.cells:
        names = (attribute.name for attribute in masking.attributes)
        figures["cells"] = dict(zip(names, told.cells, strict=True))
    return {"suppression": figures}
