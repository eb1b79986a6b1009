"""census_income_kdd: 299,285 rows with up to 13 quasi-identifiers, which form many distinct tuples."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
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
DRAWN_ROWS = 4  # for each tuple that is wanted
CHANGED_CELLS = 0.15  # of rows that are drawn
COUNTRIES = ("country_of_birth_self", "country_of_birth_father", "country_of_birth_mother")


def write(path: Path, every: int = 1) -> None:
    """Write every nth row of the table as CSV."""
    head, *rows = gzip.decompress(FILE.read_bytes()).splitlines(keepends=True)
    path.write_bytes(head + b"".join(rows[::every]))


def write_changed(path: Path, tuples: int, seed: int = 0) -> None:
    """Write rows of the table, drawn at random with some cells of other rows, until there are so many tuples."""
    table = pd.read_csv(FILE, usecols=list(QUASI), dtype=str, keep_default_na=False)[list(QUASI)]
    codes, texts = zip(*(pd.factorize(table[name]) for name in QUASI), strict=True)
    original, rng = np.stack(codes, axis=1), np.random.default_rng(seed)
    rows = original[rng.integers(0, len(original), DRAWN_ROWS * tuples)]
    others = original[rng.integers(0, len(original), rows.shape), np.arange(len(QUASI))]
    rows = np.where(rng.random(rows.shape) < CHANGED_CELLS, others, rows)
    first = np.sort(np.unique(rows, axis=0, return_index=True)[1])
    assert len(first) >= tuples
    kept = rows[: first[tuples - 1] + 1]
    pd.DataFrame({name: texts[a][kept[:, a]] for a, name in enumerate(QUASI)}).to_csv(path, index=False)


def plan(columns: int, *, words: bool) -> al.Plan:
    """Return a plan for the first columns, as categories; with `words`, countries use WordNet."""
    linked = al.quasi("wordnet", unmatched="opaque", accept_review=True)
    quasi = {name: linked if words and name in COUNTRIES else al.quasi("category") for name in QUASI[:columns]}
    return al.Plan(quasi, keep_rest=True)
