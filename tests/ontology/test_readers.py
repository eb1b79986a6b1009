"""Every reader on the same small taxonomy, on damaged files, and on real files if they are available."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import fastobo
import pytest
from shared import DATA, WNDB, needs

from allonym import errors
from allonym.ontology import similarity
from allonym.ontology.readers import FILE_FORMATS, read_taxonomy
from allonym.ontology.taxonomy import Taxonomy

HERE = Path(__file__).parents[1] / "data"
SAME = [
    "mini-animals.obo",
    "mini-animals.owl",
    "mini-animals.ttl",
    "mini-animals.nt",
    "mini-animals.xml",
    "mini-animals.csv",
]
LINKS = {
    ("bird", "animal"), ("parrot", "bird"), ("pet", "animal"), ("mammal", "animal"), ("cat", "mammal"), ("cat", "pet"),
}  # fmt: skip


def links(t: Taxonomy) -> set[tuple[str, str]]:
    return {(t.labels[c], t.labels[p]) for c in range(len(t)) for p in t.parents_of(c)}


@pytest.mark.parametrize("name", SAME)
def test_every_format_gives_the_same_taxonomy(name: str) -> None:
    t = read_taxonomy(HERE / name)
    assert links(t) == LINKS
    assert len(t) == 6
    assert t.labels[t.code("parrot")] == "parrot"
    assert float(similarity.wu_palmer(t, t.code("parrot"), t.code("cat"))) == (2 * 1) / (2 + 2 + 2 * 1)
    assert len(t.source.sha256) == 64
    assert Path(t.source.path).name == name


@pytest.mark.parametrize("name", SAME)
def test_gzipped_files(name: str, tmp_path: Path) -> None:
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress((HERE / name).read_bytes()))
    t = read_taxonomy(packed)
    assert links(t) == LINKS
    assert t.name == "mini-animals"


def test_obo_has_synonyms_notations_definitions_and_no_obsolete_terms() -> None:
    t = read_taxonomy(HERE / "mini-animals.obo")
    assert t.labels[t.code("M:22")] == "parrot"
    assert t.senses("psittacine bird") == [t.code("M:2")]
    assert t.senses("polly") == []  # related is not the same
    assert t.senses("unicorn") == []
    assert t.definitions is not None
    assert t.definitions[t.code("bird")] == 'A warm-blooded animal, with "feathers".'
    assert t.source.version == "mini/1"
    assert t.parts is not None


def test_obo_agrees_with_fastobo_on_the_mini_file() -> None:
    check_against_fastobo(HERE / "mini-animals.obo", read_taxonomy(HERE / "mini-animals.obo"))


def check_against_fastobo(path: Path, t: Taxonomy) -> None:
    raw = path.read_bytes()
    lines = (gzip.decompress(raw) if path.suffix == ".gz" else raw).splitlines(keepends=True)
    # DOID has definitions and references that fastobo refuses; neither is compared
    document = fastobo.load(io.BytesIO(b"".join(x for x in lines if not x.startswith((b"def:", b"xref:")))))
    names, is_a, synonyms = {}, set(), set()
    for frame in document:
        clauses = list(frame)
        if not isinstance(frame, fastobo.term.TermFrame) or any(
            isinstance(c, fastobo.term.IsObsoleteClause) and c.obsolete for c in clauses
        ):
            continue
        for c in clauses:
            if isinstance(c, fastobo.term.NameClause):
                names[str(frame.id)] = c.name
            elif isinstance(c, fastobo.term.IsAClause):
                is_a.add((str(frame.id), str(c.term)))
            elif isinstance(c, fastobo.term.SynonymClause) and c.synonym.scope == "EXACT":
                text = c.synonym.desc  # some end with a line feed
                synonyms.add((str(frame.id), " ".join(text.split()) if "\n" in text else text))
    concepts = [c for c in range(len(t)) if t.ids[c] != "*"]
    assert {t.ids[c]: t.labels[c] for c in concepts} == names
    assert {(t.ids[c], t.ids[p]) for c in concepts for p in t.parents_of(c) if t.ids[p] != "*"} == is_a
    assert synonyms <= {(t.ids[c], term) for c in concepts for term in t.lexicon.terms(c)}


def test_owl_has_languages_notations_individuals_and_no_deprecated_classes(tmp_path: Path) -> None:
    t = read_taxonomy(HERE / "mini-animals.owl")
    bird = t.code("bird")
    assert t.lexicon.senses("Vogel", "de").tolist() == [bird]
    assert t.lexicon.senses("Vogel", "en").tolist() == []
    assert t.labels[bird] == "bird"
    assert t.labels[t.code("M:4")] == "mammal"
    assert t.find("http://example.org/mini#bird") == bird
    assert t.senses("unicorn") == []
    assert t.definitions is not None
    assert t.definitions[bird] == "A warm-blooded animal."
    assert t.source.version == "mini/1"
    named = tmp_path / "named.ttl"
    named.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e.org/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":city a owl:Class . :big a owl:Class ; rdfs:subClassOf :city .\n"
        ':paris a owl:NamedIndividual, :big ; rdfs:label "Paris" .\n'
    )
    named.write_text(named.read_text() + ':rome a :big ; rdfs:label "Rome" .\n')
    t = read_taxonomy(named)
    assert t.instances[t.code("Rome")]
    lost = tmp_path / "lost.ttl"
    lost.write_text(named.read_text() + ":oslo a owl:NamedIndividual, :small .\n")
    with pytest.raises(errors.DanglingParentError, match="small"):
        read_taxonomy(lost)
    assert [t.labels[c] for c in t.path(t.code("Paris"))] == ["Paris", "big", "city"]
    assert t.instances.tolist() == [t.labels[c] in ("Paris", "Rome") for c in range(len(t))]


def test_skos_reads_narrower_and_languages() -> None:
    t = read_taxonomy(HERE / "mini-animals.ttl")
    assert [t.labels[c] for c in t.path(t.code("pet"))] == ["pet", "animal"]
    assert t.lexicon.senses("Piepmatz", "de").tolist() == [t.code("bird")] == [t.code("B")]
    assert t.lexicon.terms(t.code("cat"), "de") == ["Katze"]


def test_instances_and_parts_of_obo_and_lmf(tmp_path: Path) -> None:
    obo = tmp_path / "i.obo"
    obo.write_text("[Term]\nid: A\nname: city\n\n[Instance]\nid: B\nname: Paris\ninstance_of: A\n")
    t = read_taxonomy(obo)
    assert t.instances.tolist() == [False, True]
    assert t.path(1) == [1, 0]
    lmf = tmp_path / "i.xml"
    text = (
        (HERE / "mini-animals.xml")
        .read_text()
        .replace('relType="hypernym" target="m-1"', 'relType="instance_hypernym" target="m-1"')
    )
    lmf.write_text(
        text.replace(
            '<Synset id="m-2" ili="i3" partOfSpeech="n">',
            '<Synset id="m-2" ili="i3" partOfSpeech="n"><SynsetRelation relType="holo_part" target="m-3"/>',
        )
    )
    t = read_taxonomy(lmf)
    assert t.instances[t.code("parrot")]
    assert t.instances.sum() == 1
    assert t.parts is not None
    assert t.parts[1].tolist() == [t.code("pet"), t.code("parrot")]


def test_rdf_synonyms_of_every_kind() -> None:
    assert len(read_taxonomy(HERE / "mini-animals.owl").senses("psittacine bird")) == 1
    t = read_taxonomy(HERE / "mini-animals.ttl")
    assert t.senses("moggy") == [t.code("cat")]  # a hidden label


def test_lmf_has_sense_order_and_definitions() -> None:
    t = read_taxonomy(HERE / "mini-animals.xml")
    assert [t.labels[c] for c in t.senses("pet")] == ["pet", "cat"]
    assert [t.ids[c] for c in t.senses("pet")] == ["m-3", "m-5"]
    assert t.definitions is not None
    assert t.definitions[t.code("bird")] == "A warm-blooded animal."
    assert t.source.licence == "CC0"


def test_arx_hierarchy_collapses_repeated_leaves() -> None:
    t = read_taxonomy(HERE / "mini-hierarchy.csv")
    assert links(t) == {
        ("parrot", "bird"),
        ("bird", "animal"),
        ("cat", "mammal"),
        ("mammal", "animal"),
        ("mouse", "animal"),
    }


def test_mesh_tree_numbers_give_several_parents() -> None:
    t = read_taxonomy(HERE / "mini-mesh.bin")
    assert ("Abdomen", "Torso") in links(t)
    assert {p for c, p in links(t) if c == "Viscera"} == {"Body Regions", "Organs"}
    assert {p for c, p in links(t) if c == "Organs"} == {"Anatomy"}
    assert t.labels[t.code("A01.923")] == "Torso"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("child,parent\nape,mammal\ncat,mammal\n", {("ape", "mammal"), ("cat", "mammal")}),
        ("dog\tmammal\nmammal\tanimal\n", {("dog", "mammal"), ("mammal", "animal")}),
        ("taxid\tparent\n1\t1\n2\t1\n3\t2\n", {("2", "1"), ("3", "2")}),
        ('code;parent;label\n"A;1";;top\nB;"A;1";low\n', {("low", "top")}),
        ("name,broader\ncat, animal\ndog, animal\nanimal,\n", {("cat", "animal"), ("dog", "animal")}),
        ("\ufeffid,parent\r\nx,\r\ny,x\r\n", {("y", "x")}),
        ("id,parent\rx,\ry,x\r", {("y", "x")}),
        ("id,parent,name\n1,,All\n2,1,Smith, John\n", {("Smith, John", "All")}),
        ("A00.0;A00;A00-A09;*\nA01.0;A01;A00-A09;*\n", {
            ("A00.0", "A00"), ("A00", "A00-A09"), ("A01.0", "A01"), ("A01", "A00-A09"), ("A00-A09", "*")}),
        ("a;x;*;\nb;x;*;\n", {("a", "x"), ("b", "x"), ("x", "*")}),
    ],
)  # fmt: skip
def test_child_parent_tables(text: str, expected: set[tuple[str, str]], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8", newline="")
    assert links(read_taxonomy(path)) == expected


REFUSED = [
    ("id,parent\na,\nb,a\nc,x\n", errors.DanglingParentError, r"line 4: 'c' has the parent 'x'"),
    ("id,parent\na,\nb,c\nc,b\n", errors.CycleError, r"line 3: .*b → c → b"),
    ("id,parent\na,\nb,a\nb,a\n", errors.DuplicateIdError, r"line 4: the row of 'b' repeats line 3"),
    ("id,parent\na,\nb,b\nc,a\n", errors.CycleError, r"line 3: 'b' is its own parent"),
    ("id,parent,label\na,,x\nb,a,y\nb,c,z\nc,a,q\n", errors.DuplicateIdError, r"line 4: the id 'b' has a second label"),
    ("id,parent\na,\nb,\nc,\n", errors.FlatOntologyError, r"3 concepts and no is-a link"),
    ("id,parent\na,\n,a\n", errors.UnknownFormatError, r"line 3: the row has no id"),
    ("x;a;*\ny;b;*\nx;b;*\n", errors.DuplicateIdError, r"line 3: 'x' lies under 'b' here and under 'a' on line 1"),
    ("[Term]\nid: A\n\n[Term]\nid: A\n", errors.DuplicateIdError, r"line 5: the id 'A' is defined twice .*line 2"),
    ("[Term]\nid: A\n\n[Term]\nid: B\nis_a: C\n", errors.DanglingParentError, r"line 6: 'B' has the parent 'C'"),
    ("[Term]\nid: A\nis_a: B\n\n[Term]\nid: B\nis_a: A\n", errors.CycleError, r"line 3"),
    ("[Term]\nid: A\n\n[Term]\nid: B\n", errors.FlatOntologyError, r"all distances would be the same"),
    ("@prefix a: <http://a/> .\na:x a:y .\n", errors.UnknownFormatError, r"line 2"),
    ("@prefix a: <http://a/> .\na:x a:y a:z .\n", errors.UnknownFormatError, r"no concept"),
    ("<?xml version='1.0'?>\n<LexicalResource><Lexicon>\n", errors.UnknownFormatError, r"cannot be parsed"),
    ("Prefix(:=<http://a/>)\nOntology(<http://a>)\n", errors.UnknownFormatError, r"save it as RDF/XML"),
    ("just some words\nin lines\n", errors.UnknownFormatError, r"not an ontology in a known format"),
    ("a,b,c,d\n1,2,3,4\n5,6,7,8\n", errors.UnknownFormatError, r"neither a hierarchy"),
    ("", errors.UnknownFormatError, r"empty"),
    ("a;;*\nb;x;*\n", errors.UnknownFormatError, r"line 1: 1 of 3 levels are empty"),
    ('id\tparent\tname\na\t\tall\nb\ta\t"Big\nc\ta\tsmall\n', errors.UnknownFormatError, r"not a table: .*line 4"),
    ("id,parent,more\na,,x\nb,a,y,z\n", errors.UnknownFormatError, r"line 3: more cells than the 3"),
    ("id,parent\na,\nb\n", errors.UnknownFormatError, r"line 3: the row ends before its parent"),
    ("[Term]\nid: A\nis_a: ! nothing\n", errors.UnknownFormatError, r"line 3: a link has no parent"),
    ('{"@context": {}, "a": "b"}', errors.UnknownFormatError, r"broken"),
    ("id,parent\na,X\nb,Y\nc,Z\n", errors.DanglingParentError, r"line 3: 3 parents are not children themselves"),
    ("Organs;A10\nHeart;A10.100\nViscera;A10.100\n", errors.DuplicateIdError, r"line 3: the tree number A10.100"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "message"), REFUSED)
def test_damaged_files_are_refused_with_file_line_and_id(
    text: str, error: type[errors.OntologyError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(error, match=message) as caught:
        read_taxonomy(path)
    assert "broken" in str(caught.value)


def test_rdf_parents_outside_the_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.ttl"
    path.write_text(
        (HERE / "mini-animals.ttl").read_text().replace("m:mammal a skos:Concept", "m:mammals a skos:Concept")
    )
    with pytest.raises(errors.DanglingParentError, match="mini#mammal"):
        read_taxonomy(path)


def test_binary_missing_and_damaged_files(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\0\1\2" * 100)
    with pytest.raises(errors.UnknownFormatError, match="binary"):
        read_taxonomy(tmp_path / "b")
    with pytest.raises(errors.OntologyError, match="No such file"):
        read_taxonomy(tmp_path / "none")
    (tmp_path / "g.gz").write_bytes(gzip.compress(b"id,parent\n" * 1000)[:-20])
    with pytest.raises(errors.UnknownFormatError, match="gzip data"):
        read_taxonomy(tmp_path / "g.gz")
    with pytest.raises(errors.UnknownFormatError, match="WNDB"):
        read_taxonomy(tmp_path)
    with pytest.raises(errors.OptionError, match="did you mean 'obo'"):
        read_taxonomy(tmp_path / "b", format="oboe")


def test_turtle_with_byte_order_mark_and_owl_as_default_namespace(tmp_path: Path) -> None:
    marked = tmp_path / "marked.ttl"
    marked.write_bytes(b"\xef\xbb\xbf" + (HERE / "mini-animals.ttl").read_bytes())
    assert links(read_taxonomy(marked)) == LINKS
    default = tmp_path / "default.owl"
    text = (HERE / "mini-animals.owl").read_text()
    default.write_text(
        text.replace("<owl:Ontology ", '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ').replace(
            "</owl:Ontology>", "</Ontology>"
        )
    )
    assert links(read_taxonomy(default)) == LINKS


def test_explicit_format() -> None:
    t = read_taxonomy(HERE / "mini-animals.csv", format="child-parent")
    assert links(t) == LINKS
    assert set(FILE_FORMATS) == {"obo", "rdf", "lmf", "mesh", "hierarchy", "tree", "child-parent", "codes"}


@needs(DATA / "taxonomies" / "doid_2019-03-07.obo.gz")
def test_doid_agrees_with_fastobo() -> None:
    path = DATA / "taxonomies" / "doid_2019-03-07.obo.gz"
    t = read_taxonomy(path)
    assert (len(t), len(t.parents[1])) == (9_233, 10_880)
    assert [t.labels[c] for c in t.path(t.code("asthma"))][-1] == "disease"
    check_against_fastobo(path, t)


@needs(DATA / "taxonomies" / "icd10cm_tree.tsv.gz")
def test_icd_codes_that_are_their_own_parents_are_refused(tmp_path: Path) -> None:
    """39 one-category blocks of the file lost their chapter: refused as it is; as further roots, the first load."""
    path = DATA / "taxonomies" / "icd10cm_tree.tsv.gz"
    with pytest.raises(errors.CycleError, match=r"line 812: 'B10' is its own parent; 39 such ids"):
        read_taxonomy(path)
    rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().splitlines()[:5_000]]
    mended = dict.fromkeys("\t".join([row[0], "" if row[0] == row[1] else row[1], row[2]]) for row in rows)
    (tmp_path / "icd.tsv").write_text("\n".join(mended))
    t = read_taxonomy(tmp_path / "icd.tsv")
    assert len(t) > 4_000
    assert t.labels[t.code("A00.0")].startswith("Cholera due to Vibrio cholerae")
    assert [t.ids[c] for c in t.path(t.code("A00.0"))] == ["A00.0", "A00", "A00-A09", "1", "*"]


@needs(DATA / "taxonomies" / "mesh_dhimmel_tree-numbers.tsv.gz")
def test_mesh_loads_with_all_descriptors() -> None:
    t = read_taxonomy(DATA / "taxonomies" / "mesh_dhimmel_tree-numbers.tsv.gz")
    rows = (
        gzip.decompress((DATA / "taxonomies" / "mesh_dhimmel_tree-numbers.tsv.gz").read_bytes()).decode().splitlines()
    )
    descriptors = {row.split("\t")[0] for row in rows[1:]}
    categories = {row.split("\t")[2][0] for row in rows[1:]}
    assert len(t) == len(descriptors) + len(categories) + 1  # and the virtual root
    assert {t.labels[p] for p in t.parents_of(t.code("Nitrogen Dioxide"))} >= {"Nitrogen Oxides"}
    assert t.labels[t.code("D000003")] == "Abattoirs"


@needs(DATA / "taxonomies" / "ncbi_taxonomy_parents.tsv.gz")
def test_two_million_concepts() -> None:
    t = read_taxonomy(DATA / "taxonomies" / "ncbi_taxonomy_parents.tsv.gz")
    assert len(t) == 2_609_295
    assert t.deepest == 38
    human, mouse = t.code("9606"), t.code("10090")
    assert t.ids[int(similarity.lcs(t, human, mouse))] == "314146"  # Euarchontoglires
    assert 0 < float(similarity.wu_palmer(t, human, mouse)) < 1


@needs(DATA / "vgh" / "arx" / "adult_hierarchy_occupation.csv")
@pytest.mark.parametrize("name", ["occupation", "education", "marital-status", "native-country", "workclass"])
def test_arx_hierarchies_load(name: str) -> None:
    path = DATA / "vgh" / "arx" / f"adult_hierarchy_{name}.csv"
    t = read_taxonomy(path)
    leaves = {line.split(";")[0] for line in path.read_text().splitlines()}
    assert {t.ids[c] for c in t.leaves(t.root)} == leaves
    assert t.ids[t.root] == "*"


@needs(WNDB)
def test_wndb_verbs_can_be_read() -> None:
    t = read_taxonomy(WNDB, format="wndb-verbs")
    assert t.ids[t.code("walk")] == "walk.v.01"
    assert t.ids[t.root] == "*"


INDEX = "entity n 1 1 ~ 1 0 00000001\nthing n 1 1 @ 1 0 00000002\n"
THING = "00000002 03 n 01 thing 0 001 @ {} n 0000 | x\n"
ENTITY = "00000001 03 n 01 entity 0 001 ~ 00000002 n 0000 | what is\n"


@pytest.mark.parametrize(
    ("data", "index", "error", "message"),
    [
        (ENTITY + "00000002 03 n 01 thing\n", INDEX, errors.UnknownFormatError, "data.noun, line 2: not a line"),
        (
            ENTITY + THING.format("00000009"),
            INDEX,
            errors.DanglingParentError,
            "line 2: 'thing",
        ),
        (
            ENTITY + THING.format("00000001"),
            INDEX[:10],
            errors.UnknownFormatError,
            "index",
        ),
        (ENTITY + THING.format("00000002"), "x", errors.UnknownFormatError, "not a line"),
        (ENTITY + ENTITY, INDEX, errors.DuplicateIdError, "line 2: the id 'entity.n.01' is defined twice"),
    ],
)
def test_damaged_wndb_directories(
    data: str, index: str, error: type[errors.OntologyError], message: str, tmp_path: Path
) -> None:
    (tmp_path / "data.noun").write_text(data)
    (tmp_path / "index.noun").write_text(index)
    with pytest.raises(error, match=message):
        read_taxonomy(tmp_path)


def test_a_small_wndb_directory(tmp_path: Path) -> None:
    text = ENTITY + THING.format("00000001").replace("| x", "| na\xefve")
    (tmp_path / "data.noun").write_bytes(text.encode("latin-1"))
    (tmp_path / "index.noun").write_text(INDEX)
    t = read_taxonomy(tmp_path)
    assert list(t.ids) == ["entity.n.01", "thing.n.01"]
    assert t.definitions is not None
    assert t.definitions[1] == "naïve"
