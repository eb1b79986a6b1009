"""Generate the parts of the docs that derive from the code: python tools/update_docs.py

The demonstration in the README; the kinds and parameters of methods in docs/methods; the keys of plans in
docs/plan.md; attackers in docs/attackers.md; named ontologies in docs/ontologies; unique people of the survey in
docs/measures; the example of docs/methods/swap.md; public names in docs/python.md; the JSON Schema of plans.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allonym.parameters import Parameter

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "src" / "allonym" / "plan" / "schema.json"
README, METHODS_PAGE, PLAN_PAGE = ROOT / "README.md", ROOT / "docs" / "methods" / "index.md", ROOT / "docs" / "plan.md"
METHOD_PAGES = sorted((ROOT / "docs" / "methods").glob("*.md"))
ATTACKERS_PAGE = ROOT / "docs" / "attackers.md"
UNIQUES_PAGE = ROOT / "docs" / "measures" / "uniques.md"
SWAP_PAGE = ROOT / "docs" / "methods" / "swap.md"
WHICH_METHOD_PAGE = ROOT / "docs" / "which-method.md"
CATALOG_PAGE = ROOT / "docs" / "ontologies" / "catalog.md"
PYTHON_PAGE = ROOT / "docs" / "python.md"
WORDS = ("reason", "activity")
UNCHANGED, CHANGED, FARTHEST = 2, 4, 2  # rows of the survey that the README shows
TRUE_OR_NEAR_ROWS = (6, 9, 29, 48, 89, 88, 94)  # lines of the survey that both change


def before_and_after(folder: Path) -> str:
    """Return some rows of the survey beside what became of them: drawn at random, and those that changed most."""
    from allonym.pipeline.demo import demonstrate

    done = demonstrate(folder)
    rows = done.input_rows
    assert rows is not None
    tables = [list(csv.DictReader(io.StringIO((folder / x).read_text("utf-8")))) for x in ("survey.csv", "masked.csv")]
    released_as = {int(row): place for place, row in enumerate(rows)}
    released = [tables[1][released_as[row]] for row in range(len(rows))]
    lines = [
        "| visitor | reason | activity | spent | | reason | activity | spent |",
        "|---|---|---|---:|---|---|---|---:|",
    ]
    done.save_replacements(folder / "replacements.json")
    for row in shown_rows(tables[0], released, folder / "replacements.json"):
        was, now = tables[0][row], released[row]
        cells = [_marked(was[c], now[c]) for c in WORDS]
        before = " | ".join(was[c] for c in ("visitor", "reason", "activity", "spent"))
        lines.append(f"| {before} | → | {' | '.join(cells)} | {now['spent']} |")
    return "\n".join(lines) + "\n"


def shown_rows(before: list[dict[str, str]], after: list[dict[str, str]], replacements: Path) -> list[int]:
    """Return rows by a rule: unchanged and changed ones drawn with a fixed seed, then those with the farthest cells."""
    listed = json.loads(replacements.read_text("utf-8"))
    distance = {(c, x["original"], x["released"]): x["distance"] for c in WORDS for x in listed[c]}
    changed = [row for row, was in enumerate(before) if any(was[c] != after[row][c] for c in WORDS)]
    same = sorted(set(range(len(before))) - set(changed))
    draw = Random(0)
    drawn = [*draw.sample(same, UNCHANGED), *draw.sample(changed, CHANGED)]

    def farthest(row: int) -> float:
        cells = [(c, before[row][c], after[row][c]) for c in WORDS if after[row][c]]
        return max((distance.get(x, 0.0) for x in cells), default=0.0)

    others = sorted((row for row in changed if row not in drawn), key=lambda row: (-farthest(row), row))
    return [*drawn, *others[:FARTHEST]]


def _marked(was: str, now: str) -> str:
    return now if was == now else f"**{now}**" if now else "*empty*"


def true_or_near(folder: Path) -> str:
    """Return some rows of the survey beside what truthful and centroid make of them, and figures of both."""
    from allonym.pipeline.demo import demonstrate
    from allonym.plan import Plan

    if not (folder / "plan.toml").exists():
        demonstrate(folder)
    plan, data = Plan.load(folder / "plan.toml"), folder / "survey.csv"
    tables, figures = [list(csv.DictReader(io.StringIO(data.read_text("utf-8"))))], []
    for representative in ("truthful", "centroid"):
        masked = folder / f"{representative}.csv"
        parameters = {**plan.parameters, "represent": representative}
        done = replace(plan, parameters=parameters, row_order="keep").run(data, masked)
        tables.append(list(csv.DictReader(io.StringIO(masked.read_text("utf-8")))))
        changes, loss = done.summary["changes"], done.summary["measures"]["information_loss"]["value"]
        shares = [changes[x] / changes["cells"] for x in ("false", "generalised", "set_to_null")]
        figures.append([*(f"{share:.1%}" for share in shares), f"{changes['farthest']:.2f}", f"{loss:.1f}%"])
    lines = ["| reason | activity | | `truthful` | | | `centroid` | |", "|---|---|---|---|---|---|---|---|"]
    for row in TRUE_OR_NEAR_ROWS:
        was, *both = [table[row - 2] for table in tables]
        cells = [[_marked(was[x], now[x] or "null") for x in ("reason", "activity")] for now in both]
        lines.append(f"| {was['reason']} | {was['activity']} | | {' | '.join(cells[0])} | | {' | '.join(cells[1])} |")
    names = ("false cells", "true, but more general", "null", "farthest from the original", "information loss")
    lines += ["", "| all 975 rows | `truthful` | `centroid` |", "|---|---:|---:|"]
    lines += [f"| {name} | {true} | {near} |" for name, true, near in zip(names, *figures, strict=True)]
    return "\n".join(lines) + "\n"


def screen(folder: Path) -> str:
    """Return what `allonym demo` prints, but for the time it took."""
    from allonym.cli.demo import show_demo
    from allonym.pipeline.demo import demonstrate

    done = demonstrate(folder)
    printed = io.StringIO()
    os.environ["COLUMNS"] = "120"
    with contextlib.redirect_stdout(printed):
        show_demo(done, Path("build/demo"), Path("build/demo/report.html"))
    untimed = re.sub(r"^time .*\n(?: {10,}.*\n)*", "", printed.getvalue(), flags=re.MULTILINE)  # it may be folded
    lines = [line.rstrip() for line in untimed.splitlines()]
    return "```console\n$ make demo\n" + "\n".join(lines) + "\n```\n"


def kinds() -> str:
    """Return which method masks which kinds of columns."""
    from allonym.kinds.registry import KINDS
    from allonym.methods import METHODS

    lines = [
        "| method | " + " | ".join(KINDS) + " | guarantees | summary |",
        "|---|" + ":-:|" * len(KINDS) + "---|---|",
    ]
    for name, method in METHODS.items():
        marks = ["yes" if kind in method.info.kinds else "" for kind in KINDS]
        lines.append(
            f"| `{name}` | {' | '.join(marks)} | {', '.join(method.info.guarantees)} | {method.info.summary} |"
        )
    return "\n".join(lines) + "\n"


def parameters(names: Iterable[str] | None = None) -> str:
    """Return the parameters of methods (by default all), with the methods that have each unless all do."""
    from allonym.methods import METHODS
    from allonym.parameters import parameters_of

    names = list(METHODS) if names is None else list(names)
    methods: dict[Parameter, list[str]] = {}
    for name in names:
        for declared in (x for x in parameters_of(METHODS[name]).values() if len(x.choices) != 1):
            methods.setdefault(declared, []).append(f"`{name}`")
    ordered = sorted(methods, key=lambda x: list(methods).index(next(y for y in methods if y.name == x.name)))
    differ = any(len(x) < len(names) for x in methods.values())
    lines = _table(["parameter", "meaning", "values", "default", *(["methods"] if differ else [])])
    for declared in ordered:
        lines.append(_row([*_described(declared), *([", ".join(methods[declared])] if differ else [])]))
    return "".join(lines)


def parameters_of_page(page: Path) -> dict[str, str]:
    """Return the tables of parameters of a page, by the name of their mark: `parameters of METHOD, METHOD`."""
    marks = re.findall(r"<!-- (parameters of (.*?)): begin -->", page.read_text("utf-8"))
    return {mark: parameters(names.split(", ")) for mark, names in marks}


def column_keys() -> str:
    """Return the keys of a column of a plan."""
    from allonym.plan import Plan
    from allonym.plan.toml import keys_of

    keys = keys_of(Plan)["columns"].values()
    return "".join([*_table(["key", "meaning", "values", "default"]), *(_row(_described(x)) for x in keys)])


def other_keys() -> str:
    """Return the keys of a plan but for those of its columns."""
    from allonym.plan import Plan
    from allonym.plan.toml import keys_of

    tables = keys_of(Plan)
    titles = {"": "top level", "method": "`[method]`", "privacy": "`[[privacy]]`", "release": "`[release]`"}
    lines = _table(["table", "key", "meaning", "values", "default"])
    for table in (x for x in tables if x != "columns"):
        for declared in (x for key, x in tables[table].items() if key not in tables):
            lines.append(_row([titles.get(table, f"`[{table}]`"), *_described(declared)]))
    return "".join(lines)


def _described(declared: Parameter) -> list[str]:
    """Return the name, meaning, values and default of a parameter as cells of a table."""
    default = declared.default
    if declared.required:
        shown = "required"
    elif default in (None, "", ()):
        shown = ""
    elif isinstance(default, (list, tuple)):
        shown = ", ".join(f"`{x}`" if x else "the empty text" for x in default)
    else:
        shown = f"`{str(default).lower() if isinstance(default, bool) else default}`"
    return [f"`{declared.name}`", declared.help, declared.values, shown]


def _table(titles: list[str]) -> list[str]:
    return [_row(titles), "|" + "---|" * len(titles) + "\n"]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def unique_people(folder: Path) -> dict[str, str]:
    """Return what `allonym check` prints and writes about unique people in the survey, by mark."""
    from allonym.cli.disclosure import show_disclosure
    from allonym.pipeline.demo import demonstrate
    from allonym.plan.model import Plan

    demonstrate(folder)
    checked = Plan.load(folder / "plan.toml").check(folder / "survey.csv", population=folder / "survey.csv")
    printed = io.StringIO()
    os.environ["COLUMNS"] = "120"
    with contextlib.redirect_stdout(printed):
        show_disclosure(checked.uniques, None, has_units=False)
    assert checked.record_risk is not None
    first = checked.record_risk.to_csv().splitlines()[:4]
    shown = {"check": [line.rstrip() for line in printed.getvalue().strip().splitlines()], "record-risk": first}
    return {name: "```text\n" + "\n".join(lines) + "\n```\n" for name, lines in shown.items()}


def threats() -> str:
    """Return the table of attackers: what they know, and what each family of methods does against them."""
    from allonym.methods import METHODS
    from allonym.pipeline.reporting.threats import FAMILIES, THREATS, family_of

    lines = []
    for family, text in FAMILIES.items():
        names = ", ".join(f"`{name}`" for name, method in METHODS.items() if family_of(method) == family)
        lines.append(f"- **{family}**, {text}: {names}\n")
    lines += ["\n", *_table(["attacker", "knows", *FAMILIES, "evidence"])]
    lines += [
        _row([f"**{x.name}**", x.knows, *(x.protection[family] for family in FAMILIES), x.evidence or "–"])
        for x in THREATS
    ]
    return "".join(lines)


def catalog() -> str:
    """Return the table of the ontologies that have names, family by family."""
    from allonym.ontology.catalog.about import about
    from allonym.ontology.catalog.registry import entries

    extras = {x.name: x.how_to_install for x in entries()}
    named = [about(name) for name in ("wordnet", *extras)]
    families = list(dict.fromkeys(x.family for x in named))
    lines = _table(["name", "for", "concepts", "languages", "publisher", "licence", "install"])
    for x in sorted(named, key=lambda x: families.index(x.family)):
        languages = ", ".join(x.languages) if len(x.languages) < 8 else f"{len(x.languages)} languages"
        install = f"`{extras[x.name]}`" if x.name in extras else "bundled"
        cells = [
            f"`{x.name}`",
            x.purpose,
            f"{x.concepts:,}",
            languages,
            f"[{x.publisher}]({x.url})",
            x.licence,
            install,
        ]
        lines.append(_row(cells))
    return "".join(lines)


def schema() -> str:
    """Return the JSON Schema of plans as it is shipped."""
    from allonym.plan.schema import schema

    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def replaced(text: str, name: str, new: str) -> str:
    """Return a page with a part between its marks replaced."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    head, _, rest = text.partition(begin)
    return head + begin + new + end + rest.partition(end)[2]


