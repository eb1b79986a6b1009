"""Methods that mask row by row, as plans ask for them: refusals, seeds, promises, figures, fitted plans."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from shared import same_key

import allonym as al
from allonym.cli import app
from allonym.errors import OptionError, PlanError, ReleaseError, TableError

PEOPLE = "wordnet:person"
WORDS = ["plumber", "cook", "carpenter", "welder", "dentist"]
BY_ROW = ("noise", "randomise-uniform", "randomise-frequency", "pram", "exponential")


def table(row_counts: int = 8) -> pd.DataFrame:
    """Return a table with words and numbers."""
    return pd.DataFrame({"job": WORDS * row_counts, "age": [str(20 + i) for i in range(5 * row_counts)]})


def plan_of(method: str = "noise", *, seed: int | None = 4, parameters: Any = None, **column: Any) -> al.Plan:
    """Return a plan for one column of words."""
    columns = {"job": al.quasi(column.pop("ontology", PEOPLE), **column)}
    return al.Plan(columns, method=method, seed=seed, parameters=parameters or {}, keep_rest=True)


# --- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", BY_ROW)
def test_k_is_refused(method: str) -> None:
    with pytest.raises(PlanError, match=f"method {method} guarantees no k"):
        al.Plan({"job": al.quasi(PEOPLE)}, method=method, k=5)


@pytest.mark.parametrize(
    ("method", "column", "told"),
    [
        ("noise", {"unmatched": "opaque"}, "cannot replace words it does not know"),
        ("noise", {"ontology": [PEOPLE, "wordnet"], "combine": "blend"}, "needs one ontology, the column has 2"),
        ("noise", {"links": {"cook": "cooking.n.01"}}, "to lie under wordnet:person.n.01, 1 value do not"),
        ("noise", {"candidates": ["cook", "xyzzy"]}, "1 candidate of 2 not understood"),
        ("randomise-uniform", {"candidates": ["cook"]}, "takes no candidates"),
        ("exponential", {"senses": "coherent"}, "may not choose senses by comparing records"),
        ("exponential", {"candidates": ["cook", "xyzzy"]}, "1 candidate of 2 not understood"),
        ("exponential", {"candidates": ["cook", "cooking.n.01"]}, "1 candidate of 2 not understood"),
        ("exponential", {"candidates": "none.txt"}, "none.txt cannot be read"),
    ],
)
def test_what_cannot_be_masked_row_by_row_is_refused(method: str, column: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told) as error:
        plan_of(method, **column).run(table())
    assert "xyzzy" not in str(error.value)


def test_kinds_that_a_method_does_not_mask_are_refused() -> None:
    frame = table()
    with pytest.raises(PlanError, match="method noise does not mask columns of kind code"):
        al.Plan({"job": al.quasi("code")}, method="noise", keep_rest=True).run(frame)
    with pytest.raises(PlanError, match="method exponential does not mask columns of kind numeric"):
        al.Plan({"age": al.quasi("numeric")}, method="exponential", keep_rest=True).run(frame)


def test_a_key_must_be_there_and_filled_in() -> None:
    with pytest.raises(PlanError, match="column who: the key column"):
        plan_of(parameters={"key": "who"}).run(table())
    with pytest.raises(PlanError, match="has empty cells"):
        plan_of(parameters={"key": "who"}).run(table().assign(who=["", *"x" * 39]))


def test_candidates_and_individuals_are_for_words_to_be_masked() -> None:
    with pytest.raises(PlanError, match="candidates does not apply to a column of kind category"):
        al.Plan({"job": al.quasi("category", candidates=["a"])})
    with pytest.raises(PlanError, match="individuals must be true or false"):
        al.Plan({"job": al.quasi(PEOPLE, individuals="yes")})


# --- seeds and promises --------------------------------------------------------------------------------------------


def test_noise_without_a_seed_never_comes_again() -> None:
    plan = plan_of(seed=None)
    one, other = plan.run(table()), plan.run(table())
    assert one.summary["seed"] is None
    assert list(one.frame["job"]) != list(other.frame["job"])
    assert one.summary["privacy"] == []


def test_exponential_without_a_seed_never_comes_again() -> None:
    plan = al.Plan({"job": al.quasi(PEOPLE), "age": al.keep()}, method="exponential", parameters={"epsilon": 2})
    one, other = plan.run(table()), plan.run(table())
    assert one.summary["seed"] is None
    assert list(one.frame["job"]) != list(other.frame["job"])
    (entry,) = one.summary["privacy"]
    assert {x: entry[x] for x in ("model", "columns", "asked", "holds", "sensitivity", "calibrated")} == {
        "model": "differential privacy", "columns": ["job"], "asked": 2, "holds": True, "sensitivity": 1.0,
        "calibrated": True,
    }  # fmt: skip
    assert 0.999 * 2 <= entry["reached"] <= 2
    assert 1 < entry["scale"] <= 2


def test_a_seed_marks_an_exponential_release_as_not_private() -> None:
    frame = table().assign(other=WORDS[::-1] * 8)
    columns = {"job": al.quasi(PEOPLE), "other": al.quasi(PEOPLE)}
    done = al.Plan(columns, method="exponential", seed=1, keep_rest=True).run(frame)
    assert [(x["columns"], x["asked"]) for x in done.summary["privacy"]] == [
        (["job"], 1.0), (["other"], 1.0), (["job", "other"], 2.0),
    ]  # fmt: skip
    assert all(not x["holds"] and x["note"] == "reproducible: not private" for x in done.summary["privacy"])


def test_nothing_in_an_exponential_release_depends_on_other_records() -> None:
    """Senses, candidates, spellings, codes and nulls: a row becomes the same whatever the others are."""
    words = ["cod", "zzz", "", "dog.n.01", "dogs", "Secretariat"]
    for nulls in (False, True):
        column = al.quasi("wordnet:vertebrate", unmatched="suppress", accept_review=True)
        plan = al.Plan({"w": column}, method="exponential", parameters={"nulls": nulls, "epsilon": 9.0}, seed=5)
        with same_key():
            whole = list(plan.run(pd.DataFrame({"w": words})).frame["w"])
        others = (["Omaha", "Citation", "Assault"], ["dog.n.01", "cat.n.01", "bird.n.01"], ["", "?", "NA"])
        for i, word in enumerate(words):
            for other in others:
                frame = pd.DataFrame({"w": [*(other * 3)[:i], word, *other]})
                with same_key():
                    masked = plan.run(frame).frame["w"][i]
                assert masked == whole[i] or (pd.isna(whole[i]) and nulls)


def test_nothing_of_how_cells_were_written_stays_in_an_exponential_release(tmp_path: Path) -> None:
    plan = plan_of("exponential", candidates=["plumber", "cook", "dentist", "carpenter"], unmatched="suppress")
    written = []
    for i, third in enumerate(('"dentist"', "NA", " welder")):
        source = tmp_path / f"in{i}.csv"
        source.write_text(f'"id","job"\n1,"plumber"\n2,"cook"\n3,{third}\n')
        with same_key():
            replace(plan, row_order="keep").run(source, tmp_path / f"out{i}.csv")
        written.append((tmp_path / f"out{i}.csv").read_text().splitlines()[:3])
    assert written[0] == written[1] == written[2]
    for dtype in (pd.CategoricalDtype(), "polars"):
        kinds = []
        for first in ("plumber", "dentist"):
            jobs = [first, *["cook"] * 30]
            frame = pl.DataFrame({"job": pl.Series(jobs, dtype=pl.Enum(sorted({*jobs})))})
            pandas = pd.DataFrame({"job": pd.Series(jobs, dtype=dtype if dtype != "polars" else None)})
            with same_key():
                done = plan.run(frame if dtype == "polars" else pandas).frame
            kinds.append(str(done["job"].dtype) if dtype == "polars" else list(done["job"].dtype.categories))
        assert kinds[0] == kinds[1]


def test_a_plan_keeps_its_seed_if_the_method_is_said_again(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "in.csv", index=False)
    plan_of(seed=7).save(tmp_path / "plan.toml")
    runner = CliRunner()
    files = [str(tmp_path / x) for x in ("in.csv", "out.csv", "plan.toml")]
    for more, kept in (([], True), (["--method", "noise"], True), (["--method", "randomise-uniform"], False)):
        told = runner.invoke(app, ["mask", files[0], "-o", files[1], "--plan", files[2], *more, "--json"])
        assert (json.loads(told.stdout)["seed"] == 7) == kept
    (tmp_path / "c.txt").write_text("cook\n")
    options = ["--quasi", "job=wordnet:person", "--keep-rest", "--method", "exponential"]
    same = str(tmp_path / "c.txt")
    told = runner.invoke(app, ["mask", files[0], "-o", same, *options, "--candidates", same])
    assert told.exit_code
    assert (tmp_path / "c.txt").read_text() == "cook\n"


def test_what_exponential_writes_is_fixed_beforehand(tmp_path: Path) -> None:
    (tmp_path / "jobs.txt").write_text("cook\ncarpenter.n.01\ndentist\n\n")
    frame = table(60).assign(job=[*WORDS * 59, "", "", "?", "plumber", "plumber"])
    plan = plan_of("exponential", candidates="jobs.txt", parameters={"epsilon": 4.0})
    plan = replace(plan, folder=tmp_path)
    done = plan.run(frame)
    assert set(done.frame["job"]) == {"cook", "carpenter", "dentist"}
    plan.save(tmp_path / "plan.toml")
    assert list(al.Plan.load(tmp_path / "plan.toml").run(frame).frame["job"]) == list(done.frame["job"])
    with_nulls = replace(plan, parameters={"epsilon": 4.0, "nulls": True}).run(frame)
    assert with_nulls.frame["job"].isna().any()
    coded = replace(plan, parameters={"codes": True}).run(frame)
    assert set(coded.frame["job"]) == {"cook.n.01", "carpenter.n.01", "dentist.n.01"}
    named = al.quasi("wordnet:person", candidates=["Mozart", "cook"], senses="first")
    assert set(replace(plan, columns={"job": named}).run(frame).frame["job"]) == {"Mozart", "cook"}


def test_individuals_are_candidates_only_if_asked_for() -> None:
    frame = pd.DataFrame({"city": ["Paris", "Rome"] * 500})
    column = al.quasi("wordnet:city", individuals=True)
    done = al.Plan({"city": column}, method="exponential", seed=1, parameters={"epsilon": 0.1}).run(frame)
    assert {"London", "Paris"} & set(done.frame["city"])
    with pytest.raises(PlanError, match="not understood"):
        al.Plan({"city": replace(column, individuals=None)}, method="exponential", seed=1).run(frame)


def test_a_release_with_a_word_that_may_not_be_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.csv"
    table().to_csv(source, index=False)
    plan = plan_of("exponential", candidates=["cook", "carpenter"])
    plan.run(source, tmp_path / "good.csv")
    from allonym.kinds.base import EncodedColumn

    honest: Callable[..., Any] = EncodedColumn.decode

    def flipped(self: EncodedColumn, *given: Any) -> Any:
        cells = honest(self, *given)
        return replace(cells, values=["plumber", *cells.values[1:]])

    monkeypatch.setattr(EncodedColumn, "decode", flipped)
    with pytest.raises(ReleaseError, match="1 values in column job of the release are none that it may have"):
        plan.run(source, tmp_path / "bad.csv")
    assert not (tmp_path / "bad.csv").exists()


# --- figures -------------------------------------------------------------------------------------------------------


def test_the_summary_tells_what_noise_did() -> None:
    columns = {"job": al.quasi(PEOPLE), "age": al.quasi("numeric")}
    done = al.Plan(columns, method="noise", seed=1, parameters={"alpha": 0.5}).run(table(400))
    job, age = done.summary["noise"]["job"], done.summary["noise"]["age"]
    assert set(job) == set(age)
    ages = table(400)["age"].astype(float)
    assert age["mean_before"] == pytest.approx(ages.mean())
    assert age["variance_before"] == pytest.approx(ages.var(ddof=0))
    after = done.frame["age"].astype(float)
    assert age["mean_after"] == pytest.approx(after.mean())
    assert age["variance"] == pytest.approx(after.var(ddof=0))
    assert age["expected_variance"] == pytest.approx(1.5 * ages.var(ddof=0))
    assert age["variance"] == pytest.approx(age["expected_variance"], rel=0.1)
    assert age["rmse"] == pytest.approx(((after - ages) ** 2).mean() ** 0.5)
    assert age["mean_error"] == pytest.approx((after - ages).abs().mean())
    assert age["rmse"] == pytest.approx(age["target_rmse"], rel=0.1)
    assert age["mean_error"] == pytest.approx(age["target_mean_error"], rel=0.1)
    assert job["rmse"] >= job["mean_error"] >= job["target_mean_error"]
    assert job["unchanged"] == 0


def test_laplace_errors_have_the_variance_of_normal_ones_and_other_draws() -> None:
    columns = {"job": al.quasi(PEOPLE), "age": al.quasi("numeric", round=3)}
    frame = table(400)
    normal, laplace = (
        al.Plan(columns, method="noise", seed=1, parameters={"alpha": 0.5, "distribution": x}).run(frame)
        for x in ("normal", "laplace")
    )
    for release, ratio in ((normal, (2 / np.pi) ** 0.5), (laplace, 0.5**0.5)):
        age = release.summary["noise"]["age"]
        assert age["rmse"] == pytest.approx(age["target_rmse"], rel=0.06)
        assert age["target_mean_error"] == pytest.approx(ratio * age["target_rmse"])
        assert age["mean_error"] == pytest.approx(age["target_mean_error"], rel=0.05)
    assert laplace.summary["privacy"] == []  # it promises nothing
    assert list(laplace.frame["job"]) != list(normal.frame["job"])
    with pytest.raises(PlanError, match="distribution"):
        al.Plan(columns, method="noise", parameters={"distribution": "cauchy"})


def test_noise_draws_from_a_list_of_candidates_only(tmp_path: Path) -> None:
    (tmp_path / "jobs.txt").write_text("cook\nbaker\nsurgeon\n")
    frame = table(40)
    plan = replace(plan_of(candidates="jobs.txt", parameters={"allow_same": True}), folder=tmp_path)
    release = plan.run(frame)
    assert set(release.frame["job"]) == {"cook", "baker", "surgeon"}
    free = plan_of(parameters={"allow_same": True}).run(frame).summary["noise"]["job"]
    for figure in ("mean_before", "variance_before", "target_rmse"):  # the list does not change the errors
        assert release.summary["noise"]["job"][figure] == free[figure]
    fitted = plan.fit(frame)
    assert [x["job"] for x in fitted.stream(frame.to_dict("records"))] == list(release.frame["job"])
    assert fitted.mask_one({"job": "lawyer", "age": "1"})["job"] in {"cook", "baker", "surgeon"}
    fitted.save(tmp_path / "fitted.json", stream=True)
    (tmp_path / "jobs.txt").unlink()  # the list is in the file
    again = al.Fitted.load(tmp_path / "fitted.json", resume=True)
    assert list(again.mask(frame, start=0)["job"]) == list(release.frame["job"])
    stored = json.loads((tmp_path / "fitted.json").read_text())
    stored["columns"]["job"]["candidates"] = []
    (tmp_path / "fitted.json").write_text(json.dumps(stored))
    with pytest.raises(TableError, match="is damaged"):
        al.Fitted.load(tmp_path / "fitted.json")


def test_the_command_line_takes_candidates_and_a_distribution(tmp_path: Path) -> None:
    table(20).to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "jobs.txt").write_text("cook\nbaker\nsurgeon\n")
    options = ["--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--method", "noise"]
    options += ["--candidates", str(tmp_path / "jobs.txt"), "--distribution", "laplace"]
    told = CliRunner().invoke(app, ["mask", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), *options])
    assert told.exit_code == 0, told.output
    assert set(pd.read_csv(tmp_path / "out.csv")["job"]) <= {"cook", "baker", "surgeon"}


def test_small_errors_leave_words_as_they_are_if_asked() -> None:
    same = plan_of(parameters={"alpha": 0.1, "allow_same": True}).run(table(200)).summary["noise"]["job"]
    other = plan_of(parameters={"alpha": 0.1}).run(table(200)).summary["noise"]["job"]
    assert same["unchanged"] > 0.2
    assert other["unchanged"] == 0
    assert same["mean_error"] < other["mean_error"]


# --- fitted plans --------------------------------------------------------------------------------------------------


def test_only_methods_that_go_row_by_row_can_be_fitted() -> None:
    with pytest.raises(PlanError, match="method sa-mdav masks records together, not one by one"):
        al.Plan({"job": al.quasi(PEOPLE)}, k=2, keep_rest=True).fit(table())


def test_a_fitted_plan_says_what_is_wrong_with_a_record() -> None:
    columns = {"job": al.quasi(PEOPLE), "age": al.quasi("numeric"), "name": al.identifier()}
    fitted = al.Plan(columns, method="noise", seed=1).fit(table().assign(name=[f"n{i}" for i in range(40)]))
    assert list(fitted.mask_one({"job": "plumber", "age": 31, "name": "x"})) == ["job", "age"]
    with pytest.raises(TableError, match="The record has no age"):
        fitted.mask_one({"job": "plumber"})
    with pytest.raises(TableError, match="1 columns have no role"):
        fitted.mask_one({"job": "plumber", "age": 31, "more": 1})
    with pytest.raises(TableError, match="A word in column job is not understood") as error:
        fitted.mask_one({"job": "xyzzy", "age": 31})
    assert error.value.values == ("xyzzy",)
    with pytest.raises(TableError, match="A value in column age is no number"):
        fitted.mask_one({"job": "plumber", "age": "old"})
    with pytest.raises(TableError, match="The table has no age"):
        fitted.mask(table()[["job"]])
    for key in ("me", -1, 1.5, 2**64):
        with pytest.raises(OptionError, match="must be a whole number from 0 on"):
            fitted.mask_one({"job": "plumber", "age": 31}, key=key)
    with pytest.raises(TableError, match="1 columns have no role"):
        fitted.mask(table().assign(secret="Bob"))
    with pytest.raises(OptionError, match="masks frames and records"):
        fitted.mask("table.csv")


def test_records_without_a_key_are_numbered_as_they_come() -> None:
    frame = table()
    plan = plan_of()
    fitted = plan.fit(frame)
    expected = plan.run(frame).frame.to_dict("records")
    assert [fitted.mask_one(x) for x in frame.to_dict("records")] == expected
    assert fitted.mask_one(frame.to_dict("records")[5], key=np.uint64(5)) == expected[5]
    assert [*fitted.mask(frame[:5], start=0)["job"], *fitted.mask(frame[:3])["job"]][:5] == [
        x["job"] for x in expected[:5]
    ]
    keyed = plan_of(parameters={"key": "age"})
    assert keyed.fit(frame).mask_one({"job": "plumber"} | {"age": "20"}) == keyed.run(frame).frame.to_dict("records")[0]
    assert (
        keyed.fit(frame).mask_one({"job": "plumber", "age": "?"}, key="20")["job"] == keyed.run(frame).frame["job"][0]
    )


def test_words_and_numbers_never_seen_are_masked_too() -> None:
    columns = {"job": al.quasi(PEOPLE, unmatched="suppress"), "age": al.quasi("numeric")}
    fitted = al.Plan(columns, method="noise", seed=1).fit(table())
    found = fitted.mask_one({"job": "surgeon", "age": 1000})
    assert found["job"] != "surgeon"
    assert abs(int(found["age"]) - 1000) < 100
    assert fitted.mask_one({"job": "xyzzy", "age": None}) == {"job": None, "age": None}
    for null in (float("nan"), np.float32("nan"), pd.NA, pd.NaT, "?"):
        assert fitted.mask_one({"job": null, "age": null}) == {"job": None, "age": None}
    assert fitted.mask_one({"job": "Mozart", "age": None})["job"] is None  # named individuals are not in the domain


def test_named_individuals_are_unknown_to_a_fit_as_they_are_to_a_run() -> None:
    plan = plan_of("exponential", unmatched="suppress", parameters={"epsilon": 30.0}, seed=3)
    frame = pd.DataFrame({"job": ["cook", "Mozart"]})
    with same_key():
        done = plan.run(frame).frame["job"]
        fitted = plan.fit(frame[:1])
    assert [fitted.mask_one({"job": x})["job"] for x in frame["job"]] == list(done)


@pytest.mark.parametrize("method", ["noise", "randomise-uniform", "randomise-frequency"])
@pytest.mark.parametrize("work", [al.Plan.run, al.Plan.fit, al.Plan.check])
def test_a_column_that_would_be_released_unchanged_is_refused(method: str, work: Callable[..., Any]) -> None:
    """Spellings of one concept are one value; empty cells are none."""
    for jobs in (["cook"] * 5, ["cook", "cooks", "", "?"]):
        plan = plan_of(method)
        if work is al.Plan.check:
            problems = plan.check(pd.DataFrame({"job": jobs})).problems
        else:
            with pytest.raises(PlanError, match="column job: all its values are the same") as error:
                work(plan, pd.DataFrame({"job": jobs}))
            problems = error.value.problems
        assert [x.code for x in problems] == ["constant-column"]
        assert "cook" not in str(problems)
    numbers = al.Plan({"age": al.quasi("numeric")}, method=method).check(pd.DataFrame({"age": [30, 30, None]}))
    assert [x.code for x in numbers.problems] == ["constant-column"]


def test_a_fit_needs_values() -> None:
    for method in ("noise", "randomise-uniform"):
        with pytest.raises(PlanError, match=f"job: there is no value to fit {method} to"):
            plan_of(method).fit(pd.DataFrame({"job": ["", "?"]}))
    assert plan_of("exponential").fit(pd.DataFrame({"job": [""]})).mask_one({"job": "cook"})["job"]


def test_errors_smaller_than_the_precision_of_a_column_are_a_caution() -> None:
    frame = pd.DataFrame({"age": [30] * 999 + [31]})
    plan = al.Plan({"age": al.quasi("numeric")}, method="noise", seed=1)
    assert ["100 % of its values are unchanged" in x for x in plan.run(frame).summary["cautions"]] == [True]
    assert plan.run(pd.DataFrame({"age": range(50)})).summary["cautions"] == []


@pytest.mark.parametrize("method", ["noise", "exponential"])
def test_a_column_without_a_root_is_a_caution(method: str) -> None:
    frame = table()[["job"]]
    plan = plan_of(method, ontology="wordnet")
    release = plan.run(frame)
    (caution,) = release.summary["cautions"]
    assert "column job: it has no root" in caution
    assert "82,115 concepts of wordnet" in caution
    assert caution in map(str, plan.check(frame).cautions)
    assert "it has no root" in str(release.report)
    assert plan_of(method).run(frame).summary["cautions"] == []
    few = plan_of(method, ontology=str(Path(__file__).parents[1] / "data" / "mini-jobs.csv"), unmatched="suppress")
    assert "it has no root" not in str(few.check(frame).cautions)


@pytest.mark.parametrize("method", ["pram", "randomise-uniform", "swap"])
def test_methods_that_write_values_of_the_column_need_no_root(method: str) -> None:
    assert "it has no root" not in str(plan_of(method, ontology="wordnet").check(table()[["job"]]).cautions)


def test_a_word_of_the_table_takes_the_same_steps_as_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time must not tell whether a word was in the table: neither is looked up in what the table filled."""
    from allonym.kinds import word_codec
    from allonym.methods.nearest_concepts import NearestConcepts

    steps: list[str] = []

    def counted(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **options: Any) -> Any:
            steps.append(name)
            return work(*given, **options)

        return run

    monkeypatch.setattr(word_codec, "link", counted("link", word_codec.link))
    monkeypatch.setattr(NearestConcepts, "_row", counted("row", NearestConcepts._row))
    fitted = plan_of().fit(table())
    fitted.mask(table(), start=0)
    taken = {}
    for word in ("plumber", "tinsmith", "plumber", "tinsmith"):  # one of the table, one that is new; then again
        steps.clear()
        fitted.mask_one({"job": word, "age": "20"})
        taken.setdefault(word, []).append(sorted(steps))
    assert taken["plumber"] == taken["tinsmith"] == [["link", "row", "row"], []]


