"""Claims of Martínez (2010, IPMU) about recoding, judged by its prose and by its pseudo-code, which disagree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from claims import Claim, Tally, below, count
from claims_fusion_quality import MAX_STEP, MIN_R_SQUARED, linear
from fusion import CONTENT, LINKS, RANDOM
from papers_martinez_thesis import GUIDES, LOCAL, ORDERED, PSEUDO_CODE, Thesis

PROSE_READING, CODE_READING = "recoding by the prose", "recoding by the pseudo-code"
MAX_K = 6  # "up to 6"


def _three_times(results: Thesis, arms: Mapping[str, str]) -> list[Tally]:
    far, near = (results.series(LINKS, "hobby", arms[x]) for x in (RANDOM, "wu-palmer"))
    ratios, low = far / near, np.array(results.ks) <= MAX_K
    above = f"above, {ratios[~low].min():.1f} to {ratios[~low].max():.1f}"
    note = f"{ratios[low].min():.1f} to {ratios[low].max():.1f} times; {above}"
    return [count(f"k ≤ {MAX_K}", ratios[low] >= 3, note=note)]


def _stabilises(results: Thesis, arms: Mapping[str, str]) -> list[Tally]:
    nine, parts = results.ks.index(9), []
    for guide in (*GUIDES, None):
        lost = results.series(CONTENT, "hobby", LOCAL["wu-palmer"] if guide is None else arms[guide])
        note = f"{lost[nine]:.2f} at k = 9, {lost[-1]:.2f} at k = 15"
        label = guide or "MDAI heuristic"
        parts.append(count(label, [lost[-1] <= 1.1 * lost[nine]], unit="", note=note, uncounted=guide is None))
    return parts


def _random_loses(results: Thesis, arms: Mapping[str, str]) -> list[Tally]:
    random = results.series(CONTENT, "hobby", arms[RANDOM])
    own = results.series(CONTENT, "hobby", arms["wu-palmer"])
    local = results.series(CONTENT, "hobby", LOCAL["wu-palmer"])
    return [
        below("IPMU", own, random, places=results.ks),
        below("MDAI heuristic", local, random, places=results.ks, uncounted=True),
    ]


def _more_at_high_k(results: Thesis, arms: Mapping[str, str]) -> list[Tally]:
    gain = results.series(LINKS, "hobby", arms[RANDOM]) - results.series(LINKS, "hobby", arms["wu-palmer"])
    half = len(gain) // 2
    note = f"{gain[:half].mean():.2f} links in the lower half of k, {gain[half:].mean():.2f} in the upper"
    return [
        count("better than random replacement", gain > 0),
        count("larger margin in the upper half of k", [gain[half:].mean() > gain[:half].mean()], unit="", note=note),
    ]


def _smooth(results: Thesis, arms: Mapping[str, str]) -> list[Tally]:
    return [linear("one column", results, results.series(LINKS, "hobby", arms["wu-palmer"]))]


def smooth_by_prose(results: Thesis) -> list[Tally]:
    """Test whether the distance to the original grows linearly and without jumps."""
    return _smooth(results, ORDERED)


def smooth_by_code(results: Thesis) -> list[Tally]:
    """Test the same with the most similar of all values."""
    return _smooth(results, PSEUDO_CODE)


def three_times_by_prose(results: Thesis) -> list[Tally]:
    """Test whether random replacement moves values three times as far up to k = 6."""
    return _three_times(results, ORDERED)


def three_times_by_code(results: Thesis) -> list[Tally]:
    """Test the same with the most similar of all values."""
    return _three_times(results, PSEUDO_CODE)


def content_loss_stabilises_by_prose(results: Thesis) -> list[Tally]:
    """Test whether the loss of content grows by less than a tenth from k = 9 to 15."""
    return _stabilises(results, ORDERED)


def content_loss_stabilises_by_code(results: Thesis) -> list[Tally]:
    """Test the same with the most similar of all values."""
    return _stabilises(results, PSEUDO_CODE)


def random_loses_content_by_prose(results: Thesis) -> list[Tally]:
    """Test whether random replacement loses more information content than recoding by similarity."""
    return _random_loses(results, ORDERED)


def random_loses_content_by_code(results: Thesis) -> list[Tally]:
    """Test the same with the most similar of all values."""
    return _random_loses(results, PSEUDO_CODE)


def margin_grows_by_prose(results: Thesis) -> list[Tally]:
    """Test whether recoding beats random replacement, by more at high k."""
    return _more_at_high_k(results, ORDERED)


def margin_grows_by_code(results: Thesis) -> list[Tally]:
    """Test the same with the most similar of all values."""
    return _more_at_high_k(results, PSEUDO_CODE)


RECODING_CLAIMS = (
    (
        f"Up to k = {MAX_K}, meaning is preserved three times better than by random replacement",
        "IPMU §6, Fig. 2",
        "Links to the original: random replacement divided by Wu-Palmer.",
        (three_times_by_prose, three_times_by_code),
        ("", "The nearest of all values is nearer than the nearest of those that reach k."),
    ),
    (
        "The distance to the original grows linearly and very smoothly with k",
        "IPMU §5, Fig. 2",
        f"R² of at least {MIN_R_SQUARED}, and no step larger than {MAX_STEP:g} times the mean step.",
        (smooth_by_prose, smooth_by_code),
        (
            "The distance jumps where few values still reach k, because many values are then moved at once.",
            "A rare value joins its nearest neighbour, whether that reaches k or not.",
        ),
    ),
    (
        "The loss of information content stabilises above k = 9",
        "IPMU §5, Fig. 1",
        "Loss at k = 15 at most a tenth higher than at k = 9.",
        (content_loss_stabilises_by_prose, content_loss_stabilises_by_code),
        (
            "More answers must change as k grows. In Table 1 of the article, fifteen answers occur 9 to 14 times, 168 "
            "records in all, and these must still change between k = 9 and k = 15.",
            "As by the prose.",
        ),
    ),
    (
        "Random replacement loses slightly more information content",
        "IPMU §5, Fig. 1",
        "Loss at each k.",
        (random_loses_content_by_prose, random_loses_content_by_code),
        (
            "Similar answers accumulate on few values, whereas random replacement spreads them and so keeps the "
            "distribution, as the article itself notes.",
            "Rare values unite with each other instead of joining frequent ones, so more values survive.",
        ),
    ),
    (
        "Recoding improves on random replacement by a considerable margin, even more at high k",
        "IPMU §5, Fig. 2",
        "Links to the original, at each k and on average of the lower and the upper half of k.",
        (margin_grows_by_prose, margin_grows_by_code),
        ("", ""),
    ),
)
CLAIMS: list[Claim[Thesis]] = [
    *(
        Claim(f"{statement} ({reading})", section, rule, test, explanation)
        for statement, section, rule, tests, explanations in RECODING_CLAIMS
        for reading, test, explanation in zip((PROSE_READING, CODE_READING), tests, explanations, strict=True)
    ),
]
