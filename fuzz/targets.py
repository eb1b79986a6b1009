"""Targets of fuzzing: every reader on any bytes.

A target takes bytes. It returns where a reader works, or refuses them by an `AllonymError` whose text has no part of a
cell; anything else that it raises is a finding. `TARGETS` has each with what fuzzing begins with.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import builders
import numpy as np
import seeds
from contract import MASKS, expect, folder, refusing, written
from table_targets import (
    _unpacked,
    built_excel,
    built_json_lines,
    built_labelled,
    built_parquet,
    built_table,
    excel,
    json_lines,
    labelled,
    parquet,
    sheet,
    table,
)

from allonym.cells import Cells
from allonym.kinds import numbers as number_cells
from allonym.kinds.numeric import Numeric
from allonym.ontology import lexicon
from allonym.ontology.linking import links_file as links
from allonym.ontology.linking.link import link
from allonym.ontology.readers import FILE_FORMATS, read_taxonomy
from allonym.ontology.readers.source import File
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.pipeline.fit import Fitted
from allonym.plan import toml
from allonym.plan.model import Plan
from allonym.release import reread
from allonym.release import write as release
from allonym.tables.files import Reading, TextFile
from allonym.tables.jsonl import JsonLines

# --- ontologies ------------------------------------------------------------------------------------------------


def _usable(t: Taxonomy) -> None:
    """See that what was read can be used: every concept is under the root, every form is found."""
    forms = list(t.lexicon.forms)
    expect(list(t.lexicon.keys) == [lexicon.key(x) for x in forms], "forms and their keys do not match")
    expect(len(set(t.ids)) == len(t.ids) == len(t.labels) == len(t.parents[0]) - 1, "concepts do not match")
    for c in range(min(len(t), 50)):
        expect(t.path(c)[-1] == t.root, "a way up does not end at the root")
        expect(all(c in t.lexicon.senses(x) for x in t.lexicon.terms(c)), "a term is not found")
    language = next((x for x in t.lexicon.language_names if x in ("en", "de")), "en")
    if t.lexicon.has_language(language):
        links_of(["nurse", *forms[:20]], Scope(t, t.root), language)


def taxonomy(data: bytes) -> None:
    """Read an ontology whose format is found."""
    with refusing():
        _usable(read_taxonomy(written(data)))


def _read_as(format: str, data: bytes) -> None:
    with refusing():
        _usable(FILE_FORMATS[format].read(File(Path("given"), data, "")))


def wndb(data: bytes) -> None:
    """Read a WNDB directory: data, index, counts and exceptions, as one."""
    for name, part in zip(
        ("data.noun", "index.noun", "cntlist.rev", "noun.exc"), data.split(seeds.BETWEEN), strict=False
    ):
        written(part, name)
    with refusing():
        _usable(read_taxonomy(folder(), "wndb"))


def built_ontology(data: bytes) -> None:
    """Read an ontology that is well-formed, whatever it says: by its format, and where that is found."""
    format, content = builders.ontology(builders.Choices(data))
    _read_as(format, content)
    taxonomy(content)


# --- links, plans, fitted plans --------------------------------------------------------------------------------


def links_file(data: bytes) -> None:
    """Read any bytes as a links file."""
    told = data.decode("latin-1")
    with refusing(told.partition("\n")[2], [told.partition("\n")[0]]):
        found = links.read(written(data))
        expect(found.unseen <= set(found.concepts) <= set(found.rows), "values are not those of the rows")


def built_links(data: bytes) -> None:
    """Write the links of any texts, and read them again."""
    choices = builders.Choices(data)
    values = list(dict.fromkeys(x for _ in range(choices.below(8)) if (x := choices.text().strip())))
    links_of(values, mini(choices.flag()), "en")


def links_of(values: Sequence[str], scope: Scope, language: str, senses: str = "coherent") -> None:
    """Link some texts, write the links and read them again."""
    values = [x for x in dict.fromkeys(x.strip() for x in values) if x]
    found = link(values, scope, senses=senses, language=language)
    expect([x.value for x in found] == values, "values are lost")
    expect(all(x.concept is None or x.concept in scope for x in found), "a concept is outside")
    expect(all((x.concept is None) == (x.status == "unmatched") for x in found), "a status is wrong")
    told = links.to_csv(found, scope).encode("utf-8", "surrogatepass")
    if any("\ud800" <= x <= "\udfff" for x in told.decode("utf-8", "surrogatepass")):
        return
    again = links.read(written(told, "links.csv"))
    ids = {x.value: scope.taxonomy.ids[x.concept].strip() for x in found if x.concept is not None}
    came_back = {x: id.strip() for x, id in again.concepts.items()}
    expect(came_back == {x: id for x, id in ids.items() if id}, "links do not come back")


@cache
def mini(animals: bool = True) -> Scope:
    """Return a small ontology, with words of two languages or one."""
    t = read_taxonomy(seeds.DATA / ("mini-animals.ttl" if animals else "mini-jobs.csv"))
    return Scope(t, t.root)


def linking(data: bytes) -> None:
    """Link any texts, a line each."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    for scope, language, senses in (
        (mini(), "en", "coherent"),
        (mini(), "de", "first"),
        (mini(False), "en", "best-pair"),
    ):
        with refusing(text):
            links_of(text.split("\n"), scope, language, senses)


