"""Tables with a target to predict, for benchmarks/utility.py: their columns, plans and hierarchies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import adult
import census
import pandas as pd
from paths import DATA

import allonym as al
from allonym.arrays import Ints
from allonym.pipeline.prepare import prepare
from allonym.records import Attribute
from allonym.tables.files import open_table

ARX = DATA / "vgh" / "arx"
EVERY = 10  # of the rows of census_income_kdd, so that every tool finishes
AGE_WIDTHS = (5, 10, 20)  # years, of the levels of an age
Rows = list[list[str]]  # of a hierarchy: each value, what it becomes level by level, and *


@dataclass(frozen=True)
class Task:
    """A table with quasi-identifiers, a target to predict, and the plan by which allonym masks it."""

    name: str
    file: Path
    columns: Mapping[str, al.Column]
    numeric: tuple[str, ...]
    target: str
    positive: str
    group_by: tuple[str, str]  # the groups whose mean target is compared

    @property
    def quasi(self) -> list[str]:
        """The names of the quasi-identifiers."""
        return list(self.columns)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The quasi-identifiers as text, and the target."""
        return pd.read_csv(self.file, dtype=str, keep_default_na=False)

    @cached_property
    def outcome(self) -> Ints:
        """The target of every row: 1 or 0."""
        return (self.frame[self.target] == self.positive).to_numpy(int)

    def plan(self, k: int, method: str, parameters: Mapping[str, object], numbers: Mapping[str, object]) -> al.Plan:
        """Return a plan; `numbers` are options of the numeric columns."""
        columns = dict(self.columns) | {x: al.quasi("numeric", **numbers) for x in self.numeric}
        columns |= {self.target: al.sensitive("category")}
        return al.Plan(columns, method=method, k=k, seed=1, row_order="keep", parameters=dict(parameters))

    @cached_property
    def attributes(self) -> dict[str, tuple[Attribute, dict[str, int]]]:
        """Each quasi-identifier as allonym encodes it, with the code of every value."""
        prepared = prepare(self.plan(2, "sa-mdav", {}, {}), open_table(self.file))
        records = prepared.records
        assert records is not None, prepared.problems
        assert records.inverse is not None
        found = {}
        for j, attribute in enumerate(records.attributes):
            codes = records.codes[records.inverse, j].tolist()
            found[attribute.name] = (attribute, dict(zip(self.frame[attribute.name], codes, strict=True)))
        return found

    @cached_property
    def hierarchies(self) -> dict[str, Rows]:
        """Return a hierarchy for every column: a published one where there is one, else flat; ages in ranges."""
        return {name: self._hierarchy(name) for name in self.quasi}

    def _hierarchy(self, name: str) -> Rows:
        values = sorted(set(self.frame[name]))
        if name in self.numeric:
            return [[x, *(_range(int(x), width) for width in AGE_WIDTHS), "*"] for x in values]
        published = ARX / f"adult_hierarchy_{name}.csv"
        if self.name == "Adult" and published.exists():
            return [line.split(";") for line in published.read_text("utf-8").splitlines()]
        attribute, code = self.attributes[name]
        if attribute.kind == "category":
            return [[x, "*"] for x in values]
        return self._built(attribute, code, values)

    @staticmethod
    def _built(attribute: Attribute, code: Mapping[str, int], values: Sequence[str]) -> Rows:
        """Return the hierarchy that `generalise` derives from the ontology of a column."""
        levels = attribute.metric.generalisations()[1:]
        labels = attribute.metric.scope.taxonomy.labels  # type: ignore[attr-defined]

        def text(value: object) -> str:
            return "*" if value is None else value if isinstance(value, str) else labels[int(value)]  # type: ignore[call-overload]

        kept = [list(values)]
        for level in levels:
            texts = [text(level[code[x]]) for x in values]
            if len(set(texts)) < len(set(kept[-1])):
                kept.append(texts)
        if set(kept[-1]) != {"*"}:
            kept.append(["*"] * len(values))
        return [list(row) for row in zip(*kept, strict=True)]

    def write_hierarchies(self, folder: Path) -> None:
        """Write the hierarchies in the format of ARX."""
        for name, rows in self.hierarchies.items():
            text = "".join(";".join(row) + "\n" for row in rows)
            (folder / f"hierarchy_{name}.csv").write_text(text, "utf-8")


def _range(number: int, width: int) -> str:
    low = number // width * width
    return f"{low}-{low + width - 1}"


def adult_task(folder: Path) -> Task:
    """Return Adult with 8 quasi-identifiers: WordNet for occupation and country, hierarchies of ARX for three more."""
    adult.write(folder / "all.csv")
    words = adult.plan().columns
    trees = {
        x: al.quasi(str(ARX / f"adult_hierarchy_{x}.csv"), accept_review=True)
        for x in ("workclass", "education", "marital-status")
    }
    columns = {"age": al.quasi("numeric"), **trees, "occupation": words["occupation"]}
    columns |= {"race": al.quasi("category"), "sex": al.quasi("category"), "native-country": words["native-country"]}
    pd.read_csv(folder / "all.csv", dtype=str)[[*columns, "income"]].to_csv(folder / "adult.csv", index=False)
    return Task("Adult", folder / "adult.csv", columns, ("age",), "income", ">50K", ("sex", "education"))


def census_task(folder: Path) -> Task:
    """Return a sample of census_income_kdd with 7 quasi-identifiers: WordNet for the country of birth."""
    census.write(folder / "all.csv", EVERY)
    names = ("class_of_worker", "education", "marital_stat", "major_occupation_code", "sex")
    columns = {"age": al.quasi("numeric"), **{x: al.quasi("category") for x in names}}
    columns["country_of_birth_self"] = al.quasi("wordnet", unmatched="opaque", accept_review=True)
    table = pd.read_csv(folder / "all.csv", dtype=str, keep_default_na=False)[[*columns, "income"]]
    table = table.apply(lambda x: x.str.strip())
    table[(table != "?").all(axis=1)].to_csv(folder / "census.csv", index=False)
    return Task(
        "census_income_kdd", folder / "census.csv", columns, ("age",), "income", "50000+.", ("sex", "education")
    )
