"""The evaluation of semantic noise (Rodriguez-Garcia et al.), and the exponential mechanism: python benchmarks/noise.py

Writes the tables and charts of docs/methods/noise.md and docs/methods/exponential.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import adult
import charts
import numpy as np
import pages
import pandas as pd
from paths import DATA, ROOT

import allonym as al
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.methods.exponential import Candidates
from allonym.ontology.linking import links_file as links_files
from allonym.records import Attribute, Records

DOCS = ROOT / "docs" / "methods"
LINKS = DATA / "adult" / "links_occupation_p3.csv"
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
SEEDS = range(5)
SAMPLE = {"Craft-repair": 46, "Handlers-cleaners": 20, "Farming-fishing": 12, "Tech-support": 22}
PUBLISHED = {  # Tables I and III of the paper
    "all": {
        "deviation of the variance": (0.03, 0.05, 0.07, 0.10, 0.11, 0.23),
        "mean distance": (0.19, 0.23, 0.26, 0.28, 0.30, 0.35),
        "target": (0.12, 0.17, 0.21, 0.24, 0.27, 0.35),
        "distance of the means": (0, 0, 0, 0, 0, 0),
    },
    "sample": {
        "deviation of the variance": (0, 0.01, 0.03, 0.03, 0.04, 0.07),
        "mean distance": (0.14, 0.18, 0.20, 0.23, 0.24, 0.35),
        "target": (0.09, 0.13, 0.15, 0.19, 0.20, 0.29),
        "distance of the means": (0, 0, 0.14, 0, 0.14, 0.14),
    },
}
BASELINES = {  # Tables II and IV of the paper: mean distance, distance of the means
    "all": {"randomise-uniform": (0.56, 0.33), "randomise-frequency": (0.54, 0.0)},
    "sample": {"randomise-uniform": (0.37, 0.56), "randomise-frequency": (0.35, 0.25)},
}
EPSILONS = (0.1, 0.5, 1, 2, 4, 8, 16, 32, 64)
CANDIDATES = (5, 20, 100, 1000)
WARM_UP = 50_000  # records, for labels of concepts that have not been written before


@cache
def occupations() -> pd.DataFrame:
    """Return the occupations of the complete rows of Adult."""
    rows = [line.split(", ") for line in adult.FILE.read_text().splitlines() if line and "?" not in line]
    return pd.DataFrame({"occupation": [row[6] for row in rows]})


def sample() -> pd.DataFrame:
    """Return the sample of 100 records of the paper."""
    return pd.DataFrame({"occupation": [value for value, count in SAMPLE.items() for _ in range(count)]})


def noise_summaries(
    frame: pd.DataFrame, method: str, seeds: Iterable[int] = SEEDS, **parameters: float
) -> list[dict[str, Any]]:
    """Return the noise summary of the occupations masked by a method, one per seed."""
    column = al.quasi("wordnet:person", links=str(LINKS))
    summaries = []
    for seed in seeds:
        plan = al.Plan({"occupation": column}, method=method, parameters=parameters, seed=seed)
        summaries.append(plan.run(frame).summary["noise"]["occupation"])
    return summaries


def mean(summaries: Sequence[Mapping[str, float]], name: str) -> float:
    """Return the mean of a figure over the seeds."""
    return float(np.mean([summary[name] for summary in summaries]))


class NoiseResults(NamedTuple):
    """Results of noise and of random replacement."""

    rows: int
    mean: str
    variance: float
    figures: dict[str, list[float]]  # one figure per α
    baselines: dict[str, tuple[float, float]]  # mean distance, distance of the means


def measure_noise(frame: pd.DataFrame) -> NoiseResults:
    """Measure the figures of the tables of the paper."""
    by_alpha = [noise_summaries(frame, "noise", alpha=alpha) for alpha in ALPHAS]
    figures = {
        "mean distance": [mean(x, "mean_error") for x in by_alpha],
        "target": [mean(x, "target_mean_error") for x in by_alpha],
        "root mean square": [mean(x, "rmse") for x in by_alpha],
        "target, √(α·σ²)": [mean(x, "target_rmse") for x in by_alpha],
        "distance of the means": [mean(x, "mean_distance") for x in by_alpha],
        "variance": [mean(x, "variance") for x in by_alpha],
        "(1+α)·σ²": [mean(x, "expected_variance") for x in by_alpha],
        "deviation of the variance": [mean(x, "expected_variance") - mean(x, "variance") for x in by_alpha],
    }
    random = {method: noise_summaries(frame, method) for method in BASELINES["all"]}
    baselines = {m: (mean(runs, "mean_error"), mean(runs, "mean_distance")) for m, runs in random.items()}
    first = by_alpha[0][0]
    return NoiseResults(len(frame), str(first["mean_before"]), float(first["variance_before"]), figures, baselines)


def paper_tables() -> str:
    """Return the tables of the paper with our figures and the published ones."""
    lines = []
    for name, frame in (("all", occupations()), ("sample", sample())):
        ours = measure_noise(frame)
        lines += [
            f"{ours.rows:,} records, mean {ours.mean}, variance {ours.variance:.3f}:\n",
            "| | | " + " | ".join(f"α = {alpha:g}" for alpha in ALPHAS) + " |",
            "|---|---|" + "---:|" * len(ALPHAS),
        ]
        for label, figures in ours.figures.items():
            lines.append(f"| {label} | ours | " + " | ".join(f"{abs(x):.3f}" for x in figures) + " |")
            if label in PUBLISHED[name]:
                lines.append("| | published | " + " | ".join(f"{x:.2f}" for x in PUBLISHED[name][label]) + " |")
        lines += [
            "",
            "| | mean distance | published | distance of the means | published |",
            "|---|---:|---:|---:|---:|",
        ]
        for method, (distance, mean_distance) in BASELINES[name].items():
            own = ours.baselines[method]
            lines.append(f"| {method} | {own[0]:.3f} | {distance:.2f} | {own[1]:.3f} | {mean_distance:.2f} |")
        lines.append("")
    return "\n".join(lines)


def records(distinct: int, rows: int = 1_000_000) -> Records:
    """Return records with a number of distinct WordNet persons, including named individuals."""
    scope = al.wordnet(root="person")
    rng = np.random.Generator(np.random.Philox(key=0))
    concepts = np.sort(rng.choice(scope.concepts, distinct, replace=False))
    candidates = tuple(scope.concepts.tolist())
    job = Attribute("job", "text", ConceptMetric(concepts.tolist(), scope), candidates=candidates)
    return Records.of([job], [rng.integers(distinct, size=rows)])


def speed() -> str:
    """Measure batch masking and record-by-record masking."""
    size = len(al.wordnet(root="person"))
    lines = [
        f"| a million records over {size:,} concepts | distinct values | CPU seconds |",
        "|---|---:|---:|",
    ]
    for distinct in (14, 300, 1000):
        table = records(distinct)
        for method in (al.Noise(), al.Exponential()):
            began = time.process_time()
            method.mask(table, 1)
            lines.append(f"| {method.name} | {distinct:,} | {time.process_time() - began:.2f} |")
    lines += ["", "| record by record, occupations of Adult | records per second |", "|---|---:|"]
    frame = occupations()
    column = al.quasi("wordnet:person", links=str(LINKS), senses="first")
    one_by_one = frame.to_dict("records")
    for name in ("noise", "exponential"):
        fitted = al.Plan({"occupation": column}, method=name, seed=1).fit(frame)
        for record in one_by_one[:100]:
            fitted.mask_one(record)
        began = time.process_time()
        for _ in fitted.stream(one_by_one):
            pass
        lines.append(f"| {name} | {len(one_by_one) / (time.process_time() - began):,.0f} |")
    lines += ["", "| record by record, all of WordNet, noise | records per second |", "|---|---:|"]
    lines += [f"| {label} | {rate:,.0f} |" for label, rate in vocabularies()]
    return "\n".join(lines) + "\n"


def vocabularies() -> Iterator[tuple[str, float]]:
    """Yield how many records with words of all of WordNet are masked per second, by the size of the vocabulary."""
    taxonomy = al.wordnet().taxonomy
    rng = np.random.Generator(np.random.Philox(key=2))
    labels = sorted({taxonomy.labels[c] for c in np.flatnonzero(~taxonomy.instances).tolist()})
    words = rng.permutation([x for x in labels if x.isalpha()]).tolist()
    column = al.quasi("wordnet", senses="first", unmatched="suppress", accept="review")
    fitted = al.Plan({"word": column}, method="noise", seed=1).fit(pd.DataFrame({"word": words[:400]}))

    def rate(some: Sequence[str]) -> float:
        began = time.process_time()
        for _ in fitted.stream({"word": word} for word in some):
            pass
        return len(some) / (time.process_time() - began)

    rate(words[:400])
    for size in (400, 5000):
        rate(words[:size])
        rate(rng.choice(words[:size], WARM_UP).tolist())
        yield (
            f"{size:,} words that have occurred",
            max(rate(rng.choice(words[:size], 20_000).tolist()) for _ in range(3)),
        )
    yield "words that occur for the first time", rate(words[5000:6000])


def utility() -> str:
    """Return the utility of the exponential mechanism by ε and number of candidates, and draw it."""
    scope = al.wordnet(root="person")
    domain = Domain(scope)
    rng = np.random.Generator(np.random.Philox(key=1))
    settled = links_files.read(LINKS).concepts
    values = [scope.taxonomy.code(settled[x]) for x in occupations()["occupation"]]
    concepts, counts = np.unique(values, return_counts=True)
    distances: dict[str, list[float]] = {}
    unchanged: dict[str, list[float]] = {}
    for size in (*CANDIDATES, len(domain)):
        others = rng.choice(domain.concepts, min(size, len(domain)), replace=False)
        chosen = np.unique(np.append(concepts, others))[: len(domain)]
        chosen = chosen if size > len(concepts) else concepts[np.argsort(-counts)[:size]]
        name = f"{len(chosen):,} candidates"
        for epsilon in EPSILONS:
            mechanism = Candidates(domain, tuple(chosen.tolist()), epsilon)
            distance = kept = 0.0
            for concept, count in zip(concepts.tolist(), counts.tolist(), strict=True):
                weights = mechanism.weights(concept).astype(np.float64)
                share = weights / weights.sum() * count / counts.sum()
                distance += float((share * mechanism.far(concept)).sum())
                kept += float(share[chosen == concept].sum())
            distances.setdefault(name, []).append(distance)
            unchanged.setdefault(name, []).append(100 * kept)
    panels = {"mean distance to the original": {"": distances}, "unchanged (%)": {"": unchanged}}
    charts.lines(DOCS / "exponential.svg", panels, EPSILONS, x="ε", log=True)
    lines = []
    for label, variants in (("mean distance", distances), ("unchanged (%)", unchanged)):
        lines += [
            f"| {label} | " + " | ".join(f"ε = {e:g}" for e in EPSILONS) + " |",
            "|---|" + "---:|" * len(EPSILONS),
        ]
        digits = 3 if label == "mean distance" else 1
        lines += [
            f"| {name} | " + " | ".join(f"{x:.{digits}f}" for x in figures) + " |" for name, figures in variants.items()
        ]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    pages.write(DOCS / "noise.md", "papers", paper_tables())
    pages.write(DOCS / "noise.md", "speed", speed())
    pages.write(DOCS / "exponential.md", "utility", utility())
