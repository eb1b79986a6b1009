"""Correlation of every similarity measure with human judgement: python benchmarks/judgements.py

The similarity of two words is the maximum over their senses. Needs the word pairs beside the project. Writes a block
of docs/measures/similarity.md.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pages import write
from paths import DATA, ROOT
from scipy.stats import pearsonr, spearmanr

from allonym.ontology import similarity
from allonym.ontology.content import content
from allonym.ontology.similarity import features
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled

PAIRS = DATA / "similarity"
PAGE = ROOT / "docs" / "measures" / "similarity.md"
OMITTED = {("cemetery", "woodland"), ("shore", "woodland")}  # from M&C-28

# Martínez (2010), Table 4, collected from the literature: Miller-Charles, Rubenstein-Goodenough
PUBLISHED = {
    "path": (".59", ""), "wu-palmer": (".74", ""), "leacock-chodorow": (".74", ".77"),
    "rodriguez-egenhofer": (".71", ""), "tversky": (".73", ""), "tversky-asymmetric": (".73", ""),
    "x-similarity": (".74", ""),
    "resnik": (".72", ".72"), "lin": (".70", ".72"),
    "jiang-conrath": (".73", ".75"),
}  # fmt: skip
Pair = tuple[str, str, float]
Correlations = dict[tuple[str, str], dict[str, tuple[float, float]]]  # measure, variant -> judgements -> r, ρ


def read(name: str) -> list[Pair]:
    """Read word pairs with their judgements; the M&C file spells cord as chord."""
    rows = [line.split() for line in (PAIRS / name).read_text("utf-8").splitlines() if line.strip()]
    fix = {"chord": "cord"}
    return [(fix.get(a, a), fix.get(b, b), float(score)) for a, b, score in rows]


@functools.cache
def content_of(taxonomy: Taxonomy, name: str) -> NDArray[np.float64]:
    """Return the information content of all concepts."""
    return content(taxonomy, name)


def closest(taxonomy: Taxonomy, pairs: list[Pair], measure: str, **options: Any) -> NDArray[np.float64]:
    """Return for each pair the raw figure of its closest senses; distances are negated."""
    senses = {word: np.array(taxonomy.senses(word)) for pair in pairs for word in pair[:2]}
    ancestry = taxonomy.ancestry(np.concatenate(list(senses.values())))
    if "content" in options:
        options["content"] = content_of(taxonomy, options["content"])
    raw: dict[str, Callable[..., NDArray[np.float64]]] = {
        "path": lambda a, b: -similarity.path(ancestry, a, b),
        "leacock-chodorow": lambda a, b: similarity.leacock_chodorow(ancestry, a, b),
        "resnik": lambda a, b: similarity.resnik(ancestry, a, b, **options),
        "jiang-conrath": lambda a, b: -similarity.jiang_conrath(ancestry, a, b, **options),
        "tversky": lambda a, b: features.tversky(ancestry, a, b, **options),
        "tversky-asymmetric": lambda a, b: features.tversky(ancestry, a, b, symmetric=False, **options),
    }

    def other_measures(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        return 1 - similarity.distance(measure, ancestry, a, b, **options)

    figure = raw.get(measure, other_measures)
    return np.array([float(figure(senses[one][:, None], senses[other]).max()) for one, other, _ in pairs])


CONTENTS = ("corpus", "seco", "sanchez-batet")
VARIANTS: list[tuple[str, str, dict[str, Any]]] = [
    ("path", "", {}),
    ("leacock-chodorow", "", {}),
    *(("wu-palmer", f"depth `{depth}`", {"depth": depth}) for depth in similarity.DEPTHS),
    ("ancestor-overlap", "", {}),
    *((m, f"content `{c}`", {"content": c}) for m in ("resnik", "lin", "jiang-conrath") for c in CONTENTS),
    *(
        (
            m,
            f"words of {reach.replace('ancestors', 'all ancestors').replace('direct', 'direct neighbours')}",
            {"reach": reach},
        )
        for m in ("tversky", "tversky-asymmetric")
        for reach in ("ancestors", "direct")
    ),
    ("rodriguez-egenhofer", "weights ⅓, ⅓, ⅓", {}),
    ("rodriguez-egenhofer", "weights ½, 0, ½", {"weights": (0.5, 0, 0.5)}),
    ("rodriguez-egenhofer", "weights 0, 0, 1", {"weights": (0, 0, 1)}),
    ("x-similarity", "", {}),
    ("gloss-vector", "", {}),
]


def correlations() -> Correlations:
    """Return Pearson's r and Spearman's ρ of every measure with every set of judgements."""
    taxonomy = bundled()
    thirty = read("EN-MC-30.txt")
    pairs = [*thirty, *read("EN-RG-65.txt")]
    judged = np.array([p[2] for p in pairs])
    omitted = np.array([p[:2] in OMITTED or p[1::-1] in OMITTED for p in pairs])
    first = np.arange(len(pairs)) < len(thirty)
    sets = {"M&C-30": first, "M&C-28": first & ~omitted, "R&G-65": ~first}
    results: Correlations = {}
    for measure, variant, options in VARIANTS:
        figures = closest(taxonomy, pairs, measure, **options)
        for name, some in sets.items():
            ours, theirs = figures[some], judged[some]
            r_and_rho = float(pearsonr(ours, theirs)[0]), float(spearmanr(ours, theirs)[0])
            results.setdefault((measure, variant), {})[name] = r_and_rho
    return results


def table() -> str:
    """Return the table as Markdown."""
    results = correlations()
    sets = next(iter(results.values()))
    lines = [
        "| measure | | " + " | ".join(f"{name}<br>r / ρ" for name in sets) + " | published M&C | published R&G |",
        "|---|---|" + "---|" * (len(sets) + 2),
    ]
    for (measure, variant), by_set in results.items():
        cells = [f"{r:.2f} / {rank:.2f}".replace("0.", ".") for r, rank in by_set.values()]
        lines.append(
            f"| {measure} | {variant} | "
            + " | ".join(cells)
            + " | "
            + " | ".join(PUBLISHED.get(measure, ("", "")))
            + " |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write(PAGE, "judgements", table())
