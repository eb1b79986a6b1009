"""The fourth page: the method and what it promises, what that may cost, and the run itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from allonym.errors import OptionError, PlanError
from allonym.pipeline.choices import FIGURES, Choice, methods, with_method
from allonym.plan import Plan
from allonym.plan.privacy import Privacy
from allonym.plan.toml import RELEASE_KEYS
from allonym.report.comparison import HEADS, Comparison
from allonym.studio import forms
from allonym.studio.jobs import Job
from allonym.studio.page_request import PageRequest, cleaned, known, render
from allonym.studio.pages.columns import by_words
from allonym.studio.pages.words import is_open
from allonym.studio.workspace import Table

USUAL = ("sa-mdav", "fusion", "generalise", "noise", "exponential")  # shown first
TRIED = ("sa-mdav", "fusion", "s-mdav", "mdav")
KS = (2, 3, 5, 10, 15)
SHOWN = ("method", "k", "parameters", "information_loss", "semantic_linkage", "record_linkage", "seconds")
MODELS = {
    "l-diversity": "l-diversity: so many different values in every group",
    "entropy-l-diversity": "entropy l-diversity: and none too frequent",
    "recursive-l-diversity": "recursive l-diversity: also when some are ruled out",
    "p-sensitive": "p-sensitive k-anonymity",
    "t-closeness": "t-closeness: groups look like the table (0 to 1)",
}


def show(ask: PageRequest) -> Response:
    """Show the methods, and what was tried."""
    table = ask.workspace.table
    if table is None or table.plan is None:
        return render(ask, "method.html", choices=[], check=None)
    plan = table.plan
    found = ask.workspace.check()
    told = list(map(str, found.problems)) if found is not None else []
    typed = dict(ask.form) if ask.problems else {}
    of_k = [x for x in (*ask.problems, *told) if x.startswith(("k is ", "k must "))]
    ask.problems = [x for x in ask.problems if x not in told]  # they stand below
    choices = sorted(methods(), key=lambda x: x.name not in USUAL)
    name = ask.text("method", plan.method.name)
    given = {x: getattr(plan.method, x) for x in plan.method.__dataclass_fields__}
    words = [x for x in found.columns if x.role == "quasi" and x.words] if found is not None else []
    kinds = sorted({x.kind for x in found.columns if x.role == "quasi" and x.kind}) if found is not None else []
    tried = Comparison(table.tried, table.failed) if table.tried else None
    return render(
        ask, "method.html", choices=choices, name=name, plan=plan, given=given, check=found, kinds=kinds,
        usual=USUAL, k=ask.text("k", str(plan.k or given.get("k", 5))), seed=ask.text("seed", _told(plan.seed)),
        typed=typed, of_k=of_k[:1],
        sensitive=[x for x, y in plan.columns.items() if y.role == "sensitive"],
        models=MODELS, about=plan.about, tried=tried, heads={x: HEADS[x] for x in SHOWN}, **_trying(ask, table, plan),
        keys=RELEASE_KEYS, waiting=found is None,
        review=[x for x in words if is_open(plan, x)], what_of=forms.what_of, root_of=forms.root_of,
        others=[cleaned(ask, x) for x in (*ask.workspace.unchecked, *told) if not by_words(x)],
    )  # fmt: skip


def _told(number: int | None) -> str:
    return "" if number is None else str(number)


def _trying(ask: PageRequest, table: Table, plan: Plan) -> dict[str, Any]:
    """Return the methods and ks that are to be tried: as typed just now, as tried last, or the usual ones."""
    if ask.problems and "ks" in ask.form:
        return {"trying": ask.form.getlist("try"), "ks": ask.text("ks")}
    last = [*table.tried, *table.failed]
    if not last:
        return {"trying": [*TRIED, plan.method.name], "ks": ", ".join(map(str, KS))}
    ks = sorted({x["parameters"]["k"] for x in last if x["parameters"].get("k") is not None})
    return {"trying": [x["method"] for x in last], "ks": ", ".join(map(str, ks or KS))}


def choose(ask: PageRequest) -> str | Job:
    """Take the method, its k and its parameters; and run it, if that was asked for."""
    _choice(ask.text("method"))
    changed, label = _chosen(ask, ask.workspace.opened.plan)
    ask.workspace.change(ask.base, label, changed)
    return ask.workspace.mask() if ask.text("do") == "run" else "/method"


def _chosen(ask: PageRequest, plan: Plan | None) -> tuple[Plan, str]:
    """Return the plan with the method as it is typed, and what is to be said of that; without one, as it is."""
    if plan is None:
        raise PlanError(["no column has a role yet. Hint: choose roles first."])
    if "method" not in ask.form:
        return plan, ""
    choice = _choice(ask.text("method"))
    parameters, problems = _parameters(ask, choice)
    k = _number(ask.text("k"), "k", problems) if choice.groups else None
    seed = _number(ask.text("seed"), "the seed", problems) if ask.text("seed") and not choice.data_independent else None
    if problems:
        raise PlanError(problems)
    if choice.record_level and not choice.data_independent and seed is None and plan.method.name == choice.name:
        seed = plan.seed
    promised = plan.privacy if choice.groups else ()
    if ask.text("do") == "run":
        ask.workspace.idle()
    changed = with_method(replace(plan, privacy=promised), choice.name, k, parameters, seed)
    return changed, f"Method {choice.name}{f', k = {k}' if k is not None else ''}"


def _choice(name: str) -> Choice:
    there = {x.name: x for x in methods()}
    return there[known(name, list(there), "method")]


def _parameters(ask: PageRequest, choice: Choice) -> tuple[dict[str, Any], list[str]]:
    found: dict[str, Any] = {}
    problems: list[str] = []
    for parameter in choice.parameters:
        text = ask.text(f"{choice.name}.{parameter.name}", "no" if parameter.type is bool else "")
        if text == "" and parameter.default != "":
            continue
        found[parameter.name] = parameter.parse(text)
        if not parameter.has_type(found[parameter.name]):
            problems.append(str(parameter.problem(found[parameter.name])))
    return found, problems


def _number(text: str, what: str, problems: list[str]) -> int | None:
    if re.fullmatch(r"\d{1,19}", text):
        return int(text)
    problems.append(f"{what} must be a whole number.")
    return None


def promise(ask: PageRequest) -> str:
    """Promise something of a sensitive column beside k, or no longer."""
    plan, _ = _chosen(ask, ask.workspace.opened.plan)
    model, column = known(ask.text("model"), list(FIGURES), "model"), ask.raw("promised")
    others = tuple(x for x in plan.privacy if (x.model, x.column) != (model, column))
    if ask.text("do") == "remove":
        ask.workspace.change(ask.base, f"No {model} of {column}", replace(plan, privacy=others))
        return "/method#promises"
    text = ask.text("figure").replace(",", ".")
    try:
        figure = int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise PlanError([f"{model} needs a number."]) from None
    new = Privacy(model, column, **{FIGURES[model]: figure})
    ask.workspace.change(ask.base, f"{model} of {column}: {text}", replace(plan, privacy=(*others, new)))
    return "/method#promises"


def about(ask: PageRequest) -> str:
    """Take what is said about the release: its title, what for, who decided."""
    plan, _ = _chosen(ask, ask.workspace.opened.plan)
    told = {key: " ".join(ask.text(key).split()) for key in RELEASE_KEYS if ask.text(key)}
    ask.workspace.change(ask.base, "About the release", replace(plan, about=told))
    return "/method#about"


def estimate(ask: PageRequest) -> Job:
    """Try some methods and ks on the table."""
    wanted = [str(x) for x in ask.form.getlist("try") if str(x) in {y.name for y in methods()}]
    ks = [int(x) for x in re.findall(r"\d{1,12}", ask.text("ks"))]
    if not wanted:
        raise OptionError("No method was ticked to be tried.", hint="tick one or more.")
    if not ks or min(ks) < 2:
        raise OptionError("Which k are to be tried?", hint="write whole numbers from 2 on, such as 2, 3, 5, 10.")
    plan, label = _chosen(ask, ask.workspace.opened.plan)
    if label:
        ask.workspace.idle()
        ask.workspace.change(ask.base, label, plan)
    return ask.workspace.estimate(wanted, {"k": sorted(set(ks))[:12]})


def run(ask: PageRequest) -> Job:
    """Run the plan as it is."""
    table = ask.workspace.opened
    if ask.base != table.steps.now.number:
        ask.workspace.change(ask.base, "", table.plan)  # refuses
    return ask.workspace.mask()
