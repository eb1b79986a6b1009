"""Tables in the docs are what the commands behind them compute."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from shared import DATA, needs

DOCS = Path(__file__).parents[1] / "docs"


@needs(DATA / "similarity" / "EN-MC-30.txt")
def test_correlations_with_human_judgement_are_up_to_date() -> None:
    import judgements

    assert judgements.table() in (DOCS / "measures" / "similarity.md").read_text("utf-8")


@needs(DATA / "similarity" / "EN-MC-30.txt")
def test_correlations_are_those_found_independently() -> None:
    """Pearson's r on M&C-30, found independently: path .64, L&C .78, W&P .74, corpus Resnik .82, Lin .85, J&C .88."""
    import judgements
    from scipy.stats import pearsonr

    t, pairs = judgements.bundled(), judgements.read("EN-MC-30.txt")
    judged = [p[2] for p in pairs]
    expected = {"path": 0.64, "leacock-chodorow": 0.78, "wu-palmer": 0.74}
    for measure, published in expected.items():
        assert round(float(pearsonr(judgements.closest(t, pairs, measure), judged)[0]), 2) == published
    for measure, published in {"resnik": 0.82, "lin": 0.85, "jiang-conrath": 0.88}.items():
        got = judgements.closest(t, pairs, measure, content="corpus")
        assert round(float(pearsonr(got, judged)[0]), 2) == published


@needs(DATA / "words" / "gold_dev.csv")
def test_links_of_labelled_columns_keep_their_quality_and_the_page_says_so() -> None:
    import linking_quality

    _, total, _ = linking_quality.measure()
    values, cells = total.values, total.cells
    assert values["sure right"] / values["sure"] >= 0.96
    assert cells["sure right"] / cells["sure"] >= 0.96
    assert cells["sure of concept"] / cells["has concept"] >= 0.55
    assert values["found"] / values["has concept"] >= 0.78
    assert values["merged"] == 0
    assert linking_quality.table() in (DOCS / "ontologies" / "linking.md").read_text("utf-8")


@needs(DATA / "words" / "gold_dev.csv")
def test_the_weights_of_the_confidence_were_fitted_to_the_labelled_columns() -> None:
    import linking_quality

    from allonym.ontology.linking.confidence import WEIGHTS

    assert linking_quality.fitted() == pytest.approx(WEIGHTS, abs=0.3)


@needs(DATA / "taxonomies" / "doid_2019-03-07.obo.gz")
def test_judged_links_keep_their_precision_and_the_page_says_so() -> None:
    import linking_judged

    judged = correct = 0
    for name, (_, values, scope) in linking_judged.columns().items():
        measured = linking_judged.quality(name, values, scope)
        with (linking_judged.JUDGED / f"{name}.csv").open(encoding="utf-8") as file:
            assert [row["value"] for row in csv.DictReader(file)] == linking_judged.sample(values)
        judged += measured.judged["sure"]
        correct += measured.correct["sure"]
    assert judged >= 100
    assert correct / judged >= 0.93
    assert linking_judged.table() in (DOCS / "ontologies" / "linking.md").read_text("utf-8")


@needs(DATA / "esco" / "occupations_en.csv")
def test_synonyms_left_out_of_esco_are_found_and_the_page_says_so() -> None:
    import linking_held_out

    total, ambiguous = linking_held_out.measure("ESCO")
    both = total + ambiguous
    assert total["group"] / total["all"] >= 0.82
    assert total["sure group"] / total["sure"] >= 0.97
    assert total["sure"] / total["all"] >= 0.38
    assert both["group"] / both["all"] >= 0.78
    assert both["sure group"] / both["sure"] >= 0.95
    assert linking_held_out.row("ESCO", total) in (DOCS / "ontologies" / "linking.md").read_text("utf-8")


