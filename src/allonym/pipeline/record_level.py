"""Methods that mask row by row: what they require of text columns, what they may write, and their figures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.errors import Problem, TableError, plural
from allonym.kinds.dates.calendar import day_of
from allonym.kinds.dates.metric import DateMetric
from allonym.kinds.encoded_sets import EncodedSets
from allonym.kinds.registry import kind_named
from allonym.kinds.set_codec import item_text
from allonym.kinds.sets import items_of
from allonym.methods.error_distributions import DISTRIBUTIONS
from allonym.methods.noise import Noise
from allonym.methods.record_level import FittedColumns, RecordLevelMethod
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.linking.several import link
from allonym.ontology.scope import Scope
from allonym.records import Masking, Pairs
from allonym.tables.second_reader import items_of_joined

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared
    from allonym.plan.column import Column

MAX_CONCEPTS = 20_000  # of an ontology without a root: more are a caution
MANY_UNCHANGED = 0.5  # share of a column's values: more may stay only with a caution


def understand(prepared: Prepared, name: str, *, linked: bool = True) -> None:
    """Check that all words of a column lie in one domain, and find its candidates."""
    method, column = prepared.plan.method, prepared.plan.columns[name]
    assert isinstance(method, RecordLevelMethod)
    method_name = f"method {method.name}"
    if not linked:
        text = f"{method_name} masks sets of words, not of categories."
        prepared.problems.append(Problem("kind-not-supported", text, "choose elements = text.", name))
        return
    words = prepared.links[name]
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
    if method.info.data_independent or method.takes_candidates:  # others write values of the column only
        _caution_without_root(prepared, name, scope)
    if method.info.data_independent or (column.candidates and method.takes_candidates):
        _add_candidates(prepared, name, column, scope)
    elif column.candidates:
        hint = "leave them out, or choose noise or exponential."
        prepared.problems.append(Problem("candidates-not-supported", f"{method_name} takes no candidates.", hint, name))


def constant_columns(prepared: Prepared) -> Iterator[Problem]:
    """Yield columns with too few different values, which the method would release as they are."""
    method, records = prepared.plan.method, prepared.records
    if records is None or not isinstance(method, RecordLevelMethod):
        return
    for a, attribute in enumerate(records.attributes):
        values = {attribute.values[code] for code in np.unique(records.codes[:, a]).tolist()} - {None}
        if kind_named(attribute.kind).multivalued:
            values = {item for value in values for item in value}
        if 0 < len(values) < method.info.min_values:
            text = f"all its values are the same, and method {method.name} would release them unchanged."
            hint = "give it the role keep if it may be published, or identifier to drop it; or choose another method."
            yield Problem("constant-column", text, hint, attribute.name)


def correlated_sets(prepared: Prepared) -> Iterator[Problem]:
    """Yield columns of sets where errors go together: the items of a set have errors of their own."""
    method = prepared.plan.method
    if isinstance(method, Noise) and method.correlated:
        for name in prepared.with_role("quasi"):
            if name in prepared.kinds and kind_named(prepared.kinds[name]).multivalued:
                text = "errors of items do not go together with those of other columns."
                yield Problem("correlated-sets", text, "leave out correlated, or keep or drop the column.", name)


def _caution_without_root(prepared: Prepared, name: str, scope: Scope) -> None:
    """Caution against a domain that is a whole large ontology: words may become any of its concepts."""
    if scope.root == scope.taxonomy.root and len(scope) > MAX_CONCEPTS and not prepared.plan.columns[name].candidates:
        text = f"it has no root, so that its words may become any of the {len(scope):,} concepts of {scope.name}."
        hint = f"choose one ({name}={scope.name}:ROOT), as `allonym inspect` proposes it, or a list of candidates."
        prepared.cautions.append(Problem("no-root", text, hint, name))


def unchanged_cautions(prepared: Prepared, noise: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the caution on each column of a summary of which more than half of the values stay as they were."""
    for name, figures in noise.items():
        share = figures["unchanged"]
        if share > MANY_UNCHANGED and isinstance(prepared.plan.method, Noise):
            text = f"{100 * share:.0f} % of its values are unchanged: they vary little, and so do the errors."
            yield Problem("mostly-unchanged", text, "choose stronger noise (alpha), or another method.", name)


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
            if isinstance(encoded, EncodedSets):
                texts[name] = AllowedSets({encoded.write(x) for x in concepts}, encoded.kind.separator, bool(none))
            else:
                texts[name] = {*map(encoded.label, concepts), *none}
    return texts


class AllowedSets(Collection[str | None]):
    """The cells of sets whose items have certain texts, and perhaps null."""

    def __init__(self, labels: Collection[str], separator: str, nulls: bool) -> None:
        self._labels = {*labels, *(item_text(label, separator) for label in labels)}
        self._separator, self._nulls = separator, nulls

    def __contains__(self, cell: object) -> bool:
        if cell is None:
            return self._nulls
        items = items_of_joined(str(cell))
        items = items_of(str(cell), self._separator) if items is None else items
        return all(item in self._labels for item in items)

    def __iter__(self) -> Iterator[str | None]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)


def noise_figures(prepared: Prepared, pairs: Pairs) -> dict[str, Any]:
    """Return the mean and variance of each column before and after, and how far its values moved."""
    from allonym.measures.noise import moved

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
        if isinstance(attribute.metric, DateMetric):
            unit = attribute.metric.written.unit
            entry |= {x: str(day_of(round(entry[x]), unit)) for x in ("mean_before", "mean_after")}
        if isinstance(method, Noise):
            entry["expected_variance"] = figures.expected_variance(method.alpha)
            entry["target_rmse"] = figures.target_rmse(method.alpha)
            entry["target_mean_error"] = entry["target_rmse"] * DISTRIBUTIONS[method.distribution].mean_size
        same = pairs.original[:, a] == pairs.masked[:, a]
        entry["unchanged"] = float(pairs.counts[same].sum() / max(pairs.counts.sum(), 1))
        noise[attribute.name] = entry
    return noise


def fitted_figures(masking: Masking) -> dict[str, Any]:
    """Return what was fitted to each column, as figures, where the method has some."""
    if not isinstance(masking.mechanism, FittedColumns):
        return {}
    columns = zip(masking.attributes, masking.mechanism.perturbations, strict=True)
    return {attribute.name: figures for attribute, x in columns if (figures := x.figures())}
