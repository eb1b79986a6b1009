"""Methods that mask row by row: what they require of text columns, what they may write, and their figures."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.errors import Problem, TableError, plural
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.linking.several import link
from allonym.ontology.scope import Scope
from allonym.records import Pairs

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared
    from allonym.plan.column import Column

REPRODUCIBLE = "reproducible: not private"


def understand(prepared: Prepared, name: str) -> None:
    """Check that all values of a text column lie in one domain, and find its candidates."""
    method, column, words = prepared.plan.method, prepared.plan.columns[name], prepared.links[name]
    method_name = f"method {method.name}"
    if len(words) > 1:
        text = f"{method_name} needs one ontology, the column has {len(words)}."
        prepared.problems.append(Problem("several-ontologies", text, "choose one.", name))
        return
    if method.info.data_independent and column.senses == "coherent":
        text = f"{method_name} may not choose senses by comparing records."
        prepared.problems.append(
            Problem("senses-compare-records", text, "senses = first, and links for the rest.", name)
        )
    if column.keeps_unmatched:
        text = f"{method_name} cannot replace words it does not know."
        prepared.problems.append(Problem("opaque-not-masked", text, "unmatched = suppress makes them null.", name))
    scope = words[0].scope
    outside = [x.value for x in words[0].present if x.concept is not None and x.concept not in scope]
    if outside:
        text = f"{method_name} needs all concepts to lie under {scope.name}, {plural(len(outside), 'value')} do not."
        hint = "choose a higher root, or settle them otherwise."
        prepared.problems.append(Problem("outside-root", text, hint, name, tuple(outside)))
    if method.info.data_independent:
        _add_candidates(prepared, name, column, scope)
    elif column.candidates:
        hint = "leave them out, or choose the method exponential."
        prepared.problems.append(Problem("candidates-not-supported", f"{method_name} takes no candidates.", hint, name))


def _add_candidates(prepared: Prepared, name: str, column: Column, scope: Scope) -> None:
    """Add the concepts that the values of a column may become: all under the root, or those of a list."""
    concepts: list[int] = np.setdiff1d(scope.concepts, virtual_roots(scope.taxonomy)).tolist()
    if column.candidates:
        from allonym.ontology.hierarchy_senses.candidates import CERTAIN_REASONS

        texts = candidates_of(column, prepared.plan.folder)
        links = link(texts, scope, senses="first", individuals=True, suggest=False)
        unknown = [
            x.value for x in links if x.reason not in CERTAIN_REASONS or x.concept is None or x.concept not in scope
        ]
        if not texts:
            text = "there is no candidate in its list."
            prepared.problems.append(Problem("no-candidates", text, "write one a line.", name))
            return
        if unknown:
            text = f"{plural(len(unknown), 'candidate')} of {len(texts)} not understood under {scope.name}."
            hint = "write one word or id of the ontology a line."
            prepared.problems.append(Problem("unknown-candidates", text, hint, name, tuple(unknown)))
            return
        concepts = sorted({x.concept for x in links if x.concept is not None})
    elif not column.individuals:
        concepts = [c for c in concepts if not scope.taxonomy.instances[c]]
    encoded = prepared.encoded[name]
    prepared.encoded[name] = replace(encoded, attribute=replace(encoded.attribute, candidates=tuple(concepts)))


def candidates_of(column: Column, folder: Path) -> list[str]:
    """Return the candidates of a column; a file has one a line."""
    if isinstance(column.candidates, tuple):
        return list(column.candidates)
    try:
        lines = (folder / column.candidates).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(f"{column.candidates} cannot be read.", hint="a file with one candidate a line.") from error
    return list(dict.fromkeys(line.strip() for line in lines if line.strip()))


def allowed(prepared: Prepared) -> dict[str, Collection[str | None]]:
    """Return the texts that each text column may have in a release: labels of its domain, or candidates."""
    method = prepared.plan.method
    texts: dict[str, Collection[str | None]] = {}
    for name in prepared.with_role("quasi") if isinstance(method, RecordLevelMethod) else ():
        if name in prepared.links:
            encoded, scope = prepared.encoded[name], prepared.links[name][0].scope
            concepts = encoded.attribute.candidates or scope.concepts.tolist()
            none = [] if method.info.data_independent and not getattr(method, "nulls", True) else [None]
            texts[name] = {*map(encoded.label, concepts), *none}
    return texts


def promised(prepared: Prepared) -> Iterator[dict[str, Any]]:
    """Yield the differential privacy of each column, and of all together: the ε of the columns add up."""
    if not prepared.plan.method.info.data_independent:
        return
    from allonym.methods.exponential import SENSITIVITY, Exponential

    method, seed = prepared.plan.method, prepared.plan.seed
    assert isinstance(method, Exponential)
    names = prepared.with_role("quasi")
    for columns in [*([name] for name in names), *([names] if len(names) > 1 else [])]:
        epsilon = method.epsilon * len(columns)
        entry = {"model": "differential privacy", "columns": columns, "asked": epsilon, "reached": epsilon}
        entry |= {"holds": seed is None, "sensitivity": SENSITIVITY}
        yield entry | ({} if seed is None else {"note": REPRODUCIBLE})


def noise_figures(prepared: Prepared, pairs: Pairs) -> dict[str, Any]:
    """Return the mean and variance of each column before and after, and how far its values moved."""
    from allonym.measures.noise import moved
    from allonym.methods.noise import Noise

    method = prepared.plan.method
    noise: dict[str, Any] = {}
    for a, attribute in enumerate(pairs.attributes):
        figures = moved(pairs, a)
        if figures is None:
            continue
        entry = asdict(figures)
        if attribute.name in prepared.links:
            ids = prepared.links[attribute.name][0].scope.taxonomy.ids
            entry |= {x: ids[entry[x]] for x in ("mean_before", "mean_after")}
        if isinstance(method, Noise):
            entry["expected_variance"] = figures.expected_variance(method.alpha)
            entry["target_rmse"] = figures.target_rmse(method.alpha)
            entry["target_mean_error"] = figures.target_mean_error(method.alpha)
        same = pairs.original[:, a] == pairs.masked[:, a]
        entry["unchanged"] = float(pairs.counts[same].sum() / max(pairs.counts.sum(), 1))
        noise[attribute.name] = entry
    return noise
