"""ESCO's CSV download: a made-up folder in its form, and the real one where it is available."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from shared import DATA, needs

from allonym import errors
from allonym.ontology.compiled import pack, unpack
from allonym.ontology.readers import read_taxonomy

BASE = "http://example.org/esco"
GROUPS = [
    ("C2", "2", "Makers of music", {"de": "Musikmachende"}),
    ("C26", "26", "Players", {"de": "Spielende"}),
    ("C265", "265", "Players", {"de": "Spielende"}),
    ("C3", "3", "Dancers", {"de": "Tanzende"}),
]
OCCUPATIONS = {
    "en": [
        ("u1", "265", "piano player", "pianist\nkeys player", "joanna player", "released", "265.1", ""),
        ("u2", "265", "dancers", "player of dances | pianist", "", "released", "265.2", ""),
        ("u3", "265", "jazz pianist", "", "", "released", "265.1.1", ""),
        ("u4", "265", "clavier player", "clavierist\npiano player", "", "obsolete", "265.9", "u1"),
        ("u5", "265", "serpent player", "", "", "obsolete", "265.8", ""),
    ],
    "de": [("u1", "265", "Klavierspieler/Klavierspielerin", "Pianist", "", "released", "265.1", "")],
}
LINKS = [("C26", "C2"), ("C265", "C26"), ("u1", "C265"), ("u3", "u1"), ("u3", "C3")]  # u2 has its group's code only


def uri(local: str) -> str:
    return f"{BASE}/{'isco' if local.startswith('C') else 'occupation'}/{local}" if local else ""


def write(path: Path, header: str, rows: list[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows([header.split(","), *rows])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    where = tmp_path / "ESCO dataset - v1.2.0 - classification - csv"
    where.mkdir()
    for language, rows in OCCUPATIONS.items():
        write(
            where / f"occupations_{language}.csv",
            "conceptType,conceptUri,iscoGroup,preferredLabel,altLabels,hiddenLabels,status,code,isReplacedBy",
            [("Occupation", uri(row[0]), *row[1:7], uri(row[7])) for row in rows],
        )
        write(
            where / f"ISCOGroups_{language}.csv",
            "conceptType,conceptUri,code,preferredLabel,status,altLabels",
            [("ISCOGroup", uri(i), code, names.get(language, en), "released", "") for i, code, en, names in GROUPS],
        )
    write(
        where / "broaderRelationsOccPillar.csv",
        "conceptType,conceptUri,broaderType,broaderUri",
        [("", uri(child), "", uri(parent)) for child, parent in LINKS],
    )
    return where


def test_languages_synonyms_codes_and_several_parents(folder: Path) -> None:
    t = read_taxonomy(folder)
    u1, u3 = t.code("u1"), t.code("u3")
    assert t.labels[u1] == "piano player"
    assert t.lexicon.terms(u1, "en")[0] == "piano player"
    assert {"keys player", "pianist", "joanna player"} <= set(t.lexicon.terms(u1, "en"))
    assert t.lexicon.terms(u1, "de")[0] == "Klavierspieler/Klavierspielerin"
    assert t.senses("Klavierspielerin", "de") == t.senses("Klavierspieler", "de") == [u1]
    assert t.senses("pianist", "en") == [u1, t.code("u2")]
    assert t.senses("265.1") == t.senses(uri("u1")) == [u1]
    assert t.senses("265") == t.senses("C265") == [t.code("C265")]
    assert sorted(t.ids[p] for p in t.parents_of(u3)) == ["C3", "u1"]
    assert [t.ids[p] for p in t.parents_of(t.code("u2"))] == ["C265"]
    assert (t.name, t.source.version, len(t.source.sha256)) == ("esco", "1.2.0", 64)
    assert "Decision 2011/833/EU" in t.source.licence


def test_a_shared_label_means_the_occupation_then_the_narrowest_group_then_other_labels(folder: Path) -> None:
    t = read_taxonomy(folder)
    assert [t.ids[c] for c in t.senses("dancers")] == ["u2", "C3"]
    assert [t.ids[c] for c in t.senses("players")] == ["C265", "C26"]


def test_obsolete_occupations_are_words_of_their_replacement_or_unknown(folder: Path) -> None:
    t = read_taxonomy(folder)
    assert t.senses("clavier player") == t.senses("clavierist") == t.senses("265.9") == [t.code("u1")]
    assert t.senses("serpent player") == t.senses("265.8") == []
    assert "u4" not in t.ids


def test_a_folder_without_its_links_names_what_is_missing(folder: Path, tmp_path: Path) -> None:
    (folder / "broaderRelationsOccPillar.csv").unlink()
    with pytest.raises(errors.UnknownFormatError, match=r"no broaderRelationsOccPillar\.csv") as error:
        read_taxonomy(folder)
    assert "esco.ec.europa.eu" in str(error.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.UnknownFormatError, match="no known format"):
        read_taxonomy(tmp_path / "empty")
    with pytest.raises(errors.UnknownFormatError, match=r"no skills_en\.csv"):
        read_taxonomy(folder, format="esco-skills")


def test_a_file_without_the_columns_of_esco_is_refused(folder: Path) -> None:
    write(folder / "occupations_en.csv", "uri,label", [("a", "b")])
    with pytest.raises(errors.UnknownFormatError, match="no column conceptUri, preferredLabel"):
        read_taxonomy(folder)


def test_a_folder_with_skills_only(tmp_path: Path) -> None:
    write(tmp_path / "skills_en.csv", "conceptUri,preferredLabel,altLabels", [("x/s1", "play piano", "play keys")])
    write(tmp_path / "skillGroups_en.csv", "conceptUri,preferredLabel,code", [("x/S1", "make music", "S1")])
    write(tmp_path / "broaderRelationsSkillPillar_en.csv", "conceptUri,broaderUri", [("x/s1", "x/S1")])
    t = read_taxonomy(tmp_path)
    assert [t.labels[c] for c in t.path(t.code("play keys"))] == ["play piano", "make music"]


@needs(DATA / "esco")
def test_the_publishers_download() -> None:
    start = time.process_time()
    t = read_taxonomy(DATA / "esco")
    assert time.process_time() - start < 2
    assert len(t) == 3_007 + 619 + 1  # occupations, groups, a root
    assert t.ids[t.code("2654")] == t.ids[t.code("C2654")] == "C2654"
    assert "2654.1.7" in t.lexicon.notations(t.code("2654.1.7"))
    assert t.ids[t.path(t.code("2654.1.7"))[2]] == "C2654"
    assert pack(unpack(pack(t), Path("x"))) == pack(t)
