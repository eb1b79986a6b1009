"""Attack: a published figure serves as a checksum for one person's value.

The attacker has the release and the public documents, and knows the original but for one cell. For each value that the
cell may have, the attacker computes the figures of the public report and the codebook, and drops the values whose
figures differ from the published ones. Exact figures leave one value; published ones must leave nearly all.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from shared import DATA, needs

import allonym as al
from allonym.measures import loss
from allonym.measures.measurement import measured
from allonym.measures.rounding import MARGIN, Rounding, largest_share, loss_without_one
from allonym.pipeline.demo import survey
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.pipeline.reporting.public import PublicFacts
from allonym.records import Pairs
from attacks.judging import judge

THRESHOLD = 0.05  # share of values that a published figure may exclude on average; any one figure, twice as many
TARGETS = 40  # persons attacked
VALUES = 25  # values tried for each
ADULT = DATA / "adult" / "adult.data"
NAMES = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
]


def adult() -> al.Release:
    frame = pd.read_csv(ADULT, header=None, names=NAMES, skipinitialspace=True, nrows=1500)
    columns = {"age": al.quasi("numeric"), "education": al.quasi("category"), "capital-gain": al.quasi("numeric")}
    return al.Plan(columns | {"income": al.sensitive()}, k=5, seed=1).run(frame[[*columns, "income"]])


def random_table(rows: int = 400, *, outlier: bool = False) -> al.Release:
    rng = np.random.default_rng(8)
    income = rng.normal(3000, 700, rows).round()
    income[17] = 4_850_000 if outlier else income[17]
    jobs, x = rng.choice(list("abcdefgh"), rows), rng.choice(list("pq"), rows)
    frame = pd.DataFrame({"job": jobs, "income": income, "x": x})
    return al.Plan({"job": al.quasi("category"), "income": al.quasi("numeric"), "x": al.sensitive()}, k=4, seed=1).run(
        frame
    )


def park() -> al.Release:
    frame = pd.read_csv(io.StringIO(survey()))
    columns = {"reason": al.quasi("category"), "age": al.quasi("numeric"), "origin": al.quasi("category")}
    return al.Plan(columns | {"spent": al.sensitive()}, k=5, seed=1).run(frame[[*columns, "spent"]])


def figures(pairs: Pairs, rounded: PublicFacts | None) -> dict[str, Any]:
    """Return what the attacker compares: the figures of the original and the release together."""
    exact = {
        "information loss": loss.information_loss(pairs),
        **{f"loss of {x.name}": loss.information_loss(pairs.column(a)) for a, x in enumerate(pairs.attributes)},
        **{f"{x}, before": y.before for x, y in measured(pairs, 1, ("uniqueness", "record_linkage")).items()},
    }
    if rounded is None:
        return exact
    share = largest_share(pairs)
    change = {"information loss": loss_without_one(pairs)}
    change |= {f"loss of {x.name}": loss_without_one(pairs.column(a)) for a, x in enumerate(pairs.attributes)}
    change["information loss"] = max(change.values())
    return {name: Rounding.of(max(share, change.get(name, 0.0)))(value) for name, value in exact.items()}


def excluded(release: al.Release, targets: list[int], *, public: bool) -> dict[str, float]:
    """Return for each figure the share of wrong values that it excludes."""
    facts, shown = ReleaseFacts(release), PublicFacts(release) if public else None
    pairs = facts.pairs
    rows = Pairs(pairs.attributes, pairs.original, pairs.masked, pairs.counts, pairs.mass)
    published = figures(rows, shown)
    rng = np.random.default_rng(1)
    tried, dropped = 0, dict.fromkeys(published, 0)
    for pair in targets:
        a = int(rng.integers(len(rows.attributes)))
        true = int(rows.original[pair, a])
        for value in rng.permutation(np.unique(rows.original[:, a]))[:VALUES].tolist():
            if value == true:
                continue
            found = figures(_with_value(rows, pair, a, value), shown)
            tried += 1
            for name in published:
                dropped[name] += found[name] != published[name]
    return {name: count / tried for name, count in dropped.items()}


def _with_value(rows: Pairs, pair: int, a: int, value: int) -> Pairs:
    """Return the pairs with another original value in one row of one pair."""
    original = np.vstack([rows.original, rows.original[pair]])
    original[-1, a] = value
    counts = np.append(rows.counts, 1)
    counts[pair] -= 1
    kept = counts > 0
    masked = np.vstack([rows.masked, rows.masked[pair]])
    return replace(rows, original=original[kept], masked=masked[kept], counts=counts[kept], mass=counts[kept] * 1.0)


RELEASES = {"survey": park, "random": random_table, "adult": adult}


@pytest.mark.parametrize("name", [*list(RELEASES)[:2], pytest.param("adult", marks=needs(ADULT))])
def test_a_published_figure_does_not_tell_a_persons_value(name: str) -> None:
    release = RELEASES[name]()
    targets = np.random.default_rng(3).integers(0, len(ReleaseFacts(release).pairs.counts), TARGETS).tolist()
    exact, public = excluded(release, targets, public=False), excluded(release, targets, public=True)
    assert max(exact.values()) > 0.9, exact  # the attack works on exact figures
    mean, highest = float(np.mean(list(public.values()))), max(public.values())
    judge("share of wrong values that published figures exclude, mean", name, mean, THRESHOLD)
    judge("share of wrong values that published figures exclude, highest", name, highest, 2 * THRESHOLD)


def test_an_outlier_does_not_show_in_a_published_figure() -> None:
    """One income of 4.85 million makes up the loss of its column, which is therefore not published."""
    with_outlier, without = PublicFacts(random_table(outlier=True)), PublicFacts(random_table())
    assert without.loss["by_column"]["income"] is not None
    assert with_outlier.loss["by_column"]["income"] is None
    assert with_outlier.loss["value"] is None
    assert with_outlier.loss["by_column"]["job"] is not None


def numbers_in(document: Any) -> list[float]:
    if isinstance(document, Mapping):
        return [x for value in document.values() for x in numbers_in(value)]
    if isinstance(document, (list, tuple)):
        return [x for value in document for x in numbers_in(value)]
    return [float(document)] if isinstance(document, (int, float)) and not isinstance(document, bool) else []


def test_figures_of_the_original_in_public_documents_are_multiples_of_their_step() -> None:
    release = park()
    facts, book = PublicFacts(release), release.codebook()
    step = facts.rounding.step
    assert step == 5.0
    losses = [book["information_loss"], *(x["information_loss"] for x in book["variables"] if x["role"] == "quasi")]
    shown = [x for x in [*losses, *numbers_in(facts.summary["risk"])] if x is not None]
    assert shown
    assert all(x % step == 0 for x in shown)
    exact = release.summary["measures"]["information_loss"]["value"]
    assert f"{exact:.2f}" not in release.report.html(public=True)
    assert str(exact) not in json.dumps(book)


def test_small_tables_publish_no_percentages() -> None:
    release = random_table(rows=30)
    assert PublicFacts(release).rounding.step is None
    assert release.codebook()["information_loss"] is None
    assert "Three questions" not in release.report.html(public=True)
    assert "Three questions" in release.report.html()


def test_counts_of_persons_are_not_published_exactly() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"who": rng.integers(0, 333, 900), "job": rng.choice(list("abc"), 900)})
    release = al.Plan({"who": al.unit(), "job": al.quasi("category")}, k=4).run(frame)
    persons, reached = release.summary["units"], release.summary["privacy"][0]["reached"]
    page, book = release.report.html(public=True), release.codebook()
    assert f"{persons} persons" not in page
    assert book["privacy"][0]["reached"] == 4 < reached
    assert f"k = {reached}" not in page


def test_steps_are_wide_beside_what_one_person_changes() -> None:
    for change in (0.01, 0.1, 0.2, 0.45, 1.2):
        step = Rounding.of(change).step
        assert step is not None
        assert step >= MARGIN * change
    assert Rounding.of(3.0).step is None
