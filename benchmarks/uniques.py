"""The CPU time of the search for unique combinations on Adult: python benchmarks/uniques.py"""

from __future__ import annotations

import math
import tempfile
import time
from pathlib import Path

import adult
import numpy as np
import pandas as pd

from allonym.measures.uniques import unique_combinations

EIGHT = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
THIRTEEN = [*EIGHT, "relationship", "capital-gain", "capital-loss", "hours-per-week", "income"]


def measure(people: pd.DataFrame, columns: list[str]) -> str:
    """Search the unique combinations of some columns; return a line of the table."""
    codes = [pd.factorize(people[name])[0].astype(np.int64) for name in columns]
    began = time.process_time()
    found = unique_combinations(columns, codes)
    seconds = time.process_time() - began
    tuples = len(people[columns].drop_duplicates())
    number = sum(math.comb(len(columns), s) for s in range(1, found.size + 1))
    figures = (len(columns), f"{tuples:,}", f"{number:,}", f"{found.unique:,}", f"{seconds:.2f} s")
    return f"| {' | '.join(map(str, figures))} |"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        adult.write(path)
        people = pd.read_csv(path)
    print("| quasi-identifiers | tuples | combinations | unique records | CPU time |")
    print("|--:|--:|--:|--:|--:|")
    for columns in (EIGHT, THIRTEEN):
        print(measure(people, columns))
