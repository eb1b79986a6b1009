"""The JSON Schema of plans: current, and true of plans."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import update_docs

import allonym as al
from allonym.methods import METHODS
from allonym.parameters import parameters_of
from allonym.plan import toml
from allonym.plan.schema import schema

ROOT = Path(__file__).parents[2]
PLANS = [x for x in (ROOT / "tests" / "golden" / "expected" / "data").rglob("*.toml") if "columns" in x.read_text()]
validator = jsonschema.Draft202012Validator(schema())


def errors(method: dict[str, Any], **column: Any) -> list[str]:
    plan = {"format": 1, "method": method, "columns": {"job": {"role": "quasi"} | column}}
    return [error.message for error in validator.iter_errors(plan)]


def test_the_shipped_schema_is_current() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    shipped = resources.files("allonym.plan").joinpath("schema.json").read_text("utf-8")
    assert shipped == update_docs.schema(), "run: python tools/update_docs.py"


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.parent.name + "/" + path.name)
def test_saved_plans_are_valid(path: Path) -> None:
    assert list(validator.iter_errors(tomllib.loads(path.read_text()))) == []


def test_a_saved_plan_names_its_schema(tmp_path: Path) -> None:
    plan = al.Plan({"job": al.quasi("category")})
    plan.save(tmp_path / "plain.toml", schema="")
    plan.save(tmp_path / "named.toml")
    plain, named = ((tmp_path / f"{x}.toml").read_text() for x in ("plain", "named"))
    assert named == "#:schema allonym-plan.schema.json\n" + plain
    assert toml.dumped(al.Plan.load(tmp_path / "plain.toml")) == named


def test_a_plan_is_hashed_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('# a remark\nformat = 1\n[columns]\njob = {role = "quasi", kind = "category"}\n')
    plan = al.Plan.load(path)
    assert toml.sha256(plan) == hashlib.sha256(path.read_bytes()).hexdigest()
    changed = replace(plan, k=7)
    assert toml.sha256(changed) == hashlib.sha256(toml.dumped(changed).encode()).hexdigest()


def test_the_plan_of_the_docs_is_valid() -> None:
    (example, *_) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "plan.md").read_text("utf-8"), re.S)
    assert list(validator.iter_errors(tomllib.loads(example))) == []


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_its_own_parameters_and_no_others(name: str) -> None:
    own = {
        key: declared.default for key, declared in parameters_of(METHODS[name]).items() if declared.default is not None
    }
    assert errors({"name": name, "seed": 1, **own}) == []
    every = {key: x.default for method in METHODS.values() for key, x in parameters_of(method).items()}
    every["suppress"] = 0.01
    for key in every.keys() - parameters_of(METHODS[name]).keys():
        assert errors({"name": name, key: every[key]})
    for key, declared in parameters_of(METHODS[name]).items():
        assert errors({"name": name, key: [declared.default]}), key


def test_keys_and_values_are_checked() -> None:
    assert errors({}) == errors({"k": 3, "growth": "weighted"}) == []  # of sa-mdav, the default
    assert errors({"name": "mode", "k": 3}) == []
    assert errors({"k": 1})
    assert errors({"alpha": 0.3})
    assert errors({}, kind="numeric", weight=2, ontology=["a", "b"]) == []
    assert errors({}, ontologie="wordnet")
    assert errors({}, weight=0)
    assert errors({}, role="quazi")
