"""The evaluation of record fusion and recoding in Martínez (2010, §5) and IPMU: python benchmarks/fusion.py

Uses the bundled survey and Adult with k from 2 to 15; each figure is the mean of five seeds. Writes the tables and
charts of docs/methods/fusion.md and docs/methods/recoding.md.
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
from allonym.kinds.concept_metric import ConceptMetric
from allonym.measures import clusters, loss, risk
from allonym.methods.base import Method
from allonym.pipeline.demo import demonstration
from allonym.records import Attribute, Pairs, Records

DOCS = ROOT / "docs" / "methods"
KS = tuple(range(2, 16))
SEEDS = range(5)
RANDOM, NEW = "random", "towards a new value"
VARIANTS: dict[str, dict[str, Any]] = {  # of fusion: its parameters
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
    NEW: {"towards": "new"},
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
RECODING: dict[str, Callable[..., Method]] = {
    **{
        f"recoding-ordered, {guide}": partial(al.RecodingOrdered, guide=guide)
        for guide in ("wu-palmer", "leacock-chodorow", "path", RANDOM)
    },
    **{
        f"recoding-ordered to all, {guide}": partial(al.RecodingOrdered, guide=guide, recode_to="all")
        for guide in ("wu-palmer", "leacock-chodorow", "path")
    },
    "recoding, wu-palmer": al.Recoding,
}
GUIDED = ("Wu-Palmer", "Leacock-Chodorow", "path")
STEPS = (RANDOM, "h1", "h1+target", "h1+h2", "h1+h2+h3")
GUIDES = ("Wu-Palmer", "hierarchy", "discernibility", RANDOM)
CHARTS: dict[str, tuple[Sequence[str], Sequence[str]]] = {  # chart: measures, variants
    "guides": ((QUALITY, LINKS), GUIDED),  # Fig. 2-3 of the thesis
    "heuristics": ((QUALITY,), STEPS),  # Fig. 4
    "semantics": ((QUALITY, LINKS, "discernibility"), GUIDES),  # Fig. 5-8
    "linkage": (("linked by text (%)", "linked by meaning (%)"), GUIDES),  # Fig. 14
    "seconds": ((SECONDS,), GUIDES),  # Fig. 15
}
Results = dict[str, dict[str, dict[str, list[float]]]]  # measure -> table -> variant -> one figure per k
ClusterDistances = dict[tuple[str, str], dict[str, float]]  # two variants, or the original -> table -> distance


def tables(folder: Path) -> Iterator[tuple[str, Records]]:
    """Yield the survey and Adult, with hand-made hierarchies for their columns."""
    folder_of_survey = Path(str(files("allonym") / "data"))
    yield (
        "survey",
        growth.records_of(
            with_hierarchies(
                demonstration(folder_of_survey), {x: folder_of_survey / f"{x}.vgh.csv" for x in ("reason", "activity")}
            ),
            folder_of_survey / "survey.csv",
        ),
    )
    adult.write(folder / "adult.csv")
    arx = {x: DATA / "vgh" / "arx" / f"adult_hierarchy_{x}.csv" for x in adult.LINKS}
    yield "Adult", growth.records_of(with_hierarchies(adult.plan(), arx), folder / "adult.csv")


def with_hierarchies(plan: al.Plan, hierarchies: Mapping[str, Path]) -> al.Plan:
    """Return a plan for fusion guided by hierarchies."""
    columns = {x: replace(c, hierarchy=hierarchies[x]) if x in hierarchies else c for x, c in plan.columns.items()}
    return replace(
        plan,
        columns=columns,
        method="fusion",
        parameters={"guide": "hierarchy", "refine": False},
        k=plan.method.required_k,
    )


def measure(
    results: Results,
    table: str,
    variant: str,
    records: Records,
    method: Callable[..., Method],
    measures: Iterable[str],
) -> None:
    """Add the figures of a variant on a table to the results."""
    for k in KS:
        began = time.process_time()
        runs = [Pairs.of(records, method(k=k).mask(records, seed)) for seed in SEEDS]
        spent = (time.process_time() - began) / len(SEEDS)
        for name in measures:
            figure = spent if name == SECONDS else float(np.mean([MEASURES[name](pairs) for pairs in runs]))
            results.setdefault(name, {}).setdefault(table, {}).setdefault(variant, []).append(figure)


def markdown_tables(results: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]) -> str:
    """Return the results as Markdown tables, one per measure."""
    lines = []
    for name, tables in results.items():
        lines += [f"| {name} | | " + " | ".join(f"k={k}" for k in KS) + " |", "|---|---|" + "---:|" * len(KS)]
        for table, variants in tables.items():
            for variant, figures in variants.items():
                shown = (f"{x:,.0f}" if x >= 1000 else f"{x:.4f}" if name == SECONDS else f"{x:.3f}" for x in figures)
                lines.append(f"| {table} | {variant} | " + " | ".join(shown) + " |")
        lines.append("")
    return "\n".join(lines)


def cluster_distances(tables: Mapping[str, Records], k: int = 5, *, by_both: bool = False) -> ClusterDistances:
    """Return the distances between the 14 clusters of the original and of its releases (Martínez 2010, Table 6).

    Records are clustered by the ontology, or by whichever of ontology and hierarchy finds two values more alike, as in
    CCIA (§4).
    """
    results: ClusterDistances = {}
    for table, records in tables.items():
        between: dict[tuple[str, str], list[float]] = {}
        backgrounds = [[x.metric for x in records.attributes]]
        if by_both:
            backgrounds.append([x.hierarchy or x.metric for x in records.attributes])
        for seed in SEEDS:
            tuples = {"original": records.codes}
            for variant in GUIDES[:3]:
                masking = al.Fusion(k=k, refine=False, **VARIANTS[variant]).mask(records, seed)
                tuples[variant] = masking.codes[np.argsort(masking.source)]
            labels = {
                variant: clusters.ward_tree(backgrounds, records.shares, codes, records.mass).cut(clusters.CLUSTERS)
                for variant, codes in tuples.items()
            }
            for one, other in combinations(labels, 2):
                distance = clusters.partition_distance(labels[one], labels[other], records.mass)
                between.setdefault((one, other), []).append(distance)
        for pair, figures in between.items():
            results.setdefault(pair, {})[table] = float(np.mean(figures))
    return results


def cluster_table(tables: Mapping[str, Records], k: int = 5) -> str:
    """Return the table of distances between clusters."""
    lines = []
    for by, by_both in (("WordNet", False), ("WordNet and hierarchy", True)):
        lines += [f"| 14 clusters by {by}, k={k} | | {' | '.join(tables)} |", f"|---|---|{'---:|' * len(tables)}"]
        for (a, b), figures in cluster_distances(tables, k, by_both=by_both).items():
            lines.append(f"| {a} | {b} | {' | '.join(f'{x:.3f}' for x in figures.values())} |")
        lines.append("")
    return "\n".join(lines)


def measure_fusion(tables: Mapping[str, Records]) -> Results:
    """Measure every variant of fusion."""
    results: Results = {}
    for table, records in tables.items():
        for variant, parameters in VARIANTS.items():
            measure(
                results, table, variant, records, partial(al.Fusion, refine=False, **parameters), (*MEASURES, SECONDS)
            )
    return results


def write_fusion(tables: Mapping[str, Records]) -> None:
    """Write the tables and charts of fusion."""
    results = measure_fusion(tables)
    for chart, (names, variants) in CHARTS.items():
        part = {
            name: {t: {v: of_table[v] for v in variants} for t, of_table in results[name].items()} for name in names
        }
        charts.lines(DOCS / f"fusion-{chart}.svg", part, KS)
        pages.write(DOCS / "fusion.md", chart, markdown_tables(part))
    pages.write(DOCS / "fusion.md", "clusters", cluster_table(tables))


def measure_recoding(
    variants: Mapping[str, Callable[..., Method]], measures: Sequence[str] = (CONTENT, LINKS)
) -> tuple[Records, Results]:
    """Measure local recoding of the hobbies of the survey."""
    folder = Path(str(files("allonym") / "data"))
    column = al.quasi("wordnet", accept_review=True, unmatched="opaque")
    records = growth.records_of(al.Plan({"hobby": column}, keep_rest=True), folder / "survey.csv")
    results: Results = {}
    for variant, method in variants.items():
        measure(results, "hobby", variant, records, method, measures)
    return records, results


def write_recoding() -> None:
    """Write the tables and the chart of recoding (IPMU, Fig. 1-2)."""
    records, results = measure_recoding(RECODING)
    charts.lines(DOCS / "recoding.svg", results, KS)
    links = results[LINKS]["hobby"]
    ratios = [b / a for a, b in zip(*(links[f"recoding-ordered, {x}"] for x in ("wu-palmer", RANDOM)), strict=True)]
    results["links, random / wu-palmer"] = {"hobby": {"recoding-ordered": ratios}}
    unique = int((records.counts == 1).sum())
    counts = f"{records.n:,} answers, {len(records):,} distinct, {unique} of them unique.\n\n"
    pages.write(DOCS / "recoding.md", "recoding", counts + markdown_tables(results))


def random_pairs(tuples: int = 20_000, rows: int = 60_000) -> Records:
    """Return random pairs of WordNet concepts, with counts."""
    rng = np.random.Generator(np.random.Philox(key=0))
    columns, attributes = [], []
    for root in ("person", "artifact"):
        scope = al.wordnet(root=root)
        concepts = np.flatnonzero(scope.members & ~scope.taxonomy.instances)
        metric = ConceptMetric(sorted(rng.choice(concepts, 1500, replace=False).tolist()), scope)
        attributes.append(Attribute(root, "text", metric))
        columns.append(rng.integers(1500, size=tuples))
    repeated = rng.integers(tuples, size=rows - tuples)
    return Records.of(attributes, [np.concatenate([column, column[repeated]]) for column in columns])


def many_tuples() -> str:
    """Measure fusion of many tuples."""
    records = random_pairs()
    began = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    masking = al.Fusion(k=5, refine=False).mask(records)
    spent = time.process_time() - began
    megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    smallest = int(Pairs.of(records, masking).sizes.min())
    return (
        "| tuples | attributes | records | smallest group | CPU seconds | additional MB |\n"
        "|---:|---:|---:|---:|---:|---:|\n"
        f"| {len(records):,} | 2 | {records.n:,} | {smallest} | {spent:.1f} | {megabytes:.0f} |\n"
    )


if __name__ == "__main__":
    pages.write(DOCS / "fusion.md", "large", many_tuples())
    with tempfile.TemporaryDirectory() as name:
        write_fusion(dict(tables(Path(name))))
    write_recoding()