def test_numbers_are_written_as_in_the_table_and_codes_as_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["20", "31", "44"]})
    fitted = al.Plan({"age": al.quasi("numeric")}, method="noise", seed=1).fit(frame)
    assert isinstance(fitted.mask_one({"age": 20})["age"], str)
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("child,parent,label\n10,1,worker\n21,10,cook\n22,10,plumber\n1,,person\n")
    codes = pd.DataFrame({"job": [21, 22, 21, 22]})
    plan = al.Plan({"job": al.quasi(str(jobs))}, method="noise", seed=2)
    assert plan.fit(codes).mask_one({"job": 21}, key=0)["job"] == plan.run(codes).frame["job"][0]


def test_links_that_lie_outside_the_root_are_unknown_to_a_fit() -> None:
    links = {"Koch": "cooking.n.01"}
    fitted = plan_of(links=links, unmatched="suppress").fit(table())
    assert fitted.mask_one({"job": "Koch"})["job"] is None


def test_a_saved_fit_is_private_plain_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "fitted.json"
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("child,parent\ncook,worker\ncarpenter,cook\nplumber,worker\n")
    frame = pd.DataFrame({"job": ["cook", "carpenter", "plumber"] * 5})
    plan = al.Plan({"job": al.quasi(str(jobs))}, method="noise", seed=3)
    fitted = plan.fit(frame)
    masked = list(fitted.mask(frame, start=0)["job"])
    fitted.save(path, stream=True)
    assert path.stat().st_mode & 0o777 == 0o600
    told = json.loads(path.read_text())
    assert told["format"] == 1
    assert told["columns"]["job"]["mean"] in ("cook", "worker")
    assert list(al.Fitted.load(path, resume=True).mask(frame, start=0)["job"]) == masked
    assert path.stat().st_mode & 0o777 == 0o600
    jobs.write_text("child,parent\ncook,worker\ncarpenter,cook\nplumber,worker\nsmith,worker\n")
    with pytest.raises(TableError, match="The ontology of column job has changed"):
        al.Fitted.load(path)
    jobs.write_text("child,parent\ncook,worker\ncarpenter,cook\nplumber,worker\n")
    told = json.loads(path.read_text())
    damaged = [told | {"columns": {}}, told | {"plan": "x ="}]
    damaged += [{k: v for k, v in told.items() if k != key} for key in ("plan", "columns")]
    for text in ("{", "[]", '{"format": 9}', *map(json.dumps, damaged)):
        path.write_text(text)
        with pytest.raises(TableError, match=r"fitted\.json"):
            al.Fitted.load(path)
