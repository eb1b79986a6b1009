"""Adult as P1 has it: complete rows, occupation and native-country through WordNet by the links of P1's Table 1."""

from __future__ import annotations

from pathlib import Path

from paths import DATA

import allonym as al

FILE = DATA / "adult" / "adult.data"
LINKS = {
    "occupation": DATA / "adult" / "links_occupation_p1.csv",
    "native-country": DATA / "adult" / "links_native-country.csv",
}
NAMES = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income"
)


def write(path: Path, copies: int = 1) -> int:
    """Write the complete rows as CSV with a header, some copies of each; return how many rows these are."""
    rows = [line.replace(", ", ",") for line in FILE.read_text().splitlines() if line and "?" not in line]
    path.write_text("\n".join([NAMES, *rows * copies]) + "\n")
    return len(rows) * copies


def plan() -> al.Plan:
    """Return a plan for the two columns; the others are kept."""
    columns = {name: al.quasi("wordnet", links=str(links)) for name, links in LINKS.items()}
    return al.Plan(columns, keep_rest=True)
