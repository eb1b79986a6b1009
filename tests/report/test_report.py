"""The report of a release: the summary's figures, nothing that runs or is fetched, nothing to guess by in public."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import allonym as al
from allonym import privacy
from allonym.errors import OptionError
from allonym.measures.measurement import measured
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline.demo import demonstrate, survey
from allonym.pipeline.reporting.concepts import tree
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.plan.model import Plan
from allonym.report import html, needed
from allonym.report.model import Node, Report

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")


class _Page(HTMLParser):
    """Collects the texts of a page, its tags, and what they point to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action", "data")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("demo")
    demonstrate(made)
    return made


@pytest.fixture(scope="module")
def release(folder: Path) -> al.Release:
    plan = Plan.load(folder / "plan.toml")
    return plan.run(folder / "survey.csv", folder / "again.csv")


def people() -> pd.DataFrame:
    """Return a small table whose rare values stand in no release."""
    jobs = ["cook", "baker", "smith", "welder", "nurse"] * 8
    return pd.DataFrame({
        "name": [f"person-{i:03}" for i in range(40)],
        "job": jobs,
        "town": ["Ahlen"] * 20 + ["Bonn"] * 19 + ["Zwiesel"],
        "ill": ["flu", "cough", "gout", "flu"] * 10,
    })  # fmt: skip


def plan_for(method: str, **options: object) -> al.Plan:
    columns = {"name": al.identifier(), "job": al.quasi(JOBS), "town": al.quasi("category"), "ill": al.sensitive()}
    if issubclass(METHODS[method], RecordLevelMethod):
        columns["town"] = al.keep()
    parameters = {"per_attribute": True} if issubclass(METHODS[method], ColumnwiseMethod) else {}
    return al.Plan(columns, method=method, parameters=parameters, seed=987654321, **options)


def test_figures_are_those_of_the_summary(release: al.Release) -> None:
    page = _Page(release.report.html())
    summary, shown = release.summary, set(page.texts)
    for name in ("semantic_linkage", "record_linkage"):
        told = summary["measures"][name]
        assert {html.figure(told[x]) for x in ("value", "before", "baseline")} <= shown
    assert f"{html.figure(summary['measures']['information_loss']['value'])} %" in shown
    assert f"k = {summary['privacy'][0]['reached']}" in shown
    for name, loss in summary["measures"]["information_loss"]["by_column"].items():
        assert {name, f"{loss:.1f} %"} <= shown
    assert summary["sha256"]["output"] in shown
    assert summary["sha256"]["input"] in shown
    pairs = ReleaseFacts(release).pairs
    assert privacy.k_anonymity(pairs) == summary["privacy"][0]["reached"]
    again = measured(pairs, 5, ("information_loss", "record_linkage"))
    for name, measurement in again.items():
        assert measurement.value == pytest.approx(summary["measures"][name]["value"])
        assert measurement.before == pytest.approx(summary["measures"][name]["before"])


def test_the_page_runs_nothing_and_fetches_nothing(release: al.Release) -> None:
    text = release.report.html()
    page = _Page(text)
    assert "script" not in page.tags
    assert not {"link", "iframe", "object", "embed", "img", "form"} & set(page.tags)
    assert page.links == []
    assert "default-src &#39;none&#39;" in text
    others = re.sub(r'xmlns(:xlink)?="http://www\.w3\.org/[^"]*"', "", text)
    for ontology in release.report.ontologies:  # where it comes from, as text
        others = others.replace(f"{ontology['url']}<br>", "")
    assert "http:" not in others
    assert "https:" not in others
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", others)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_report(method: str) -> None:
    release = plan_for(method).run(people())
    report = release.report
    text = report.html()
    asked = " ".join(q.question for q in report.questions)
    assert [x in asked for x in ("singled out", "linked", "inferred")] == [True] * 3
    assert METHODS[method].info.summary in text
    smallest = report.questions[0].figures[0]
    k = [x["reached"] for x in release.summary["privacy"] if x["model"] == "k-anonymity"]
    if k and not issubclass(METHODS[method], ColumnwiseMethod):
        assert smallest[2] == k[0]
        assert "Not by the masked columns" in report.questions[0].answer
    assert sum(report.sizes[0].values()) == 40
    assert sum(report.sizes[1].values()) == 40
    assert any("Combinations" in x for x in report.cautions) == (not k or issubclass(METHODS[method], ColumnwiseMethod))


