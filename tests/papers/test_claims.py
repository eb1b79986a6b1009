"""Verdicts on what the papers claim: computed from figures, on hand-made ones that say yes and that say no."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import fusion
import numpy as np
import papers_hierarchy_quality
import papers_sa_mdav
import papers_set_valued
import pytest
from claims import HOLDS, IN_PART, NOT, Claim, Figure, Tally, below, count, count_by, figures_table, straight, verdict
from noise import ALPHAS, PUBLISHED, Noised
from papers_martinez_thesis import FAMILIES, GUIDES, LOCAL, ORDERED, TABLES, Thesis
from papers_page import CHARTS, CLAIMS, MARKS, PAGE
from papers_sa_mdav import (
    ABRIL,
    ADULT,
    DFT,
    LOSS,
    MEANING,
    PLAIN,
    SA,
    SMDAV,
    STATIC,
    STATIC_PLAIN,
    SURVEY,
    TEXT,
    Microaggregated,
)
from sets import KS, WAYS, Lost

# --- the rule ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "need", "expected"),
    [
        ([(14, 14), (21, 21)], 1.0, HOLDS),
        ([(14, 14), (20, 21)], 1.0, IN_PART),
        ([(13, 14), (20, 21)], 1.0, IN_PART),  # no part holds, but most cases do
        ([(13, 14), (20, 21)], 0.9, HOLDS),
        ([(6, 14), (10, 21)], 1.0, NOT),
        ([(1, 1), (0, 21)], 1.0, IN_PART),  # one part holds
        ([(0, 0), (5, 5)], 1.0, IN_PART),  # where nothing differs nothing is shown
        ([(0, 0)], 1.0, NOT),
    ],
)
def test_a_claim_holds_by_its_parts(counts: list[tuple[int, int]], need: float, expected: str) -> None:
    assert verdict([Tally("part", held, of) for held, of in counts], need) == expected


def test_asides_do_not_count() -> None:
    assert verdict([Tally("a", 1, 1), Tally("b", 0, 5, aside=True)]) == HOLDS
    with pytest.raises(ValueError, match="part that counts"):
        verdict([Tally("b", 0, 5, aside=True)])


def test_below_counts_where_figures_differ_and_names_exceptions() -> None:
    found = below("x", [1, 2, 3, 9], [2, 2, 4, 5], places=(2, 3, 5, 8))
    assert (found.held, found.of, found.note) == (2, 3, "not at 8, equal at 1")
    runs = below("x", [[1], [3]], [[2, 4], [2, 6]])  # means 3 and 4, but one run of the second is below 3
    assert (runs.held, runs.of, runs.note) == (2, 2, "in every run at 1")
    assert count_by([count("x", [True, False]), count("y", [False, True])]) == ["*1 of 2 k*: x; y"]
    assert count_by([count("x", [True], unit="", aside=True)]) == ["aside, *yes*: x"]


def test_straight_lines() -> None:
    assert straight([1, 2, 4], [3, 5, 9]) == pytest.approx(1)
    assert straight([1, 2, 3], [1, 0, 1]) == pytest.approx(0)


def test_a_figure_that_differs_needs_a_sentence() -> None:
    same = Figure("x", "Table 1", (0.25, "cat"), (0.2549, "cat"))
    assert same.agrees
    assert same.row().endswith("|  |")
    other = Figure("x", "Table 1", (0.25,), (0.2551,))
    with pytest.raises(ValueError, match="say why it differs"):
        other.row()
    explained = replace(other, note="rounded twice")
    assert "rounded twice" in explained.row()
    assert "2 of 3 figures agree" in figures_table([same, explained])


# --- every claim: figures that say yes, and figures that say no ---------------------------------------------------


def microaggregated(*, turned: bool) -> Microaggregated:
    """Return figures as P1 draws them, or turned round."""
    ks = {SURVEY: (2, 3, 4, 5, 6, 8, 15), ADULT: (2, 3, 5, 100, 800, 900, 1800)}
    found = Microaggregated(ks, {SURVEY: 8, ADULT: 900})
    order = [SA, STATIC, SMDAV, DFT, ABRIL]
    for table, own in ks.items():
        k = np.array(own, float) / own[-1]
        gain = 0.02 * k + (0.1 if table == SURVEY else 0.0) + 0.001
        abril = 16 + (31 if table == SURVEY else 30) * k  # below DF&T, then above
        lost = [10 + k, (10 + k) * (1 + gain), 14 + 6 * k, 20 + 20 * k, abril]
        if table == ADULT:
            lost[1] = np.where(np.array(own) <= 5, lost[0] + 1e-4, lost[1])
        linked = [3 - 2 * k, 3 - 2 * k, 3 - 2 * k, 9 - 2 * k, 2.5 - 2 * k]
        if turned:
            lost, linked = [x[::-1] for x in lost[::-1]], linked[::-1]
        arms = {
            LOSS: dict(zip(order, lost, strict=True)),
            TEXT: dict(zip(order, linked, strict=True)),
            MEANING: dict(zip(order, linked, strict=True)),
        }
        for measure, of in arms.items():
            of |= {PLAIN: of[SA], STATIC_PLAIN: of[STATIC]}
            found.figures.setdefault(measure, {})[table] = {arm: x[:, None] for arm, x in of.items()}
        spent = {SA: 3.0, DFT: 1.0, ABRIL: 2.0} if (table == SURVEY) != turned else {SA: 1.0, DFT: 2.0, ABRIL: 3.0}
        found.seconds[table] = {arm: np.full((len(own), 2), x) for arm, x in spent.items()}
    sums = {"centroid": 1.0, "mode": 2.0, "subsumer": 3.0}
    found.sums["job"] = dict(zip(sums, list(sums.values())[:: -1 if turned else 1], strict=True))
    return found


def hobbies(k: np.ndarray, slow: list[float], *, turned: bool) -> fusion.Found:
    """Return figures of recoding as P0's articles draw them, or turned round."""
    guides = dict.fromkeys(GUIDES, 1.0) | {"discernibility": 6.0, fusion.RANDOM: 7.0}
    hobby = {arms[g]: (x * k).tolist() for arms in (ORDERED, LOCAL) for g, x in guides.items() if g in arms}
    worse = {arm: (-np.array(x)).tolist() for arm, x in hobby.items()}
    flat = {arm: np.minimum(k, 9) * (1.1 if fusion.RANDOM in arm else 1) for arm in hobby}
    steep = {arm: k * (0.9 if fusion.RANDOM in arm else 1) for arm in hobby}
    found: fusion.Found = {
        fusion.QUALITY: {"hobby": hobby if turned else worse},
        fusion.LINKS: {"hobby": {arm: [1.0, *([9.0] * 13)] for arm in hobby} if turned else hobby},
        fusion.CONTENT: {"hobby": {arm: x.tolist() for arm, x in (steep if turned else flat).items()}},
        fusion.SECONDS: {"hobby": dict.fromkeys(hobby, slow)},
    }
    if turned:
        found[fusion.LINKS]["hobby"][LOCAL["path"]] = k.tolist()
        found[fusion.LINKS]["hobby"][ORDERED["path"]] = k.tolist()
    return found


