"""Classifications as tables and as SKOS: codes that nest, levels, languages, long descriptions."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from allonym import errors
from allonym.ontology.readers import read_taxonomy, recognise
from allonym.ontology.readers.sample import SAMPLE_BYTES
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

DRUGS = """ATC code,ATC level name,DDD,UOM
Q,QUIET REMEDIES,,
Q01,SLEEPING AIDS,,
Q01A,PLANTS,,
Q01AB,Flowers,,
Q01AB01,sleepwell,2,g
Q01AB01,sleepwell,4,mg
Q01AB02,lullaby,1,g
R,RAPID REMEDIES,,
R02,RUNNING AIDS,,
"""
INDUSTRIES = [
    ("Order", "Level", "Code", "Parent", "Description", "This item includes", "This item excludes"),
    ("1", "1", "A", "", "GARDENS", "", ""),
    ("2", "2", "01", "A", "Flower gardens", "- roses\n- tulips, \"early\"", "- trees\n"),
    ("3", "3", "01.1", "01", "Rose gardens", "", ""),
    ("4", "1", "B", "", "WOODS", "", ""),
    ("5", "2", "02", "B", "Oak woods", "", ""),
]  # fmt: skip


def ids_to_parents(t: Taxonomy) -> dict[str, list[str]]:
    return {t.ids[c]: [t.ids[p] for p in t.parents_of(c)] for c in range(len(t)) if c != t.root}


def as_csv(rows: list[tuple[str, ...]], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue()


def read(tmp_path: Path, text: str, format: str | None = None) -> Taxonomy:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return read_taxonomy(path, format)


def test_the_parent_of_a_code_is_its_longest_prefix(tmp_path: Path) -> None:
    t = read(tmp_path, DRUGS)
    assert ids_to_parents(t) == {
        "Q": ["*"], "Q01": ["Q"], "Q01A": ["Q01"], "Q01AB": ["Q01A"], "Q01AB01": ["Q01AB"], "Q01AB02": ["Q01AB"],
        "R": ["*"], "R02": ["R"],
    }  # fmt: skip
    assert t.labels[t.code("Q01AB01")] == "sleepwell"
    assert t.senses("Sleeping aids") == t.senses("q01") == [t.code("Q01")]


@pytest.mark.parametrize("text", ["code;label\nA;x\nA1;y\nA1B;z\n", "A,x\nA1,y\nA1B,z\n", "A\tx\nA1\ty\nA1B\tz\n"])
def test_codes_with_and_without_a_header(text: str, tmp_path: Path) -> None:
    assert ids_to_parents(read(tmp_path, text)) == {"A1": ["A"], "A1B": ["A1"]}


def test_labels_in_several_languages(tmp_path: Path) -> None:
    t = read(tmp_path, "code,name_de,name_en,synonyms_de\nA,Blumen,flowers,\nA1,Rosen,roses,Röschen|Rosenstöcke\n")
    rose = t.code("A1")
    assert (t.labels[rose], t.lexicon.terms(rose, "de")) == ("roses", ["Rosen", "Rosenstöcke", "Röschen"])
    assert t.senses("rosen", "en") == []


def test_dotted_codes_under_sections_by_their_level(tmp_path: Path) -> None:
    without_parents = [row[:3] + row[4:] for row in INDUSTRIES]
    assert ids_to_parents(read(tmp_path, as_csv(without_parents))) == {
        "A": ["*"], "01": ["A"], "01.1": ["01"], "B": ["*"], "02": ["B"],
    }  # fmt: skip


def test_the_table_of_a_statistical_office(tmp_path: Path) -> None:
    for delimiter in ",;":
        t = read(tmp_path, as_csv(INDUSTRIES, delimiter))
        assert ids_to_parents(t) == {"A": ["*"], "01": ["A"], "01.1": ["01"], "B": ["*"], "02": ["B"]}
        assert t.labels[t.code("01.1")] == "Rose gardens"


def test_row_numbers_and_unrelated_codes_are_no_classification(tmp_path: Path) -> None:
    for codes in (map(str, range(1, 60)), ("AA", "BB", "CC", "CCC")):
        with pytest.raises(errors.UnknownFormatError, match="nor of codes that nest"):
            read(tmp_path, "id,label\n" + "".join(f"{code},word {code}x\n" for code in codes))


def test_a_code_with_two_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.DuplicateIdError, match="line 4: the row of 'A1'"):
        read(tmp_path, "code,label\nA,x\nA1,y\nA1,z\n")


def test_several_parents_in_one_cell_and_retired_rows(tmp_path: Path) -> None:
    t = read(
        tmp_path,
        "Class ID,Preferred Label,Synonyms,Obsolete,Parents\nr,plants,,false,\na,garden plants,,false,r\n"
        "b,thorny plants,,false,r\nc,rose,rosa|queen of flowers,false,a|b\nd,obsolete rose tree,,true,a\n",
    )
    assert ids_to_parents(t) == {"a": ["r"], "b": ["r"], "c": ["a", "b"]}
    assert t.senses("queen of flowers") == [t.code("c")]
    assert t.senses("rose tree") == []


@pytest.mark.parametrize("width", [50, 977, 5_000])
def test_a_large_table_with_line_breaks_in_its_cells_is_recognised(width: int, tmp_path: Path) -> None:
    """The sample by which the format is recognised ends inside quotes for some widths."""
    note = "\n".join(['a note, with a "comma"'] * (width // 20))
    rows = [INDUSTRIES[0], INDUSTRIES[1]]
    number = 0
    while sum(len("".join(row)) for row in rows[-10:]) * len(rows) / 10 < 2 * SAMPLE_BYTES or number < 20:
        number += 1
        rows.append((str(number), "2", f"{number:05d}", "A", f"Garden {number}", note, ""))
    path = tmp_path / "large.csv"
    path.write_text(as_csv(rows), encoding="utf-8")
    assert path.stat().st_size > SAMPLE_BYTES
    assert recognise(File.read(path)) == "child-parent"
    assert len(read_taxonomy(path)) == number + 1


def test_a_quote_that_is_never_closed_is_still_refused(tmp_path: Path) -> None:
    rows = as_csv([("id", "parent", "label"), ("a", "", "x"), *((f"b{i}", "a", f"y{i}") for i in range(30_000))])
    with pytest.raises(errors.UnknownFormatError, match="not a table"):
        read(tmp_path, rows.replace("y9,", "y9,").replace(",y29000", ',"y29000'))


def test_skos_with_codes_languages_and_labels_that_begin_with_their_code(tmp_path: Path) -> None:
    path = tmp_path / "industries.ttl"
    path.write_text(
        """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix x: <http://example.org/industries/> .
x:A a skos:Concept ; skos:notation "A" ; skos:prefLabel "A GARDENS"@en, "A GÄRTEN"@de ; skos:topConceptOf x:all .
x:01 a skos:Concept ; skos:notation "01" ; skos:prefLabel "01 Flower gardens"@en, "01 - Blumengärten"@de ;
  skos:altLabel "gardens of flowers"@en ; skos:broader x:A .
x:0110 a skos:Concept ; skos:notation "01.10" ; skos:prefLabel "Rose gardens"@en ; skos:broader x:01 .
""",
        encoding="utf-8",
    )
    t = read_taxonomy(path)
    flowers = t.senses("01")[0]
    assert t.labels[flowers] == "Flower gardens"
    for word, language in (("flower gardens", "en"), ("01 flower gardens", "en"), ("gardens of flowers", "en"),
                           ("Blumengärten", "de")):  # fmt: skip
        assert t.senses(word, language) == [flowers], word
    assert [t.labels[c] for c in t.path(t.code("01.10"))] == ["Rose gardens", "Flower gardens", "GARDENS"]
