"""How far a release is from the optimum: a lower bound on the loss of all releases with the same k."""

from __future__ import annotations

from typing import Any

from allonym.methods.lower_bound import lower_bound
from allonym.pipeline.prepare import Prepared
from allonym.records import Masking


def optimality_of(prepared: Prepared, masking: Masking, *, thorough: bool) -> dict[str, Any] | None:
    """Return the lower bound as an information loss in %, and by how many % the release may exceed the optimum.

    None, if there is no bound: the method forms no groups of whole tuples, columns were recoded before they were
    masked, representatives cannot be listed, or, unless `thorough`, the bound would take too long.
    """
    records, method = prepared.records, prepared.plan.method
    representative = method.bounded_representative
    assert records is not None
    if representative is None or any(prepared.encoded[x.name].recoded for x in records.attributes):
        return None
    bound = lower_bound(records, masking, method.required_k, representative, thorough=thorough)
    return None if bound is None else {"lower_bound": bound.information_loss, "gap": bound.gap}
