"""Baselines that release invented rows, without k-anonymity: benchmarks/utility.py."""

from __future__ import annotations

import numpy as np
import pandas as pd

from allonym.arrays import Ints
from utility_tables import Task

LEAF = 5  # the smallest leaf of a tree, as in synthpop (Nowok et al. 2016)


def independent(task: Task, rows: Ints, generator: np.random.Generator) -> pd.DataFrame:
    """Draw every column independently of the others, from its own distribution."""
    table = _table(task, rows)
    return pd.DataFrame({x: generator.choice(table[x].to_numpy(), len(table)) for x in table})


def sequential_trees(task: Task, rows: Ints, generator: np.random.Generator) -> pd.DataFrame:
    """Draw the columns one after the other, each from the leaf of a decision tree over those before it.

    This is the CART synthesis of Reiter (2005).
    """
    from sklearn.tree import DecisionTreeClassifier

    table = _table(task, rows)
    names = list(table)
    values = {x: table[x].value_counts().index for x in names}  # codes by frequency
    coded = {x: values[x].get_indexer(table[x]) for x in names if x not in task.numeric}
    coded |= {x: table[x].astype(float).to_numpy() for x in task.numeric}
    drawn = {names[0]: generator.choice(coded[names[0]], len(table))}
    for place, name in enumerate(names[1:], 1):
        tree = DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=0)
        tree.fit(np.stack([coded[x] for x in names[:place]], axis=1), coded[name])
        chances = tree.predict_proba(np.stack([drawn[x] for x in names[:place]], axis=1)).cumsum(axis=1)
        drawn[name] = tree.classes_[(chances > generator.random(len(table))[:, None]).argmax(axis=1)]
    texts = {x: values[x][drawn[x].astype(int)] for x in names if x not in task.numeric}
    texts |= {x: drawn[x].astype(int).astype(str) for x in task.numeric}
    return pd.DataFrame(texts)


def _table(task: Task, rows: Ints) -> pd.DataFrame:
    return task.frame[task.quasi].iloc[rows].reset_index(drop=True).assign(outcome=task.outcome[rows])


SYNTHETIC = {"independent columns": independent, "sequential trees": sequential_trees}
