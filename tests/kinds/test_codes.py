"""Columns of codes are masked as codes of the same form."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest
from commands import call

from allonym.kinds.linking import concept_style
from allonym.ontology.catalog import ontology
from allonym.ontology.linking.codes.written import CodeForm
from allonym.ontology.linking.link import link

CODES = [f"E{n}.{digit}" for n in (10, 11, 14) for digit in (1, 2, 3, 9)]
NAMES = ["Asthma", "Type 2 diabetes mellitus", "Cholera", "Typhoid fever", "Measles", "Mumps"]


def masked(tmp_path: Path, values: list[str], represent: str = "subsumer") -> list[str]:
    """Mask a column at k = 5 and return it."""
    with open(tmp_path / "in.csv", "w", newline="") as file:
        csv.writer(file).writerows([["diagnosis", "age"], *([value, 20 + n % 7] for n, value in enumerate(values))])
    options = ["--quasi", "diagnosis=icd10", "--keep", "age", "--k", "5", "--method", "mdav", "--no-refine"]
    done = call(
        "mask", str(tmp_path / "in.csv"), *options, "--represent", represent, "--output", str(tmp_path / "out.csv")
    )
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "out.csv", newline="") as file:
        return [row["diagnosis"] for row in csv.DictReader(file)]


@pytest.mark.parametrize(
    ("written", "form"),
    [
        (lambda code: code, r"[A-Z]\d\d(\.\d)?(-[A-Z]\d\d)?"),
        (lambda code: code.replace(".", ""), r"[A-Z]\d\d\d?(-[A-Z]\d\d)?"),
        (lambda code: code.lower(), r"[a-z]\d\d(\.\d)?(-[a-z]\d\d)?"),
        (lambda code: code.lower().replace(".", ""), r"[a-z]\d\d\d?(-[a-z]\d\d)?"),
    ],
)
def test_codes_are_written_in_the_form_of_the_column(tmp_path: Path, written, form: str) -> None:
    values = [written(code) for code in CODES for _ in range(3)]
    released = [x for x in masked(tmp_path, values) if x and x != "*"]
    assert released
    assert all(re.fullmatch(form, x) for x in released), Counter(released)
    assert any("-" in x for x in released)
    assert all(re.fullmatch(form, x) for x in masked(tmp_path, values, "centroid"))
    scope = ontology("icd10")
    assert all(x.concept is not None and x.status == "sure" for x in link(released, scope))


def test_names_are_written_as_names(tmp_path: Path) -> None:
    released = masked(tmp_path, [name for name in NAMES for _ in range(3)])
    assert not any(re.search(r"\d\d", x) for x in released)


def test_most_cells_of_a_mixed_column_decide() -> None:
    scope = ontology("icd10")

    def style(counts: dict[str, int]) -> str:
        return concept_style({x.value: x for x in link(counts, scope)}, scope)

    assert style({"E119": 3, "Asthma": 2}) == CodeForm(dotted=False).style
    assert style({"E119": 2, "Asthma": 2}) == "label"
    assert style({"E119": 1, "E11.9": 1, "J45": 1, "J45.9": 2, "Asthma": 4}) == CodeForm().style
    assert style({"E11.90": 3, "Asthma": 2}) == CodeForm().style
    assert style({"E11.9 - Type 2 diabetes": 3, "Asthma": 2}) == "label"
    assert concept_style({x.value: x for x in link(["Asthma"], scope)}, scope, True) == "notation"
    assert concept_style({x.value: x for x in link(["e119"], scope)}, scope, False) == "label"


def test_codes_and_names_are_the_same_concepts() -> None:
    scope = ontology("icd10")
    codes, names = link(["A00", "J45"], scope), link(["Cholera", "asthma"], scope)
    assert [x.concept for x in codes] == [x.concept for x in names]
