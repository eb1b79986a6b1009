"""Methods that mask row by row: what they ask of a column of words, what they may write, what they promise and did."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import TableError, plural
from allonym.ontology.linking.link import link
from allonym.ontology.scope import Scope
from allonym.records import Pairs

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared
    from allonym.plan.column import Column
    from allonym.plan.model import Plan

REPRODUCIBLE = "reproducible: not private"


def seed_of(plan: Plan) -> int | None:
    """Return the seed of a run: the plan's; else 0, one nobody knows, or none where nothing may ever come again."""
    if plan.seed is not None or plan.method.data_independent:
        return plan.seed
    return secrets.randbits(64) if plan.method.record_level else 0


def understand(found: Prepared, name: str) -> None:
    """See that a column of words has one domain in which all its values lie, and find its candidates."""
    method, column, words = found.plan.method, found.plan.columns[name], found.words[name]
    where = f"column {name}: method {method.name}"
    if len(words) > 1:
        found.problems.append(f"{where} needs one ontology, the column has {len(words)}. Hint: choose one.")
        return
    if method.data_independent and column.senses == "coherent":
        found.problems.append(
            f"{where} may not choose senses by comparing records. Hint: senses = first, and links for the rest."
        )
    if column.unmatched == "opaque":
        found.problems.append(
            f"{where} cannot replace words it does not know. Hint: unmatched = suppress makes them null."
        )
    scope = words[0].scope
    outside = [x.value for x in words[0].here if x.concept is not None and x.concept not in scope]
    if outside:
        found.details[f"{name}, outside the root"] = outside
        found.problems.append(
            f"{where} needs all concepts to lie under {scope.name}, {plural(len(outside), 'value')} do not. "
            "Hint: choose a higher root, or settle them otherwise."
        )
    if method.data_independent:
        _add_candidates(found, name, column, scope)
    elif column.candidates:
        found.problems.append(f"{where} takes no candidates. Hint: leave them out, or say --method exponential.")


def _add_candidates(found: Prepared, name: str, column: Column, scope: Scope) -> None:
    """Give a column the concepts its values may become: all under the root, or those of a list."""
    concepts: list[int] = scope.concepts.tolist()
    if column.candidates:
        from allonym.ontology.hierarchy import SURELY

        texts = candidates_of(column, found.plan.folder)
        links = link(texts, scope, senses="first", individuals=True, suggest=False)
        strange = [x.value for x in links if x.reason not in SURELY or x.concept is None or x.concept not in scope]
        if not texts:
            found.problems.append(f"column {name}: there is no candidate in its list. Hint: write one a line.")
            return
        if strange:
            found.details[f"{name}, candidates not understood"] = strange
            found.problems.append(
                f"column {name}: {plural(len(strange), 'candidate')} of {len(texts)} not understood under "
                f"{scope.name}. Hint: write one word or id of the ontology a line."
            )
            return
        concepts = sorted({x.concept for x in links if x.concept is not None})
    elif not column.individuals:
        concepts = [c for c in concepts if not scope.taxonomy.instances[c]]
    coded = found.coded[name]
    found.coded[name] = replace(coded, attribute=replace(coded.attribute, candidates=tuple(concepts)))


def candidates_of(column: Column, folder: Path) -> list[str]:
    """Return the candidates of a column, of a file one a line."""
    if isinstance(column.candidates, tuple):
        return list(column.candidates)
    try:
        lines = (folder / column.candidates).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(f"{column.candidates} cannot be read.", hint="a file with one candidate a line.") from error
    return list(dict.fromkeys(line.strip() for line in lines if line.strip()))


def allowed(found: Prepared) -> dict[str, Collection[str | None]]:
    """Return for columns of words the texts they may have in the release: labels of their domain, or candidates."""
    method = found.plan.method
    texts: dict[str, Collection[str | None]] = {}
    for name in found.with_role("quasi") if method.record_level else ():
        if name in found.words:
            coded, scope = found.coded[name], found.words[name][0].scope
            concepts = coded.attribute.candidates or scope.concepts.tolist()
            none = [] if method.data_independent and not getattr(method, "nulls", True) else [None]
            texts[name] = {*map(coded.label, concepts), *none}
    return texts


def promised(found: Prepared, seed: int | None) -> Iterator[dict[str, Any]]:
    """Yield what is promised of each value, and of those of a record together: the ε of its columns add up."""
    if not found.plan.method.data_independent:
        return
    from allonym.methods.exponential import SENSITIVITY, Exponential

    method = found.plan.method
    assert isinstance(method, Exponential)
    names = found.with_role("quasi")
    for columns in [*([name] for name in names), *([names] if len(names) > 1 else [])]:
        epsilon = method.epsilon * len(columns)
        entry = {"model": "differential privacy", "columns": columns, "asked": epsilon, "reached": epsilon}
        entry |= {"holds": seed is None, "sensitivity": SENSITIVITY}
        yield entry | ({} if seed is None else {"note": REPRODUCIBLE})


def told(found: Prepared, pairs: Pairs) -> dict[str, Any]:
    """Return what became of each column's mean and variance, and how far its values moved."""
    from allonym.measures.noise import moved
    from allonym.methods.noise import Noise

    method = found.plan.method
    noise: dict[str, Any] = {}
    for a, attribute in enumerate(pairs.attributes):
        figures = moved(pairs, a)
        if figures is None:
            continue
        entry = asdict(figures)
        if attribute.name in found.words:
            ids = found.words[attribute.name][0].scope.taxonomy.ids
            entry |= {x: ids[entry[x]] for x in ("mean_before", "mean_after")}
        if isinstance(method, Noise):
            entry["expected_variance"] = figures.expected_variance(method.alpha)
            entry["target_rmse"] = figures.target_rmse(method.alpha)
            entry["target_mean_error"] = figures.target_mean_error(method.alpha)
        same = pairs.original[:, a] == pairs.masked[:, a]
        entry["unchanged"] = float(pairs.counts[same].sum() / max(pairs.counts.sum(), 1))
        noise[attribute.name] = entry
    return noise
