"""k-anonymity by project-lighthouse-anonymize (Core Mondrian): python benchmarks/peer_lighthouse.py FILE OUTPUT K
HIERARCHIES QUASI,QUASI,…

HIERARCHIES is a folder of hierarchies in the format of ARX, `…hierarchy_QUASI.csv`, for the columns that are no
numbers. Writes the quasi-identifiers and the numbers of the remaining rows. Runs in a separate environment.
"""

from __future__ import annotations

import csv
import logging
import sys
from pathlib import Path
from typing import Any

import pandas as pd
from project_lighthouse_anonymize.gtrees import GTree
from project_lighthouse_anonymize.wrappers.k_anonymize import k_anonymize


def tree_of(path: Path) -> GTree:
    """Return a hierarchy; values that stay the same on several levels are one node."""
    tree = GTree()
    nodes: dict[tuple[str, ...], Any] = {("*",): tree.create_node("*")}
    with path.open(encoding="utf-8") as file:
        for row in csv.reader(file, delimiter=";"):
            place: tuple[str, ...] = ("*",)
            for value in reversed(row[:-1]):
                above, place = place, (*place, value) if value != place[-1] else place
                if place not in nodes:
                    nodes[place] = tree.create_node(value, parent=nodes[above])
    tree.add_default_geometric_sizes()
    return tree


def main() -> None:
    """Mask the file."""
    file, output, k, folder, names = sys.argv[1:]
    table, quasi = pd.read_csv(file), names.split(",")
    table = table[quasi].assign(row=range(len(table)))
    words = [name for name in quasi if table[name].dtype == object]
    numbers = [name for name in quasi if name not in words]
    table = table.astype(dict.fromkeys(numbers, float))
    trees = {name: tree_of(next(Path(folder).glob(f"*hierarchy_{name}.csv"))) for name in words}
    masked, *_ = k_anonymize(logging.getLogger("lighthouse"), table, quasi, int(k), trees, "row", parallelism=None)
    masked[[*quasi, "row"]].to_csv(output, index=False)


if __name__ == "__main__":
    main()