def test_what_becomes_public_leaves_out_seed_values_and_groups() -> None:
    release = plan_for("sa-mdav", k=5, about={"title": "Jobs"}).run(people())
    inside, outside = release.report.html(), release.report.html(public=True)
    assert "987654321" in inside
    assert "987654321" not in outside
    assert "Zwiesel" in inside  # one person is from there
    assert "Zwiesel" not in outside
    assert "person-0" not in inside
    for what in ("Replacements", "<h2>Concepts", "Records by the size of their group"):
        assert what in inside
        assert what not in outside
    assert "for publication" in outside
    assert "internal" in inside


def test_public_hashes_are_those_nobody_can_guess_from(folder: Path, release: al.Release) -> None:
    hashes = release.summary["sha256"]
    outside = release.report.html(public=True)
    assert hashes["output"] in outside
    assert hashes["ontologies"]["wordnet"] in outside
    assert not any(x in outside for x in (hashes["input"], hashes["plan"], *hashes["links"].values()))
    assert "links.csv" not in outside


def test_only_its_owner_reads_a_report_with_values(tmp_path: Path, release: al.Release) -> None:
    release.report.save(tmp_path / "inside.html")
    release.report.save(tmp_path / "outside.html", public=True)
    assert (tmp_path / "inside.html").stat().st_mode & 0o077 == 0
    assert (tmp_path / "outside.html").stat().st_mode & 0o004
    assert (tmp_path / "inside.html").read_text("utf-8") == release.report.html()


def test_what_cells_say_stays_text() -> None:
    evil = '<script>alert("1")</script>'
    frame = people().assign(town=[evil] * 20 + ["<b>&amp;"] * 19 + ['"><img src=x onerror=y>'])
    frame = frame.rename(columns={"ill": "<i>ill"})
    columns = {"name": al.identifier(), "job": al.quasi(JOBS), "town": al.quasi("category"), "<i>ill": al.sensitive()}
    text = al.Plan(columns, k=3, about={"title": evil, "note": "<u>"}).run(frame).report.html()
    page = _Page(text)
    assert not {"script", "img", "b onerror", "u", "i"} & set(page.tags)
    assert evil in page.texts  # as it was


def test_a_report_tells_promises_and_what_is_open() -> None:
    plan = plan_for("sa-mdav", k=3, privacy=[al.Privacy("l-diversity", "ill", l=2)])
    report = plan.run(people()).report
    assert any(x.startswith("distinct l-diversity of ill") and "2 required" in x for x in report.promises)
    assert not any("nothing is required" in x for x in report.cautions)
    assert any("nothing is required" in x for x in plan_for("sa-mdav", k=3).run(people()).report.cautions)


@pytest.mark.parametrize(
    ("method", "represent", "truthful"),
    [("generalise", None, True), ("abril", None, True), ("abril", "centroid", False), ("sa-mdav", None, True),
     ("sa-mdav", "centroid", False), ("sa-mdav", "subsumer", True), ("fusion", None, False)],
)  # fmt: skip
def test_values_that_may_be_untrue_are_told(method: str, represent: str | None, truthful: bool) -> None:
    plan = replace(plan_for(method, k=3), parameters={} if represent is None else {"represent": represent})
    assert plan.method.truthful("text") == truthful
    assert any("may be untrue" in x for x in plan.run(people()).report.cautions) != truthful


