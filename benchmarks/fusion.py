"""Record fusion and recoding as the thesis evaluates them (P0 §5, IPMU): python benchmarks/fusion.py

On the bundled survey and Adult, k from 2 to 15, each figure the mean of five seeds. Writes the tables and charts of
docs/methods/fusion.md and docs/methods/recoding.md.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import adult
import charts
import growth
import numpy as np
import pages
from paths import DATA, ROOT

import allonym as al
from allonym.kinds.text import ConceptMetric
from allonym.measures import clusters, loss, risk
from allonym.methods.base import Method
from allonym.pipeline.demo import demonstration
from allonym.records import Attribute, Pairs, Records

DOCS = ROOT / "docs" / "methods"
KS = tuple(range(2, 16))
SEEDS = range(5)
RANDOM = "random"
ARMS: dict[str, dict[str, Any]] = {  # of fusion
    "Wu-Palmer": {"guide": "wu-palmer"},
    "Leacock-Chodorow": {"guide": "leacock-chodorow"},
    "path": {"guide": "path"},
    "hierarchy": {"guide": "hierarchy"},
    "discernibility": {"guide": "discernibility"},
    RANDOM: {"heuristics": "none"},
    "h1": {"heuristics": "h1"},
    "h1+target": {"heuristics": "h1+target"},
    "h1+h2": {"heuristics": "h1+h2"},
    "h1+h2+h3": {"heuristics": "h1+h2+h3"},
}
QUALITY, LINKS, CONTENT, SECONDS = "quality (Wu-Palmer, %)", "links to the original", "loss of content", "CPU seconds"
MEASURES: dict[str, Callable[[Pairs], float]] = {
    QUALITY: loss.semantic_quality,
    LINKS: loss.path_distance,
    "discernibility": loss.discernibility,
    "linked by text (%)": risk.record_linkage,
    "linked by meaning (%)": lambda pairs: risk.semantic_linkage(pairs).value,
    CONTENT: loss.content_loss,
}
RECODED: dict[str, Callable[..., Method]] = {
    **{
        f"recoding-ordered, {guide}": partial(al.RecodingOrdered, guide=guide)
        for guide in ("wu-palmer", "leacock-chodorow", "path", RANDOM)
    },
    "recoding, wu-palmer": al.Recoding,
}
GUIDED = ("Wu-Palmer", "Leacock-Chodorow", "path")
STEPS = (RANDOM, "h1", "h1+target", "h1+h2", "h1+h2+h3")
KINDS = ("Wu-Palmer", "hierarchy", "discernibility", RANDOM)
FIGURES: dict[str, tuple[Sequence[str], Sequence[str]]] = {  # a chart: its measures, its arms
    "guides": ((QUALITY, LINKS), GUIDED),  # P0 Fig. 2-3
    "heuristics": ((QUALITY,), STEPS),  # Fig. 4
    "semantics": ((QUALITY, LINKS, "discernibility"), KINDS),  # Fig. 5-8
    "linkage": (("linked by text (%)", "linked by meaning (%)"), KINDS),  # Fig. 14
    "seconds": ((SECONDS,), KINDS),  # Fig. 15
}
Found = dict[str, dict[str, dict[str, list[float]]]]  # measure -> table -> arm -> a figure for each k
Apart = dict[tuple[str, str], dict[str, float]]  # two releases, or the original -> table -> distance of their clusters


def tables(folder: Path) -> Iterator[tuple[str, Records]]:
    """Yield the two tables; their columns have hierarchies made by hand too."""
    own = Path(str(files("allonym") / "data"))
    yield (
        "survey",
        growth.of(
            with_trees(demonstration(own), {x: own / f"{x}.vgh.csv" for x in ("reason", "activity")}),
            own / "survey.csv",
        ),
    )
    adult.write(folder / "adult.csv")
    arx = {x: DATA / "vgh" / "arx" / f"adult_hierarchy_{x}.csv" for x in adult.LINKS}
    yield "Adult", growth.of(with_trees(adult.plan(), arx), folder / "adult.csv")


def with_trees(plan: al.Plan, trees: Mapping[str, Path]) -> al.Plan:
    """Return a plan guided by hierarchies."""
    columns = {x: replace(c, hierarchy=trees[x]) if x in trees else c for x, c in plan.columns.items()}
    return replace(plan, columns=columns, method="fusion", parameters={"guide": "hierarchy"}, k=plan.method.required_k)


def measure(
    found: Found, table: str, arm: str, records: Records, make: Callable[..., Method], what: Iterable[str]
) -> None:
    """Add the figures of an arm on a table."""
    for k in KS:
        began = time.process_time()
        runs = [Pairs.of(records, make(k=k).mask(records, seed)) for seed in SEEDS]
        spent = (time.process_time() - began) / len(SEEDS)
        for name in what:
            figure = spent if name == SECONDS else float(np.mean([MEASURES[name](pairs) for pairs in runs]))
            found.setdefault(name, {}).setdefault(table, {}).setdefault(arm, []).append(figure)


def laid_out(found: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]) -> str:
    """Return figures as tables, one for each measure."""
    lines = []
    for name, of_table in found.items():
        lines += [f"| {name} | | " + " | ".join(f"k={k}" for k in KS) + " |", "|---|---|" + "---:|" * len(KS)]
        for table, arms in of_table.items():
            for arm, figures in arms.items():
                shown = (f"{x:,.0f}" if x >= 1000 else f"{x:.4f}" if name == SECONDS else f"{x:.3f}" for x in figures)
                lines.append(f"| {table} | {arm} | " + " | ".join(shown) + " |")
        lines.append("")
    return "\n".join(lines)


def clustered(every: Mapping[str, Records], k: int = 5) -> Apart:
    """Say how far apart the 14 clusters of the data and of its releases are, by pairs (P0 Table 6)."""
    found: Apart = {}
    for table, records in every.items():
        between: dict[tuple[str, str], list[float]] = {}
        for seed in SEEDS:
            tuples = {"original": records.codes}
            for arm in KINDS[:3]:
                masking = al.Fusion(k=k, **ARMS[arm]).mask(records, seed)
                tuples[arm] = masking.codes[np.argsort(masking.source)]
            labels = {
                arm: clusters.profiles(records.attributes, records.shares, codes, records.mass, clusters.CLUSTERS)
                for arm, codes in tuples.items()
            }
            for one, other in combinations(labels, 2):
                distance = clusters.partition_distance(labels[one], labels[other], records.mass)
                between.setdefault((one, other), []).append(distance)
        for pair, figures in between.items():
            found.setdefault(pair, {})[table] = float(np.mean(figures))
    return found


def profiles(every: Mapping[str, Records], k: int = 5) -> str:
    """Lay out how far apart clusters are."""
    head = f"| distance of 14 clusters, k={k} | | {' | '.join(every)} |\n|---|---|{'---:|' * len(every)}\n"
    rows = clustered(every, k).items()
    return head + "".join(f"| {a} | {b} | {' | '.join(f'{x:.3f}' for x in of.values())} |\n" for (a, b), of in rows)


def fused(every: Mapping[str, Records]) -> Found:
    """Measure the arms of fusion."""
    found: Found = {}
    for table, records in every.items():
        for arm, parameters in ARMS.items():
            measure(found, table, arm, records, partial(al.Fusion, **parameters), (*MEASURES, SECONDS))
    return found


def fusion(every: Mapping[str, Records]) -> None:
    """Write the page of fusion and its charts."""
    found = fused(every)
    for chart, (names, arms) in FIGURES.items():
        part = {name: {t: {a: of[a] for a in arms} for t, of in found[name].items()} for name in names}
        charts.lines(DOCS / f"fusion-{chart}.svg", part, KS)
        pages.write(DOCS / "fusion.md", chart, laid_out(part))
    pages.write(DOCS / "fusion.md", "clusters", profiles(every))


def recoded(arms: Mapping[str, Callable[..., Method]], what: Sequence[str] = (CONTENT, LINKS)) -> tuple[Records, Found]:
    """Measure local recoding of the survey's hobbies."""
    own = Path(str(files("allonym") / "data"))
    column = al.quasi("wordnet", accept_review=True, unmatched="opaque")
    records = growth.of(al.Plan({"hobby": column}, keep_rest=True), own / "survey.csv")
    found: Found = {}
    for arm, make in arms.items():
        measure(found, "hobby", arm, records, make, what)
    return records, found


