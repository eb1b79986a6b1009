"""Risk per record, for the steward alone: a private file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints
from allonym.errors import OptionError, OutputError
from allonym.measures.population import PopulationRisk
from allonym.measures.uniques import UniqueCombinations
from allonym.release.write import save_text

DIGITS = 6  # significant digits of a risk


@dataclass(frozen=True, eq=False)
class RecordRisk:
    """The risk of every row, in the order of the original table; rows are numbered from 1, without the header."""

    group_size: Ints
    uniques: UniqueCombinations | None
    population: PopulationRisk | None
    counted: bool = False  # whether an engine counted equal rows, so that rows have no numbers

    @property
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """The columns of the file by name."""
        columns: dict[str, NDArray[Any]] = {
            "row": np.arange(1, len(self.group_size) + 1),
            "group_size": self.group_size,
        }
        if self.population is not None:
            columns["population_size"] = self.population.counts
        if self.uniques is not None:
            columns["suda_score"] = self.uniques.scores
        columns["prosecutor_risk"] = 1 / self.group_size
        if self.population is not None:
            columns["journalist_risk"] = self.population.risks
            if self.population.individual is not None:
                columns["individual_risk"] = self.population.individual
        return columns

    def to_csv(self) -> str:
        """Return the table as CSV."""
        if self.counted:
            raise OptionError("Rows that an engine holds have no numbers.", hint="use --engine memory, or a file.")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = self.columns
        writer.writerow(columns)
        each = [[_figure(x) for x in column.tolist()] for column in columns.values()]
        writer.writerows(zip(*each, strict=True))
        return text.getvalue()

    def save(self, path: str | Path) -> None:
        """Write the table as CSV, readable by its owner only; an existing file is never replaced."""
        check_new(path)
        save_text(Path(path), self.to_csv(), private=True)


def check_new(path: str | Path | None) -> None:
    """Refuse, before any work, a path that exists."""
    if path is not None and Path(path).exists():
        raise OutputError(f"{path} already exists.", hint="choose another name, or remove the file.")


def _figure(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.{DIGITS}g}"
