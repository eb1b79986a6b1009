"""k-anonymity by anjana: python benchmarks/peer_anjana.py FILE OUTPUT K SUPPRESSED HIERARCHIES QUASI,QUASI,…

HIERARCHIES is a folder of ARX's files. Writes the quasi-identifiers of the rows that are left, with their numbers. Runs
in an environment of its own, with anjana and nothing of ours.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity

file, output, k, suppressed, folder, names = sys.argv[1:]
table, quasi = pd.read_csv(file), names.split(",")
hierarchies = {}
for name in quasi:
    found = pd.read_csv(Path(folder) / f"adult_hierarchy_{name}.csv", sep=";", header=None)
    hierarchies[name] = {level: found[level].to_numpy() for level in found.columns}
masked = k_anonymity(table, [], quasi, int(k), float(suppressed), hierarchies)
rows = masked["index"] if "index" in masked else masked.index.to_series()
masked[quasi].assign(row=rows.to_numpy()).to_csv(output, index=False)