def recoding() -> None:
    """Write the page of recoding and its chart (IPMU Fig. 1-2)."""
    records, found = recoded(RECODED)
    charts.lines(DOCS / "recoding.svg", found, KS)
    of = found[LINKS]["hobby"]
    times = [b / a for a, b in zip(*(of[f"recoding-ordered, {x}"] for x in ("wu-palmer", RANDOM)), strict=True)]
    found["times as far, random replacement"] = {"hobby": {"recoding-ordered, random / wu-palmer": times}}
    told = f"{records.n:,} answers, {len(records):,} different, {int((records.counts == 1).sum())} of them unique.\n\n"
    pages.write(DOCS / "recoding.md", "recoding", told + laid_out(found))


def plural(tuples: int = 20_000, rows: int = 60_000) -> Records:
    """Return as many different pairs of concepts of WordNet, drawn, with counts."""
    rng = np.random.Generator(np.random.Philox(key=0))
    columns, attributes = [], []
    for root in ("person", "artifact"):
        scope = al.wordnet(root=root)
        concepts = np.flatnonzero(scope.members & ~scope.taxonomy.instances)
        metric = ConceptMetric(sorted(rng.choice(concepts, 1500, replace=False).tolist()), scope)
        attributes.append(Attribute(root, "text", metric))
        columns.append(rng.integers(1500, size=tuples))
    times = rng.integers(tuples, size=rows - tuples)
    return Records.of(attributes, [np.concatenate([column, column[times]]) for column in columns])


def large() -> str:
    """Measure fusion of many tuples, in a process of its own."""
    records = plural()
    began = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    masking = al.Fusion(k=5).mask(records)
    spent = time.process_time() - began
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    least = int(Pairs.of(records, masking).sizes.min())
    return (
        "| tuples | attributes | records | k reached | CPU seconds | MB above the data's |\n"
        "|---:|---:|---:|---:|---:|---:|\n"
        f"| {len(records):,} | 2 | {records.n:,} | {least} | {spent:.1f} | {more:.0f} |\n"
    )


if __name__ == "__main__":
    pages.write(DOCS / "fusion.md", "large", large())
    with tempfile.TemporaryDirectory() as place:
        fusion(dict(tables(Path(place))))
    recoding()
