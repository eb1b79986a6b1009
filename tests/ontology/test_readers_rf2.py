"""SNOMED CT's Release Format 2 on a made-up release, and zip archives of releases."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from allonym import errors
from allonym.ontology.readers import archive, read_taxonomy
from allonym.ontology.readers.rf2 import IS_A, NAME, PREFERRED, SYNONYM

ACCEPTABLE, US, GB, ES = "900000000000549004", "900000000000509007", "900000000000508004", "450828004"
SAME_AS, REPLACED_BY, POSSIBLY = "900000000000527005", "900000000000526001", "900000000000523009"
HEADERS = {
    "Concept": "id effectiveTime active moduleId definitionStatusId",
    "Description": "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    "TextDefinition": "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    "Relationship": "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId kind",
    "Language": "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
    "Association": "id effectiveTime active moduleId refsetId referencedComponentId targetComponentId",
}
CONCEPTS = {"1": "1", "10": "1", "11": "1", "12": "1", "20": "0", "21": "0", "22": "0", "23": "0", "24": "0"}
DESCRIPTIONS = [  # concept, language, type, term, preferred in, active
    ("1", "en", NAME, "Toy concept (toy)", "", "1"),
    ("10", "en", NAME, "Wooden toy (toy)", US, "1"),
    ("10", "en", SYNONYM, "Toy of wood", US, "1"),
    ("10", "en", SYNONYM, "Wood toy", "", "1"),
    ("10", "en", SYNONYM, "Timber thing", "", "0"),
    ("10", "es", SYNONYM, "Juguete de madera", ES, "1"),
    ("11", "en", NAME, "Toy with wheels (toy)", "", "1"),
    ("11", "en", SYNONYM, "Wheeled toy", GB, "1"),
    ("12", "en", NAME, "Toy train (wooden toy) (toy)", "", "1"),
    ("20", "en", NAME, "Choo-choo (toy)", "", "1"),
    ("21", "en", NAME, "Puffer (toy)", "", "1"),
    ("22", "en", NAME, "Rolling thing (toy)", "", "1"),
    ("23", "en", NAME, "Thing (toy)", "", "1"),
    ("24", "en", NAME, "Forgotten toy (toy)", "", "1"),
]
LINKS = [("10", "1", "1"), ("11", "1", "1"), ("12", "10", "1"), ("12", "11", "1"), ("11", "10", "0"), ("12", "20", "1")]
ASSOCIATIONS = [
    (SAME_AS, "20", "12"), (REPLACED_BY, "21", "20"), (POSSIBLY, "22", "11"), (POSSIBLY, "23", "10"),
    (POSSIBLY, "23", "11"),
]  # fmt: skip


def write(folder: Path, name: str, kind: str, rows: list[tuple[str, ...]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [HEADERS[kind].split(), *rows]
    (folder / name).write_text("".join("\t".join(line) + "\r\n" for line in lines), encoding="utf-8")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Return an unpacked release of four concepts in use and five that are not."""
    root = tmp_path / "SnomedCT_Made_Up_PRODUCTION_20300101T120000Z"
    terms, refsets = root / "Snapshot" / "Terminology", root / "Snapshot" / "Refset"
    date, module = "20300101", "900"
    write(
        terms, f"sct2_Concept_Snapshot_INT_{date}.txt", "Concept",
        [(c, date, active, module, "x") for c, active in CONCEPTS.items()],
    )  # fmt: skip
    for language in ("en", "es"):
        own = [(i, x) for i, x in enumerate(DESCRIPTIONS) if x[1] == language]
        write(
            terms, f"sct2_Description_Snapshot-{language}_INT_{date}.txt", "Description",
            [(f"d{i}", date, x[5], module, x[0], x[1], x[2], x[3], "c") for i, x in own],
        )  # fmt: skip
        preferred = [
            (f"l{i}", date, "1", module, x[4] or US, f"d{i}", PREFERRED if x[4] else ACCEPTABLE) for i, x in own
        ]
        write(refsets / "Language", f"der2_cRefset_LanguageSnapshot-{language}_INT_{date}.txt", "Language", preferred)
    write(
        terms, f"sct2_TextDefinition_Snapshot-en_INT_{date}.txt", "TextDefinition",
        [("t1", date, "1", module, "10", "en", "x", "A toy that is made of wood.", "c")],
    )  # fmt: skip
    write(
        terms, f"sct2_Relationship_Snapshot_INT_{date}.txt", "Relationship",
        [(f"r{i}", date, x[2], module, x[0], x[1], "0", IS_A, "y") for i, x in enumerate(LINKS)]
        + [("r99", date, "1", module, "10", "11", "0", "363698007", "y")],
    )  # fmt: skip
    write(
        refsets / "Content", f"der2_cRefset_AssociationSnapshot_INT_{date}.txt", "Association",
        [(f"a{i}", date, "1", module, *x) for i, x in enumerate(ASSOCIATIONS)],
    )  # fmt: skip
    return root


