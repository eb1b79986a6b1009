"""What P0 claims of clusters, linkage, recoding and run time, and how each claim is tested."""

from __future__ import annotations

import numpy as np
from claims import Claim, Tally, below, count
from claims_fusion_quality import DISCERNIBILITY, HIGH, TREE, WORDNET, compared
from fusion import CONTENT, LINKS, RANDOM, SECONDS
from papers_martinez_thesis import GUIDES, LOCAL, ORDERED, TABLES, Thesis

TEXT, MEANING = "linked by text (%)", "linked by meaning (%)"


def clusters_kept(found: Thesis) -> list[Tally]:
    """Test whether clusters stay nearest to the original's with WordNet, then a hierarchy, then discernibility."""
    parts = []
    for table in TABLES:
        near = [found.clusters["original", arm][table] for arm in (WORDNET, TREE, DISCERNIBILITY)]
        note = " / ".join(f"{x:.3f}" for x in near)
        parts.append(count(table, np.diff(near) > 0, unit="steps of the order", note=note))
    return parts


def linkage_falls(found: Thesis) -> list[Tally]:
    """Test whether linkage falls with k."""
    return [
        count(f"{table}, {arm}", np.diff(found.of(TEXT, table, arm)) < 0, unit="steps")
        for table in TABLES
        for arm in (WORDNET, TREE, DISCERNIBILITY)
    ]


def linkage_stable(found: Thesis) -> list[Tally]:
    """Test whether linkage falls more slowly from k = 5 on, and whether four fifths of it are left at k = 15."""
    parts, five = [], found.ks.index(HIGH)
    for table in TABLES:
        linked, start = found.of(TEXT, table, WORDNET), found.before[table]
        before, after = (start - linked[five]) / (HIGH - 1), (linked[five] - linked[-1]) / (found.ks[-1] - HIGH)
        left = f"{100 * linked[-1] / linked[five]:.0f} % left"
        held = [after < before / 5, linked[-1] >= 0.8 * linked[five]]
        parts.append(count(table, held, unit="conditions", note=f"{after:.3f} points a k after {before:.3f}; {left}"))
    return parts


def linkage_least(found: Thesis) -> list[Tally]:
    """Test whether meaning gives less linkage by text than a hierarchy and discernibility."""
    parts = [x for other in (TREE, DISCERNIBILITY) for x in compared(found, TEXT, WORDNET, other, less=True)]
    small = np.array(found.ks) <= HIGH
    for table in TABLES:
        more = [found.of(TEXT, table, x) - found.of(TEXT, table, WORDNET) for x in (TREE, DISCERNIBILITY)]
        held = [x[small].mean() > max(x[~small].mean(), 0) for x in more]
        parts.append(count(f"{table}, by more for k ≤ {HIGH} than beyond", held, unit="others"))
    asides = compared(found, TEXT, RANDOM, WORDNET, less=True, aside=True)
    for other in (TREE, DISCERNIBILITY):
        meant = compared(found, MEANING, WORDNET, other, less=True)
        asides += [Tally("by meaning, " + x.what, x.held, x.of, x.unit, x.note, True) for x in meant]
    return parts + asides


def three_times(found: Thesis) -> list[Tally]:
    """Test whether random replacement is three times as far up to k = 6."""
    far, near = (found.of(LINKS, "hobby", ORDERED[x]) for x in (RANDOM, "wu-palmer"))
    ratios, low = far / near, np.array(found.ks) <= 6
    beyond = f"beyond, {ratios[~low].min():.1f} to {ratios[~low].max():.1f}"
    note = f"{ratios[low].min():.1f} to {ratios[low].max():.1f} times; {beyond}"
    return [count("k ≤ 6", ratios[low] >= 3, note=note)]


