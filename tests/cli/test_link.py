"""`allonym link`."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from commands import call

import allonym as al
from cli.running import WIDE, run


def test_link_writes_a_table_to_review(tmp_path: Path) -> None:
    data, out = tmp_path / "jobs.csv", tmp_path / "job.links.csv"
    data.write_text("name;job\nAnn;carpenter\nBob;carpenters\nCid;grey-haired cleaner\nDee;xyzzy\nEve;\n")
    printed = run("link", str(data), "--column", "job", "--ontology", "wordnet:person", "-o", str(out))
    assert "2 of 4 values linked (50.0% of 4 cells)" in printed
    assert "1 of 4 values to review" in printed
    assert "1 of 4 values unmatched" in printed
    assert "50 % of cells settled" in printed
    rows = {row["value"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert list(rows) == ["xyzzy", "grey-haired cleaner", "carpenter", "carpenters"]  # by cells times doubt
    assert rows["carpenter"]["concept"] == rows["carpenters"]["concept"] == "carpenter.n.01"
    assert rows["grey-haired cleaner"]["dropped"] == "grey haired"
    assert rows["xyzzy"]["status"] == "unmatched"
    again = run("link", str(data), "--column", "job", "--ontology", "wordnet:person", "--links", str(out), "--json")
    links = {row["value"]: row for row in json.loads(again)["links"]}
    assert links["carpenter"]["reason"] == "settled"
    assert links["grey-haired cleaner"]["status"] == "review"


def test_definitions_are_shown_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WIDE, "COLUMNS", "72")
    data, out = tmp_path / "jobs.csv", tmp_path / "job.links.csv"
    data.write_text("job\ncarpenter\ngrey-haired cleaner\nretired boxer\nxyzzyq\n")
    options = ["--column", "job", "--ontology", "wordnet", "-o", str(out)]
    lines = run("link", str(data), *options).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("retired boxer"))
    assert lines[at + 1] == "    boxer: someone who fights with his fists for sport"
    assert all(len(line) <= 72 for line in lines if str(tmp_path) not in line)
    rows = {row["value"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert rows["retired boxer"]["definition"] == "someone who fights with his fists for sport"
    assert rows["xyzzyq"]["definition"] == ""
    links = {x["value"]: x for x in json.loads(run("link", str(data), *options, "--json"))["links"]}
    assert links["retired boxer"]["definition"] == "someone who fights with his fists for sport"
    assert links["xyzzyq"]["definition"] is None


def test_concepts_whose_ids_are_no_words_are_shown_by_their_labels(tmp_path: Path) -> None:
    ontology, data, out = tmp_path / "jobs.csv", tmp_path / "table.csv", tmp_path / "job.links.csv"
    ontology.write_text(
        "id,parent,label,synonyms\n41beead9,,worker,\n2ff73126,41beead9,pipe fitter,plumber\n"
        "87d0795a,41beead9,pipe welder,plumber\n"
    )
    data.write_text("job\nplumbar\n")
    printed = run("link", str(data), "--column", "job", "--ontology", str(ontology), "-o", str(out))
    shown = next(line for line in printed.splitlines() if line.startswith("plumbar"))
    assert shown.split() == ["plumbar", "1", "pipe", "fitter", "similar", "pipe", "welder"]
    (row,) = csv.DictReader(out.read_text().splitlines())
    assert row["alternatives"] == "87d0795a (pipe welder > worker)"


def test_values_can_be_hidden(tmp_path: Path) -> None:
    data = tmp_path / "jobs.csv"
    data.write_text("job\nsecretxyz\ncarpenter\n")
    assert "secretxyz" in run("link", str(data), "--column", "job")
    assert "secretxyz" not in run("link", str(data), "--column", "job", "--hide-values")


def test_without_a_header_columns_are_numbers(tmp_path: Path) -> None:
    data = tmp_path / "jobs.data"
    data.write_text("39, carpenter\n40, nurse\n")
    assert "2 of 2 values linked" in run(
        "link", str(data), "--no-header", "--column", "2", "--ontology", "wordnet:person"
    )


def test_a_failed_link_leaves_no_file(tmp_path: Path) -> None:
    data, out = tmp_path / "jobs.csv", tmp_path / "out.csv"
    data.write_text("job\ncarpenter\n")
    done = call("link", str(data), "--column", "jobb", "-o", str(out))
    assert done.returncode == 2
    assert "None of the 1 columns" in done.stderr
    assert not out.exists()
    done = call("link", str(data), "--column", "job", "-o", str(tmp_path / "nowhere" / "out.csv"))
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == [data]


def test_a_file_without_a_header_shows_no_cells(tmp_path: Path) -> None:
    data = tmp_path / "jobs.data"
    data.write_text("Ann Smith, carpenter\nBob Jones, baker\n")
    done = call("link", str(data), "--column", "job")
    assert done.returncode == 2
    assert "Ann" not in done.stderr


def test_missing_cells_are_counted(tmp_path: Path) -> None:
    data = tmp_path / "jobs.csv"
    data.write_text("id,job\n1,carpenter\n2,?\n3,\n4,\n5,NA\n6,carpenter\n")
    printed = run("link", str(data), "--column", "job")
    assert "1 of 1 values linked (100.0% of 2 cells)" in printed
    assert "4 missing cells" in printed
    answer = json.loads(run("link", str(data), "--column", "job", "--json", "--hide-values"))
    assert answer["missing"] == 4
    assert answer["links"][0]["count"] == 2
    assert "value" not in answer["links"][0]


def test_gzipped_tables_and_given_delimiters(tmp_path: Path) -> None:
    data = tmp_path / "jobs.csv.gz"
    data.write_bytes(gzip.compress(b"a:b\ncarpenter:1\n"))
    assert "1 of 1 values linked" in run("link", str(data), "--column", "a", "--delimiter", ":")
    assert call("link", str(data), "--column", "a", "--delimiter", "::").returncode == 2


def test_standard_input() -> None:
    done = call("link", "-", "--column", "job", "--json", stdin="job\ncarpenter\n")
    assert json.loads(done.stdout)["links"][0]["concept"] == "carpenter.n.01"


def test_the_data_is_never_overwritten(tmp_path: Path) -> None:
    data = tmp_path / "own.csv"
    data.write_text("job\ncarpenter\n")
    done = call("link", str(data), "--column", "job", "-o", str(data))
    assert (done.returncode, "is the data itself" in done.stderr) == (2, True)
    assert data.read_text() == "job\ncarpenter\n"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"job\rcarpenter\r", 0),
        (bytes(range(256)), 2),
        (b'job\n"open\ncarpenter\n', 2),
        (b"job\n[b]carpenter[/b]\n:smile:\n", 0),
    ],
)
def test_odd_tables_end_without_a_traceback(content: bytes, code: int, tmp_path: Path) -> None:
    data = tmp_path / "odd[b].csv"
    data.write_bytes(content)
    done = call("link", str(data), "--column", "job", "-o", str(tmp_path / "out[b].csv"))
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_settled_values_that_do_not_occur_are_counted(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("value,concept\ncarpenter,carpenter\nbaker,baker\n")
    (tmp_path / "jobs.csv").write_text("job\ncarpenter\n")
    printed = run("link", str(tmp_path / "jobs.csv"), "--column", "job", "--links", str(tmp_path / "links.csv"))
    assert "1 value of" in printed


def test_settled_concepts_outside_the_root_are_counted(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("value,concept\ncarpenter,operator.n.02\n")
    (tmp_path / "jobs.csv").write_text("job\ncarpenter\n")
    words = ["link", str(tmp_path / "jobs.csv"), "--column", "job", "--links", str(tmp_path / "links.csv")]
    assert "1 value linked to concepts outside wordnet:person.n.01" in run(*words, "--ontology", "wordnet:person")
    assert "outside" not in run(*words)


def test_link_and_check_give_the_same_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both use the name of the column: it decides that a palm is a tree here."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trees.csv").write_text("tree\n" + "palm\nplane\nbox\n" * 3)
    al.Plan({"tree": al.quasi("wordnet")}, k=2).save("plan.toml")
    linked = {x["value"]: x for x in json.loads(run("link", "trees.csv", "--column", "tree", "--json"))["links"]}
    assert linked["palm"]["concept"] == "palm.n.03"
    run("check", "trees.csv", "--plan", "plan.toml", "--write", code=1)
    with (tmp_path / "tree.links.csv").open() as file:
        checked = {row["value"]: row for row in csv.DictReader(file)}
    assert {v: (x["concept"], x["status"]) for v, x in linked.items()} == {
        v: (x["concept"], x["status"]) for v, x in checked.items()
    }
