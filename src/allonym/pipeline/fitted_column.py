"""One column of a fitted plan: how its cells are read and written, and how its values are perturbed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from allonym.kinds.codec import CellCodec
from allonym.kinds.domain import Domain
from allonym.kinds.numeric import NumberCodec
from allonym.kinds.registry import kind_named
from allonym.kinds.word_codec import WordCodec
from allonym.methods.exponential import Candidates, Exponential
from allonym.methods.noise import Noise, NumericNoise, SemanticNoise
from allonym.methods.randomise import Drawing
from allonym.methods.record_level import Perturbation
from allonym.parameters import is_number
from allonym.pipeline.encoding import open_scopes
from allonym.pipeline.prepare import Prepared

if TYPE_CHECKING:
    from allonym.plan.column import Column
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
        to_json = self.codec.to_json
        match self.perturbation:
            case SemanticNoise(mean=mean, variance=variance) | NumericNoise(mean=mean, variance=variance):
                figures: dict[str, Any] = {"mean": to_json(mean), "variance": variance}
            case Drawing(known=known, counts=counts):
                figures = {"values": [to_json(value) for value in known], "counts": list(counts)}
            case Candidates(candidates=candidates):
                figures = {"candidates": [to_json(value) for value in candidates]}
            case _:
                raise TypeError(f"{type(self.perturbation).__name__} cannot be stored")
        return self.codec.to_dict() | figures

    @classmethod
    def from_dict(cls, plan: Plan, name: str, stored: dict[str, Any]) -> FittedColumn:
        """Return the column that `to_dict` stored; refuse damaged figures by a ValueError."""
        column = plan.columns[name]
        kind = kind_named(stored["kind"]).of(column, missing=plan.missing_in(name), folder=plan.folder)
        codec = kind.stored_codec(name, stored, open_scopes(column, plan.folder) if kind.linked else ())
        return _restored(plan.method, column, codec, stored)


def _restored(method: Any, column: Column, codec: CellCodec, stored: dict[str, Any]) -> FittedColumn:
    if isinstance(method, Noise):
        return _restored_noise(method, column, codec, stored)
    if isinstance(method, Exponential):
        candidates = tuple(codec.from_json(x) for x in stored["candidates"])
        if not candidates or not isinstance(codec, WordCodec):
            raise ValueError("candidates")
        domain = _domain(codec, column, individuals=True)
        return FittedColumn(codec, Candidates(domain, candidates, method.epsilon))
    values, counts = tuple(codec.from_json(x) for x in stored["values"]), tuple(stored["counts"])
    if not all(type(x) is int and x >= 0 for x in counts) or len(counts) != len(values) or not sum(counts):
        raise ValueError("counts")
    return FittedColumn(codec, Drawing(values, counts))


def _domain(codec: WordCodec, column: Column, *, individuals: bool) -> Domain:
    """Return the domain of a column, by the measure of the plan."""
    options: dict[str, Any] = {"content": column.content, "weights": column.weights_of_features}
    return Domain(codec.scope, column.measure, column.depth, individuals=individuals, **options)


def _restored_noise(method: Noise, column: Column, codec: CellCodec, stored: dict[str, Any]) -> FittedColumn:
    mean, variance = codec.from_json(stored["mean"]), stored["variance"]
    if mean is None or not (is_number(variance) and variance >= 0):
        raise ValueError("noise")
    if isinstance(codec, NumberCodec):
        return FittedColumn(codec, NumericNoise(mean, variance, method.alpha, codec.decimals))
    assert isinstance(codec, WordCodec)
    domain = _domain(codec, column, individuals=codec.individuals)
    noise = SemanticNoise(domain, mean, variance, method.alpha, method.allow_same)
    return FittedColumn(replace(codec, domain=domain), noise)
