"""One column of a fitted plan: how its cells are read and written, and how its values are perturbed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from allonym.kinds.codec import CellCodec
from allonym.kinds.registry import kind_named
from allonym.methods.record_level import Perturbation, RecordLevelMethod
from allonym.pipeline.encoding import open_scopes
from allonym.pipeline.prepare import Prepared

if TYPE_CHECKING:
    from allonym.plan.model import Plan


@dataclass(frozen=True, eq=False)
class FittedColumn:
    """One column of a fitted plan."""

    codec: CellCodec
    perturbation: Perturbation

    @classmethod
    def of(cls, prepared: Prepared, name: str, perturbation: Perturbation) -> FittedColumn:
        """Return a column of a table with the perturbation that was fitted to it."""
        encoded = prepared.encoded[name]
        independent = prepared.plan.method.info.data_independent
        domain = None if independent else getattr(perturbation, "domain", None)
        return cls(encoded.kind.codec(encoded, prepared.links.get(name, ()), domain), perturbation)

    def to_dict(self) -> dict[str, Any]:
        """Return the column for JSON, concepts by their ids."""
        return self.codec.to_dict() | self.perturbation.to_dict(self.codec.to_json)

    @classmethod
    def from_dict(cls, plan: Plan, name: str, stored: dict[str, Any]) -> FittedColumn:
        """Return the column that `to_dict` stored; refuse damaged figures by a ValueError."""
        column, method = plan.columns[name], plan.method
        assert isinstance(method, RecordLevelMethod)
        kind = kind_named(stored["kind"]).of(column, missing=plan.missing_in(name), folder=plan.folder)
        codec = kind.stored_codec(name, stored, open_scopes(column, plan.folder) if kind.linked else ())
        perturbation = method.restored_perturbation(codec, stored)
        domain = None if method.info.data_independent else getattr(perturbation, "domain", None)
        return cls(codec if domain is None else codec.within(domain), perturbation)
