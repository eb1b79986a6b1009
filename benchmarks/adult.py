"""The Adult data set as in Martínez, Sánchez and Valls (2012): complete rows, with the links of their Table 1."""

from __future__ import annotations

from pathlib import Path

from paths import DATA

import allonym as al

FILE = DATA / "adult" / "adult.data"
LINKS = {
    "occupation": DATA / "adult" / "links_occupation_p1.csv",
    "native-country": DATA / "adult" / "links_native-country.csv",
}
CATEGORIES = ("workclass", "education", "marital-status", "race", "sex")
HEADER = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income"
)


def write(path: Path, copies: int = 1) -> int:
    """Write copies of the complete rows as CSV with a header; return the number of rows."""
    rows = [line.replace(", ", ",") for line in FILE.read_text().splitlines() if line and "?" not in line]
    path.write_text("\n".join([HEADER, *rows * copies]) + "\n")
    return len(rows) * copies


def plan() -> al.Plan:
    """Return a plan for occupation and native-country; the other columns are kept."""
    columns = {name: al.quasi("wordnet", links=str(links)) for name, links in LINKS.items()}
    return al.Plan(columns, keep_rest=True)


def plan_of_eight() -> al.Plan:
    """Return a plan for age, five categories and the two columns of words: 18,109 tuples; the rest is kept.

    education-num, which gives education away, is kept on purpose.
    """
    columns = {"age": al.quasi("numeric")} | {name: al.quasi("category") for name in CATEGORIES}
    return al.Plan({**columns, **plan().columns, "education-num": al.keep(confirmed=True)}, keep_rest=True)
