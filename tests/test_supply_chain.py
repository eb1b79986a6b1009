"""The lock files pin every package by hash, and the bill of materials lists what allonym needs."""

from __future__ import annotations

import json
import re
from importlib.metadata import requires, version
from pathlib import Path

import jsonschema
import pytest
from lock import lock_files, pinned
from sbom import bill_of_materials, normalised

ROOT = Path(__file__).parents[1]
COMPONENT = {
    "type": "object",
    "required": ["type", "name"],
    "additionalProperties": False,
    "properties": {
        "type": {"enum": ["application", "framework", "library", "container", "platform", "file", "data"]},
        "bom-ref": {"type": "string", "minLength": 1},
        "name": {"type": "string"},
        "version": {"type": "string"},
        "purl": {"type": "string", "pattern": r"^pkg:pypi/[a-z0-9-]+@[^@/]+$"},
        "licenses": {
            "type": "array",
            "items": {
                "oneOf": [
                    {"required": ["expression"], "properties": {"expression": {"type": "string"}}},
                    {"required": ["license"], "properties": {"license": {"type": "object", "required": ["name"]}}},
                ]
            },
        },
    },
}
SCHEMA = {  # the part of the schema of CycloneDX 1.5 that the document uses
    "type": "object",
    "required": ["bomFormat", "specVersion", "version"],
    "additionalProperties": False,
    "properties": {
        "bomFormat": {"const": "CycloneDX"},
        "specVersion": {"const": "1.5"},
        "version": {"type": "integer", "minimum": 1},
        "metadata": {"type": "object", "properties": {"component": COMPONENT}},
        "components": {"type": "array", "items": COMPONENT, "uniqueItems": True},
        "dependencies": {
            "type": "array",
            "uniqueItems": True,
            "items": {
                "type": "object",
                "required": ["ref"],
                "properties": {"dependsOn": {"type": "array", "uniqueItems": True, "items": {"type": "string"}}},
            },
        },
    },
}


def test_the_bill_of_materials_is_valid_and_complete() -> None:
    bill = bill_of_materials()
    jsonschema.validate(bill, SCHEMA)
    assert json.dumps(bill) == json.dumps(bill_of_materials())
    listed = {x["name"]: x["version"] for x in bill["components"]}
    own = [re.match(r"[\w.-]+", x) for x in requires("allonym") or () if "extra ==" not in x]
    assert {normalised(x[0]) for x in own if x} <= set(listed)
    assert listed["numpy"] == version("numpy")
    assert "hypothesis" not in listed
    references = {x["bom-ref"] for x in [bill["metadata"]["component"], *bill["components"]]}
    assert len(references) == len(bill["components"]) + 1
    assert {x["ref"] for x in bill["dependencies"]} == references
    assert {y for x in bill["dependencies"] for y in x["dependsOn"]} <= references


@pytest.mark.parametrize("path", lock_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_package_is_pinned_by_hash(path: Path) -> None:
    text = path.read_text("utf-8")
    packages = pinned(text)
    assert packages
    assert all(packages.values())
    assert "://" not in text


def test_a_line_that_pins_nothing_is_refused() -> None:
    for line in ("click>=8", "click==8.1.8 --hash=md5:0", "-e .", "click @ https://example.org/click.whl"):
        with pytest.raises(ValueError, match="not a pinned package"):
            pinned(line + "\n")
