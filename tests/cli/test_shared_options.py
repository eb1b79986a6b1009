"""Options that make a plan are the same for every command that takes one: what `mask` takes, `evaluate` takes too."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from tests.commands import call

from allonym.cli.check import check
from allonym.cli.compare import compare
from allonym.cli.declared import method_parameters
from allonym.cli.evaluate import evaluate
from allonym.cli.mask import mask

WRITTEN = {
    "--output",
    "--report",
    "--public",
    "--codebook",
    "--matrix",
    "--optimality-gap",
}  # of a release, which only `mask` makes
MEASURED = {"--row-map", "--replacements", "--balance", "--exact-risk", "--summary"}
EXECUTION = {"--engine", "--master", "--partition-by", "--blocks-from"}


def options(command: click.Command) -> set[str]:
    return {name for x in command.params for name in (*x.opts, *x.secondary_opts) if name.startswith("--")}


def test_commands_take_the_options_of_mask() -> None:
    of_method = {f"--{x.replace('_', '-')}" for x in method_parameters()}
    of_method |= {f"--no-{name.removeprefix('--')}" for name in of_method} | {"--method", "--seed"}
    assert options(mask) - options(evaluate) == WRITTEN
    assert options(mask) - options(check) == WRITTEN | MEASURED
    lacking = options(mask) - options(compare)
    assert lacking - of_method == (WRITTEN | MEASURED | EXECUTION | {"--row-order"}) - {"--output", "--balance"}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "who": [f"p{x}" for x in range(60)],
            "hh_id": [f"h{x // 2}" for x in range(60)],
            "job": rng.choice(["cook", "nurse", "plumber", "bus driver", "zorbist", "n/a"], 60),
            "pet": rng.choice(["dog", "cat", "hamster"], 60),
            "age": rng.integers(20, 60, 60),
            "illness": rng.choice(["flu", "gout", "measles"], 60),
            "w": 1.0,
            "visit": rng.permutation(60) + 500,
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_csv(tmp_path / "bare.csv", index=False, header=False, sep="\t")
    frame.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "job.links.csv").write_text("value,concept\nzorbist,\n", "utf-8")
    return tmp_path


ROLES = ["--unit", "who", "--household", "hh_id", "--quasi", "age=numeric", "--keep", "visit", "--k", "3"]
CASES = {
    "accept-review": ["--quasi", "job=wordnet:person", "--accept-review", "--unmatched", "opaque", "--keep-rest"],
    "accept": ["--quasi", "job=wordnet:person", "--accept", "all", "--unmatched", "suppress", "--keep-rest"],
    "rest": ["--quasi", "job=wordnet:person", "--rest", "category", "--keep-rest", "--seed", "1"],
    "links": ["--quasi", "job=wordnet:person", "--links", "job=job.links.csv", "--rest", "category", "--keep-rest"],
    "similarity": ["--quasi", "pet=wordnet", "--similarity", "lin", "--confirm", "job", "--keep-rest"],
    "method": ["--quasi", "pet=category", "--method", "fusion", "--weight", "w", "--keep", "job", "--keep-rest"],
    "parameters": ["--quasi", "pet=wordnet", "--method", "mdav", "--represent", "member", "--refine", "--keep-rest"],
    "privacy": ["--quasi", "pet=wordnet", "--l-diversity", "illness=2", "--keep-rest", "--row-order", "keep"],
    "sensitive": ["--set", "pet=category", "--separator", "|", "--sensitive", "illness", "--keep-rest"],
}


@pytest.mark.parametrize("case", CASES)
def test_a_release_is_measured_with_the_options_that_masked_it(
    case: str, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people)
    settings = [*ROLES, *CASES[case]]
    mapped = [] if "--row-order" in settings else ["--row-map", "rows.csv"]
    masked = call("mask", "people.csv", "-o", "out.csv", "--json", *mapped, *settings)
    assert masked.returncode == 0, masked.stderr
    found = call("evaluate", "people.csv", "out.csv", "--json", "--summary", "figures.json", *mapped, *settings)
    assert found.returncode == 0, found.stderr
    summary, figures = json.loads(masked.stdout), json.loads(found.stdout)
    assert figures["households"] == summary["households"] == 30
    assert figures["privacy"][0] == summary["privacy"][0]
    loss = [x["measures"]["information_loss"]["value"] for x in (summary, figures)]
    assert loss[0] == pytest.approx(loss[1])
    assert json.loads((people / "figures.json").read_text("utf-8")) == figures
    assert call("check", "people.csv", *settings).returncode == 0


def test_a_file_without_a_header_and_releases_of_engines_are_read_again(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people)
    numbered = ["--no-header", "--delimiter", "\t", "--unit", "1", "--household", "2", "--quasi", "4=wordnet"]
    numbered += ["--quasi", "5=numeric", "--keep", "8", "--keep-rest", "--row-map", "rows.csv", "--k", "4"]
    assert call("mask", "bare.csv", "-o", "out.csv", *numbered).returncode == 0
    assert call("evaluate", "bare.csv", "out.csv", *numbered).returncode == 0
    engine = [*ROLES, "--quasi", "pet=wordnet", "--keep-rest", "--engine", "polars", "--partition-by", "illness"]
    assert call("mask", "people.parquet", "-o", "out", *engine).returncode == 0
    assert pq.read_table("out").num_rows == 60
    found = call("evaluate", "people.parquet", "out", "--json", "--key", "visit", *engine)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["privacy"][0]["reached"] >= 3


def test_links_are_written_beside_a_plan_only(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(people)
    refused = call("check", "people.csv", "--write", "--quasi", "pet=wordnet", "--keep-rest")
    assert refused.returncode == 2
    assert "--write requires --plan" in refused.stderr
