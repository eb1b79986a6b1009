"""Claims of Martínez (2010) about single steps of fusion, lower k and clusters, and their tests."""

from __future__ import annotations

import numpy as np
from claims import Claim, Tally, count
from claims_fusion_linkage import MEANING, TEXT
from claims_fusion_quality import (
    DISCERNIBILITY,
    HIERARCHY,
    MAX_SPREAD,
    WORDNET,
)
from fusion import NEW, QUALITY, RANDOM, ClusterDistances
from papers_martinez_thesis import LOCAL, LOCAL_NEW, TABLES, Thesis

# --- fusion --------------------------------------------------------------------------------------------------------


def criteria_suffice(results: Thesis) -> list[Tally]:
    """Test whether H1, H2 and H3 leave one group, so that none has to be drawn."""
    parts = []
    for table in TABLES:
        for heuristics, label in (("h1+h2+h3", "MDAI"), ("h1+h2+h3-printed", "as printed")):
            fused, drawn = (sum(x[heuristics][i] for x in results.choices[table]) for i in range(2))
            held = [x[heuristics][1] == 0 for x in results.choices[table]]
            note = f"{fused - drawn:,} of {fused:,} choices are unique"
            parts.append(count(f"{table}, H3 {label}", held, note=note, uncounted=label == "as printed"))
    return parts


def third_as_printed(results: Thesis) -> list[Tally]:
    """Test whether H3 as printed (eq. 20) leaves fewer draws than H1 and H2 alone."""
    drawn = {
        (table, heuristics): [x[heuristics][1] for x in results.choices[table]]
        for table in TABLES
        for heuristics in ("h1+h2", "h1+h2+h3", "h1+h2+h3-printed")
    }

    def fewer(table: str, heuristics: str, *, uncounted: bool = False) -> Tally:
        held = np.array(drawn[table, heuristics]) < np.array(drawn[table, "h1+h2"])
        note = f"{sum(drawn[table, heuristics]):,} draws, {sum(drawn[table, 'h1+h2']):,} without H3"
        return count(f"{table}, {'MDAI' if uncounted else 'eq. 20'}", held, note=note, uncounted=uncounted)

    printed = [fewer(table, "h1+h2+h3-printed") for table in TABLES]
    return printed + [fewer(table, "h1+h2+h3", uncounted=True) for table in TABLES]


def new_values_equivalent(results: Thesis) -> list[Tally]:
    """Test whether fusion towards new values preserves about as much as fusion towards existing ones."""
    series = {f"two columns, {table}": (table, WORDNET, NEW, RANDOM) for table in TABLES}
    series["one column"] = ("hobby", LOCAL["wu-palmer"], LOCAL_NEW, LOCAL[RANDOM])
    parts = []
    for label, (table, existing, new, random) in series.items():
        a, b, none = (results.series(QUALITY, table, variant) for variant in (existing, new, random))
        note = f"new minus existing: {(b - a).min():+.2f} to {(b - a).max():+.2f} points of quality"
        parts.append(count(label, np.abs(b - a) <= MAX_SPREAD * (a - none), note=note))
    return parts


def lower_k_at_equal_linkage(results: Thesis) -> list[Tally]:
    """Test whether WordNet reaches the linkage of another guide at a lower k, and preserves more there."""
    parts = []
    for measure, uncounted in ((TEXT, False), (MEANING, True)):
        for table in TABLES:
            for other in (HIERARCHY, DISCERNIBILITY):
                held = [_lower(results, measure, table, other, i) for i in range(1, len(results.ks))]
                by = "by meaning, " if uncounted else ""
                parts.append(count(f"{by}{table}, {other}", held, uncounted=uncounted))
    return parts


def _lower(results: Thesis, measure: str, table: str, other: str, i: int) -> bool:
    """Tell whether some lower k links no more with WordNet than another guide at a k, and preserves more."""
    linked, kept = (results.series(x, table, WORDNET) for x in (measure, QUALITY))
    limit, quality = (results.series(x, table, other)[i] for x in (measure, QUALITY))
    return bool(((linked[:i] <= limit + 1e-9) & (kept[:i] > quality)).any())


# --- clusters ------------------------------------------------------------------------------------------------------


def _ranking(distances: ClusterDistances) -> list[Tally]:
    parts = []
    for table in TABLES:
        ranked = [distances["original", variant][table] for variant in (WORDNET, HIERARCHY, DISCERNIBILITY)]
        note = " / ".join(f"{x:.3f}" for x in ranked)
        parts.append(count(table, np.diff(ranked) > 0, unit="steps of the ranking", note=note))
    return parts


