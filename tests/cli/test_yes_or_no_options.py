"""Options of columns that are true or false, for one column or for all: --phrases and --individuals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.commands import call

from allonym.cli.declared import column_option, column_options
from allonym.cli.plan_options import plan_from_options
from allonym.errors import OptionError, PlanError
from allonym.plan import Plan

QUERIES = "who,queries,place\n" + "".join(
    f"{n},{cell},{place}\n"
    for n, (cell, place) in enumerate([("charger for a phone;cheap hotel", "Paris"), ("hotel;phone", "dog")] * 6)
)


class Given(dict[str, Any]):
    """The options of a command; those that are not given are empty."""

    def __missing__(self, name: str) -> Any:
        return ()


def plan_with(**options: Any) -> Plan:
    single = dict.fromkeys(
        ("unmatched", "similarity", "combine", "max_distance", "accept", "rest", "accept_review", "separator")
    )
    single |= dict.fromkeys(("set_distance", "encoding", "delimiter", "header", "sheet", "max_size"))
    roles = {"set_": ["queries=wordnet", "basket=category"], "quasi": ["place=wordnet", "age=numeric"]}
    return plan_from_options(None, Given(single | roles | options), hint="")


@pytest.mark.parametrize(
    ("texts", "phrases"),
    [(["yes"], True), (["queries"], True), (["queries=yes"], True), (["queries=no"], False), (["yes", "no"], False)],
)
def test_phrases_of_one_column_or_of_all(texts: list[str], phrases: bool) -> None:
    plan = plan_with(column_phrases=texts)
    assert plan.columns["queries"].phrases is phrases
    assert not plan.columns["place"].phrases


@pytest.mark.parametrize(
    ("texts", "individuals"),
    [([], (None, None)), (["yes"], (True, True)), (["no"], (False, False)), (["place=no", "queries"], (True, False))],
)
def test_individuals_of_one_column_or_of_all(texts: list[str], individuals: tuple[bool, bool]) -> None:
    columns = plan_with(column_individuals=texts).columns
    assert (columns["queries"].individuals, columns["place"].individuals) == individuals
    assert columns["age"].individuals is None


def test_what_is_neither_yes_nor_no_is_refused() -> None:
    for text in ("maybe", "queries=perhaps", ""):
        with pytest.raises(OptionError, match="neither yes nor no"):
            plan_with(column_phrases=[text])
    with pytest.raises(OptionError, match="no column ghost"):
        plan_with(column_phrases=["ghost=yes"])
    with pytest.raises(OptionError, match="applies to no column"):
        plan_with(set_=[], column_phrases=["yes"])
    with pytest.raises(PlanError, match="phrases does not apply to a column of kind text"):
        plan_with(column_phrases=["place"])


def test_every_option_that_is_true_or_false_takes_an_answer() -> None:
    flags = [key for key, declared in column_options().items() if declared.get("type") == "boolean"]
    assert {"phrases", "individuals"} <= set(flags)
    for key in flags:
        with pytest.raises(OptionError, match="neither yes nor no"):
            plan_with(**{column_option(key): ["maybe"]})


def test_a_log_is_masked_by_its_phrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text(QUERIES, "utf-8")
    roles = ["--unit", "who", "--set", "queries=wordnet", "--keep-rest", "--k", "3", "--accept", "review"]
    assert call("mask", "log.csv", "-o", "whole.csv", *roles).returncode == 0
    assert call("mask", "log.csv", "-o", "phrases.csv", *roles, "--phrases", "yes").returncode == 0
    whole, phrases = ((tmp_path / f"{x}.csv").read_text("utf-8") for x in ("whole", "phrases"))
    assert "charger for a phone" in whole
    assert "charger for a phone" not in phrases
    assert "charger;cheap hotel;phone" in phrases
