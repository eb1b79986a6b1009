"""Plans: checked when made, there and back as TOML, every problem at once."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import allonym as al
from allonym.errors import OutputError, PlanError
from allonym.plan import toml
from allonym.tables.files import Reading

JOBS = Path(__file__).parents[1] / "data" / "mini-jobs.csv"


def problems(columns: dict[str, al.Column] | None = None, **options: object) -> list[str]:
    with pytest.raises(PlanError) as caught:
        al.Plan({"job": al.quasi("category")} if columns is None else columns, **options)
    return [str(x) for x in caught.value.problems]


def test_every_problem_of_a_plan_is_told_at_once() -> None:
    columns = {
        "job": al.quasi("wordnet", similarity="wu-palmr", weight=0),
        "size": al.quasi("ordinal"),
        "age": al.Column("quazi"),
        "a": al.unit(),
        "b": al.unit(),
    }
    told = problems(columns, method="mdv", k=1, seed=-1)
    assert len(told) == 8
    for part in (
        "column job: unknown similarity 'wu-palmr'. Hint: did you mean 'wu-palmer'?",
        "column job: weight is 0; it must be above 0",
        "column size: an ordinal column needs its levels",
        "column age: unknown role 'quazi'. Hint: did you mean 'quasi'?",
        "2 columns have the role unit",
        "unknown method 'mdv'. Hint: did you mean 'mdav'?",
        "k is 1; it must be at least 2",
        "seed is -1; it must be at least 0",
    ):
        assert any(part in problem for problem in told), part


def test_a_plan_needs_a_quasi_identifier_and_k_once() -> None:
    assert "no column has the role quasi" in problems({"a": al.keep()})[0]
    assert "k is given twice" in problems(method=al.MDAV(k=3), k=3)[0]
    assert "unknown parameter 'growth'" in problems(method="mdav", parameters={"growth": "plain"})[0]
    assert "k is given in the parameters of the method" in problems(parameters={"k": 3})[0]
    assert "k must be a whole number" in problems(k=2.5)[0]
    assert "unknown growth 'wild'. Hint: Known: plain, weighted" in problems(method=al.SAMDAV(growth="wild"))[0]
    assert "unknown growth 'wild'" in problems(method="sa-mdav", parameters={"growth": "wild"})[0]
    assert al.Plan({"job": al.quasi("category")}, method=al.MDAV(k=3)).method == al.MDAV(k=3)
    assert al.Plan({"job": al.quasi("category")}).method == al.SAMDAV(k=5, growth="plain")
    assert al.Plan({"job": al.quasi("category")}, method="mode").method == al.MDAV()


def test_options_that_do_not_apply_are_refused() -> None:
    for column, problem in (
        (al.Column("keep", kind="numeric"), "a column with role keep takes no other option"),
        (al.Column("quasi", kind="numeric", root="person"), "root does not apply to a column of kind numeric"),
        (al.quasi("wordnet", links=["x.csv", "y.csv"]), "there are 2 links files for 1 ontologies"),
        (al.quasi("category", levels=["x"]), "levels does not apply to a column of kind category"),
    ):
        assert problem in problems({"a": column, "b": al.quasi()})[0]


FULL = al.Plan(
    {
        "who": al.unit(),
        'odd "name"': al.identifier(),
        "job": al.quasi("wordnet:person", links="job.links.csv", similarity="lin", senses="first", weight=2.5),
        "trade": al.quasi(["wordnet", str(JOBS)], unmatched="opaque", accept_review=True, language="de"),
        "size": al.quasi("ordinal", levels=["s", "m", "l"]),
        "grade": al.quasi("ordinal:grades.txt"),
        "age": al.quasi("numeric"),
        "sex": al.quasi("category"),
        "town": al.quasi(),
        "illness": al.sensitive("wordnet", root="illness", depth="edges"),
        "w": al.weight(),
        "rest": al.keep(),
    },
    k=7,
    seed=11,
    keep_rest=True,
    about={"title": "T", "purpose": "P", "decided_by": "D", "note": 'N "quoted"\nline'},
    reading=Reading(encoding="latin-1", delimiter=";", header=False),
    missing=("", "none"),
)


def test_a_plan_comes_back_from_toml_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    replace(FULL, folder=tmp_path).save(path)
    again = al.Plan.load(path)
    assert again.columns == FULL.columns
    assert again.method == FULL.method
    for name in ("seed", "keep_rest", "about", "reading"):
        assert getattr(again, name) == getattr(FULL, name)
    assert tuple(again.missing) == FULL.missing
    assert again.folder == tmp_path
    again.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_text() == path.read_text()


def test_ontologies_given_as_objects_are_saved_by_name(tmp_path: Path) -> None:
    plan = al.Plan({"job": al.quasi(al.wordnet("person")), "trade": al.quasi(al.read_taxonomy(JOBS))})
    plan.save(tmp_path / "plan.toml")
    columns = al.Plan.load(tmp_path / "plan.toml").columns
    assert columns["job"].ontology == ("wordnet:person.n.01",)
    assert columns["trade"].ontology == (str(JOBS),)
    here = al.Plan({"job": al.quasi("jobs.obo", links="job.links.csv"), "size": al.quasi("ordinal:sizes.txt")})
    (tmp_path / "sub").mkdir()
    replace(here, folder=tmp_path).save(tmp_path / "sub" / "plan.toml")
    moved = al.Plan.load(tmp_path / "sub" / "plan.toml").columns
    assert moved["job"].ontology == ("../jobs.obo",)
    assert moved["job"].links == ("../job.links.csv",)
    assert moved["size"].levels == "../sizes.txt"
    unnamed = al.Plan({"job": al.quasi("wordnet", links={"a": "dog"})})
    with pytest.raises(PlanError, match="links given as a mapping cannot be saved"):
        unnamed.save(tmp_path / "no.toml")
    assert not (tmp_path / "no.toml").exists()


BAD = """
format = 2
colums = 1
[release]
titel = "x"
[method]
name = "mode"
k = "five"
growth = "plain"
[file]
header = "no"
[columns.job]
role = "quasi"
ontologie = "wordnet"
weight = "heavy"
[columns.age]
kind = "numeric"
[columns]
town = "quasi"
"""


def test_every_problem_of_a_plan_file_is_told_at_once_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(BAD)
    with pytest.raises(PlanError) as caught:
        al.Plan.load(path)
    told = str(caught.value)
    for part in (
        str(path),
        "format must be 1",
        "unknown key 'colums'. Hint: did you mean 'columns'?",
        "release: unknown key 'titel'. Hint: did you mean 'title'?",
        "k must be a whole number",
        "unknown parameter 'growth'",
        "header must be true or false",
        "column job: unknown key 'ontologie'. Hint: did you mean 'ontology'?",
        "weight must be a number",
        "column age: the column has no role",
        "column town: a column must be a table",
    ):
        assert part in told, part


@pytest.mark.parametrize(("text", "part"), [("= 1", "is not valid TOML"), ("\udcff", "is not valid TOML")])
def test_what_is_no_toml_is_an_error(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(PlanError, match=part):
        al.Plan.load(path)
    with pytest.raises(PlanError, match="cannot be read"):
        al.Plan.load(tmp_path / "nothing.toml")


def test_pinning_links_keeps_comments(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('# mine\nformat = 1\n[columns.job]  # jobs\nrole = "quasi"\n[columns]\nage = { role = "keep" }\n')
    toml.pin_links(path, {"job": ["job.links.csv"]})
    assert "# mine" in path.read_text()
    assert "# jobs" in path.read_text()
    assert al.Plan.load(path).columns["job"].links == ("job.links.csv",)


# --- meeting a table -----------------------------------------------------------------------------------------------


def refused(plan: al.Plan, frame: pd.DataFrame) -> PlanError:
    with pytest.raises(PlanError) as caught:
        plan.run(frame)
    assert list(map(str, plan.check(frame).problems)) == list(map(str, caught.value.problems))
    return caught.value


def test_columns_without_a_role_and_roles_without_a_column_are_named_all() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4, "x": 1, "y": 2})
    plan = al.Plan({"job": al.quasi("category"), "gone": al.keep(), "lost": al.keep()}, k=2)
    told = [str(x) for x in refused(plan, frame).problems]
    assert any("2 columns of the plan not in the table: gone, lost. Hint: " in x for x in told)
    assert any("2 columns without a role: x, y." in x and "--keep-rest" in x for x in told)


def test_names_that_repeat_are_dropped() -> None:
    frame = pd.DataFrame({"first name": ["ann", "bob", "ann", "cid"], "born": ["1980-01-02"] * 4, "job": ["cook"] * 4})
    plan = al.Plan({x: al.identifier() for x in ("first name", "born")} | {"job": al.quasi("category")}, k=4)
    release = plan.run(frame)
    assert list(release.frame) == ["job"]
    assert ["values of first name, born repeat" in x for x in release.summary["cautions"]] == [True]
    shared = pd.DataFrame({"first name": ["ann", "bob"] * 30, "job": ["cook"] * 60})
    assert (
        al.Plan({"first name": al.identifier(), "job": al.quasi("category")}, k=4).run(shared).summary["cautions"] == []
    )


def test_record_numbers_that_repeat_need_a_unit_or_a_word_that_rows_are_persons() -> None:
    frame = pd.DataFrame({"id": list("abac"), "ssn": ["123-45-6789", "219-09-9998"] * 2, "job": ["cook"] * 4})
    columns = {"id": al.identifier(), "ssn": al.identifier(), "job": al.quasi("category")}
    error = refused(al.Plan(columns, k=2), frame)
    assert [x.code for x in error.problems] == ["repeated-identifier"]  # asked once
    assert "2 values occur more than once in id, ssn" in str(error)
    assert "--unit COLUMN" in str(error)
    assert "--rows-are-persons" in str(error)
    release = al.Plan(columns, k=2, rows_are_persons=True).run(frame)
    assert any("every row counts as another person" in x for x in release.summary["cautions"])
    assert al.Plan({"id": al.unit(), "ssn": al.identifier(), "job": al.quasi("category")}, k=2).run(frame)


def test_an_identifier_that_comes_again_needs_a_unit() -> None:
    frame = pd.DataFrame({"name": ["ann", "bob", "ann", "cid"], "job": ["cook"] * 4})
    unit = al.Plan({"name": al.unit(), "job": al.quasi("category")}, k=3)
    assert unit.run(frame).summary["privacy"][0]["reached"] == 3
    frame["id"] = ["1", "2", "1", "3"]
    both = al.Plan({"name": al.unit(), "id": al.identifier(), "job": al.quasi("category")}, k=3)
    assert list(both.run(frame).frame) == ["job"]


def test_rows_that_do_not_say_who_and_weights_that_are_none_are_problems() -> None:
    frame = pd.DataFrame({"who": ["a", None, "c"], "job": ["cook"] * 3, "w": ["1", "x", "-2"]})
    plan = al.Plan({"who": al.unit(), "job": al.quasi("category"), "w": al.weight()}, k=2)
    told = [str(x) for x in refused(plan, frame).problems]
    assert any("1 row has an empty value in the unit column" in x for x in told)
    assert any("2 survey weights not a number, or below 0" in x for x in told)


def test_words_to_review_and_not_understood_are_refused_unless_accepted() -> None:
    frame = pd.DataFrame({"job": ["cook", "blue smith", "zzz", "cook"]})
    jobs = al.read_taxonomy(JOBS)
    error = refused(al.Plan({"job": al.quasi(jobs)}, k=2), frame)
    assert "column job: 1 value (1 cell) is to be reviewed" in str(error.problems[0])
    assert "column job: 1 value (1 cell) is not understood" in str(error.problems[1])
    assert "zzz" not in str(error)
    assert set(error.values) == {"blue smith", "zzz"}
    accepted = al.Plan({"job": al.quasi(jobs, accept_review=True, unmatched="opaque")}, k=2)
    assert accepted.run(frame).frame["job"].notna().sum() >= 2
    links, centroid = {"blue smith": "smith", "zzz": "cook"}, {"represent": "centroid"}
    settled = al.Plan({"job": al.quasi(jobs, links=links)}, k=2, parameters=centroid)
    assert set(settled.run(frame).frame["job"]) == {"cook"}


def test_suppressed_words_become_null_and_are_counted() -> None:
    frame = pd.DataFrame({"job": ["cook", "cook", "zzz", "yyy", "xxx"]})
    plan = al.Plan({"job": al.quasi(al.read_taxonomy(JOBS), unmatched="suppress")}, k=2)
    release = plan.run(frame)
    assert release.frame["job"].isna().tolist() == [False, False, True, True, True]
    assert release.summary["privacy"][0]["reached"] == 2
    assert release.summary["suppressed_cells"] == {"job": 3}
    assert release.summary["tuples"]["before"] == 4  # cook, zzz, yyy, xxx
    centre = 2 * 0 + 3 * 1  # Σ d² to cook, the centroid of all: unknown words are 1 away
    assert release.summary["measures"]["information_loss"]["value"] == pytest.approx(100 * 3 / centre)
    assert release.summary["measures"]["record_linkage"]["before"] == pytest.approx(100 * 4 / 5)


def test_a_check_tells_coverage_review_suggestions_and_risk() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 3 + ["cok", "blue smith", None], "age": [20, 20, 20, 30, 40, 40]})
    plan = al.Plan({"job": al.quasi(al.read_taxonomy(JOBS)), "age": al.quasi("numeric")}, k=2)
    found = plan.check(frame)
    assert not found.ready
    job, age = found.columns
    assert (job.cells("sure"), job.cells("review"), job.cells("unmatched")) == (3, 1, 1)
    assert [x.value for x in job.review] == ["blue smith"]
    assert [(x.value, x.suggestions[0]) for x in job.unmatched] == [("cok", "cook")]
    assert (age.kind, age.distinct) == ("numeric", 3)
    risk = found.risk
    assert risk is not None
    assert (risk.tuples, risk.unique, risk.smallest, risk.largest, risk.below) == (4, 3, 1, 3, 3)
    assert risk.linkage == pytest.approx(100 * 4 / 6)
    told = found.to_dict(hide_values=True)
    assert "cok" not in str(told)
    assert told["columns"][0]["cells"] == {"sure": 3, "review": 1, "unmatched": 1}


def test_pinned_links_understand_next_years_file_the_same_way_and_list_what_is_new(tmp_path: Path) -> None:
    this, path = tmp_path / "this.csv", tmp_path / "plan.toml"
    this.write_text("job\ncook\ncook\nblue smith\n")
    al.Plan({"job": al.quasi(str(JOBS))}, k=2).save(path)
    written = al.Plan.load(path).check(this).pin(path)
    assert [x.name for x in written] == ["job.links.csv"]
    plan = al.Plan.load(path)
    assert plan.columns["job"].links == ("job.links.csv",)
    assert not plan.check(this).ready  # nobody has looked at it yet
    reviewed = (tmp_path / "job.links.csv").read_text().replace('"review"', '"sure"')
    (tmp_path / "job.links.csv").write_text(reviewed)
    assert plan.check(this).ready
    later = tmp_path / "later.csv"
    later.write_text("job\nwelder\nblue smith\nblue smith\n")
    found = plan.check(later)
    assert [x.value for x in found.columns[0].new] == ["welder"]
    assert found.ready
    found.pin(path)
    assert "cook" in (tmp_path / "job.links.csv").read_text()  # what was settled for this year stays


def test_pinning_goes_to_the_file_the_plan_names_and_over_no_other(tmp_path: Path) -> None:
    data, path = tmp_path / "data.csv", tmp_path / "plan.toml"
    data.write_text("job\ncook\ncook\nwelder\n")
    (tmp_path / "mine.csv").write_text("value,concept\ncook,baker\n")
    al.Plan({"job": al.quasi(str(JOBS), links="mine.csv")}, k=2, folder=tmp_path).save(path)
    assert [x.name for x in al.Plan.load(path).check(data).pin(path)] == ["mine.csv"]
    assert al.Plan.load(path).columns["job"].links == ("mine.csv",)
    assert '"cook","2","baker"' in (tmp_path / "mine.csv").read_text()
    al.Plan({"job": al.quasi(str(JOBS))}, k=2, folder=tmp_path).save(path)
    (tmp_path / "job.links.csv").write_text("value,concept\ncook,baker\n")
    with pytest.raises(OutputError, match="exists already, and the plan does not name it"):
        al.Plan.load(path).check(data).pin(path)
    assert (tmp_path / "job.links.csv").read_text() == "value,concept\ncook,baker\n"


def test_typos_in_python_are_told_like_those_in_a_file() -> None:
    with pytest.raises(PlanError, match=r"unknown option 'senes'\. Hint: did you mean 'senses'"):
        al.quasi("wordnet", senes="first")
    assert "column job: a column must be a role such as" in problems({"job": "quasi", "age": al.quasi()})[0]


def test_a_check_tells_itself_without_values() -> None:
    frame = pd.DataFrame({"job": ["cook", "cook", "zzz"]})
    told = str(al.Plan({"job": al.quasi(al.read_taxonomy(JOBS))}, k=2).check(frame))
    assert "Not ready:" in told
    assert "job: cells 2 sure, 0 review, 1 unmatched" in told
    assert "zzz" not in told


def test_a_column_linked_by_code_is_written_in_codes() -> None:
    animals = al.read_taxonomy(JOBS.parent / "mini-animals.obo")
    ids = [animals.ids[animals.code(x)] for x in ("parrot", "cat")]
    frame = pd.DataFrame({"animal": [ids[0]] * 2 + [ids[1]]})
    release = al.Plan({"animal": al.quasi(animals)}, k=3, parameters={"represent": "centroid"}).run(frame)
    assert set(release.frame["animal"]) <= set(animals.ids)


def test_replacements_are_told_most_frequent_first() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 5 + ["smith"] + ["vicar"] * 2})
    release = al.Plan({"job": al.quasi("category")}, k=4).run(frame)
    assert sum(n for _, _, n in release.replacements("job")) == (release.frame["job"] != frame["job"]).sum()


def test_links_nobody_has_looked_at_stay_so_however_often_they_are_pinned(tmp_path: Path) -> None:
    data, path = tmp_path / "data.csv", tmp_path / "plan.toml"
    data.write_text("job\ncook\ncook\nblue smith\nzzz\n")
    al.Plan({"job": al.quasi(str(JOBS), unmatched="opaque")}, k=2, folder=tmp_path).save(path)
    al.Plan.load(path).check(data).pin(path)
    first = (tmp_path / "job.links.csv").read_text()
    for _ in range(2):
        found = al.Plan.load(path).check(data)
        assert not found.ready
        assert found.columns[0].new == []
        found.pin(path)
    assert (tmp_path / "job.links.csv").read_text() == first
    noted = first.replace("\n", ',"mine"\n').replace('"proposed","mine"', '"proposed","note"')
    (tmp_path / "job.links.csv").write_text(noted)
    al.Plan.load(path).check(data).pin(path)
    assert (tmp_path / "job.links.csv").read_text() == noted  # columns of others stay


def test_each_policy_is_its_own() -> None:
    frame = pd.DataFrame({"job": ["cook", "blue smith", "zzz", "cook"]})
    jobs = al.read_taxonomy(JOBS)
    [told] = map(str, refused(al.Plan({"job": al.quasi(jobs, unmatched="opaque")}, k=2), frame).problems)
    assert "to be reviewed" in told
    [told] = map(str, refused(al.Plan({"job": al.quasi(jobs, accept_review=True)}, k=2), frame).problems)
    assert "not understood" in told


def test_a_blend_is_reviewed_and_pinned_ontology_by_ontology(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("child,parent\ncook,staff\nsmith,staff\n")
    (tmp_path / "b.csv").write_text("child,parent\nnurse,people\ncook,people\n")
    data, path = tmp_path / "data.csv", tmp_path / "plan.toml"
    data.write_text("job\ncook\nblue nurse\nsmith\nzzz\n")
    al.Plan({"job": al.quasi(["a.csv", "b.csv"], combine="blend")}, k=2, folder=tmp_path).save(path)
    found = al.Plan.load(path).check(data)
    [job] = found.columns
    assert [x.value for x in job.review] == ["blue nurse"]  # only the second ontology has it
    assert [x.value for x in job.unmatched] == ["zzz"]
    found.pin(path)
    plan = al.Plan.load(path)
    assert plan.columns["job"].links == ("job-1.links.csv", "job-2.links.csv")
    data.write_text("job\ncook\ncook\nbaker\n")
    assert [x.value for x in plan.check(data).columns[0].new] == ["baker"]
    release = al.Plan.load(path)
    hashes = replace(release, columns={"job": replace(release.columns["job"], unmatched="opaque")}).run(
        data, tmp_path / "out.csv"
    )
    assert set(hashes.summary["sha256"]["links"]) == {"job-1.links.csv", "job-2.links.csv"}


def test_two_columns_never_share_a_links_file(tmp_path: Path) -> None:
    data, path = tmp_path / "data.csv", tmp_path / "plan.toml"
    data.write_text("a b,a_b\ncook,cook\n")
    al.Plan({"a b": al.quasi(str(JOBS)), "a_b": al.quasi(str(JOBS))}, k=2, folder=tmp_path).save(path)
    with pytest.raises(OutputError, match="Two columns would have the links file"):
        al.Plan.load(path).check(data).pin(path)


def test_risk_counts_persons_where_there_are_units() -> None:
    frame = pd.DataFrame({"who": list("aaabcd"), "job": ["cook", "cook", "cook", "smith", "smith", "smith"]})
    risk = al.Plan({"who": al.unit(), "job": al.quasi("category")}, k=2).check(frame).risk
    assert risk is not None
    assert (risk.units, risk.unique, risk.smallest, risk.largest, risk.below) == (4, 1, 1, 3, 3)


def test_codes_stay_codes_when_links_are_pinned(tmp_path: Path) -> None:
    (tmp_path / "icd.csv").write_text("id,parent,label\nA,,all\nA1,A,flu\nA2,A,cold\nA3,A,cough\n")
    data, path = tmp_path / "data.csv", tmp_path / "plan.toml"
    data.write_text("dx\n" + "A1\nA2\nA3\n")
    centroid = {"represent": "centroid"}
    al.Plan({"dx": al.quasi("icd.csv")}, k=3, folder=tmp_path, parameters=centroid).save(path)
    al.Plan.load(path).run(data, tmp_path / "one.csv")
    al.Plan.load(path).check(data).pin(path)
    al.Plan.load(path).run(data, tmp_path / "two.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert set((tmp_path / "one.csv").read_text().split()) <= {"dx", "A", "A1", "A2", "A3"}


@pytest.mark.parametrize("given", ['keep_rest = "no"', "keep_rest = 1", "format = true", "columns = 3"])
def test_top_level_keys_have_types(tmp_path: Path, given: str) -> None:
    path = tmp_path / "plan.toml"
    rest = "" if given.startswith("columns") else '[columns.job]\nrole = "quasi"\n'
    path.write_text(f"{'' if 'format' in given else 'format = 1'}\n{given}\n{rest}")
    with pytest.raises(PlanError, match="must be"):
        al.Plan.load(path)
    with pytest.raises(PlanError, match="keep_rest must be"):
        al.Plan({"job": al.quasi()}, keep_rest="no")


def test_plans_with_a_mark_or_other_line_ends_are_read_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b'\xef\xbb\xbfformat = 1\r\n[columns.job]\r\nrole = "quasi"\r\n')
    assert list(al.Plan.load(path).columns) == ["job"]
    toml.pin_links(path, {"job": ["job.links.csv"]})
    assert b'role = "quasi"\r\n' in path.read_bytes()
    assert al.Plan.load(path).columns["job"].links == ("job.links.csv",)


def test_a_frame_is_not_written() -> None:
    with pytest.raises(OutputError, match="returned, not written"):
        al.Plan({"job": al.quasi("category")}, k=2).run(pd.DataFrame({"job": ["cook"] * 2}), "out.csv")


def test_thousands_and_decimals_are_not_mixed_up() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 3, "w": ["1,234", "2", "3"]})
    told = [str(x) for x in refused(al.Plan({"job": al.quasi("category"), "w": al.weight()}, k=2), frame).problems]
    assert "1 survey weight not a number" in told[0]
    zero = frame.assign(w="0")
    told = [str(x) for x in refused(al.Plan({"job": al.quasi("category"), "w": al.weight()}, k=2), zero).problems]
    assert "all survey weights are 0" in told[0]


def test_weighted_loss_is_that_of_the_rows_written() -> None:
    frame = pd.DataFrame({"a": ["x"] * 5 + ["y"] * 4, "w": [1.0, 1, 1, 1, 100] + [30.0] * 4})
    release = al.Plan({"a": al.quasi("category"), "w": al.weight()}, k=4).run(frame)
    lost = frame["w"][frame["a"] != release.frame["a"]].sum()
    weight = {value: frame["w"][frame["a"] == value].sum() for value in "xy"}
    total = frame["w"].sum() - max(weight.values())
    assert release.summary["measures"]["information_loss"]["value"] == pytest.approx(100 * lost / total)


def release_has(release: Any, column: str, text: str) -> bool:
    """Tell whether a text is in a cell of a release, also as a part."""
    return any(text in str(cell) for cell in release.frame[column].dropna())


@pytest.mark.parametrize(
    ("frame", "columns"),
    [
        ({"who": ["p0"] * 9 + [f"p{i}" for i in range(1, 6)], "v": [987654.0] * 9 + [None] * 5}, {"who": al.unit()}),
        ({"w": [0.0, 0, 3, 0, 0], "v": [1000.0, 1200, 987654, 1100, 1300]}, {"w": al.weight()}),
        ({"v": [987654.0, None, None, 987654.0, None]}, {}),
    ],
    ids=["one person", "one weight", "two of five"],
)
def test_a_number_that_few_hold_is_never_written_as_it_stands(
    frame: dict[str, list[object]], columns: dict[str, al.Column]
) -> None:
    for represent in ("centroid", "auto", "truthful"):
        plan = al.Plan({"v": al.quasi("numeric"), **columns}, k=5, parameters={"represent": represent})
        assert not release_has(plan.run(pd.DataFrame(frame)), "v", "987654")


def test_a_mean_is_that_of_several_persons() -> None:
    frame = pd.DataFrame({"who": ["p0"] * 9 + list("abcd"), "v": [float(100 + i) for i in range(9)] + [None] * 4})
    plan = al.Plan({"who": al.unit(), "v": al.quasi("numeric")}, k=5, parameters={"represent": "centroid"})
    assert plan.run(frame).frame["v"].isna().all()  # the mean would be that of one person's numbers
    frame.loc[9, "v"] = 300.0
    assert plan.run(frame).frame["v"].notna().all()


def test_a_hierarchy_of_ranges_makes_ranges_of_numbers(tmp_path: Path) -> None:
    (tmp_path / "ages.csv").write_text("20;20-29;*\n27;20-29;*\n31;30-39;*\n38;30-39;*\n")
    plan = al.Plan({"age": al.quasi("ages.csv")}, k=2, parameters={"represent": "subsumer"}, folder=tmp_path)
    release = plan.run(pd.DataFrame({"age": ["20", "27", "31", "38"]}))
    assert release.frame["age"].tolist() == ["20-29", "20-29", "30-39", "30-39"]


def test_plan_holds_its_method_once() -> None:
    columns = {"job": al.quasi("category")}
    plan = al.Plan(columns, k=3, parameters={"growth": "weighted"})
    assert plan.method is plan.method
    assert replace(plan, k=4).method == al.SAMDAV(k=4, growth="weighted")
    assert replace(plan, parameters={}).method == al.SAMDAV(k=3)
    assert replace(plan, method="fusion", parameters={}).method == al.Fusion(k=3)
    by_object = al.Plan(columns, method=al.MDAV(k=3))
    assert replace(by_object, seed=1).method is by_object.method
    with pytest.raises(PlanError, match="given twice"):
        replace(by_object, k=4)
    assert pickle.loads(pickle.dumps(plan)) == plan
    with pytest.warns(DeprecationWarning, match=r"plan\.method"):
        assert plan.chosen is plan.method
