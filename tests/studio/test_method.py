"""The Method page: typed values are kept, and estimated runs can be used."""

from __future__ import annotations

import re

from browsing import Browser, fields

from allonym.studio.results import before_and_after, open_release


def test_a_trade_off_is_used_as_it_was_estimated(survey: Browser) -> None:
    survey.fill("/columns", "/columns", **{f"role-{i}": "keep" for i in (1, 2, 3)})
    survey.fill("/method", "/method", k="4", seed="7", **{"sa-mdav.represent": "member", "sa-mdav.growth": "weighted"})
    page = survey.post("/estimate", ks="3, 6", **{"try": ["sa-mdav"]})
    assert re.findall(r'name="try" value="([\w-]+)" checked', page) == ["sa-mdav"]
    assert 'name="ks" value="3, 6"' in page
    row = page[: page.index('aria-label="Use sa-mdav, k = 6"')].rpartition("<form")[2]
    survey.post("/method", **dict(re.findall(r'name="([\w.-]+)" value="([^"]*)"', row)))
    plan = survey.version.plan
    assert (plan.k, plan.seed, plan.method.represent, plan.method.growth) == (6, 7, "member", "weighted")
    parameters = survey.workspace.require_table().estimate.runs[1]["parameters"]
    assert {x: getattr(plan.method, x) for x in parameters} == parameters


def test_what_is_typed_of_the_method_goes_along_with_other_forms(survey: Browser) -> None:
    survey.fill("/columns", "/columns", **{f"role-{i}": "keep" for i in (1, 2, 3)})
    form = fields(survey.client.get("/method").text, "/method") | {"k": "7", "sa-mdav.represent": "member"}
    survey.post("/promise", model="l-diversity", promised="spent", figure="3", **form)
    plan = survey.version.plan
    assert (plan.k, plan.method.represent, len(plan.privacy)) == (7, "member", 1)
    form |= {"base": str(survey.version.number), "k": "8"}
    survey.post("/about", title="A park", **form)
    assert (survey.version.plan.k, survey.version.plan.about["title"]) == (8, "A park")
    survey.post("/estimate", ks="3", **(form | {"try": "fusion", "k": "9", "base": str(survey.version.number)}))
    assert survey.version.plan.k == 9
    form |= {"base": str(survey.version.number), "k": "11"}
    page = survey.post("/promise", 422, model="t-closeness", promised="spent", figure="many", **form)
    assert fields(page, "/method")["k"] == "11"
    assert 'name="figure" value="many"' in page
    assert '<option value="t-closeness" selected>' in page


def test_a_wrong_k_is_told_at_its_field(survey: Browser) -> None:
    for k, code in (("1", 422), ("many", 422), ("100000", 200)):
        page = survey.fill("/method", "/method", code, k=k)
        assert re.search(r'id="k"[^>]*aria-describedby="k-problem k-about" aria-invalid="true"', page)
        assert 'id="k-problem"' in page


def test_the_order_of_rows_is_chosen_and_kept_along(survey: Browser) -> None:
    survey.fill("/columns", "/columns", **{f"role-{i}": "keep" for i in (1, 2, 3)})
    page = survey.client.get("/method").text
    assert fields(page, "/method")["row_order"] == "shuffle"
    survey.fill("/method", "/method", k="4", row_order="keep")
    assert survey.version.plan.row_order == "keep"
    survey.post("/method", method="fusion", k="3", base=str(survey.version.number))  # a form without the field
    assert survey.version.plan.row_order == "keep"
    survey.fill("/method", "/method", 422, row_order="sorted")
    assert survey.version.plan.row_order == "keep"


def test_rows_are_shown_beside_what_they_were(survey: Browser) -> None:
    survey.fill("/columns", "/columns", **{f"role-{i}": "keep" for i in (1, 2, 3, 4)})
    survey.fill("/method", "/method", k="4", do="run")
    table = survey.workspace.require_table()
    result = table.results[-1]
    assert result.summary["row_order"] == "shuffle"
    release = open_release(table, result)
    assert [row[-1] for row in release.rows(0, 975)] != [row[-1] for row in table.data.rows(0, 975)]
    names, rows = before_and_after(table.data, release, result, 5, 45)
    kept = [i for i, name in enumerate(names) if result.plan.columns[name].role != "quasi"]
    originals = [row[1:] for row in table.data.rows(5, 45)]  # without the visitor, which is dropped
    assert len(kept) > 2
    assert all(row[i] == (original[i], None) for row, original in zip(rows, originals, strict=True) for i in kept)
