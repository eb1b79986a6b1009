"""Verdicts on the claims of the papers follow the figures: constructed figures confirm or contradict each claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import fusion
import numpy as np
import papers_hierarchy_quality
import papers_sa_mdav
import papers_set_valued
import pytest
from claims import HOLDS, IN_PART, NOT, Claim, Figure, Tally, below, count, describe, figures_table, r_squared, verdict
from noise import ALPHAS, PUBLISHED, NoiseResults
from papers_martinez_thesis import FAMILIES, GUIDES, LOCAL, LOCAL_NEW, ORDERED, PSEUDO_CODE, TABLES, Thesis
from papers_page import BLOCKS, CHARTS, CLAIMS, NOISE, PAGE, SA_MDAV, SETS, THESIS, VGH_QUALITY, block
from papers_sa_mdav import (
    ABRIL,
    ADULT,
    DFT,
    K_WARD,
    LOSS,
    MEANING,
    PLAIN,
    SA,
    SMDAV,
    STATIC,
    STATIC_PLAIN,
    SURVEY,
    TEXT,
    VARIABLE,
    Microaggregated,
)
from set_generalisation import GENERALISATION
from sets import KS, SET_DISTANCES, SetLosses

# --- the rule ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "need", "expected"),
    [
        ([(14, 14), (21, 21)], 1.0, HOLDS),
        ([(14, 14), (20, 21)], 1.0, IN_PART),
        ([(13, 14), (20, 21)], 1.0, IN_PART),  # no part holds, but most cases hold
        ([(13, 14), (20, 21)], 0.9, HOLDS),
        ([(6, 14), (10, 21)], 1.0, NOT),
        ([(1, 1), (0, 21)], 1.0, IN_PART),  # one part holds
        ([(0, 0), (5, 5)], 1.0, IN_PART),  # equal figures show nothing
        ([(0, 0)], 1.0, NOT),
    ],
)
def test_a_claim_holds_by_its_parts(counts: list[tuple[int, int]], need: float, expected: str) -> None:
    assert verdict([Tally("part", held, of) for held, of in counts], need) == expected


def test_parts_for_comparison_do_not_count() -> None:
    assert verdict([Tally("a", 1, 1), Tally("b", 0, 5, uncounted=True)]) == HOLDS
    with pytest.raises(ValueError, match="part that counts"):
        verdict([Tally("b", 0, 5, uncounted=True)])


def test_below_counts_where_figures_differ_and_names_exceptions() -> None:
    tally = below("x", [1, 2, 3, 9], [2, 2, 4, 5], places=(2, 3, 5, 8))
    assert (tally.held, tally.cases, tally.note) == (2, 3, "except at 8; 1 tie")
    runs = below("x", [[1], [3]], [[2, 4], [2, 6]])  # means 3 and 4, but one run of the second is below 3
    assert (runs.held, runs.cases, runs.note) == (2, 2, "1 in every run")
    assert describe([count("x", [True, False]), count("y", [False, True])]) == ["*1 of 2 k*: x; y"]
    assert describe([count("x", [True], unit="", uncounted=True)]) == ["for comparison, *yes*: x"]


def test_straight_lines() -> None:
    assert r_squared([1, 2, 4], [3, 5, 9]) == pytest.approx(1)
    assert r_squared([1, 2, 3], [1, 0, 1]) == pytest.approx(0)


def test_a_figure_that_differs_needs_a_reason() -> None:
    same = Figure("x", "Table 1", (0.25, "cat"), (0.2549, "cat"))
    assert same.agrees
    assert same.row().endswith("|  |")
    other = Figure("x", "Table 1", (0.25,), (0.2551,))
    with pytest.raises(ValueError, match="give a reason"):
        other.row()
    explained = replace(other, reason="rounded twice")
    assert "rounded twice" in explained.row()
    assert "2 of 3 figures agree" in figures_table([same, explained])


# --- every claim: figures that confirm it, and figures that contradict it ----------------------------------------


def microaggregated(*, contrary: bool) -> Microaggregated:
    """Return figures as Martínez, Sánchez and Valls (2012) draw them, or reversed."""
    ks = {SURVEY: (2, 3, 4, 5, 6, 8, 15), ADULT: (2, 3, 5, 100, 800, 900, 1800)}
    results = Microaggregated(ks, {SURVEY: 8, ADULT: 900})
    order = [SA, STATIC, VARIABLE, SMDAV, DFT, ABRIL]
    for table, own in ks.items():
        k = np.array(own, float) / own[-1]
        gain = 0.02 * k + (0.1 if table == SURVEY else 0.0) + 0.001
        abril = 16 + (31 if table == SURVEY else 30) * k  # below DF&T, then above
        lost = [10 + k, (10 + k) * (1 + gain), 13 + 4 * k, 14 + 6 * k, 20 + 20 * k, abril]
        if table == ADULT:
            lost[1] = np.where(np.array(own) <= 5, lost[0] + 1e-4, lost[1])
        linked = [3 - 2 * k, 3 - 2 * k, 3 - 2 * k, 3 - 2 * k, 9 - 2 * k, 2.5 - 2 * k]
        if contrary:
            lost, linked = [x[::-1] for x in lost[::-1]], linked[::-1]
        arms = {
            LOSS: dict(zip(order, lost, strict=True)),
            TEXT: dict(zip(order, linked, strict=True)),
            MEANING: dict(zip(order, linked, strict=True)),
        }
        for measure, of in arms.items():
            of |= {PLAIN: of[SA], STATIC_PLAIN: of[STATIC], K_WARD: of[VARIABLE]}
            results.figures.setdefault(measure, {})[table] = {arm: x[:, None] for arm, x in of.items()}
        spent = {SA: 3.0, DFT: 1.0, ABRIL: 2.0} if (table == SURVEY) != contrary else {SA: 1.0, DFT: 2.0, ABRIL: 3.0}
        slopes = {SA: 4.0, DFT: 0.01, ABRIL: 0.01} if contrary else {SA: 0.0, DFT: -0.01, ABRIL: -0.01}
        results.seconds[table] = {arm: (x + slopes[arm] * k)[:, None] for arm, x in spent.items()}
    sums = {"centroid": 1.0, "mode": 2.0, "subsumer": 3.0}
    results.sums["job"] = dict(zip(sums, list(sums.values())[:: -1 if contrary else 1], strict=True))
    return results


def hobbies(k: np.ndarray, slow: list[float], *, contrary: bool) -> fusion.Results:
    """Return figures of recoding as the articles of the thesis draw them, or reversed."""
    guides = dict.fromkeys(GUIDES, 1.0) | {"discernibility": 6.0, fusion.RANDOM: 7.0}
    readings = (ORDERED, PSEUDO_CODE, LOCAL)
    hobby = {arms[g]: (x * k).tolist() for arms in readings for g, x in guides.items() if g in arms}
    hobby[LOCAL_NEW] = ((7.0 if contrary else 1.0) * k).tolist()
    worse = {arm: (-np.array(x)).tolist() for arm, x in hobby.items()}
    flat = {arm: np.minimum(k, 9) * (1.1 if fusion.RANDOM in arm else 1) for arm in hobby}
    steep = {arm: k * (0.9 if fusion.RANDOM in arm else 1) for arm in hobby}
    results: fusion.Results = {
        fusion.QUALITY: {"hobby": hobby if contrary else worse},
        fusion.LINKS: {"hobby": {arm: [1.0, *([9.0] * 13)] for arm in hobby} if contrary else hobby},
        fusion.CONTENT: {"hobby": {arm: x.tolist() for arm, x in (steep if contrary else flat).items()}},
        fusion.SECONDS: {"hobby": dict.fromkeys(hobby, slow)},
    }
    if contrary:
        results[fusion.LINKS]["hobby"][LOCAL["path"]] = k.tolist()
        results[fusion.LINKS]["hobby"][ORDERED["path"]] = k.tolist()
        results[fusion.LINKS]["hobby"][PSEUDO_CODE["path"]] = k.tolist()
    return results


def thesis(*, contrary: bool) -> Thesis:
    """Return figures as Martínez (2010) draws them, or reversed."""
    ks = tuple(range(2, 16))
    k = np.array(ks, float)
    sign = -1.0 if contrary else 1.0

    def two_columns(arms: Mapping[str, float]) -> dict[str, dict[str, list[float]]]:
        return {table: {arm: (sign * slope * k).tolist() for arm, slope in arms.items()} for table in TABLES}

    quality = {"Wu-Palmer": -1.0, "Leacock-Chodorow": -1.1, "path": -1.1, "hierarchy": -3.0, "discernibility": -7.0}
    quality |= {fusion.NEW: -7.0 if contrary else -1.0}
    quality |= {fusion.RANDOM: -8.0, "h1": -7.5, "h1+target": -7.4, "h1+h2": -1.01, "h1+h2+h3": -1.0}
    far = {arm: -slope for arm, slope in quality.items()}
    linked = {"Wu-Palmer": 2.0, "hierarchy": 8.0, "discernibility": 9.0, fusion.RANDOM: 1.0}
    fell = np.where(k < 5, 40 - 9 * k, 4 - 0.02 * k)
    risen = 30 - 2 * k + 5 * (k % 2)  # falls far, and not at every step
    text = {t: {a: (risen / x if contrary else x * fell).tolist() for a, x in linked.items()} for t in TABLES}
    slow = 1 + (k if contrary else 0 * k)
    fused = {
        fusion.QUALITY: two_columns(quality), fusion.LINKS: two_columns(far),
        "discernibility": two_columns({"discernibility": 1.0, "Wu-Palmer": 2.0}),
        "linked by text (%)": text, "linked by meaning (%)": text,
        fusion.SECONDS: {"survey": {"Wu-Palmer": slow.tolist()}},
    }  # fmt: skip
    if contrary:
        fused[fusion.QUALITY]["survey"]["Wu-Palmer"] = (100 * (k > 9)).tolist()  # a jump
        fused[fusion.LINKS]["survey"]["path"] = (k + 1).tolist()
    near = [0.4, 0.5, 0.6][:: -1 if contrary else 1]
    arms = ("Wu-Palmer", "hierarchy", "discernibility")
    clusters = {("original", a): {"survey": x, "Adult": x} for a, x in zip(arms, near, strict=True)}
    clusters |= {pair: dict.fromkeys(TABLES, 0.1 if contrary else 0.7) for pair in combinations(arms, 2)}
    drawn = {"h1+h2": (9, 5), "h1+h2+h3": (9, 4 if contrary else 0), "h1+h2+h3-printed": (9, 5 if contrary else 0)}
    by_family = dict(zip(FAMILIES, (0.7, 0.8, 0.9) if contrary else (0.73, 0.74, 0.75), strict=True))
    both = {f: dict.fromkeys(("M&C-30", "R&G-65"), (x, 0.7)) for f, x in by_family.items()}
    judged = {(measure, ""): both[f] for f, measures in FAMILIES.items() for measure in measures}
    recoded = hobbies(k, slow.tolist(), contrary=contrary)
    return Thesis(
        ks, fused, recoded, clusters, judged, {"survey": 99.0, "Adult": 99.0}, clusters_by_both=clusters,
        choices={table: [drawn] * len(ks) for table in TABLES},
        different_distances={"job": (3, 9) if contrary else (9, 3)},
    )  # fmt: skip


def scores(*, contrary: bool) -> papers_hierarchy_quality.HierarchyScore:
    """Return scores by which the first hierarchy is better, or the second."""
    one, two = (0.1, 0.2, 0.4, 0.5), (0.3, 0.2, 0.3, 0.5)
    constant = {"VGH1": 0.2, "VGH2": 0.3, "ordered": 0.1, "reversed": 0.2 if contrary else 0.1}
    by_level = {"VGH1": 0.2, "VGH2": 0.3, "ordered": 0.1, "reversed": 0.2}
    if contrary:
        one, two = two, one
        constant |= {"VGH1": 0.3, "VGH2": 0.2}
        by_level = {"VGH1": 0.3, "VGH2": 0.2, "ordered": 0.2, "reversed": 0.1}
    nouns = {"warm-blooded": "homeotherm.n.01", "cold-blooded": "poikilotherm.n.01"}
    raised = {"max": 0.3, "mean": 0.1, "median": 0.0}
    if contrary:
        nouns, raised = dict.fromkeys(nouns, "heat.n.01"), {"max": 0.1, "mean": 0.3, "median": 0.3}
    levels = {"VGH1": one, "VGH2": two}
    return papers_hierarchy_quality.HierarchyScore({}, (), levels, constant, by_level, nouns, raised)


def noise_results(*, contrary: bool) -> dict[str, NoiseResults]:
    """Return figures that confirm the claims of Rodriguez-Garcia et al., or contradict them."""
    alphas = np.array(ALPHAS)
    variance = 0.23
    results = {}
    for which, mean_distance in (("all", 0.0), ("sample", 0.1)):
        published = np.array(PUBLISHED[which]["mean distance"])
        expected = (1 + alphas) * variance
        deviation = np.round(0.25 * alphas, 2)
        figures = {
            "mean distance": published + 0.1, "target": published - 0.1 * (1.2 - alphas),
            "root mean square": published, "target, √(α·σ²)": published - 0.1,
            "distance of the means": 0 * alphas + mean_distance,
            "variance": expected, "(1+α)·σ²": expected, "deviation of the variance": deviation,
        }  # fmt: skip
        chance = {"randomise-uniform": (0.46, 0.3), "randomise-frequency": (0.47, 0.3)}
        if contrary:
            figures |= {
                "mean distance": published[::-1], "target": published[::-1] + 0.1 * (1.5 - alphas),
                "root mean square": published + 0.2, "target, √(α·σ²)": published + 0.3,
                "distance of the means": 0 * alphas + 0.5, "variance": 0 * alphas + 0.1,
                "deviation of the variance": 3 * deviation,
            }  # fmt: skip
            chance = dict.fromkeys(chance, (0.1 * figures["mean distance"][-1], 0.0))
        results[which] = NoiseResults(
            100, "employee", variance, {n: list(map(float, x)) for n, x in figures.items()}, chance
        )
    return results


def set_losses(*, contrary: bool) -> dict[str, SetLosses]:
    """Return losses in the order of Table 1 of Batet et al. (2014), or reversed."""
    base = {"avg": 600.0, "min-sum": 680.0, "min": 700.0, "max": 720.0, "max-sum": 730.0}
    if contrary:
        base = dict(zip(base, list(base.values())[::-1], strict=True))
    figures = {}
    for distance in SET_DISTANCES:
        low, high = base[distance], base[distance] / 0.84
        for comparison, x in (("semantic", high if contrary else low), ("equality", low if contrary else high)):
            figures[distance, comparison] = {judge: [x + k for k in KS] for judge in ("avg", "min-sum")}
    general = 400.0 if contrary else 900.0
    for variant in GENERALISATION:
        figures["generalise", variant] = {judge: [general + k for k in KS] for judge in ("avg", "min-sum")}
    return {"baskets": SetLosses(10, 500.0, figures)}


CONSTRUCTED: dict[str, Callable[..., Any]] = {
    THESIS: thesis, SA_MDAV: microaggregated, VGH_QUALITY: scores, NOISE: noise_results, SETS: set_losses,
}  # fmt: skip
ALL_CLAIMS = [(paper, claim) for paper, claims in CLAIMS.items() for claim in claims]
MIN_SUM_FIRST = (
    papers_set_valued.min_sum_where_terms_are_shared
)  # says the opposite of avg_best, so figures for it are contrary


@pytest.mark.parametrize(("paper", "claim"), ALL_CLAIMS, ids=[f"{p}-{c.test.__name__}" for p, c in ALL_CLAIMS])
def test_a_claim_follows_its_figures(paper: str, claim: Claim[Any]) -> None:
    opposite = claim.test is MIN_SUM_FIRST
    if claim.test is not papers_set_valued.sixteen_per_cent:  # Table 1 of the paper contradicts this at some k
        assert claim.verdict(CONSTRUCTED[paper](contrary=opposite)) == HOLDS
    assert claim.verdict(CONSTRUCTED[paper](contrary=not opposite)) != HOLDS


# --- the page ----------------------------------------------------------------------------------------------------


def test_the_page_has_every_claim_with_a_verdict() -> None:
    text = PAGE.read_text("utf-8")
    for name in BLOCKS:
        assert text.count(f"<!-- {name}: begin -->") == text.count(f"<!-- {name}: end -->") == 1, name
    for paper, claims in CLAIMS.items():
        mark = f"<!-- {block(paper, 'claims')}: "
        part = text.partition(mark + "begin -->")[2].partition(mark + "end -->")[0]
        for claim in claims:
            [line] = [x for x in part.splitlines() if x.startswith(f"| {claim.statement} (")]
            assert sum(f"| **{x}** |" in line for x in (HOLDS, IN_PART, NOT)) == 1, line
            assert claim.section in line
            assert claim.rule in line
            assert claim.explanation.replace("|", "\\|") in line


def test_the_page_shows_its_charts() -> None:
    text = PAGE.read_text("utf-8")
    for table in (*papers_sa_mdav.KS, "balance"):
        assert f"](papers/sa-mdav-{table.lower()}.svg)" in text
        assert (CHARTS / f"sa-mdav-{table.lower()}.svg").stat().st_size > 1000


def test_every_claim_has_a_distinct_statement() -> None:
    statements = [claim.statement for claims in CLAIMS.values() for claim in claims]
    assert len(set(statements)) == len(statements)