PAGES = sorted([*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md"), DOCS.parent / "src/allonym/data/README.md"])


def each_page(pages: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda p: str(p.relative_to(DOCS.parent)))


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page(PAGES)
def test_links_lead_to_a_page_and_a_heading(page: Path) -> None:
    broken = []
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)", page.read_text("utf-8")):
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(f"{target}#{anchor}")
    assert broken == []


@each_page(PAGES)
def test_files_of_the_project_that_a_page_names_exist(page: Path) -> None:
    root = DOCS.parent
    named = re.findall(r"`((?:src|tests|benchmarks|tools|browser|fuzz)/[\w./-]+)`", page.read_text("utf-8"))
    assert [path for path in named if not (root / path).exists()] == []


@each_page(PAGES)
def test_papers_are_cited_by_author(page: Path) -> None:
    assert re.findall(r"\bP[0-4]\b", page.read_text("utf-8")) == []


PAGES_WITH_CODE = [
    "README.md",
    "docs/inspect.md",
    "docs/methods/pram.md",
    "docs/measures/similarity.md",
    "docs/methods/exponential.md",
    "docs/ontologies/catalog.md",
    "docs/ontologies/food-and-products.md",
    "docs/ontologies/general-words.md",
    "docs/ontologies/index.md",
    "docs/ontologies/places.md",
    "docs/ontologies/other-languages.md",
    "docs/ontologies/work.md",
    "docs/ontologies/several.md",
    "docs/studio.md",
]


@pytest.mark.parametrize("page", PAGES_WITH_CODE)
def test_code_in_the_docs_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root = DOCS.parent
    monkeypatch.chdir(root)
    blocks = re.findall(r"```python\n(.*?)```", (root / page).read_text("utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})


def test_what_the_product_tells_of_itself_is_up_to_date(tmp_path: Path) -> None:
    import update_docs

    readme = (DOCS.parent / "README.md").read_text("utf-8")
    assert update_docs.before_and_after(tmp_path) in readme
    assert update_docs.screen(tmp_path) in readme
    assert update_docs.true_or_near(tmp_path) in (DOCS / "which-method.md").read_text("utf-8")
    methods = (DOCS / "methods" / "index.md").read_text("utf-8")
    assert update_docs.kinds() in methods
    assert update_docs.parameters() in methods
    assert update_docs.catalog() in (DOCS / "ontologies" / "catalog.md").read_text("utf-8")
    assert update_docs.threats() in (DOCS / "attackers.md").read_text("utf-8")
    plan = (DOCS / "plan.md").read_text("utf-8")
    assert update_docs.column_keys() in plan
    assert update_docs.other_keys() in plan


def test_the_reference_of_public_names_is_complete() -> None:
    import allonym as al
    import python_reference

    listed = [name for names in python_reference.GROUPS.values() for name in names]
    assert sorted(listed) == sorted(al.__all__)
    assert python_reference.reference() in (DOCS / "python.md").read_text("utf-8"), "run: python tools/update_docs.py"


def test_attackers_name_tests_that_exist() -> None:
    from allonym.pipeline.reporting.threats import THREATS

    named = {name for x in THREATS for name in re.findall(r"test_\w+\.py", x.evidence)}
    tests = {path.name for path in (DOCS.parent / "tests" / "attacks").glob("test_*.py")}
    assert named <= tests
    assert tests - named == {"test_hostile_files.py", "test_permissions.py"}  # attacks on the machine, not on a release


def test_every_method_has_a_page_with_a_table_of_its_parameters() -> None:
    import update_docs

    from allonym.methods import METHODS

    documented = []
    for page in update_docs.METHOD_PAGES:
        for mark, table in update_docs.parameters_of_page(page).items():
            assert f"<!-- {mark}: begin -->\n{table}<!-- {mark}: end -->" in page.read_text("utf-8"), page.name
            documented += mark.removeprefix("parameters of ").split(", ")
    assert sorted(documented) == sorted(METHODS)


def test_the_plan_of_the_docs_is_one(tmp_path: Path) -> None:
    from allonym import Plan

    [text] = re.findall(r"```toml\n(.*?)```", (DOCS / "plan.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "plan.toml").write_text(text)
    assert Plan.load(tmp_path / "plan.toml").columns["size"].levels == ("small", "medium", "large")


def test_every_key_of_a_plan_is_documented() -> None:
    from allonym import Plan
    from allonym.plan.column import ROLES
    from allonym.plan.toml import keys_of

    page = (DOCS / "plan.md").read_text("utf-8")
    tables = keys_of(Plan)
    keys = {key for table in tables.values() for key in table if key not in tables}
    missing = [name for name in sorted({*keys, *ROLES}) if f"`{name}`" not in page]
    assert missing == []


def test_the_architecture_page_shows_the_layers_that_are_checked() -> None:
    import tomllib

    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))
    [layers] = [x["layers"] for x in settings["tool"]["importlinter"]["contracts"] if x["name"] == "layers"]
    [drawn] = re.findall(r"```layers\n(.*?)```", (DOCS / "architecture.md").read_text("utf-8"), re.DOTALL)
    assert drawn.splitlines() == layers


def test_a_typical_change_touches_at_most_four_files_of_the_source() -> None:
    _, _, section = (DOCS / "architecture.md").read_text("utf-8").partition("## Where each change goes")
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| **")]
    assert len(rows) == 13
    for change, files, *_ in rows:
        named = re.findall(r"`(.*?)`", files)
        assert 1 <= len(named) <= 4, change
        source = DOCS.parent / "src" / "allonym"
        assert [x for x in named if not ((source / x).parent if "NAME" in x else source / x).exists()] == [], change


def test_the_page_on_swapping_shows_what_comes_out(tmp_path: Path) -> None:
    import swap_example

    page = (DOCS / "methods" / "swap.md").read_text("utf-8")
    for text in swap_example.example(tmp_path).values():
        assert text in page


def test_the_page_on_unique_people_shows_what_is_printed(tmp_path: Path) -> None:
    import update_docs

    page = (DOCS / "measures" / "uniques.md").read_text("utf-8")
    for text in update_docs.unique_people(tmp_path).values():
        assert text in page
    [block] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(block, "uniques.md", "exec"), {})
