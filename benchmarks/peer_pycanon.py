"""Privacy measures of a file by pycanon, as JSON: python benchmarks/peer_pycanon.py FILE QUASI,QUASI SENSITIVE

Runs in a separate environment, with pycanon and without allonym.
"""

from __future__ import annotations

import json
import sys
import time

import pandas as pd
from pycanon import anonymity

table = pd.read_csv(sys.argv[1])
quasi, sensitive = sys.argv[2].split(","), [sys.argv[3]]
began = time.process_time()
measures = {
    "k": int(anonymity.k_anonymity(table, quasi)),
    "distinct l": int(anonymity.l_diversity(table, quasi, sensitive)),
    "entropy l": int(anonymity.entropy_l_diversity(table, quasi, sensitive)),
    "t": float(anonymity.t_closeness(table, quasi, sensitive)),
}
print(json.dumps(measures | {"seconds": time.process_time() - began}))
