"""k-anonymity by anonypy (Mondrian): python benchmarks/peer_anonypy.py FILE OUTPUT K SENSITIVE QUASI,QUASI,…

Writes the release of anonypy, which lists groups with counts; if OUTPUT ends in .groups.csv, writes the group of every
row instead. Runs in a separate environment, with anonypy and without allonym.
"""

from __future__ import annotations

import sys

import anonypy
import numpy as np
import pandas as pd

file, output, k, sensitive, names = sys.argv[1:]
table, quasi = pd.read_csv(file), names.split(",")
for name in quasi:
    if table[name].dtype == object:
        table[name] = table[name].astype("category")
preserver = anonypy.Preserver(table, quasi, sensitive)
if output.endswith(".groups.csv"):
    group = np.empty(len(table), int)
    for number, rows in enumerate(preserver.modrian.partition(int(k))):
        group[rows] = number
    pd.DataFrame({"group": group}).to_csv(output, index=False)
else:
    pd.DataFrame(preserver.anonymize_k_anonymity(int(k))).to_csv(output, index=False)
