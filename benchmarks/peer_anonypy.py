"""k-anonymity by anonypy (Mondrian): python benchmarks/peer_anonypy.py FILE OUTPUT K SENSITIVE QUASI,QUASI,…

Writes the release of anonypy, which lists groups with counts. If OUTPUT ends in .groups.csv, writes the group of every
row instead; if it ends in .rows.csv, what anonypy writes for the group of every row. Runs in a separate environment,
with anonypy and without allonym.
"""

from __future__ import annotations

import sys

import anonypy
import numpy as np
import pandas as pd
from anonypy.anonypy import agg_categorical_column, agg_numerical_column

file, output, k, sensitive, names = sys.argv[1:]
table, quasi = pd.read_csv(file), names.split(",")
for name in quasi:
    if table[name].dtype == object:
        table[name] = table[name].astype("category")
preserver = anonypy.Preserver(table, quasi, sensitive)
if output.endswith((".groups.csv", ".rows.csv")):
    partition = preserver.modrian.partition(int(k))
    group = np.empty(len(table), int)
    for number, rows in enumerate(partition):
        group[rows] = number
    written = {"group": group}
    if output.endswith(".rows.csv"):
        for name in quasi:
            aggregate = agg_categorical_column if table[name].dtype.name == "category" else agg_numerical_column
            texts = [aggregate(table.loc[rows, name])[0] for rows in partition]
            written[name] = np.array(texts, dtype=object)[group]
    pd.DataFrame(written).to_csv(output, index=False)
else:
    pd.DataFrame(preserver.anonymize_k_anonymity(int(k))).to_csv(output, index=False)