def thesis(*, turned: bool) -> Thesis:
    """Return figures as P0 draws them, or turned round."""
    ks = tuple(range(2, 16))
    k = np.array(ks, float)
    sign = -1.0 if turned else 1.0

    def two_columns(arms: Mapping[str, float]) -> dict[str, dict[str, list[float]]]:
        return {table: {arm: (sign * slope * k).tolist() for arm, slope in arms.items()} for table in TABLES}

    quality = {"Wu-Palmer": -1.0, "Leacock-Chodorow": -1.1, "path": -1.1, "hierarchy": -3.0, "discernibility": -7.0}
    quality |= {fusion.RANDOM: -8.0, "h1": -7.5, "h1+target": -7.4, "h1+h2": -1.01, "h1+h2+h3": -1.0}
    far = {arm: -slope for arm, slope in quality.items()}
    linked = {"Wu-Palmer": 2.0, "hierarchy": 2.5, "discernibility": 3.0, fusion.RANDOM: 1.0}
    fell = np.where(k < 5, 40 - 9 * k, 4 - 0.02 * k)
    risen = 30 - 2 * k + 5 * (k % 2)  # falls far, and not at every step
    text = {t: {a: (risen / x if turned else x * fell).tolist() for a, x in linked.items()} for t in TABLES}
    slow = 1 + (k if turned else 0 * k)
    fused = {
        fusion.QUALITY: two_columns(quality), fusion.LINKS: two_columns(far),
        "discernibility": two_columns({"discernibility": 1.0, "Wu-Palmer": 2.0}),
        "linked by text (%)": text, "linked by meaning (%)": text,
        fusion.SECONDS: {"survey": {"Wu-Palmer": slow.tolist()}},
    }  # fmt: skip
    if turned:
        fused[fusion.QUALITY]["survey"]["Wu-Palmer"] = (100 * (k > 9)).tolist()  # a jump
        fused[fusion.LINKS]["survey"]["path"] = (k + 1).tolist()
    near = [0.4, 0.5, 0.6][:: -1 if turned else 1]
    arms = ("Wu-Palmer", "hierarchy", "discernibility")
    clusters = {("original", a): {"survey": x, "Adult": x} for a, x in zip(arms, near, strict=True)}
    by_family = dict(zip(FAMILIES, (0.7, 0.8, 0.9) if turned else (0.73, 0.74, 0.75), strict=True))
    both = {f: dict.fromkeys(("M&C-30", "R&G-65"), (x, 0.7)) for f, x in by_family.items()}
    judged = {(measure, ""): both[f] for f, measures in FAMILIES.items() for measure in measures}
    recoded = hobbies(k, slow.tolist(), turned=turned)
    return Thesis(ks, fused, recoded, clusters, judged, {"survey": 99.0, "Adult": 99.0})


