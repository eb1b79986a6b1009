"""What P0 claims of how well record fusion keeps the meaning, and how each claim is tested.

IPMU, MDAI, IF and CCIA are the articles in the thesis.
"""

from __future__ import annotations

import numpy as np
from claims import SMALL, Claim, Tally, below, count, straight
from fusion import GUIDED, LINKS, QUALITY, RANDOM
from papers_martinez_thesis import FAMILIES, GUIDES, LOCAL, ORDERED, TABLES, Thesis, agreement

WORDNET, TREE, DISCERNIBILITY = "Wu-Palmer", "hierarchy", "discernibility"
ALIKE = 0.1  # of the way to chance: guides that differ by no more are very similar
NEAR = 0.05  # correlations within this of each other are very similar
LINEAR, STEPS = 0.95, 3.0  # R² of a line; no step more than three times the mean one
SLIGHT = 0.05  # of what H2 gains
HIGH = 5  # "above 5"


def compared(
    found: Thesis, measure: str, one: str, other: str, *, less: bool = False, aside: bool = False
) -> list[Tally]:
    """Count at how many k one arm has more of a measure than another, or less."""
    parts = []
    for table in TABLES:
        figures = [found.of(measure, table, arm) for arm in (one, other)]
        low, high = figures if less else figures[::-1]
        sign = "<" if less else ">"
        parts.append(below(f"{table}, {one} {sign} {other}", low, high, places=found.ks, aside=aside))
    return parts


def families_alike(found: Thesis) -> list[Tally]:
    """Test whether the best measure of each family agrees with people about equally well."""
    parts = []
    for judged in ("M&C-30", "R&G-65"):
        best = {f: max(agreement(found, m, judged) for m in measures) for f, measures in FAMILIES.items()}
        note = ", ".join(f"{family} {x:.2f}" for family, x in best.items())
        parts.append(count(judged, [max(best.values()) - min(best.values()) <= NEAR], unit="", note=note))
    return parts


def guides_alike(found: Thesis) -> list[Tally]:
    """Test whether the three guides give nearly the same quality, beside what is lost by chance."""
    parts = []
    for table in TABLES:
        guided = np.array([found.of(QUALITY, table, arm) for arm in GUIDED])
        gap = guided.mean(axis=0) - found.of(QUALITY, table, RANDOM)
        parts.append(count(table, np.ptp(guided, axis=0) <= ALIKE * gap))
    return parts


def wu_palmer_best(found: Thesis) -> list[Tally]:
    """Test whether Wu-Palmer guides best, judged by similarity and by links."""
    parts = []
    for other in GUIDED[1:]:
        parts += compared(found, QUALITY, WORDNET, other) + compared(found, LINKS, WORDNET, other, less=True)
    names = ["similarity", "similarity", "links", "links"] * 2
    return [Tally(f"{by}, {x.what}", x.held, x.of, x.unit, x.note) for by, x in zip(names, parts, strict=True)]


def chodorow_is_path(found: Thesis) -> list[Tally]:
    """Test whether Leacock-Chodorow gives exactly what path length gives."""
    arms = {"two columns, survey": ("survey", *GUIDED[1:]), "two columns, Adult": ("Adult", *GUIDED[1:])}
    arms["one column, IPMU"] = ("hobby", ORDERED[GUIDES[1]], ORDERED[GUIDES[2]])
    arms["one column, MDAI"] = ("hobby", LOCAL[GUIDES[1]], LOCAL[GUIDES[2]])
    return [
        count(what, np.abs(found.of(LINKS, table, one) - found.of(LINKS, table, other)) < SMALL)
        for what, (table, one, other) in arms.items()
    ]


def _linear(what: str, found: Thesis, figures: np.ndarray) -> Tally:
    fit, steps = straight(found.ks, figures), np.abs(np.diff(figures))
    ratios = float(steps.max() / steps.mean())
    note = f"R² {fit:.3f}, largest step {ratios:.1f} times the mean"
    return count(what, [fit >= LINEAR, ratios <= STEPS], unit="conditions", note=note)