@pytest.mark.parametrize(
    ("represent", "written"),
    [
        ("auto", "what all members have in common (of numbers, the mean)"),
        ("centroid", "the centroid"),
        ("subsumer", "the least common subsumer"),
        ("member", "a member"),
    ],
)
def test_report_and_codebook_say_what_is_written_for_a_group(represent: str, written: str) -> None:
    release = replace(plan_for("sa-mdav", k=3), parameters={"represent": represent}).run(people())
    assert f"writes {written}" in release.report.html()
    assert f"writes {written}" in release.codebook()["method"]["about"]


def test_a_release_without_sensitive_columns_says_so() -> None:
    columns = {"name": al.identifier(), "job": al.quasi(JOBS), "town": al.keep(), "ill": al.keep()}
    report = al.Plan(columns, k=3).run(people()).report
    assert "nothing was measured" in report.questions[2].answer
    assert report.html()


def test_what_groups_tell_of_a_sensitive_column() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4 + ["smith"] * 4, "ill": ["flu"] * 4 + ["flu", "gout", "gout", "gout"]})
    report = al.Plan({"job": al.quasi("category"), "ill": al.sensitive()}, k=4).run(frame).report
    figures = {x: (before, after, blind) for x, before, after, blind in report.questions[2].figures}
    assert figures["ill: known for certain (%)"] == (50, 50, None)
    assert figures["ill guessed right (%)"] == (87.5, 87.5, 62.5)  # 4 + 3 of 8; flu is 5 of 8
    assert figures["ill: fewest different values in a group"] == (1, 1, None)


def test_with_units_a_persons_value_counts_once_in_a_group() -> None:
    frame = pd.DataFrame({"who": list("aabbccdd"), "job": ["cook"] * 8, "ill": ["flu", "flu", "flu", "gout"] * 2})
    columns = {"who": al.unit(), "job": al.quasi("category"), "ill": al.sensitive()}
    report = al.Plan(columns, k=4).run(frame).report
    guessed = {x: after for x, _, after, _ in report.questions[2].figures}["ill guessed right (%)"]
    assert guessed == pytest.approx(100 * 4 / 6)  # flu of a, b, c, d; gout of b and d


def test_a_tree_of_concepts_leaves_out_links_with_one_branch() -> None:
    concepts = {JOBS.code(x) for x in ("baker", "welder", "smith")}
    found = tree(JOBS, concepts, {JOBS.code("baker"): 3, JOBS.code("welder"): 2}, {JOBS.code("smith"): 5})
    labels: dict[str, Node] = {}

    def walk(node: Node) -> None:
        labels[node.label] = node
        assert len(node.children) != 1 or node.own != (0, 0) or node.label in ("smith", "baker", "welder")
        for child in node.children:
            walk(child)

    walk(found)
    assert {"baker", "welder", "smith"} <= set(labels)
    assert (found.before, found.after) == (5, 5)
    assert labels["welder"].own == (2, 0)


def test_a_notebook_shows_it_in_a_frame(release: al.Release) -> None:
    shown = release.report._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<!doctype" not in shown  # escaped


def test_without_what_draws_it_a_report_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allonym.report.find_spec", lambda name: None)
    with pytest.raises(OptionError, match=r"pip install 'allonym\[report\]'"):
        needed()


def test_the_codebook_tells_what_the_release_does() -> None:
    release = plan_for("sa-mdav", k=5, about={"title": "Jobs", "decided_by": "me"}).run(people())
    book = release.codebook()
    json.dumps(book)
    assert [x["name"] for x in book["variables"]] == list(release.frame)
    assert book["dropped"] == 1
    variables = {x["name"]: x for x in book["variables"]}
    assert [variables[x]["altered"] for x in ("job", "town", "ill")] == [True, True, False]
    for name, variable in variables.items():
        counts = release.frame[name].value_counts()
        assert {x["value"]: x["records"] for x in variable["values"]} == counts.to_dict()
        assert variable["missing"] == release.frame[name].isna().sum()
    assert "concept" not in variables["job"]["values"][0]  # a hierarchy nobody published
    assert variables["job"]["ontologies"] == [{"name": "a hierarchy of its own"}]
    text = json.dumps(book)
    assert "Zwiesel" not in text
    assert "987654321" not in text
    assert "seed" not in text


