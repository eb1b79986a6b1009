"""An attacker averages the answers of one person, which differential privacy must not allow beyond its budget."""

from __future__ import annotations

import pandas as pd

import allonym as al
from allonym.kinds.domain import Domain
from allonym.methods.exponential import Candidates
from attacks.judging import judge

JOBS = ["plumber", "cook", "carpenter", "welder", "dentist", "nurse"]
ROWS = 1000


def answers(key: str = "", seed: int | None = None) -> list[str]:
    """Return the released jobs of one person, a cook, in many rows."""
    columns = {"who": al.unit(), "job": al.quasi("wordnet:person", candidates=JOBS)}
    plan = al.Plan(columns, method="exponential", seed=seed, parameters={"epsilon": 1.0, "key": key})
    frame = pd.DataFrame({"who": ["p0"] * ROWS, "job": ["cook"] * ROWS})
    release = plan.run(frame)
    assert release.summary["privacy"][-1]["holds"] == (bool(key) and seed is None)
    return list(release.frame["job"])


def evidence(released: list[str]) -> float:
    """Return the log-likelihood ratio of the truth, a cook, against a welder: what an attacker learns of it."""
    scope = al.wordnet(root="person")
    codes = {x: scope.taxonomy.code(x) for x in JOBS}
    mechanism = Candidates(Domain(scope, individuals=True), tuple(codes.values()), 1.0)
    logs = mechanism.log_likelihood([codes["cook"], codes["welder"]], [codes[x] for x in released])
    return float((logs[0] - logs[1]).sum())


def test_the_attack_works_on_rows_that_are_drawn_anew() -> None:
    assert evidence(answers()) > 5


def test_answers_of_a_key() -> None:
    for seed in (None, 3):
        released = answers(key="who", seed=seed)
        assert len(set(released)) == 1  # further rows tell nothing new
        judge("evidence in ε from 1,000 rows of a person", f"key, seed {seed}", abs(evidence(released[:1])), 1.0)