def smooth(found: Thesis) -> list[Tally]:
    """Test whether quality falls, or distance grows, along a line without jumps."""
    parts = [_linear(f"two columns, {table}", found, found.of(QUALITY, table, WORDNET)) for table in TABLES]
    for article, arm in (("IPMU", ORDERED["wu-palmer"]), ("MDAI", LOCAL["wu-palmer"])):
        parts.append(_linear(f"one column, {article}", found, found.of(LINKS, "hobby", arm)))
    return parts


def first_heuristic(found: Thesis) -> list[Tally]:
    """Test whether the smallest group first is better than any group, by less than what H2 adds."""
    parts = compared(found, QUALITY, "h1", RANDOM)
    for table in TABLES:
        none, one, two = (found.of(QUALITY, table, arm) for arm in (RANDOM, "h1", "h1+h2"))
        parts.append(below(f"{table}, less than H2 adds", one - none, two - one))
    return parts


def second_heuristic(found: Thesis) -> list[Tally]:
    """Test whether H2 adds most, as Fig. 4 has it, and whether it does once the best target is taken without it."""
    parts = []
    for table in TABLES:
        steps = [found.of(QUALITY, table, arm) for arm in (RANDOM, "h1", "h1+h2", "h1+h2+h3")]
        gains = np.diff(steps, axis=0)
        parts.append(count(f"{table}, the largest step of Fig. 4", gains[1] > np.maximum(gains[0], gains[2])))
    for table in TABLES:
        one, target, two = (found.of(QUALITY, table, arm) for arm in ("h1", "h1+target", "h1+h2"))
        note = f"the target brings {100 * ((target - one) / (two - one)).mean():.0f} % of it"
        parts.append(below(f"{table}, H2 adds more than the best target does", target - one, two - target, note=note))
    return parts


def third_heuristic(found: Thesis) -> list[Tally]:
    """Test whether H3 improves more often than not, and only slightly."""
    parts = compared(found, QUALITY, "h1+h2+h3", "h1+h2")
    for table in TABLES:
        one, two, three = (found.of(QUALITY, table, arm) for arm in ("h1", "h1+h2", "h1+h2+h3"))
        parts.append(
            count(f"{table}, by less than {SLIGHT:.0%} of H2's step", np.abs(three - two) < SLIGHT * (two - one))
        )
    return parts


def more_above_five(found: Thesis) -> list[Tally]:
    """Test whether the gain over chance is larger at every k above 5 than at any up to 5."""
    parts, high = [], np.array(found.ks) > HIGH
    for table in TABLES:
        gap = found.of(QUALITY, table, WORDNET) - found.of(QUALITY, table, RANDOM)
        parts.append(count(table, gap[high] > gap[~high].max()))
    return parts


def beats_distribution(found: Thesis) -> list[Tally]:
    """Test whether meaning guides better than discernibility, a hierarchy and chance."""
    parts = []
    for other in (DISCERNIBILITY, TREE, RANDOM):
        parts += compared(found, QUALITY, WORDNET, other) + compared(found, LINKS, WORDNET, other, less=True)
    names = ["similarity", "similarity", "links", "links"] * 3
    told = [Tally(f"{by}, {x.what}", x.held, x.of, x.unit, x.note) for by, x in zip(names, parts, strict=True)]
    one = found.of(QUALITY, "hobby", LOCAL["wu-palmer"])
    for other in (DISCERNIBILITY, RANDOM):
        told.append(below(f"one column (MDAI), similarity, > {other}", found.of(QUALITY, "hobby", LOCAL[other]), one))
    return told


def own_measure(found: Thesis) -> list[Tally]:
    """Test whether discernibility is least where it guides."""
    return compared(found, DISCERNIBILITY, DISCERNIBILITY, WORDNET, less=True)


