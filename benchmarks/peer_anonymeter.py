"""The three attackers of anonymeter on a release, as JSON.

Usage: python -P benchmarks/peer_anonymeter.py ORIGINAL RELEASE CONTROL. The first column of the release is linked to
its other quasi-identifiers; the last column is the secret. Runs in a separate environment, with anonymeter and without
allonym; -P keeps benchmarks/anonymeter.py from hiding the package.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

ATTACKS = 500


def figures(evaluator: Any) -> dict[str, float]:
    """Return the rates of the attack, of guessing, and on people who are not in the release, and the risk, in %."""
    results, risk = evaluator.results(), evaluator.risk()
    rates = {"attack": results.attack_rate.value, "baseline": results.baseline_rate.value}
    rates |= {"control": results.control_rate.value, "risk": risk.value, "high": risk.ci[1]}
    return {name: 100 * float(value) for name, value in rates.items()}


warnings.simplefilter("ignore")
np.random.seed(1)  # noqa: NPY002 - anonymeter draws from this generator
original, release, control = (pd.read_csv(path) for path in sys.argv[1:4])
*quasi, secret = release.columns
attackers = {
    "singling out": SinglingOutEvaluator(
        original, release, n_attacks=ATTACKS, n_cols=len(quasi), control=control, max_attempts=20_000, seed=1
    ).evaluate("multivariate"),
    "linkability": LinkabilityEvaluator(
        original, release, aux_cols=(quasi[:1], quasi[1:]), n_attacks=ATTACKS, control=control
    ).evaluate(n_jobs=1),
    "inference": InferenceEvaluator(
        original, release, aux_cols=quasi, secret=secret, n_attacks=ATTACKS, control=control
    ).evaluate(n_jobs=1),
}
print(json.dumps({name: figures(evaluator) for name, evaluator in attackers.items()}))
