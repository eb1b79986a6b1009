"""Claims of Martínez (2010) about clusters, linkage, recoding and run time, and their tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from claims import Claim, Tally, below, count
from claims_fusion_quality import DISCERNIBILITY, HIERARCHY, THRESHOLD_K, WORDNET, compared
from fusion import CONTENT, LINKS, RANDOM, SECONDS
from papers_martinez_thesis import GUIDES, LOCAL, ORDERED, TABLES, Thesis

TEXT, MEANING = "linked by text (%)", "linked by meaning (%)"


def clusters_kept(results: Thesis) -> list[Tally]:
    """Test whether clusters stay closest with WordNet, then with a hierarchy, then with discernibility."""
    parts = []
    for table in TABLES:
        distances = [results.clusters["original", variant][table] for variant in (WORDNET, HIERARCHY, DISCERNIBILITY)]
        note = " / ".join(f"{x:.3f}" for x in distances)
        parts.append(count(table, np.diff(distances) > 0, unit="steps of the ranking", note=note))
    return parts


def linkage_decreases(results: Thesis) -> list[Tally]:
    """Test whether linkage decreases with k."""
    return [
        count(f"{table}, {variant}", np.diff(results.series(TEXT, table, variant)) < 0, unit="steps")
        for table in TABLES
        for variant in (WORDNET, HIERARCHY, DISCERNIBILITY)
    ]


def linkage_stable(results: Thesis) -> list[Tally]:
    """Test whether linkage decreases more slowly from k = 5 on, and keeps four fifths of its value at k = 15."""
    parts, five = [], results.ks.index(THRESHOLD_K)
    for table in TABLES:
        linked, start = results.series(TEXT, table, WORDNET), results.unmasked_linkage[table]
        before, after = (
            (start - linked[five]) / (THRESHOLD_K - 1),
            (linked[five] - linked[-1]) / (results.ks[-1] - THRESHOLD_K),
        )
        left = f"{100 * linked[-1] / linked[five]:.0f} % left"
        held = [after < before / 5, linked[-1] >= 0.8 * linked[five]]
        parts.append(count(table, held, unit="conditions", note=f"{after:.3f} points per k after {before:.3f}; {left}"))
    return parts


def linkage_lowest(results: Thesis) -> list[Tally]:
    """Test whether WordNet gives less linkage by text than a hierarchy and discernibility."""
    parts = [x for other in (HIERARCHY, DISCERNIBILITY) for x in compared(results, TEXT, WORDNET, other, less=True)]
    small = np.array(results.ks) <= THRESHOLD_K
    for table in TABLES:
        more = [
            results.series(TEXT, table, x) - results.series(TEXT, table, WORDNET) for x in (HIERARCHY, DISCERNIBILITY)
        ]
        held = [x[small].mean() > max(x[~small].mean(), 0) for x in more]
        parts.append(count(f"{table}, larger difference for k ≤ {THRESHOLD_K} than above", held, unit="comparisons"))
    uncounted = compared(results, TEXT, RANDOM, WORDNET, less=True, uncounted=True)
    for other in (HIERARCHY, DISCERNIBILITY):
        by_meaning = compared(results, MEANING, WORDNET, other, less=True)
        uncounted += [replace(x, label=f"by meaning, {x.label}", uncounted=True) for x in by_meaning]
    return parts + uncounted


def three_times(results: Thesis) -> list[Tally]:
    """Test whether random replacement moves values three times as far up to k = 6."""
    far, near = (results.series(LINKS, "hobby", ORDERED[x]) for x in (RANDOM, "wu-palmer"))
    ratios, low = far / near, np.array(results.ks) <= 6
    above = f"above, {ratios[~low].min():.1f} to {ratios[~low].max():.1f}"
    note = f"{ratios[low].min():.1f} to {ratios[low].max():.1f} times; {above}"
    return [count("k ≤ 6", ratios[low] >= 3, note=note)]


def content_loss_stabilises(results: Thesis) -> list[Tally]:
    """Test whether the loss of content grows by less than a tenth from k = 9 to 15."""
    nine, parts = results.ks.index(9), []
    for guide in GUIDES:
        lost = results.series(CONTENT, "hobby", ORDERED[guide])
        note = f"{lost[nine]:.2f} at k = 9, {lost[-1]:.2f} at k = 15"
        parts.append(count(f"IPMU, {guide}", [lost[-1] <= 1.1 * lost[nine]], unit="", note=note))
    lost = results.series(CONTENT, "hobby", LOCAL["wu-palmer"])
    note = f"{lost[nine]:.2f} at k = 9, {lost[-1]:.2f} at k = 15"
    return [*parts, count("MDAI heuristic", [lost[-1] <= 1.1 * lost[nine]], unit="", note=note, uncounted=True)]


def random_loses_content(results: Thesis) -> list[Tally]:
    """Test whether random replacement loses more information content than recoding by similarity."""
    random = results.series(CONTENT, "hobby", ORDERED[RANDOM])
    return [
        below("IPMU", results.series(CONTENT, "hobby", ORDERED["wu-palmer"]), random, places=results.ks),
        below(
            "MDAI heuristic",
            results.series(CONTENT, "hobby", LOCAL["wu-palmer"]),
            random,
            places=results.ks,
            uncounted=True,
        ),
    ]


def time_grows_little(results: Thesis) -> list[Tally]:
    """Test whether the five largest k take at most twice as long as the five smallest, together."""
    parts = []
    for label, table, variant in (("two columns", "survey", WORDNET), ("one column", "hobby", LOCAL["wu-palmer"])):
        spent = results.series(SECONDS, table, variant)
        ratio = float(spent[-5:].mean() / spent[:5].mean())
        parts.append(count(label, [ratio <= 2], unit="", note=f"{ratio:.1f} times"))
    return parts


CLAIMS: list[Claim[Thesis]] = [
    Claim(
        "Clusters of the release are closest to those of the original with WordNet, then with a hierarchy, then "
        "with discernibility",
        "§5.4, Table 6; CCIA Table 1; IF Table 1",
        "Distance of 14 clusters, k = 5: WordNet / hierarchy / discernibility.",
        clusters_kept,
    ),
    Claim(
        "Record linkage decreases as k grows, for all three",
        "§5.5, Fig. 14; IF Fig. 5",
        "RL by text, from each k to the next.",
        linkage_decreases,
    ),
    Claim(
        "Record linkage is quite stable from k = 5 on",
        "§5.5, Fig. 14; IF Fig. 5",
        "At most a fifth of the previous slope, measured from the original table, and four fifths of the linkage "
        "left at k = 15.",
        linkage_stable,
        "For fusion, RL by text equals 100 · surviving tuples / n, and fewer tuples survive with every k.",
    ),
    Claim(
        "Guidance by WordNet gives less record linkage than a hierarchy or discernibility, especially at small k",
        "§5.5, Fig. 14; IF Fig. 5",
        "RL by text at each k.",
        linkage_lowest,
        "For fusion, RL by text equals 100 · surviving tuples / n. Discernibility fuses small groups with small "
        "ones, so more tuples survive; random replacement keeps fewer still. Measured by meaning, the order "
        "reverses: a release that preserves more of a record makes it easier to find.",
    ),
    Claim(
        "Up to k = 6, meaning is preserved three times better than by random replacement",
        "IPMU §6, Fig. 2",
        "Links to the original: random replacement divided by Wu-Palmer.",
        three_times,
    ),
    Claim(
        "The loss of information content stabilises above k = 9",
        "IPMU §5, Fig. 1",
        "Loss at k = 15 at most a tenth higher than at k = 9.",
        content_loss_stabilises,
        "More answers must change as k grows. In Table 1 of the article, fifteen answers occur 9 to 14 times, 168 "
        "records in all, and these must still change between k = 9 and k = 15.",
    ),
    Claim(
        "Random replacement loses slightly more information content",
        "IPMU §5, Fig. 1",
        "Loss at each k.",
        random_loses_content,
        "Similar answers accumulate on few values, whereas random replacement spreads them and so keeps the "
        "distribution, as the article itself notes.",
    ),
    Claim(
        "Run time grows little with k",
        "§5.6, Fig. 15; MDAI Fig. 4",
        "CPU seconds of the five largest k at most twice those of the five smallest.",
        time_grows_little,
        "Each group caches its best target, so additional fusions cost little.",
    ),
]
