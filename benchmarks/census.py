"""census_income_kdd: 299,285 rows, and 4, 7 or 13 quasi-identifiers that make many distinct tuples of them."""

from __future__ import annotations

import gzip
from pathlib import Path

from paths import DATA

import allonym as al

FILE = DATA / "microdata" / "census_income_kdd_nominal.csv.gz"
QUASI = (
    "education",
    "major_industry_code",
    "major_occupation_code",
    "country_of_birth_self",  # 4 columns: 10,928 tuples
    "marital_stat",
    "country_of_birth_father",
    "country_of_birth_mother",  # 7 columns: 32,663 tuples
    "class_of_worker",
    "race",
    "hispanic_origin",
    "sex",
    "state_of_previous_residence",
    "detailed_household_and_family_stat",  # 13 columns: 87,691 tuples
)
TUPLES = {4: 10_928, 7: 32_663, 13: 87_691}
WORDS = ("country_of_birth_self", "country_of_birth_father", "country_of_birth_mother")


def write(path: Path, every: int = 1) -> None:
    """Write the table as CSV, or every second row of it, every third, …"""
    head, *rows = gzip.decompress(FILE.read_bytes()).splitlines(keepends=True)
    path.write_bytes(head + b"".join(rows[::every]))


def plan(columns: int, *, words: bool) -> al.Plan:
    """Return a plan for the first of the columns; countries through WordNet, if asked for, else all as categories."""
    linked = al.quasi("wordnet", unmatched="opaque", accept_review=True)
    chosen = {name: linked if words and name in WORDS else al.quasi("category") for name in QUASI[:columns]}
    return al.Plan(chosen, keep_rest=True)