def plan(data: bytes) -> None:
    """Read any bytes as a plan; what is saved of it is the same plan."""
    with refusing():
        found = Plan.load(written(data, "plan.toml"))
        told = toml.dumped(found)
        again = Plan.load(written(told.encode(), "again.toml"))
        expect(toml.dumped(again) == told and again.method == found.method, "a plan does not come back")


def built_plan(data: bytes) -> None:
    """Read a plan with other values in some places."""

    import tomlkit

    choices = builders.Choices(data)
    base = tomllib.loads(choices.one_of((seeds.PLAN, seeds.PROMISES)).decode())
    try:
        told = tomlkit.dumps(builders.changed_json(choices, base)).encode()
    except (TypeError, ValueError, AttributeError, tomlkit.exceptions.TOMLKitError):  # null and surrogates: no TOML
        return
    plan(told)


def fitted(data: bytes) -> None:
    """Read any bytes as a fitted plan, and mask records by it."""
    with refusing():
        found = Fitted.load(written(data, "fitted.json"))
        for record in ({"job": "nurse", "age": "31"}, {"job": "trekker", "age": None}, {"job": "", "age": "1.5e1"}):
            with refusing("trekker 1.5e1"):
                found.mask_one(record, key=3)


def built_fitted(data: bytes) -> None:
    """Read a fitted plan with other values in some places."""
    choices = builders.Choices(data)
    fitted(json.dumps(builders.changed_json(choices, json.loads(choices.one_of(seeds.fitted())))).encode())


# --- numbers ---------------------------------------------------------------------------------------------------


def numbers(data: bytes) -> None:
    """Take any texts for numbers and ranges, a line each."""
    texts = data.decode("utf-8", "replace").split("\n")
    found, comma = number_cells.numbers_of(texts)
    expect(all(x is None or abs(x) < number_cells.LARGEST_EXACT for x in found), "a number is too large")
    expect([number_cells.to_number(x, comma) for x in texts] == found, "numbers differ")
    for text in texts:
        for known in ([], [17.0, 90.0]):
            told = number_cells.number_or_range(text, known, comma)
            ends = told if isinstance(told, tuple) else (told, told)
            expect(told is None or all(map(math.isfinite, ends)), "a range has no end")
            expect(told is None or ends[0] <= ends[1], "a range goes down")
    columns = ([t for t, x in zip(texts, found, strict=True) if x is not None], texts)
    for column in columns:
        with refusing("\n".join(column)):
            coded = Numeric().encode("given", Cells(column, np.arange(len(column))))
            labels = [coded.label(x) for x in coded.attribute.values if x is not None]
            comma = number_cells.numbers_of(column)[1]
            expect(all(number_cells.to_number(x, comma) is not None for x in labels), "a label is no number")


