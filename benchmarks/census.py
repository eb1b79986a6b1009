"""census_income_kdd: 299,285 rows with up to 13 quasi-identifiers, which form many distinct tuples."""

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
TUPLES = {  # number of quasi-identifiers: number of distinct tuples
    4: 10_928,
    7: 32_663,
    13: 87_691,
}
COUNTRIES = ("country_of_birth_self", "country_of_birth_father", "country_of_birth_mother")


def write(path: Path, every: int = 1) -> None:
    """Write every nth row of the table as CSV."""
    head, *rows = gzip.decompress(FILE.read_bytes()).splitlines(keepends=True)
    path.write_bytes(head + b"".join(rows[::every]))


def plan(columns: int, *, words: bool) -> al.Plan:
    """Return a plan for the first columns, as categories; with `words`, countries use WordNet."""
    linked = al.quasi("wordnet", unmatched="opaque", accept_review=True)
    quasi = {name: linked if words and name in COUNTRIES else al.quasi("category") for name in QUASI[:columns]}
    return al.Plan(quasi, keep_rest=True)
