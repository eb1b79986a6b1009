"""The Method page: the method and its guarantees, the expected trade-off, and masking itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from allonym.errors import OptionError, Problem
from allonym.parameters import Parameter
from allonym.pipeline.choices import FIGURES, Choice, methods, with_method
from allonym.plan import Plan
from allonym.plan.privacy import Privacy
from allonym.plan.toml import RELEASE_KEYS
from allonym.report.comparison import HEADS, Comparison
from allonym.studio import forms
from allonym.studio.jobs import Job
from allonym.studio.open_table import OpenTable
from allonym.studio.page_request import FormError, Page, PageRequest, require_choice
from allonym.studio.pages.columns import other_problems
from allonym.studio.pages.words import blocks_masking
from allonym.studio.rendering import render
from allonym.studio.results import estimate, mask, no_plan

SHOWN_FIRST = ("sa-mdav", "fusion", "generalise", "noise", "exponential")
ESTIMATED_METHODS, ESTIMATED_KS = ("sa-mdav", "fusion", "s-mdav", "mdav"), (2, 3, 5, 10, 15)
MAX_KS = 12  # of an estimate
SHOWN = ("method", "k", "parameters", "information_loss", "semantic_linkage", "record_linkage", "seconds")
MODELS = {
    "l-diversity": "l-diversity: at least l distinct values in every group",
    "entropy-l-diversity": "entropy l-diversity: the values of a group are also spread evenly",
    "recursive-l-diversity": "recursive l-diversity: the most frequent value is not too frequent",
    "p-sensitive": "p-sensitive k-anonymity: at least p distinct values in every group",
    "t-closeness": "t-closeness: every group is distributed like the table (t from 0 to 1)",
}
SEED = Parameter("seed", int, None, "", minimum=0, maximum=2**64 - 1)
RELEASE_LABELS = {"title": "Title", "purpose": "Purpose", "decided_by": "Decided by", "note": "Note"}


def show(request: PageRequest) -> Response:
    """Show the methods, the guarantees, and the expected trade-off."""
    table = request.workspace.table
    if table is None or table.plan is None:
        return render(request, "method.html", methods=[])
    plan, check = table.plan, request.workspace.check()
    problems = check.problems if check is not None else ()
    k_problem = request.field_problems.get("k") or next((x for x in problems if x.code == "k-too-large"), None)
    typed = dict(request.form) if request.problems else {}
    request.problems = [x for x in request.problems if x not in problems]  # they stand below
    parameters = {name: getattr(plan.method, name) for name in plan.method.__dataclass_fields__}
    quasi = [x for x in check.columns if x.role == "quasi"] if check is not None else []
    return render(
        request,
        "method.html",
        plan=plan,
        methods=sorted(methods(), key=lambda x: x.name not in SHOWN_FIRST),
        shown_first=len(SHOWN_FIRST),
        method=request.text("method", plan.method.name),
        parameters=parameters,
        kinds=sorted({x.kind for x in quasi if x.kind}),
        k=request.text("k", str(plan.k or parameters.get("k", 5))),
        k_problem=k_problem,
        seed=request.text("seed", "" if plan.seed is None else str(plan.seed)),
        typed=typed,
        sensitive=[name for name, column in plan.columns.items() if column.role == "sensitive"],
        models=MODELS,
        comparison=Comparison(table.estimate.runs, table.estimate.failed) if table.estimate is not None else None,
        heads={x: HEADS[x] for x in SHOWN},
        release_labels={x: RELEASE_LABELS.get(x, x) for x in RELEASE_KEYS},
        blocking=[x for x in quasi if x.words and blocks_masking(plan, x)],
        content_of=forms.content_of,
        root_of=forms.root_of,
        plan_problems=request.without_paths([*request.workspace.check_problems, *other_problems(problems)]),
        **_estimate_form(request, table, plan),
    )


def _estimate_form(request: PageRequest, table: OpenTable, plan: Plan) -> dict[str, Any]:
    """Return the methods and values of k to estimate: as typed, as estimated last, or the default ones."""
    if request.problems and "ks" in request.form:
        return {"estimated": request.form.getlist("try"), "ks": request.text("ks")}
    if table.estimate is None:
        return {"estimated": [*ESTIMATED_METHODS, plan.method.name], "ks": ", ".join(map(str, ESTIMATED_KS))}
    runs = [*table.estimate.runs, *table.estimate.failed]
    ks = sorted({x["parameters"]["k"] for x in runs if x["parameters"].get("k") is not None})
    return {"estimated": [x["method"] for x in runs], "ks": ", ".join(map(str, ks or ESTIMATED_KS))}


# --- the form of the method ---------------------------------------------------------------------------------------


def choose(request: PageRequest) -> str | Job:
    """Take the method with its parameters, and mask the table if that was asked for."""
    _method(request)
    plan, label = _plan_of_form(request)
    request.workspace.change_plan(request.base, label, plan)
    return mask(request.workspace) if request.text("do") == "run" else "/method"


def _method(request: PageRequest) -> Choice:
    choices = {x.name: x for x in methods()}
    return choices[require_choice(request.text("method"), choices, "method")]


def _plan_of_form(request: PageRequest) -> tuple[Plan, str]:
    """Return the plan with the method of the form, and a label; the plan itself if the form has no method."""
    plan = request.workspace.require_table().plan
    if plan is None:
        raise no_plan()
    if "method" not in request.form:
        return plan, ""
    method = _method(request)
    parameters, problems = _parameters(request, method)
    k = None if method.k is None else _value(request, method.k, "k", problems)
    seed = _value(request, SEED, "seed", problems) if request.text("seed") and not method.data_independent else None
    if problems:
        raise FormError(problems)
    if method.record_level and not method.data_independent and seed is None and plan.method.name == method.name:
        seed = plan.seed
    if request.text("do") == "run":
        request.workspace.require_idle()
    plan = replace(plan, privacy=() if method.k is None else plan.privacy)
    label = f"Method {method.name}{f', k = {k}' if k is not None else ''}"
    return with_method(plan, method.name, k, parameters, seed), label


def _parameters(request: PageRequest, method: Choice) -> tuple[dict[str, Any], dict[str, Problem]]:
    """Return the parameters of the form as their declared types, and the problems by field."""
    values: dict[str, Any] = {}
    problems: dict[str, Problem] = {}
    for parameter in method.parameters:
        field = f"{method.name}.{parameter.name}"
        if parameter.type is bool or parameter.default == "" or request.text(field):  # else the default
            values[parameter.name] = _value(request, parameter, field, problems)
    return values, problems


def _value(request: PageRequest, parameter: Parameter, field: str, problems: dict[str, Problem]) -> Any:
    """Return a field of the form as the declared type, and note what is wrong with it."""
    value = parameter.parse(request.text(field))
    problem = parameter.problem(value)
    if problem is not None:
        problems[field] = problem
    return value


def change_guarantee(request: PageRequest) -> str:
    """Add a guarantee for a sensitive column, or remove it."""
    plan, _ = _plan_of_form(request)
    model, column = require_choice(request.text("model"), FIGURES, "model"), request.raw("promised")
    others = tuple(x for x in plan.privacy if (x.model, x.column) != (model, column))
    if request.text("do") == "remove":
        request.workspace.change_plan(request.base, f"No {model} for {column}", replace(plan, privacy=others))
        return "/method#promises"
    text = request.text("figure").replace(",", ".")
    try:
        value = int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise FormError({"figure": Problem("not-a-number", f"{FIGURES[model]} must be a number.")}) from None
    guarantee = Privacy(model, column, **{FIGURES[model]: value})
    label = f"{model} for {column}: {FIGURES[model]} = {text}"
    request.workspace.change_plan(request.base, label, replace(plan, privacy=(*others, guarantee)))
    return "/method#promises"


def describe_release(request: PageRequest) -> str:
    """Take the title, purpose and notes of the release."""
    plan, _ = _plan_of_form(request)
    about = {key: " ".join(request.text(key).split()) for key in RELEASE_KEYS if request.text(key)}
    request.workspace.change_plan(request.base, "About the release", replace(plan, about=about))
    return "/method#about"


def estimate_trade_off(request: PageRequest) -> Job:
    """Run methods with several k on the table."""
    known = {x.name for x in methods()}
    names = [str(x) for x in request.form.getlist("try") if str(x) in known]
    ks = [int(x) for x in re.findall(r"\d{1,12}", request.text("ks"))]
    if not names:
        raise OptionError("No method is selected.", hint="select at least one.", code="no-method")
    if not ks or min(ks) < 2:
        problem = Problem("no-k", "No valid k is given.", "write whole numbers from 2 on, such as 2, 3, 5, 10.")
        raise FormError({"ks": problem})
    plan, label = _plan_of_form(request)
    if label:
        request.workspace.require_idle()
        request.workspace.change_plan(request.base, label, plan)
    return estimate(request.workspace, names, {"k": sorted(set(ks))[:MAX_KS]})


def run(request: PageRequest) -> Job:
    """Mask the table with the current plan."""
    request.workspace.require_version(request.base)
    return mask(request.workspace)


PAGE = Page(
    "/method",
    show,
    title="Method",
    actions={
        "/method": choose,
        "/promise": change_guarantee,
        "/about": describe_release,
        "/estimate": estimate_trade_off,
        "/run": run,
    },
)
