"""The transition matrices of PRAM as a file, published beside the release: analysts correct their tables by them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from allonym.cells import cell_text
from allonym.errors import OptionError
from allonym.methods.pram import SCALE, Pram, Transitions
from allonym.ontology.linking.links_file import escape_formula
from allonym.pipeline.fitted_column import FittedColumn
from allonym.pipeline.prepare import Prepared
from allonym.plan.model import Plan
from allonym.release.write import save_text

COLUMNS = ("column", "original", "released", "probability")
DIGITS = len(str(SCALE)) - 1


def check_matrix(plan: Plan) -> None:
    """Refuse matrices of a method that has none."""
    if not isinstance(plan.method, Pram):
        text = f"Method {plan.method.name} has no transition matrix."
        raise OptionError(text, hint="choose the method pram, or ask for no matrix.")


def transition_matrices(prepared: Prepared) -> dict[str, dict[str, Any]]:
    """Return the values of each column as they are written, and how likely each becomes each: rows sum to one."""
    check_matrix(prepared.plan)
    method, records = prepared.plan.method, prepared.records
    assert isinstance(method, Pram)
    assert records is not None
    matrices = {}
    for attribute, fitted in zip(records.attributes, method.mechanism(records).perturbations, strict=True):
        assert isinstance(fitted, Transitions)
        codec = FittedColumn.of(prepared, attribute.name, fitted).codec
        values = [cell_text(codec.write(value, "")) for value in fitted.known]
        matrices[attribute.name] = {"values": values, "matrix": (fitted.matrix / SCALE).tolist()}
    return matrices


def to_csv(matrices: dict[str, dict[str, Any]]) -> str:
    """Return matrices as CSV, a line for each probability above 0; no spreadsheet takes a text for a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, x in matrices.items():
        for original, row in zip(x["values"], x["matrix"], strict=True):
            for released, probability in zip(x["values"], row, strict=True):
                if probability > 0:
                    texts = map(escape_formula, (name, original, released))
                    writer.writerow([*texts, f"{probability:.{DIGITS}f}"])
    return text.getvalue()


def save_matrices(prepared: Prepared, path: str | Path) -> None:
    """Write the matrices, as JSON if the file ends in .json, else as CSV."""
    path, matrices = Path(path), transition_matrices(prepared)
    as_json = path.suffix.lower() == ".json"
    save_text(path, json.dumps(matrices, indent=1, ensure_ascii=False) + "\n" if as_json else to_csv(matrices))