# --- the second reader -----------------------------------------------------------------------------------------


def _masked(opened: TextFile | JsonLines, choices: builders.Choices) -> tuple[bytes, list[str], list[str]]:
    """Return a release, the columns that were masked, and all that it has."""
    names = list(opened.names)
    quasi = [x for x in names if choices.below(3)] or names[:1]
    dropped = [x for x in names if x not in quasi and choices.flag()]
    opened.cells(names)
    new = {x: Cells(MASKS, np.array([choices.below(len(MASKS)) for _ in range(opened.n)], np.int64)) for x in quasi}
    content = b"".join(opened.changed(new, dropped, discard_style=choices.flag()))
    return gzip.compress(content) if choices.flag() else content, quasi, [x for x in names if x not in dropped]


def _least(rows: Iterable[tuple[Any, ...]]) -> int:
    return min(Counter(rows).values(), default=0)


def release_text(data: bytes) -> None:
    """Recount releases of delimited text, by the second reader and by hand."""
    choices = builders.Choices(data)
    made = builders.table(choices)
    if made is None:
        return
    told = " ".join(x for row in made.rows for x in row)
    with refusing(told):
        opened = TextFile(made.raw, "given", Reading(made.encoding, made.delimiter, made.header))
        content, quasi, kept = _masked(opened, choices)
        names = None if made.header else kept
        with refusing(told, kept):
            again = reread.read_text(content, quasi, delimiter=opened.delimiter, encoding=opened.codec, names=names)
            reached = release.recount(*again, release.Promise(quasi, 0, opened.n, kept)).k
            expect(list(reached) == [_by_hand(_unpacked(content), opened, quasi, kept)], "k is not that of csv")


def _by_hand(content: bytes, opened: TextFile, quasi: Sequence[str], kept: Sequence[str]) -> int:
    """Count the smallest group as the csv module reads it."""
    text = content.decode("utf-8-sig" if opened.codec == "utf-8" else opened.codec)
    blanks = opened.delimiter != " "
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=opened.delimiter, skipinitialspace=blanks)
    rows = [row or [""] for row in reader if len(kept) == 1 or any(x.strip() for x in row) or len(row) > 1]
    rows = rows[1:] if opened.has_header else rows
    return _least(tuple(row[kept.index(x)] for x in quasi) for row in rows)


def release_json(data: bytes) -> None:
    """Recount releases of JSON lines, by the second reader and by hand."""
    choices = builders.Choices(data)
    raw = "\n".join(map(json.dumps, builders.json_lines(choices))).encode()
    with refusing():
        opened = JsonLines(raw, "given")
        if not opened.names:
            return
        content, quasi, kept = _masked(opened, choices)
        if choices.flag():
            content, quasi = raw, kept  # any values, lists too
        again = reread.read_json(content, quasi, kept)
        reached = release.recount(*again, release.Promise(quasi, 0, opened.n, kept)).k
        records = [json.loads(line) for line in _unpacked(content).splitlines() if line.strip()]
        expect(
            list(reached) == [_least(tuple(_told(x.get(q)) for q in quasi) for x in records)], "k is not that of json"
        )


def _told(value: Any) -> Any:
    """Return a value of JSON as others see it: text, or a set of texts."""
    if isinstance(value, list):
        return tuple(sorted(map(str, value)))
    return value if value is None or isinstance(value, str) else json.dumps(value)


# --- long files ------------------------------------------------------------------------------------------------


