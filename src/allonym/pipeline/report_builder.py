"""A release put into words and figures, for its report."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym import __version__
from allonym.arrays import Ints, count_by, distinct
from allonym.errors import first_few, plural
from allonym.kinds.text import ConceptMetric
from allonym.measures.measurement import measured
from allonym.methods.base import ColumnwiseMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.taxonomy import Taxonomy
from allonym.pipeline.codebook import public_parameters, published
from allonym.pipeline.encoding import encode_sensitive
from allonym.pipeline.evaluate import bins
from allonym.pipeline.run import by_text, group_ids_of
from allonym.plan.toml import RELEASE_KEYS
from allonym.privacy import models as privacy
from allonym.records import Pairs, piece_of_rows
from allonym.report.model import Node, Question, Report, Row, Variable
from allonym.tables.engines.grouped import GroupedTable

if TYPE_CHECKING:
    from allonym.pipeline.run import Release

MOST = 15  # replacements told of a column
TREE = 12  # replacements whose concepts are drawn
VERIFIED = (
    "The release was written to a temporary file, read again by another reader, recounted as text, and only then put "
    "in its place."
)
RECOUNTED = "The release was recounted as text before it was given out of hand."
BY_ENGINE = "The release was read again and recounted by its engine ({}) before it was given out of hand."
BECAME = {
    "identifier": "dropped",
    "quasi": "masked",
    "sensitive": "kept as it is",
    "unit": "dropped; says who a record is about",
    "weight": "kept as it is; a survey weight",
    "keep": "kept as it is",
}


def report(release: Release) -> Report:
    """Put a release into words."""
    return _Telling(release).report()


class _Telling:
    """What is needed to tell of a release: the table and the release row by row, with sensitive columns."""

    def __init__(self, release: Release) -> None:
        self.release, self.found, self.summary = release, release.prepared, release.summary
        found, masking = self.found, release.masking
        assert found.records is not None
        self.piece = piece_of_rows(found.records, masking.source, masking.share)
        self.who = "records" if self.summary["units"] is None else "persons"
        sensitive = [encode_sensitive(found, name) for name in found.seen("sensitive")]
        coded = [found.coded[x.name] for x in found.records.attributes]
        self.pairs = Pairs.of_rows(
            masking.attributes,
            [x.original_of[x.cells.codes] for x in coded],
            list(masking.codes[self.piece].T),
            weights=found.weights,
            units=found.units,
            group_ids=group_ids_of(found, masking, release.written),
            original_group_ids=distinct([by_text(x.kind.canonical(x.cells)).codes for x in coded])[0],
            sensitive=tuple(x.attribute for x in sensitive),
            sensitive_codes=[x.codes for x in sensitive],
            row_counts=found.row_counts,
        )
        self.measures = self.summary["measures"] | {
            name: x.to_dict() for name, x in measured(self.pairs, 1, ("uniqueness", "prosecutor_risk")).items()
        }

    @property
    def seen(self) -> Pairs:
        """The release, suppressed records as a group: what these have in sensitive columns is there to be seen."""
        groups = self.pairs.groups
        return replace(self.pairs, group_ids=np.where(groups < 0, groups.max(initial=0) + 1, groups))

    def report(self) -> Report:
        """Put everything together."""
        found, plan = self.found, self.found.plan
        told = {x: self.release.replacements(x) for x in found.with_role("quasi")}
        linkage = [
            (f"linked by {how}", *self._row(f"{what}_linkage"))
            for how, what in (("meaning", "semantic"), ("text", "record"))
        ]
        return Report(
            about={name: plan.about.get(name, "") for name in RELEASE_KEYS},
            made=datetime.date.today().isoformat(),
            version=f"{__version__}, Python {platform.python_version()}, NumPy {np.__version__}",
            summary=self.summary,
            promises=list(self._promises()),
            method=f"Method {plan.method.name}: {plan.method.info.summary}.",
            verified=self._verified(),
            variables=list(self._variables()),
            parameters=public_parameters(self.summary),
            ontologies=list(
                {x.scope.name: published(x.scope) for words in found.words.values() for x in words}.values()
            ),
            apart=plan.method.info.data_independent,
            who=self.who,
            questions=[self._singled_out(), self._linked(linkage), self._inferred()],
            risks=[("unique records", *self._row("uniqueness")), *linkage, *self._guesses()],
            cautions=list(self._cautions()),
            sizes=(self._sizes(self.pairs.unmasked), self._sizes(self.pairs)),
            replacements={x: [(_word(a), _word(b), n) for a, b, n in rows[:MOST]] for x, rows in told.items() if rows},
            more_replacements={x: max(len(rows) - MOST, 0) for x, rows in told.items() if rows},
            trees=dict(self._trees()),
        )

    def _verified(self) -> str:
        if isinstance(self.found.table, GroupedTable):
            return BY_ENGINE.format(self.found.table.engine.name)
        return VERIFIED if self.summary["sha256"]["output"] else RECOUNTED

    def _row(self, name: str) -> tuple[float, float, float | None]:
        told = self.measures[name]
        return told["before"], told["value"], told["baseline"]

    # --- what was asked and done -----------------------------------------------------------------------------

    def _promises(self) -> Iterator[str]:
        for x in self.summary["privacy"]:
            over = ", ".join(x["columns"])
            if x["model"] == "k-anonymity":
                who = "records" if self.summary["units"] is None else "persons"
                yield f"k-anonymity over {over}: {x['asked']:,} {who} at least must look the same; {x['reached']:,} do."
            elif "sensitivity" in x:
                note = f" ({x['note']})" if "note" in x else ""
                yield f"{x['model']} of each value of {over}, taken together: ε = {x['reached']:g}{note}."
            else:
                every = f" that look alike in {x['over'][0]}" if "over" in x else " that look alike"
                told = f"{x['model']} of {over} in every group of records{every}: {x['asked']:g} asked for, "
                yield told + f"{x['reached']:.4g} reached."
        if not self.summary["privacy"]:
            yield "No size of groups was promised: values are replaced one by one."

    def _variables(self) -> Iterator[Variable]:
        found, plan = self.found, self.found.plan
        losses = self.measures["information_loss"]["by_column"]
        for name in found.table.names:
            role = plan.columns[name].role if name in plan.columns else "keep"
            kind = found.kinds.get(name, "")
            ontology = " and ".join(x.scope.name for x in found.words.get(name, ()))
            if role != "quasi":
                became = "numbered anew" if role == "unit" and plan.long else BECAME[role]
                yield Variable(name, role, became, kind, ontology)
                continue
            coded = found.coded[name]
            was, now = (coded.kind.canonical(x) for x in (coded.cells, self.release.written[name]))
            before, after = (int(np.count_nonzero(by_text(x).counts)) for x in (was, now))
            number, _, first = distinct([was.codes, now.codes])
            counts = count_by(number, len(first), found.row_counts)
            other = [_word(was.values[was.codes[i]]) != _word(now.values[now.codes[i]]) for i in first.tolist()]
            changed = 100 * float(counts[np.array(other, bool)].sum()) / max(found.table.n, 1)
            yield Variable(name, role, BECAME[role], kind, ontology, (before, after), changed, losses[name])

    # --- three questions -------------------------------------------------------------------------------------

    def _singled_out(self) -> Question:
        smallest = [privacy.k_anonymity(x) for x in (self.pairs.unmasked, self.pairs)]
        who, suppressed = self.who, self.summary["suppressed"]
        unique = self._row("uniqueness")
        finding = tuple(None if x is None else 100 * x for x in self._row("prosecutor_risk"))
        if smallest[1] > 1:
            answer = (
                f"Not by the masked columns: each of their combinations is shared by {smallest[1]:,} {who} or more. "
                f"Before, {unique[0]:.1f} % of the records were unique."
            )
            if suppressed:
                answer += (
                    f" The {plural(suppressed, 'record')} that were suppressed say nothing there; but who is in none "
                    "of the groups is one of them."
                )
        else:
            answer = (
                f"Yes: {unique[1]:.1f} % of the records are still unique in the masked columns (before, "
                f"{unique[0]:.1f} %), though their values may not be the true ones."
            )
        rows: list[Row] = [
            (f"{who} in the smallest group", smallest[0], smallest[1], None),
            ("unique records (%)", *unique),
            ("chance of being found, mean (%)", finding[0] or 0.0, finding[1] or 0.0, finding[2]),
        ]
        return Question("Can someone be singled out?", answer, rows)

    def _linked(self, rows: Sequence[Row]) -> Question:
        before, after, blind = self._row("semantic_linkage")
        answer = (
            "Somebody who knows the true values of all masked columns, and takes the record nearest in meaning, finds "
            f"the right one for {after:.1f} % of the records (before, {before:.1f} %; by a blind guess, {blind:.1f} %)."
        )
        return Question("Can records be linked to other data?", answer, [(f"{x} (%)", a, b, c) for x, a, b, c in rows])

    def _guesses(self) -> list[Row]:
        rows: list[Row] = []
        for a, attribute in enumerate(self.pairs.sensitive):
            before, after = (privacy.guessed_by_group(x, a) for x in (self.pairs.unmasked, self.seen))
            alone = privacy.guessed_by_group(_together(self.pairs), a)
            rows.append((f"{attribute.name} guessed right", before, after, alone))
        return rows

    def _inferred(self) -> Question:
        what = "Can something be inferred about someone?"
        unseen = [x for x in self.found.with_role("sensitive") if x not in self.found.seen("sensitive")]
        if not self.pairs.sensitive and unseen:
            told = (
                f"Nothing was promised of sensitive columns ({first_few(unseen, 20)}), and they stayed in the engine, "
            )
            return Question(what, told + "so that nothing was measured. See what is not protected.")
        if not self.pairs.sensitive:
            return Question(
                what, "No column is marked as sensitive, so that nothing was measured. See what is not protected."
            )
        rows: list[Row] = []
        known = []
        for a, guess in zip(range(len(self.pairs.sensitive)), self._guesses(), strict=True):
            name = self.pairs.sensitive[a].name
            before, after = (privacy.told_by_group(x, a) for x in (self.pairs.unmasked, self.seen))
            whose = "the records" if self.summary["units"] is None else "what persons have"
            known.append(f"{name} of {after:.1f} % of {whose} (before, {before:.1f} %)")
            fewest = privacy.l_diversity(self.pairs.unmasked, a), privacy.l_diversity(self.seen, a)
            farthest = privacy.t_closeness(self.pairs.unmasked, a), privacy.t_closeness(self.seen, a)
            rows += [
                (f"{name}: known for sure (%)", before, after, None),
                (f"{guess[0]} (%)", guess[1], guess[2], guess[3]),
                (f"{name}: fewest different values in a group", *fewest, None),
                (f"{name}: farthest group from the table (t)", *farthest, None),
            ]
        answer = (
            f"Who finds a person's group knows for sure, where all in it have one value: {first_few(known, 10)}. "
            "Who guesses takes the most frequent value of the group: how often that is right is told below."
        )
        return Question(what, answer, rows)

    # --- what is not protected -------------------------------------------------------------------------------

    def _cautions(self) -> Iterator[str]:
        found, plan, method = self.found, self.found.plan, self.found.plan.method
        kept = [x.name for x in self._variables() if x.role in ("keep", "sensitive", "weight")]
        if kept:
            yield (
                f"Columns that are kept as they are ({first_few(kept, 20)}): if others can know them, people can be "
                "found by them. Then they are quasi-identifiers, and should be masked."
            )
        if isinstance(method, RecordLevelMethod):
            yield "Combinations of values: each is replaced on its own, and no group of records has to look the same."
        else:
            yield "That somebody is in the table at all, and what a group has in common: k-anonymity hides neither."
        if isinstance(method, ColumnwiseMethod):
            yield "Combinations of columns: k holds in each column alone."
        promised = {x.column for x in plan.privacy}
        open_ones = [x for x in found.with_role("sensitive") if x not in promised]
        if open_ones and not isinstance(method, RecordLevelMethod):
            yield (
                f"Sensitive columns for which nothing was promised ({first_few(open_ones, 20)}): all in a group may "
                "have the same value."
            )
        if self.summary["suppressed"]:
            yield (
                f"Suppressed records ({self.summary['suppressed']:,}): their other columns are as they were. They are "
                "not counted in k, and who is known to be in no group is one of them."
            )
        truthful = method.name in ("generalise", "abril") or getattr(method, "represent", "") == "subsumer"
        if not truthful and not isinstance(method, RecordLevelMethod):
            yield "The truth of single values: what stands for a group is near to all of it, and may be untrue of some."
        yield (
            "What several releases tell together: allonym evaluate --earlier measures what somebody knows who has an "
            "earlier one."
        )
        if found.units is None:
            yield "People with several records: each record was taken for a person of its own."

    # --- groups and concepts ---------------------------------------------------------------------------------

    def _sizes(self, pairs: Pairs) -> dict[str, int]:
        """Return how many records are in groups of what size."""
        here = pairs.groups >= 0
        rows = np.bincount(pairs.groups[here], weights=pairs.counts[here], minlength=len(pairs.sizes))
        return {name: int(rows[(pairs.sizes >= low) & (pairs.sizes <= high)].sum()) for name, low, high in bins()}

    def _trees(self) -> Iterator[tuple[str, Node]]:
        records, masking = self.found.records, self.release.masking
        assert records is not None
        for a, attribute in enumerate(masking.attributes):
            words = self.found.words.get(attribute.name, [])
            if not isinstance(attribute.metric, ConceptMetric) or len(words) != 1:
                continue
            pairs = Pairs.of(records, masking)
            moves, _, first = distinct([pairs.original[:, a], pairs.masked[:, a]])
            rows = np.bincount(moves, weights=pairs.counts)
            was, now = pairs.original[first, a], pairs.masked[first, a]
            shown = np.flatnonzero(was != now)[np.argsort(-rows[was != now], kind="stable")][:TREE]
            before, after = (
                _by_concept(attribute.values, codes, pairs.counts)
                for codes in (pairs.original[:, a], pairs.masked[:, a])
            )
            chosen = {attribute.values[c] for i in shown for c in (was[i], now[i])}
            concepts = {int(c) for c in chosen if isinstance(c, (int, np.integer))}
            if concepts:
                yield attribute.name, tree(words[0].scope.taxonomy, concepts, before, after)


def _by_concept(values: Sequence[Any], codes: Ints, counts: Ints) -> dict[int, int]:
    """Return how many records have each concept."""
    rows = np.bincount(codes, weights=counts, minlength=len(values)).astype(int)
    return {int(v): int(n) for v, n in zip(values, rows, strict=True) if isinstance(v, (int, np.integer)) and n}


def tree(taxonomy: Taxonomy, concepts: set[int], before: Mapping[int, int], after: Mapping[int, int]) -> Node:
    """Return some concepts as a tree, each under one of its parents; those between with one branch are left out."""
    totals: dict[int, list[int]] = {}
    for place, counts in enumerate((before, after)):
        for concept, rows in counts.items():
            for above in taxonomy.path(concept):
                totals.setdefault(above, [0, 0])[place] += rows
    below: dict[int, set[int]] = {}
    tops: set[int] = set()
    for concept in concepts:
        path = taxonomy.path(concept)
        tops.add(path[-1])
        for child, parent in pairwise(path):
            below.setdefault(parent, set()).add(child)

    def node(concept: int) -> Node:
        children = sorted(below.get(concept, ()), key=lambda c: (-sum(totals.get(c, (0, 0))), taxonomy.labels[c]))
        own = before.get(concept, 0), after.get(concept, 0)
        if len(children) == 1 and concept not in concepts:
            return node(children[0])
        label = taxonomy.labels[concept].replace("_", " ")
        old, new = totals.get(concept, [0, 0])
        return Node(label, old, new, own, tuple(node(c) for c in children))

    return node(min(tops))


def _together(pairs: Pairs) -> Pairs:
    """Return a release in which all records look alike."""
    return replace(pairs, group_ids=np.zeros(len(pairs.counts), np.int64))


def _word(value: Any) -> str:
    """Return a cell as it is shown."""
    if value is None or value == "":
        return "(nothing)"
    return "; ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
