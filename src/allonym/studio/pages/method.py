"""The Method page: the method and its guarantees, the expected trade-off, and masking itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from allonym.errors import OptionError, Problem
from allonym.parameters import REQUIRED, parameters_of
from allonym.pipeline.choices import MODELS, Choice, methods, with_method
from allonym.plan import Plan
from allonym.plan.privacy import Privacy
from allonym.plan.toml import RELEASE_KEYS, ReleaseInfo
from allonym.report.comparison import HEADS, Comparison
from allonym.studio import forms
from allonym.studio.forms import Field, field_of
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
SHOWN = ("method", "k", "parameters", "information_loss", "highest_linkage", "attacker", "semantic_linkage",
         "record_linkage", "seconds")  # fmt: skip
SEED, ROW_ORDER = parameters_of(Plan)["seed"], parameters_of(Plan)["row_order"]


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
    quasi = [x for x in check.columns if x.role == "quasi"] if check is not None else []
    return render(
        request,
        "method.html",
        plan=plan,
        methods=sorted(methods(), key=lambda x: x.name not in SHOWN_FIRST),
        shown_first=len(SHOWN_FIRST),
        method=request.text("method", plan.method.name),
        fields={x.name: _fields(x, plan, request) for x in methods()},
        kinds=sorted({x.kind for x in quasi if x.kind}),
        k=request.text("k", str(getattr(plan.method, "k", 5))),
        k_problem=k_problem,
        seed=request.text("seed", "" if plan.seed is None else str(plan.seed)),
        row_order=field_of("row_order", ROW_ORDER, request.text("row_order", plan.row_order)),
        typed=typed,
        sensitive=[name for name, column in plan.columns.items() if column.role == "sensitive"],
        models={name: model.info.summary for name, model in MODELS.items()},
        comparison=Comparison(table.estimate.runs, table.estimate.failed) if table.estimate is not None else None,
        heads={x: HEADS[x] for x in SHOWN},
        release_info=parameters_of(ReleaseInfo),
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
    problems: dict[str, Problem] = {}
    parameters = {x.parameter.name: x.parse(request, problems) for x in _fields(method, plan)}
    k = None if method.k is None else field_of("k", replace(method.k, default=REQUIRED), None).parse(request, problems)
    seed = None if method.data_independent else field_of("seed", SEED, None).parse(request, problems)
    row_order = plan.row_order
    if "row_order" in request.form:
        row_order = field_of("row_order", ROW_ORDER, None).parse(request, problems)
    if problems:
        raise FormError(problems)
    if method.record_level and not method.data_independent and seed is None and plan.method.name == method.name:
        seed = plan.seed
    if request.text("do") == "run":
        request.workspace.require_idle()
    plan = replace(plan, privacy=() if method.k is None else plan.privacy, row_order=row_order)
    label = f"Method {method.name}{f', k = {k}' if k is not None else ''}"
    return with_method(plan, method.name, k, parameters, seed), label


def _fields(method: Choice, plan: Plan, request: PageRequest | None = None) -> list[Field]:
    """Return the parameters of a method as form fields, with the values of the plan or those just typed."""
    fields = []
    for parameter in method.parameters:
        name = f"{method.name}.{parameter.name}"
        value = getattr(plan.method, parameter.name) if method.name == plan.method.name else parameter.default
        if request is not None and request.problems and "method" in request.form:
            value = request.flag(name) if parameter.type is bool else request.raw(name, value)
        fields.append(field_of(name, parameter, value))
    return fields


def change_guarantee(request: PageRequest) -> str:
    """Add a guarantee for a sensitive column, or remove it."""
    plan, _ = _plan_of_form(request)
    model, column = require_choice(request.text("model"), MODELS, "model"), request.raw("promised")
    others = tuple(x for x in plan.privacy if (x.model, x.column) != (model, column))
    if request.text("do") == "remove":
        request.workspace.change_plan(request.base, f"No {model} for {column}", replace(plan, privacy=others))
        return "/method#promises"
    problems: dict[str, Problem] = {}
    name, whole = MODELS[model].info.figure, MODELS[model].info.whole
    value = field_of("figure", parameters_of(MODELS[model])[name], None).parse(request, problems)
    if problems:
        raise FormError(problems)
    guarantee = Privacy(model, column, **{name: int(value) if whole else value})
    label = f"{model} for {column}: {name} = {value:g}"
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