def content_flat(found: Thesis) -> list[Tally]:
    """Test whether the loss of content grows by less than a tenth from k = 9 to 15."""
    nine, parts = found.ks.index(9), []
    for guide in GUIDES:
        lost = found.of(CONTENT, "hobby", ORDERED[guide])
        note = f"{lost[nine]:.2f} at k = 9, {lost[-1]:.2f} at k = 15"
        parts.append(count(f"IPMU, {guide}", [lost[-1] <= 1.1 * lost[nine]], unit="", note=note))
    lost = found.of(CONTENT, "hobby", LOCAL["wu-palmer"])
    note = f"{lost[nine]:.2f} at k = 9, {lost[-1]:.2f} at k = 15"
    return [*parts, count("MDAI's heuristic", [lost[-1] <= 1.1 * lost[nine]], unit="", note=note, aside=True)]


def chance_loses_content(found: Thesis) -> list[Tally]:
    """Test whether random replacement loses more content than recoding by meaning."""
    chance = found.of(CONTENT, "hobby", ORDERED[RANDOM])
    return [
        below("IPMU", found.of(CONTENT, "hobby", ORDERED["wu-palmer"]), chance, places=found.ks),
        below("MDAI's heuristic", found.of(CONTENT, "hobby", LOCAL["wu-palmer"]), chance, places=found.ks, aside=True),
    ]


def time_grows_little(found: Thesis) -> list[Tally]:
    """Test whether the five largest k take at most twice as long as the five least, together."""
    parts = []
    for what, table, arm in (("two columns", "survey", WORDNET), ("one column", "hobby", LOCAL["wu-palmer"])):
        spent = found.of(SECONDS, table, arm)
        ratios = float(spent[-5:].mean() / spent[:5].mean())
        parts.append(count(what, [ratios <= 2], unit="", note=f"{ratios:.1f} times"))
    return parts


CLAIMS: list[Claim[Thesis]] = [
    Claim(
        "Clusters of the release are nearest to the original's with WordNet, then a hierarchy, then discernibility",
        "§5.4, Table 6; CCIA Table 1; IF Table 1",
        "Distance of 14 clusters, k = 5: WordNet / hierarchy / discernibility.",
        clusters_kept,
    ),
    Claim(
        "Record linkage falls as k grows, with all three",
        "§5.5, Fig. 14; IF Fig. 5",
        "RL by text, from each k to the next.",
        linkage_falls,
    ),
    Claim(
        "Record linkage is quite stable from k = 5 on",
        "§5.5, Fig. 14; IF Fig. 5",
        "A fifth of the slope before (from the table as it is), and four fifths left at k = 15.",
        linkage_stable,
        "For fusion RL by text is 100 · tuples that survive / n, and with every k fewer survive.",
    ),
    Claim(
        "Meaning gives less record linkage than a hierarchy or discernibility, especially at small k",
        "§5.5, Fig. 14; IF Fig. 5",
        "RL by text at each k.",
        linkage_least,
        "For fusion RL by text is 100 · tuples that survive / n, and nothing else: discernibility fuses small groups "
        "with small ones, so that more of them survive, and chance keeps fewer still. By meaning the order turns "
        "round: what keeps more of a record makes it easier to find.",
    ),
    Claim(
        "Up to k = 6 the meaning is kept three times better than by random replacement",
        "IPMU §6, Fig. 2",
        "Links to the original, random over Wu-Palmer.",
        three_times,
    ),
    Claim(
        "The loss of information content stabilises above k = 9",
        "IPMU §5, Fig. 1",
        "Loss at k = 15 at most a tenth above that at k = 9.",
        content_flat,
        "More answers must move as k grows. In the article's own Table 1 fifteen answers are given 9 to 14 times, "
        "by 168 people in all, who must still move between k = 9 and k = 15.",
    ),
    Claim(
        "Random replacement loses a little more information content",
        "IPMU §5, Fig. 1",
        "Loss at each k.",
        chance_loses_content,
        "Similar answers pile up on few, chance spreads them: it keeps the distribution, as the article itself notes.",
    ),
    Claim(
        "Run time grows little with k",
        "§5.6, Fig. 15; MDAI Fig. 4",
        "CPU seconds of the five largest k at most twice those of the five least.",
        time_grows_little,
        "Each group keeps its best target, so that more fusions cost little.",
    ),
]