def clusters_kept(results: Thesis) -> list[Tally]:
    """Test whether clusters stay closest with WordNet, then with a hierarchy, then with discernibility."""
    return _ranking(results.clusters)


def clusters_kept_by_both(results: Thesis) -> list[Tally]:
    """Test the same where WordNet and the hierarchy together compare the records that are clustered."""
    return _ranking(results.clusters_by_both)


def releases_differ(results: Thesis) -> list[Tally]:
    """Test whether two releases differ more from each other than each does from the original."""
    parts = []
    for table in TABLES:
        own = {x: results.clusters["original", x][table] for x in (WORDNET, HIERARCHY, DISCERNIBILITY)}
        pairs = [pair for pair in results.clusters if pair[0] != "original"]
        held = [results.clusters[pair][table] > max(own[pair[0]], own[pair[1]]) for pair in pairs]
        parts.append(count(table, held, unit="pairs"))
    return parts


def hierarchies_are_coarse(results: Thesis) -> list[Tally]:
    """Test whether a hierarchy distinguishes fewer distances between values than WordNet."""
    held = [tree < own for own, tree in results.different_distances.values()]
    note = ", ".join(f"{name} {own} / {tree}" for name, (own, tree) in results.different_distances.items())
    return [count("WordNet / hierarchy", held, unit="columns", note=note)]


CLAIMS: list[Claim[Thesis]] = [
    Claim(
        "Three criteria are enough to obtain a unique group",
        "§4.2",
        "No group has to be drawn at this k.",
        criteria_suffice,
        "Many groups of the smallest size have an equally near target of the same size, above all unique records "
        "that share one value. The thesis draws among them too, “if it was not possible”.",
    ),
    Claim(
        "H3, the minimum achievable anonymity of eq. 20, selects among groups that H1 and H2 leave",
        "§4.1, Definition 5; §4.2",
        "Fewer draws than with H1 and H2 at each k.",
        third_as_printed,
        "As printed, the minimum ranges over all other records. It is the size of the smallest other group for all "
        "groups of the smallest size, and selects none. MDAI (§4) lets it range over the best targets; that is H3 in "
        "all other tests.",
    ),
    Claim(
        "Whether values become a new one near both or an existing one, the loss of semantic content is equivalent",
        "MDAI §4; CCIA §3",
        f"At each k, quality within {MAX_SPREAD:.0%} of the gain over random replacement.",
        new_values_equivalent,
        "The distance to the value between two others is no smaller than that to one of them, added up for both. "
        "New values preserve slightly more where several groups come together.",
    ),
    Claim(
        "Guidance by WordNet permits a lower k at comparable disclosure risk, and so less information loss",
        "§5.5; IF §4.4",
        "For each k of another guide, a lower k at which WordNet links no more by text, with higher quality.",
        lower_k_at_equal_linkage,
        "For fusion, RL by text is 100 · surviving tuples / n. WordNet is a whole k ahead of discernibility at most k, "
        "but rarely of a hierarchy. Measured by meaning, WordNet is linked more (see above), so no lower k suffices.",
    ),
    Claim(
        "Clusters of the release are closest to those of the original with WordNet, then with a hierarchy, then with "
        "discernibility (clustered by WordNet)",
        "§5.4, Table 6; IF Table 1",
        "Distance of 14 clusters, k = 5: WordNet / hierarchy / discernibility.",
        clusters_kept,
    ),
    Claim(
        "Clusters of the release are closest to those of the original with WordNet, then with a hierarchy, then with "
        "discernibility (clustered by WordNet and the hierarchy together)",
        "CCIA §4, Table 1",
        "As above, with the smaller of the two distances for each pair of values.",
        clusters_kept_by_both,
        "The hierarchy now takes part in the judgement, and on the survey it favours its own release. The hierarchies "
        "of Adult never find two values nearer than WordNet does, so nothing changes there. CCIA prints the same six "
        "figures as the thesis, which clusters by WordNet alone: one of the two descriptions cannot be right.",
    ),
    Claim(
        "The releases differ from each other even more than from the original",
        "§5.4, Table 6; IF §4.3",
        "Distance of two releases above those of both to the original.",
        releases_differ,
    ),
    Claim(
        "A hierarchy made for the data gives homogeneous similarities, which hardly differentiate values",
        "§5.4; CCIA §4",
        "Different distances between the values of a column, fewer than by WordNet.",
        hierarchies_are_coarse,
    ),
]