def like_chance(found: Thesis) -> list[Tally]:
    """Test whether discernibility is nearer to chance than to meaning."""
    parts = []
    for table in TABLES:
        best, one, none = (found.of(QUALITY, table, arm) for arm in (WORDNET, DISCERNIBILITY, RANDOM))
        share = f"{100 * ((one - none) / (best - none)).mean():.0f} % of the way from chance to meaning"
        parts.append(below(table, np.abs(one - none), best - one, note=share))
    return parts


CLAIMS: list[Claim[Thesis]] = [
    Claim(
        "Correlations with human judgement are very similar across the three families of measures",
        "§3.3, Table 4",
        f"Best of each family within {NEAR} of each other.",
        families_alike,
        "Measures on information content come out better here, with intrinsic content most of all; the figures P0 "
        "collected are from older versions of WordNet and other corpora.",
    ),
    Claim(
        "Wu-Palmer, Leacock-Chodorow and path length guide to very similar results",
        "§5.1, Fig. 2-3",
        "Spread of their quality at most a tenth of their gain over chance, at each k.",
        guides_alike,
        "All three count links; depth changes the ranking of few pairs.",
    ),
    Claim(
        "Wu-Palmer gives higher similarity than the other two, and less distance by links too",
        "§5.1, Fig. 2-3",
        "Quality and links at each k.",
        wu_palmer_best,
        "Each measure is best by its own yardstick: Wu-Palmer by similarity, path length by links.",
    ),
    Claim(
        "Leacock-Chodorow and path length give identical results",
        "§5.1; IPMU §5; MDAI §5",
        "Links to the original equal at each k.",
        chodorow_is_path,
        "For a pair of values one is a function of the other. The mean over two columns is not: the logarithm "
        "weighs a far and a near column differently. On Adult no choice turns on it.",
    ),
    Claim(
        "Quality changes with k along a line, very smoothly",
        "§5.1; IPMU §5; MDAI §5",
        f"R² at least {LINEAR}, no step above {STEPS:g} times the mean one.",
        smooth,
        "IPMU's algorithm jumps where few values still reach k and many are moved at once.",
    ),
    Claim(
        "H1 alone, the smallest group first, is slightly better than chance",
        "§5.2, Fig. 4; IF Fig. 2",
        "Quality at each k above chance; the gain less than H2's.",
        first_heuristic,
        "At k = 2 both merge groups of one, so that they are the same.",
    ),
    Claim(
        "H2 produces the most significant improvement",
        "§5.2, Fig. 4; IF Fig. 2",
        "H2's step the largest of Fig. 4; and its gain over `h1+target`, which takes the best target without H2.",
        second_heuristic,
        "In Fig. 4 the arm without H2 takes a random target, the one with H2 the most similar. What is gained is the "
        "target's doing: to choose *which* smallest group goes first, as H2 does, adds next to nothing.",
    ),
    Claim(
        "H3 improves very slightly, in some situations",
        "§5.2, Fig. 4",
        f"Quality at each k above that without H3; difference below {SLIGHT:.0%} of H2's step.",
        third_heuristic,
        "H3 decides ties only. Whether that helps is chance.",
    ),
    Claim(
        "The gain over random replacement is larger above k = 5",
        "§5.2; MDAI §5",
        "Gain at each k above 5 against the largest up to 5.",
        more_above_five,
    ),
    Claim(
        "Guided by meaning, more of it is kept than by discernibility, a hierarchy or chance",
        "§5.3, Fig. 5, 6, 8; §5.4; MDAI Fig. 3",
        "Quality and links at each k.",
        beats_distribution,
        "Judged by the same ontology that guides. A hierarchy made by hand has fewer levels, and its own view.",
    ),
    Claim(
        "Guided by discernibility, the discernibility penalty is lower",
        "§5.3, Fig. 7",
        "Penalty at each k.",
        own_measure,
        "It is what that arm minimises.",
    ),
    Claim(
        "Discernibility and chance are very similar in meaning, and both worse",
        "§5.3, Fig. 8",
        "Quality at each k nearer to chance than to meaning.",
        like_chance,
        "Discernibility merges small groups, which touches fewer records. That alone is somewhat better than chance.",
    ),
]
