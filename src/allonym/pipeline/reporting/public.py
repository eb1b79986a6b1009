"""The facts of a release as they are published: figures of the original are rounded or left out.

A figure that follows from the release alone tells nothing new and stays exact. A percentage that depends on the
original is rounded, so that nobody can test one person's value against it (`measures/rounding.py`). Smallest and
largest figures of the original, and counts of its values, depend on single persons and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from allonym.measures.rounding import Rounding, largest_share, loss_without_one, round_count
from allonym.ontology.catalog.about import published
from allonym.pipeline.reporting.facts import ReleaseFacts

IN_PERCENT = ("record_linkage", "semantic_linkage", "uniqueness")
IN_SHARES = ("prosecutor_risk",)  # from 0 to 1
PRIVATE_KEYS = (
    "seed",
    "tuples",
    "united",
    "unreviewed",
    "dominance",
    "ordered_by",
    "noise",
    "transitions",
    "association",
    "optimality",
    "cautions",
    "suppressed_cells",
    "changes",
    "nulls",
    "seconds_by_phase",
)
PRIVATE_PARAMETERS = ("key",)  # may name a column that the release does not have


class PublicFacts(ReleaseFacts):
    """A release as others may know it."""

    public = True

    @cached_property
    def rounding(self) -> Rounding:
        """How shares of the records, or of persons, are rounded."""
        return Rounding.of(largest_share(self.pairs))

    def share(self, percentage: float | None) -> float | None:
        """Return a share of the records, or of persons, as it is published."""
        return self.rounding(percentage)

    def of_original(self, figure: float) -> float | None:
        """Leave out a figure of the original that depends on single persons."""
        return None

    @property
    def informative(self) -> bool:
        """Whether the table is so large that any percentage of it can be published."""
        return self.rounding.step is not None and not self.method.info.data_independent

    @cached_property
    def loss(self) -> dict[str, Any]:
        """The information loss: rounded where no single person changes it much, else None."""
        exact = self.release.summary["measures"]["information_loss"]
        if self.method.info.data_independent:
            return {"value": None, "by_column": dict.fromkeys(exact["by_column"])}
        share = largest_share(self.pairs)
        changes = {
            x.name: max(share, loss_without_one(self.pairs.column(a))) for a, x in enumerate(self.pairs.attributes)
        }
        whole = max(*changes.values(), loss_without_one(self.pairs))
        columns = {name: Rounding.of(changes[name])(value) for name, value in exact["by_column"].items()}
        return {"value": Rounding.of(whole)(exact["value"]), "by_column": columns}

    @cached_property
    def measures(self) -> dict[str, Any]:
        """The measures that can be published."""
        exact, figures = self.exact_measures(), ("value", "before", "baseline")
        rounded = {x: {y: self.share(exact[x][y]) for y in figures} for x in IN_PERCENT if x in exact}
        for name in (x for x in IN_SHARES if x in exact):
            shares = {y: None if exact[name][y] is None else self.share(100 * exact[name][y]) for y in figures}
            rounded[name] = {y: None if value is None else value / 100 for y, value in shares.items()}
        return {"information_loss": self.loss, **rounded}

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary as it is published."""
        exact = self.release.summary
        public = {key: value for key, value in exact.items() if key not in PRIVATE_KEYS}
        people = {x: exact[x] for x in ("units", "households") if x in exact}
        public |= {x: None if number is None else round_count(number) for x, number in people.items()}
        public["parameters"] = {x: y for x, y in exact["parameters"].items() if x not in PRIVATE_PARAMETERS}
        public["privacy"] = [self._guarantee(x) for x in exact["privacy"]]
        public["ontologies"] = [published(x) for x in self.prepared.ontologies]
        public["measures"] = self.measures if self.informative else {}
        public["risk"] = self._rounded(exact["risk"]) if self.informative else {}
        return public

    def _guarantee(self, promise: Mapping[str, Any]) -> dict[str, Any]:
        """Return a guarantee; what was reached in persons does not follow from the release, what was asked does."""
        if "per" in promise and promise["reached"] > promise["asked"]:
            return {**promise, "reached": None}
        if self.prepared.units is None or "sensitivity" in promise:
            return dict(promise)
        return {**promise, "reached": promise["asked"]}

    def _rounded(self, figures: Any) -> Any:
        """Return percentages, however nested, as they are published; intervals are left out."""
        if isinstance(figures, Mapping):
            return {key: None if key == "interval" else self._rounded(value) for key, value in figures.items()}
        if isinstance(figures, (int, float)) and not isinstance(figures, bool):
            return self.share(float(figures))
        return figures if isinstance(figures, str) else None