def test_the_survey_has_a_codebook_with_lists_and_numbers(release: al.Release) -> None:
    assert survey().splitlines()[0].split(",")[0] == "visitor"
    variables = {x["name"]: x for x in release.codebook()["variables"]}
    assert "visitor" not in variables
    assert variables["reason"]["ontologies"][0]["version"] == "3.0"
    reasons = {x["value"]: x for x in variables["reason"]["values"]}
    assert reasons["beach"]["concept"] == "beach.n.01"
    assert sum(x["records"] for x in variables["origin"]["values"]) + variables["origin"]["missing"] == 975


def test_published_is_published(release: al.Release) -> None:
    assert isinstance(release.report, Report)
    once = release.report.published()
    assert once.public
    assert once.html() == once.html(public=True) == release.report.html(public=True)


# --- what must not leak --------------------------------------------------------------------------------------------


def test_the_codebook_of_a_long_table_names_nobody(tmp_path: Path) -> None:
    rows = [(f"alice-{i // 2}", ["cook", "baker", "smith"][i % 3]) for i in range(12)]
    (tmp_path / "in.csv").write_text("who,item\n" + "".join(f"{a},{b}\n" for a, b in rows))
    plan = al.Plan({"who": al.unit(), "item": al.quasi(JOBS, kind="set")}, k=2, long=True)
    release = plan.run(tmp_path / "in.csv", tmp_path / "out.csv")
    book = release.codebook()
    assert "alice" not in json.dumps(book)
    [who, item] = book["variables"]
    assert who == {"name": "who", "role": "unit", "altered": True, "how": "renumbered from 1", "distinct": 6}
    written = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert {x["value"] for x in item["values"]} == {line.split(",")[1] for line in written}
    assert book["units"] == 6
    assert "renumbered" in release.report.html()


def test_nothing_public_of_differential_privacy_depends_on_the_records() -> None:
    one = people()
    other = one.assign(job=["welder", *one["job"][1:]])
    plan = al.Plan(
        {"name": al.identifier(), "job": al.quasi(JOBS), "town": al.keep(), "ill": al.sensitive()},
        method="exponential", parameters={"epsilon": 0.01},
    )  # fmt: skip
    first, second = (plan.run(frame) for frame in (one, other))
    assert first.report.html(public=True) == second.report.html(public=True)
    for book in (first.codebook(), second.codebook()):
        assert "information_loss" not in json.dumps(book)


def test_what_is_public_names_no_key_no_dropped_column_and_no_hierarchy(tmp_path: Path) -> None:
    hierarchy = tmp_path / "patients_ward7.csv"
    hierarchy.write_text("cook;food;any\nbaker;food;any\nsmith;metal;any\nwelder;metal;any\nnurse;care;any\n")
    frame = people().rename(columns={"name": "ssn"})
    columns = {"ssn": al.identifier(), "job": al.quasi(str(hierarchy)), "town": al.keep(), "ill": al.keep()}
    release = al.Plan(columns, method="noise", parameters={"key": "ssn"}, seed=1).run(frame)
    told = release.report.html(public=True) + json.dumps(release.codebook())
    assert "ssn" not in told
    assert "patients_ward7" not in told
    assert release.summary["sha256"]["ontologies"]["patients_ward7"] not in told


def test_suppressed_records_are_told() -> None:
    jobs = ["cook"] * 38 + ["smith", "nurse"]
    frame = people().assign(job=jobs, town="Bonn", ill=["flu", "gout"] * 19 + ["hiv"] * 2)
    plan = plan_for("generalise", k=2)
    report = replace(plan, parameters={"suppression": 0.1}).run(frame).report
    assert "2 records were suppressed" in report.questions[0].answer
    assert any(x.startswith("Suppressed records (2)") for x in report.cautions)
    known = {x: after for x, _, after, _ in report.questions[2].figures}["ill: known for certain (%)"]
    assert known == pytest.approx(2 * 100 / 40)  # those who have no job in the release


