"""Generate the parts of the docs that derive from the code: python tools/update_docs.py

The demonstration in the README; the kinds and parameters of methods in docs/methods; unique people of the survey in
docs/measures; the JSON Schema of plans.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "src" / "allonym" / "plan" / "schema.json"
README, METHODS_PAGE = ROOT / "README.md", ROOT / "docs" / "methods" / "index.md"
UNIQUES_PAGE = ROOT / "docs" / "measures" / "uniques.md"
ROWS = (3, 10, 22, 36, 48, 72, 89, 94)  # lines of the survey that show something


def before_and_after(folder: Path) -> str:
    """Return some rows of the survey beside what became of them."""
    from allonym.pipeline.demo import demonstrate

    demonstrate(folder)
    tables = [list(csv.DictReader(io.StringIO((folder / x).read_text("utf-8")))) for x in ("survey.csv", "masked.csv")]
    lines = [
        "| visitor | reason | activity | spent | | reason | activity | spent |",
        "|---|---|---|---:|---|---|---|---:|",
    ]
    for row in ROWS:
        was, now = (table[row - 2] for table in tables)
        cells = [_marked(was[c], now[c]) for c in ("reason", "activity")]
        before = " | ".join(was[c] for c in ("visitor", "reason", "activity", "spent"))
        lines.append(f"| {before} | → | {' | '.join(cells)} | {now['spent']} |")
    return "\n".join(lines) + "\n"


def _marked(was: str, now: str) -> str:
    return now if was == now else f"**{now}**"


def screen(folder: Path) -> str:
    """Return what `allonym demo` prints, but for the time it took."""
    from allonym.cli.demo import show_demo
    from allonym.pipeline.demo import demonstrate

    done = demonstrate(folder)
    printed = io.StringIO()
    os.environ["COLUMNS"] = "120"
    with contextlib.redirect_stdout(printed):
        show_demo(done, Path("build/demo"), Path("build/demo/report.html"))
    lines = [line.rstrip() for line in printed.getvalue().splitlines() if not line.startswith("time")]
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


def parameters() -> str:
    """Return the parameters of methods, with the methods that have each."""
    from allonym.methods import METHODS
    from allonym.parameters import Parameter, parameters_of

    methods: dict[Parameter, list[str]] = {}
    for name, method in METHODS.items():
        for declared in (x for x in parameters_of(method).values() if len(x.choices) != 1):
            methods.setdefault(declared, []).append(f"`{name}`")
    lines = ["| parameter | meaning | values | default | methods |", "|---|---|---|---|---|"]
    for declared in sorted(methods, key=lambda x: list(methods).index(next(y for y in methods if y.name == x.name))):
        default = "" if declared.default == "" else f"`{str(declared.default).lower()}`"
        cells = [f"`{declared.name}`", declared.help, declared.values, default, ", ".join(methods[declared])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


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
    SCHEMA.write_text(schema(), "utf-8")  # first: the command line reads it
    with tempfile.TemporaryDirectory() as folder:
        page = replaced(README.read_text("utf-8"), "rows", before_and_after(Path(folder)))
        README.write_text(replaced(page, "demo", screen(Path(folder))), "utf-8")
        page = UNIQUES_PAGE.read_text("utf-8")
        for name, text in unique_people(Path(folder)).items():
            page = replaced(page, name, text)
        UNIQUES_PAGE.write_text(page, "utf-8")
    page = replaced(METHODS_PAGE.read_text("utf-8"), "kinds", kinds())
    METHODS_PAGE.write_text(replaced(page, "parameters", parameters()), "utf-8")
