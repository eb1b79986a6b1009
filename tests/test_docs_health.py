"""The example of docs/ontologies/health.md runs, and gives what the page shows."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from pathlib import Path

import pytest
from commands import call
from shared import DATA, needs

from allonym.ontology.catalog import ontology
from allonym.ontology.linking.link import REASONS_OF_SAME, link

PAGE = (Path(__file__).parents[1] / "docs" / "ontologies" / "health.md").read_text("utf-8")


def table(path: str) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_example_runs_and_gives_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(block, "health.md", "exec"), {})
    for command in re.findall(r"^\$ allonym (.*)$", PAGE, flags=re.MULTILINE):
        done = call(*command.split())
        assert done.returncode == 0, done.stderr
    released = Counter(row["diagnosis"] for row in table("masked.csv"))
    before = Counter(row["diagnosis"] for row in table("admissions.csv"))
    lines = [f"| {code} | {before[code]} | {released[code]} |" for code in sorted(before | released)]
    assert "\n".join(lines) in PAGE
    taxonomy = ontology("icd10").taxonomy
    links = [
        f"| `{x['value']}` | {x['concept']} | {taxonomy.labels[taxonomy.code(x['concept'])]} | `{x['reason']}` | "
        f"{x['relation']} |"
        for x in table("reason.links.csv")
    ]
    assert [x for x in links if x not in PAGE] == []


@needs(DATA / "setvalued" / "synthea_ibm_conditions.csv.gz")
def test_as_many_diagnoses_in_words_are_sure_as_the_page_says() -> None:
    with gzip.open(DATA / "setvalued" / "synthea_ibm_conditions.csv.gz", "rt", encoding="utf-8") as file:
        diagnoses = Counter(row["DESCRIPTION"] for row in csv.DictReader(file))
    links = link(diagnoses, ontology("icd10"), suggest=False)
    assert len(links) == 136
    assert sum(x.status == "sure" and x.reason in REASONS_OF_SAME for x in links) > 35