if __name__ == "__main__":
    from swap_example import example

    SCHEMA.write_text(schema(), "utf-8")  # first: the command line reads it
    with tempfile.TemporaryDirectory() as folder:
        page = replaced(README.read_text("utf-8"), "rows", before_and_after(Path(folder)))
        README.write_text(replaced(page, "demo", screen(Path(folder))), "utf-8")
        page = replaced(WHICH_METHOD_PAGE.read_text("utf-8"), "true or near", true_or_near(Path(folder)))
        WHICH_METHOD_PAGE.write_text(page, "utf-8")
        page = UNIQUES_PAGE.read_text("utf-8")
        for name, text in unique_people(Path(folder)).items():
            page = replaced(page, name, text)
        UNIQUES_PAGE.write_text(page, "utf-8")
        page = SWAP_PAGE.read_text("utf-8")
        for name, text in example(Path(folder)).items():
            page = replaced(page, name, text)
        SWAP_PAGE.write_text(page, "utf-8")
    page = replaced(METHODS_PAGE.read_text("utf-8"), "kinds", kinds())
    METHODS_PAGE.write_text(replaced(page, "parameters", parameters()), "utf-8")
    for path in METHOD_PAGES:
        for mark, table in parameters_of_page(path).items():
            path.write_text(replaced(path.read_text("utf-8"), mark, table), "utf-8")
    page = replaced(PLAN_PAGE.read_text("utf-8"), "column keys", column_keys())
    PLAN_PAGE.write_text(replaced(page, "other keys", other_keys()), "utf-8")
    ATTACKERS_PAGE.write_text(replaced(ATTACKERS_PAGE.read_text("utf-8"), "threats", threats()), "utf-8")
    CATALOG_PAGE.write_text(replaced(CATALOG_PAGE.read_text("utf-8"), "catalog", catalog()), "utf-8")
    from python_reference import reference

    PYTHON_PAGE.write_text(replaced(PYTHON_PAGE.read_text("utf-8"), "reference", reference()), "utf-8")
