"""Claims of Martínez (2010) about the semantic quality of record fusion, and their tests.

IPMU, MDAI, IF (Information Fusion) and CCIA are the articles appended to the thesis.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from claims import TOLERANCE, Claim, Tally, below, count, r_squared
from fusion import GUIDED, LINKS, QUALITY, RANDOM
from papers_martinez_thesis import FAMILIES, GUIDES, LOCAL, ORDERED, PSEUDO_CODE, TABLES, Thesis, agreement

WORDNET, HIERARCHY, DISCERNIBILITY = "Wu-Palmer", "hierarchy", "discernibility"
MAX_SPREAD = 0.1  # of "very similar" guides, as a share of their gain over random replacement
MAX_DIFFERENCE = 0.05  # of "very similar" correlations
MIN_R_SQUARED, MAX_STEP = 0.95, 3.0  # of a "linear and smooth" change; a step as a multiple of the mean step
SLIGHT = 0.05  # of the gain of H2
THRESHOLD_K = 5  # "above 5"


def compared(
    results: Thesis, measure: str, one: str, other: str, *, less: bool = False, uncounted: bool = False
) -> list[Tally]:
    """Count the k at which one variant has more, or less, of a measure than another."""
    parts = []
    for table in TABLES:
        figures = [results.series(measure, table, variant) for variant in (one, other)]
        low, high = figures if less else figures[::-1]
        sign = "<" if less else ">"
        parts.append(below(f"{table}, {one} {sign} {other}", low, high, places=results.ks, uncounted=uncounted))
    return parts


def families_alike(results: Thesis) -> list[Tally]:
    """Test whether the best measures of the families agree with people about equally well."""
    parts = []
    for judged in ("M&C-30", "R&G-65"):
        best = {f: max(agreement(results, m, judged) for m in measures) for f, measures in FAMILIES.items()}
        note = ", ".join(f"{family} {x:.2f}" for family, x in best.items())
        parts.append(count(judged, [max(best.values()) - min(best.values()) <= MAX_DIFFERENCE], unit="", note=note))
    return parts


def guides_alike(results: Thesis) -> list[Tally]:
    """Test whether the three guides give nearly the same quality, relative to their gain over random replacement."""
    parts = []
    for table in TABLES:
        guided = np.array([results.series(QUALITY, table, variant) for variant in GUIDED])
        gain = guided.mean(axis=0) - results.series(QUALITY, table, RANDOM)
        parts.append(count(table, np.ptp(guided, axis=0) <= MAX_SPREAD * gain))
    return parts


def wu_palmer_best(results: Thesis) -> list[Tally]:
    """Test whether Wu-Palmer guides best, judged by similarity and by links."""
    parts = []
    for other in GUIDED[1:]:
        parts += compared(results, QUALITY, WORDNET, other) + compared(results, LINKS, WORDNET, other, less=True)
    names = ["similarity", "similarity", "links", "links"] * 2
    return [replace(x, label=f"{by}, {x.label}") for by, x in zip(names, parts, strict=True)]


def chodorow_is_path(results: Thesis) -> list[Tally]:
    """Test whether Leacock-Chodorow and path length give identical results."""
    variants = {"two columns, survey": ("survey", *GUIDED[1:]), "two columns, Adult": ("Adult", *GUIDED[1:])}
    variants["one column, IPMU, prose"] = ("hobby", ORDERED[GUIDES[1]], ORDERED[GUIDES[2]])
    variants["one column, IPMU, pseudo-code"] = ("hobby", PSEUDO_CODE[GUIDES[1]], PSEUDO_CODE[GUIDES[2]])
    variants["one column, MDAI"] = ("hobby", LOCAL[GUIDES[1]], LOCAL[GUIDES[2]])
    return [
        count(label, np.abs(results.series(LINKS, table, one) - results.series(LINKS, table, other)) < TOLERANCE)
        for label, (table, one, other) in variants.items()
    ]


def linear(label: str, results: Thesis, figures: np.ndarray) -> Tally:
    """Test whether figures change linearly with k, and without jumps."""
    fit, steps = r_squared(results.ks, figures), np.abs(np.diff(figures))
    ratio = float(steps.max() / steps.mean())
    note = f"R² {fit:.3f}, largest step {ratio:.1f} times the mean"
    return count(label, [fit >= MIN_R_SQUARED, ratio <= MAX_STEP], unit="conditions", note=note)


def smooth(results: Thesis) -> list[Tally]:
    """Test whether quality decreases, or distance grows, linearly and without jumps."""
    parts = [linear(f"two columns, {table}", results, results.series(QUALITY, table, WORDNET)) for table in TABLES]
    parts.append(linear("one column, MDAI", results, results.series(LINKS, "hobby", LOCAL["wu-palmer"])))
    return parts


def first_heuristic(results: Thesis) -> list[Tally]:
    """Test whether H1 is better than a random choice, and gains less than H2."""
    parts = compared(results, QUALITY, "h1", RANDOM)
    for table in TABLES:
        none, one, two = (results.series(QUALITY, table, variant) for variant in (RANDOM, "h1", "h1+h2"))
        parts.append(below(f"{table}, gain smaller than that of H2", one - none, two - one))
    return parts


def second_heuristic(results: Thesis) -> list[Tally]:
    """Test whether H2 gains most in Fig. 4, and still does when the best target is taken without H2."""
    parts = []
    for table in TABLES:
        steps = [results.series(QUALITY, table, variant) for variant in (RANDOM, "h1", "h1+h2", "h1+h2+h3")]
        gains = np.diff(steps, axis=0)
        parts.append(count(f"{table}, H2 is the largest step in Fig. 4", gains[1] > np.maximum(gains[0], gains[2])))
    for table in TABLES:
        one, target, two = (results.series(QUALITY, table, variant) for variant in ("h1", "h1+target", "h1+h2"))
        note = f"the target accounts for {100 * ((target - one) / (two - one)).mean():.0f} % of the gain"
        parts.append(below(f"{table}, H2 adds more than the best target", target - one, two - target, note=note))
    return parts


def third_heuristic(results: Thesis) -> list[Tally]:
    """Test whether H3 improves more often than not, and only slightly."""
    parts = compared(results, QUALITY, "h1+h2+h3", "h1+h2")
    for table in TABLES:
        one, two, three = (results.series(QUALITY, table, variant) for variant in ("h1", "h1+h2", "h1+h2+h3"))
        parts.append(
            count(
                f"{table}, difference below {SLIGHT:.0%} of the step of H2", np.abs(three - two) < SLIGHT * (two - one)
            )
        )
    return parts


def more_above_five(results: Thesis) -> list[Tally]:
    """Test whether the gain over random replacement is larger at every k above 5 than at any k up to 5."""
    parts, high = [], np.array(results.ks) > THRESHOLD_K
    for table in TABLES:
        gain = results.series(QUALITY, table, WORDNET) - results.series(QUALITY, table, RANDOM)
        parts.append(count(table, gain[high] > gain[~high].max()))
    return parts


def beats_distribution(results: Thesis) -> list[Tally]:
    """Test whether WordNet guides better than discernibility, a hierarchy and random replacement."""
    parts = []
    for other in (DISCERNIBILITY, HIERARCHY, RANDOM):
        parts += compared(results, QUALITY, WORDNET, other) + compared(results, LINKS, WORDNET, other, less=True)
    names = ["similarity", "similarity", "links", "links"] * 3
    tallies = [replace(x, label=f"{by}, {x.label}") for by, x in zip(names, parts, strict=True)]
    one = results.series(QUALITY, "hobby", LOCAL["wu-palmer"])
    for other in (DISCERNIBILITY, RANDOM):
        tallies.append(
            below(f"one column (MDAI), similarity, > {other}", results.series(QUALITY, "hobby", LOCAL[other]), one)
        )
    return tallies


def lower_discernibility(results: Thesis) -> list[Tally]:
    """Test whether the discernibility penalty is lowest if discernibility guides."""
    return compared(results, DISCERNIBILITY, DISCERNIBILITY, WORDNET, less=True)


def discernibility_like_random(results: Thesis) -> list[Tally]:
    """Test whether the quality of discernibility is closer to random replacement than to WordNet."""
    parts = []
    for table in TABLES:
        best, one, none = (results.series(QUALITY, table, variant) for variant in (WORDNET, DISCERNIBILITY, RANDOM))
        note = f"{100 * ((one - none) / (best - none)).mean():.0f} % of the way from random to WordNet"
        parts.append(below(table, np.abs(one - none), best - one, note=note))
    return parts


CLAIMS: list[Claim[Thesis]] = [
    Claim(
        "Correlations with human judgement are very similar across the three families of measures",
        "§3.3, Table 4",
        f"The best measures of the families differ by at most {MAX_DIFFERENCE}.",
        families_alike,
        "Measures based on information content correlate better here, intrinsic content most of all. The figures "
        "collected in the thesis come from older versions of WordNet and from other corpora.",
    ),
    Claim(
        "Wu-Palmer, Leacock-Chodorow and path length lead to very similar results",
        "§5.1, Fig. 2-3",
        "At each k, the spread of their quality is at most a tenth of their gain over random replacement.",
        guides_alike,
        "All three count links; depth changes the ranking of only a few pairs.",
    ),
    Claim(
        "Wu-Palmer gives higher similarity than the other two measures, and also fewer links to the original",
        "§5.1, Fig. 2-3",
        "Quality and links at each k.",
        wu_palmer_best,
        "Each measure wins by its own yardstick: Wu-Palmer by similarity, path length by links.",
    ),
    Claim(
        "Leacock-Chodorow and path length give identical results",
        "§5.1; IPMU §5; MDAI §5",
        "Equal numbers of links to the original at each k.",
        chodorow_is_path,
        "For a single pair of values, one measure is a function of the other. The mean over two columns is not, "
        "because the logarithm weighs distant and near columns differently. On Adult this changes no choice.",
    ),
    Claim(
        "Quality changes linearly and very smoothly with k",
        "§5.1; MDAI §5",
        f"R² of at least {MIN_R_SQUARED}, and no step larger than {MAX_STEP:g} times the mean step.",
        smooth,
    ),
    Claim(
        "H1 alone (smallest group first) is slightly better than random replacement",
        "§5.2, Fig. 4; IF Fig. 2",
        "Quality at each k above that of random replacement; gain smaller than that of H2.",
        first_heuristic,
        "At k = 2 both merge groups of one record, so the results are equal.",
    ),
    Claim(
        "H2 produces the most significant improvement",
        "§5.2, Fig. 4; IF Fig. 2",
        "H2 makes the largest step in Fig. 4, and gains more than `h1+target`, which takes the best target without H2.",
        second_heuristic,
        "In Fig. 4 the variant without H2 takes a random target, the variant with H2 the most similar one. The gain "
        "comes from the target: choosing *which* smallest group goes first, as H2 does, adds almost nothing.",
    ),
    Claim(
        "H3 improves the result very slightly, in some situations",
        "§5.2, Fig. 4",
        f"Quality at each k above that without H3; difference below {SLIGHT:.0%} of the step of H2.",
        third_heuristic,
        "H3 only breaks ties. Whether that helps is a matter of chance.",
    ),
    Claim(
        "The gain over random replacement is larger above k = 5",
        "§5.2; MDAI §5",
        "Gain at each k above 5, compared with the largest gain up to 5.",
        more_above_five,
    ),
    Claim(
        "Guidance by WordNet preserves more meaning than discernibility, a hierarchy or random replacement",
        "§5.3, Fig. 5, 6, 8; §5.4; MDAI Fig. 3",
        "Quality and links at each k.",
        beats_distribution,
        "The ontology that guides is also the judge. A hand-made hierarchy has fewer levels and its own view of the "
        "values.",
    ),
    Claim(
        "Guidance by discernibility gives a lower discernibility penalty",
        "§5.3, Fig. 7",
        "Penalty at each k.",
        lower_discernibility,
        "This variant minimises that penalty.",
    ),
    Claim(
        "Discernibility and random replacement preserve meaning about equally, and both less than WordNet",
        "§5.3, Fig. 8",
        "At each k, quality closer to that of random replacement than to that of WordNet.",
        discernibility_like_random,
        "Discernibility merges small groups, which affects fewer records. That alone is somewhat better than random "
        "replacement.",
    ),
]