def test_the_order_of_items_changes_no_meaning() -> None:
    frame = pd.DataFrame({"skills": ["cook;baker", "baker;cook", "baker; cook", "cook;baker"], "ill": list("abab")})
    release = al.Plan({"skills": al.quasi(JOBS, kind="set"), "ill": al.sensitive()}, k=2).run(frame)
    report = release.report
    assert report.questions[0].figures[0][1:3] == (4, 4)
    assert report.variables[0].distinct == (1, 1)
    assert report.variables[0].loss == 0
    changed = report.changed_cells[0].counts
    assert (changed.changed, changed.meaning_changed) == (3, 0)  # its text is another, its meaning is not


def test_with_units_persons_are_told() -> None:
    frame = pd.DataFrame({"who": list("aabbccdd"), "job": ["cook"] * 8, "ill": ["flu", "gout"] * 4})
    columns = {"who": al.unit(), "job": al.quasi("category"), "ill": al.sensitive()}
    report = al.Plan(columns, k=4).run(frame).report
    page = " ".join(_Page(report.html()).texts)
    assert "persons in the smallest group" in page
    assert "identical persons" in page
    assert "of the values of persons" in report.questions[2].answer


def test_lists_that_are_kept_are_in_the_codebook() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4, "tags": [["a", "b"], ["a"], [1, 2], None]})
    book = al.Plan({"job": al.quasi("category"), "tags": al.keep()}, k=2).run(frame).codebook()
    assert {x["value"]: x["records"] for x in book["variables"][1]["values"]} == {"a": 2, "b": 1, "1": 1, "2": 1}


def test_who_is_unique_is_told_to_the_steward_only(release: al.Release) -> None:
    told = release.report.unique_people
    assert told is not None
    assert told.after == "0 of 975 records are unique in 2 quasi-identifiers."
    assert told.before == "118 of 975 records are unique in 2 quasi-identifiers."
    assert told.combinations == [("reason + activity", 94, 0), ("activity", 15, 0), ("reason", 10, 0)]
    assert sorted(told.columns) == [
        ("activity", pytest.approx(100 * 109 / 119), 10),
        ("reason", pytest.approx(100 * 104 / 119), 15),
    ]
    assert "Who is unique, and why" in release.report.html()
    public = release.report.published()
    assert public.unique_people is None
    assert "Who is unique" not in public.html()
    assert "reason + activity" not in public.html()


def test_who_is_unique_after_noise_is_told_and_weights_estimate_the_population() -> None:
    people = pd.DataFrame({"age": [*range(20, 60), *range(20, 60)], "weight": [25] * 80})
    plan = al.Plan({"age": al.quasi("numeric"), "weight": al.weight()}, k=4, seed=1)
    told = plan.run(people).report.unique_people
    assert told is not None
    assert told.population[0].startswith("k-map 100: every record fits at least 100 of 2,000 people (estimated")
    words = pd.DataFrame({"job": ["nurse", "cook", "baker", "smith", "cook", "farmer"] * 2})
    job = al.quasi("wordnet:person", accept_review=True)
    noisy = al.Plan({"job": job}, method="noise", seed=1).run(words)
    after = noisy.report.unique_people
    assert after is not None
    singles = int((noisy.frame["job"].value_counts() == 1).sum())
    assert after.after.startswith(f"{singles} of 12 records")
    assert sum(now for _, _, now in after.combinations) == singles


def test_without_a_promise_the_strongest_attacker_heads_the_report() -> None:
    jobs = ["cook", "baker", "nurse", "surgeon", "clerk", "teller"] * 10
    plan = al.Plan({"job": al.quasi("wordnet:person", accept_review=True)}, method="swap", seed=1)
    page = plan.run(pd.DataFrame({"job": jobs})).report.html()
    first = page.split('<div class="card">')[1]
    assert "linked by the strongest attacker" in first
    assert "No k is promised" in first
    assert "No k-anonymity is promised" in page
