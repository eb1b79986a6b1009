"""k-anonymity by anjana: python benchmarks/peer_anjana.py FILE OUTPUT K SUPPRESSED HIERARCHIES QUASI,QUASI,…

HIERARCHIES is a folder of hierarchies in the format of ARX, `…hierarchy_QUASI.csv`. Writes the quasi-identifiers and
the numbers of the remaining rows. Runs in a separate environment, with anjana and without allonym.
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
    path = next(Path(folder).glob(f"*hierarchy_{name}.csv"))
    levels = pd.read_csv(path, sep=";", header=None)
    hierarchies[name] = {level: levels[level].to_numpy() for level in levels.columns}
masked = k_anonymity(table, [], quasi, int(k), float(suppressed), hierarchies)
rows = masked["index"] if "index" in masked else masked.index.to_series()
masked[quasi].assign(row=rows.to_numpy()).to_csv(output, index=False)