def long(data: bytes) -> None:
    """Give a target something many times over: which target, how often, what comes before, again and again, last."""
    choices = builders.Choices(data)
    target = choices.one_of([TARGETS[x].run for x in LONG])
    times = 4 ** (1 + choices.below(9))
    before, again, last, *_ = (*choices.rest().split(b"\xff"), b"", b"", b"")
    if len(again) * times < 1_000_000:
        target(before + again * times + last)


class Target(NamedTuple):
    """What is run, and the inputs that it begins with."""

    run: Callable[[bytes], None]
    seeds: Callable[[], tuple[bytes, ...]]


def _drawn(longest: int = 60) -> tuple[bytes, ...]:
    """Return bytes that choose a little of everything."""
    return tuple(
        np.random.default_rng(i).integers(0, 256, 4 + i * longest // 12).astype(np.uint8).tobytes() for i in range(24)
    )


LONG = (
    "taxonomy", "table", "json-lines", "child-parent", "hierarchy", "tree", "obo", "rdf", "lmf", "mesh", "wndb",
    "links-file", "plan", "fitted", "numbers", "linking", "sheet",
)  # fmt: skip
_AGAIN = tuple(
    bytes([i, times]) + b"\xff".join(parts)
    for i in range(len(LONG))
    for times in (2, 5)
    for parts in (
        (b"a", b"\n", b"b"),
        (b"a,b\n", b"x,y\n", b""),
        (b"", b"[", b""),
        (b'{"a":', b"[", b"1"),
        (b"a", b" ", b"b"),
    )
)
TARGETS: dict[str, Target] = {
    "taxonomy": Target(taxonomy, seeds.ontologies),
    "child-parent": Target(partial(_read_as, "child-parent"), lambda: seeds.of("mini-animals.csv", "mini-jobs.csv")),
    "hierarchy": Target(partial(_read_as, "hierarchy"), lambda: seeds.of("mini-hierarchy.csv")),
    "tree": Target(partial(_read_as, "tree"), seeds.trees),
    "obo": Target(partial(_read_as, "obo"), lambda: seeds.of("mini-animals.obo")),
    "rdf": Target(
        partial(_read_as, "rdf"), lambda: seeds.of("mini-animals.ttl", "mini-animals.nt", "mini-animals.owl")
    ),
    "lmf": Target(partial(_read_as, "lmf"), lambda: seeds.of("mini-animals.xml")),
    "mesh": Target(partial(_read_as, "mesh"), lambda: seeds.of("mini-mesh.bin")),
    "wndb": Target(wndb, seeds.wndb),
    "built-ontology": Target(built_ontology, _drawn),
    "table": Target(table, lambda: (*seeds.tables(), *seeds.JSON_LINES, *seeds.parquet())),
    "built-table": Target(built_table, _drawn),
    "json-lines": Target(json_lines, lambda: seeds.JSON_LINES),
    "built-json-lines": Target(built_json_lines, _drawn),
    "parquet": Target(parquet, seeds.parquet),
    "built-parquet": Target(built_parquet, _drawn),
    "excel": Target(excel, seeds.workbooks),
    "sheet": Target(sheet, seeds.sheets),
    "built-excel": Target(built_excel, _drawn),
    "labelled": Target(labelled, seeds.labelled),
    "built-labelled": Target(built_labelled, _drawn),
    "links-file": Target(links_file, lambda: (seeds.SETTLED,)),
    "built-links": Target(built_links, _drawn),
    "plan": Target(plan, lambda: (seeds.PLAN, seeds.PROMISES)),
    "built-plan": Target(built_plan, _drawn),
    "fitted": Target(fitted, seeds.fitted),
    "built-fitted": Target(built_fitted, _drawn),
    "numbers": Target(numbers, lambda: seeds.NUMBERS),
    "linking": Target(linking, lambda: seeds.TEXTS),
    "release-text": Target(release_text, lambda: _drawn(240)),
    "release-json": Target(release_json, lambda: _drawn(240)),
    "long": Target(long, lambda: _AGAIN),
}