def test_names_synonyms_languages_links_and_version(release: Path) -> None:
    t = read_taxonomy(release)
    wooden, wheeled, train = t.code("10"), t.code("11"), t.code("12")
    assert [t.ids[c] for c in range(len(t))] == ["1", "10", "11", "12"]
    assert [t.labels[c] for c in (wooden, wheeled, train)] == ["Toy of wood", "Wheeled toy", "Toy train (wooden toy)"]
    assert sorted(t.ids[p] for p in t.parents_of(train)) == ["10", "11"]
    assert t.ids[t.root] == "1"
    assert t.senses("wood toy") == t.senses("wooden toy (toy)") == t.senses("Wooden toy") == [wooden]
    assert t.senses("timber thing") == []
    assert t.senses("juguete de madera", "es") == [wooden]
    assert t.senses("juguete de madera", "en") == []
    assert t.definition(wooden) == "A toy that is made of wood."
    assert (t.name, t.source.version) == ("snomed", "20300101")
    assert "SNOMED" in t.source.licence


def test_inactive_concepts_are_words_of_their_replacement(release: Path) -> None:
    t = read_taxonomy(release)
    for word in ("20", "Choo-choo", "21", "puffer (toy)"):
        assert t.senses(word) == [t.code("12")], word
    assert t.senses("rolling thing") == [t.code("11")]
    for word in ("23", "thing", "24", "forgotten toy"):
        assert t.senses(word) == [], word


def test_the_latest_row_of_a_national_edition_counts(release: Path) -> None:
    write(
        release / "Snapshot" / "Terminology", "sct2_Concept_Snapshot_XX_20300601.txt", "Concept",
        [("11", "20300601", "0", "901", "x"), ("13", "20300601", "1", "901", "x"), ("10", "20200101", "0", "900", "x")],
    )  # fmt: skip
    t = read_taxonomy(release)
    assert sorted(t.ids) == ["*", "1", "10", "12", "13"]
    assert t.source.version == "20300601"


def test_a_release_without_snapshot_or_with_short_rows_is_refused(release: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    write(full, "sct2_Concept_Full_INT_20300101.txt", "Concept", [("1", "20300101", "1", "m", "x")])
    with pytest.raises(errors.UnknownFormatError, match="no sct2_Concept_Snapshot") as error:
        read_taxonomy(full)
    assert "not those of Full" in str(error.value)
    concepts = next(release.rglob("sct2_Concept_Snapshot*"))
    concepts.write_text(concepts.read_text() + "99\t20300101\n")
    with pytest.raises(errors.UnknownFormatError, match="line 11: a row of 2 cells"):
        read_taxonomy(release)


def packed(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as packing:
        for file in sorted(folder.rglob("*")):
            packing.write(file, file.relative_to(folder.parent))
    return path


def test_a_zipped_release_is_the_same(release: Path, tmp_path: Path) -> None:
    (release / "Full").mkdir()
    (release / "Full" / "sct2_Concept_Full_INT_20300101.txt").write_text("not read")
    path = packed(release, tmp_path / "release.zip")
    t = read_taxonomy(path)
    assert list(t.ids) == list(read_taxonomy(release).ids)
    assert t.source.path == str(path)


def test_a_zipped_file_and_archives_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "jobs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packing:
        packing.writestr("jobs/jobs.csv", "id,parent\na,\nb,a\n")
    assert list(read_taxonomy(path).ids) == ["a", "b"]
    monkeypatch.setattr(archive, "MAX_SIZE", 3)
    with pytest.raises(errors.OntologyError, match="unpacks to more than"):
        read_taxonomy(path)
    monkeypatch.undo()
    content = bytearray(path.read_bytes())
    content[45] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(errors.UnknownFormatError, match="damaged or encrypted"):
        read_taxonomy(path)
    with zipfile.ZipFile(path, "w"):
        pass
    with pytest.raises(errors.UnknownFormatError, match="empty"):
        read_taxonomy(path)


def test_errors_name_the_archive_and_office_documents_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "jobs.zip"
    with zipfile.ZipFile(path, "w") as packing:
        packing.writestr("a/jobs.csv", "id,parent\na,b\nb,a\n")
    with pytest.raises(errors.CycleError, match=r"jobs\.zip/a/jobs\.csv, line 2: the is-a links form a cycle"):
        read_taxonomy(path)
    with zipfile.ZipFile(tmp_path / "atc.xlsx", "w") as packing:
        packing.writestr("[Content_Types].xml", "")
        packing.writestr("xl/workbook.xml", "")
    with pytest.raises(errors.UnknownFormatError, match="Office document") as error:
        read_taxonomy(tmp_path / "atc.xlsx")
    assert "save the sheet" in str(error.value)


def test_names_in_an_archive_do_not_leave_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as packing:
        packing.writestr("../../outside.csv", "id,parent\na,\nb,a\n")
    read_taxonomy(path)
    assert not (tmp_path.parent / "outside.csv").exists()