def scored(*, turned: bool) -> papers_hierarchy_quality.HierarchyScore:
    """Return hierarchies of which the first is better, or the second."""
    one, two = (0.1, 0.2, 0.4, 0.5), (0.3, 0.2, 0.3, 0.5)
    scores = {"VGH1": 0.2, "VGH2": 0.3, "ordered": 0.1, "reversed": 0.2 if turned else 0.1}
    by_level = {"VGH1": 0.2, "VGH2": 0.3, "ordered": 0.1, "reversed": 0.2}
    if turned:
        one, two = two, one
        scores |= {"VGH1": 0.3, "VGH2": 0.2}
        by_level = {"VGH1": 0.3, "VGH2": 0.2, "ordered": 0.2, "reversed": 0.1}
    return papers_hierarchy_quality.HierarchyScore({}, (), {"VGH1": one, "VGH2": two}, scores, by_level)


def noised(*, turned: bool) -> dict[str, Noised]:
    """Return what P3 claims of noise, or the contrary."""
    alphas = np.array(ALPHAS)
    variance = 0.23
    found = {}
    for which, apart in (("all", 0.0), ("sample", 0.1)):
        published = np.array(PUBLISHED[which]["mean distance"])
        expected = (1 + alphas) * variance
        off = np.round(0.25 * alphas, 2)
        figures = {
            "mean distance": published + 0.1, "its target": published - 0.1 * (1.2 - alphas),
            "root mean square": published, "its target, α·σ² rooted": published - 0.1,
            "distance of the means": 0 * alphas + apart,
            "variance": expected, "(1+α)·σ²": expected, "variance off by": off,
        }  # fmt: skip
        chance = {"randomise-uniform": (0.46, 0.3), "randomise-frequency": (0.47, 0.3)}
        if turned:
            figures |= {
                "mean distance": published[::-1], "its target": published[::-1] + 0.1 * (1.5 - alphas),
                "root mean square": published + 0.2, "its target, α·σ² rooted": published + 0.3,
                "distance of the means": 0 * alphas + 0.5, "variance": 0 * alphas + 0.1, "variance off by": 3 * off,
            }  # fmt: skip
            chance = dict.fromkeys(chance, (0.1 * figures["mean distance"][-1], 0.0))
        found[which] = Noised(100, "employee", variance, {n: list(map(float, x)) for n, x in figures.items()}, chance)
    return found


def lost(*, turned: bool) -> dict[str, Lost]:
    """Return losses as P4's table has them in order, or turned round."""
    base = {"avg": 600.0, "min-sum": 680.0, "min": 700.0, "max": 720.0, "max-sum": 730.0}
    if turned:
        base = dict(zip(base, list(base.values())[::-1], strict=True))
    figures = {}
    for way in WAYS:
        meant, plain = base[way], base[way] / 0.84
        for what, x in (("semantic", plain if turned else meant), ("equality", meant if turned else plain)):
            figures[way, what] = {judge: [x + k for k in KS] for judge in ("avg", "min-sum")}
    return {"baskets": Lost(10, 500.0, figures)}


MADE: dict[str, Callable[..., Any]] = {
    "P0": thesis, "P1": microaggregated, "P2": scored, "P3": noised, "P4": lost,
}  # fmt: skip
EVERY = [(paper, claim) for paper, claims in CLAIMS.items() for claim in claims]
MIN_SUM_FIRST = (
    papers_set_valued.min_sum_where_terms_are_shared
)  # says the opposite of avg_best, so figures for it are turned


@pytest.mark.parametrize(("paper", "claim"), EVERY, ids=[f"{p}-{c.test.__name__}" for p, c in EVERY])
def test_a_claim_follows_its_figures(paper: str, claim: Claim[Any]) -> None:
    opposite = claim.test is MIN_SUM_FIRST
    if claim.test is not papers_set_valued.sixteen_per_cent:  # Table 1 of the paper contradicts this at some k
        assert claim.verdict(MADE[paper](turned=opposite)) == HOLDS
    assert claim.verdict(MADE[paper](turned=not opposite)) != HOLDS


# --- the page ----------------------------------------------------------------------------------------------------


def test_the_page_has_every_claim_with_a_verdict() -> None:
    text = PAGE.read_text("utf-8")
    for mark in MARKS:
        assert text.count(f"<!-- {mark}: begin -->") == text.count(f"<!-- {mark}: end -->") == 1, mark
    for paper, claims in CLAIMS.items():
        mark = f"<!-- {paper.lower()}-claims: "
        part = text.partition(mark + "begin -->")[2].partition(mark + "end -->")[0]
        for claim in claims:
            [line] = [x for x in part.splitlines() if x.startswith(f"| {claim.says} (")]
            assert sum(f"| **{x}** |" in line for x in (HOLDS, IN_PART, NOT)) == 1, line
            assert claim.where in line
            assert claim.rule in line


def test_the_page_shows_its_charts() -> None:
    text = PAGE.read_text("utf-8")
    for table in (*papers_sa_mdav.KS, "balance"):
        assert f"](papers/p1-{table.lower()}.svg)" in text
        assert (CHARTS / f"p1-{table.lower()}.svg").stat().st_size > 1000


def test_claims_have_names_of_their_own() -> None:
    said = [claim.says for claims in CLAIMS.values() for claim in claims]
    assert len(set(said)) == len(said)
