"""Fuzz targets: every reader on arbitrary bytes.

A target takes bytes. It returns if the reader accepts them, or refuses them with an `AllonymError` whose message
contains no part of a cell; any other exception is a finding. `TARGETS` lists the targets with their seeds.
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
from contract import MASKS, expect, folder, refusing, write
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
from allonym.release import recount as release
from allonym.tables import csv as csv_format
from allonym.tables import jsonl as jsonl_format
from allonym.tables.csv import TextFile
from allonym.tables.files import Reading
from allonym.tables.jsonl import JsonLines

# --- ontologies ------------------------------------------------------------------------------------------------


def _usable(t: Taxonomy) -> None:
    """Check that a taxonomy is usable: every concept is under the root, every form is found."""
    forms = list(t.lexicon.forms)
    expect(list(t.lexicon.keys) == [lexicon.key(x) for x in forms], "forms and their keys do not match")
    expect(len(set(t.ids)) == len(t.ids) == len(t.labels) == len(t.parents[0]) - 1, "concepts do not match")
    for c in range(min(len(t), 50)):
        expect(t.path(c)[-1] == t.root, "a path does not end at the root")
        expect(all(c in t.lexicon.senses(x) for x in t.lexicon.terms(c)), "a term is not found")
    language = next((x for x in t.lexicon.language_names if x in ("en", "de")), "en")
    if t.lexicon.has_language(language):
        link_and_reread(["nurse", *forms[:20]], Scope(t, t.root), language)


def taxonomy(data: bytes) -> None:
    """Read an ontology and detect its format."""
    with refusing():
        _usable(read_taxonomy(write(data)))


def _read_as(format: str, data: bytes) -> None:
    with refusing():
        _usable(FILE_FORMATS[format].read(File(Path("given"), data, "")))


def wndb(data: bytes) -> None:
    """Read a WNDB directory; the input holds data, index, counts and exceptions."""
    for name, part in zip(
        ("data.noun", "index.noun", "cntlist.rev", "noun.exc"), data.split(seeds.SEPARATOR), strict=False
    ):
        write(part, name)
    with refusing():
        _usable(read_taxonomy(folder(), "wndb"))


def built_ontology(data: bytes) -> None:
    """Read a well-formed ontology with arbitrary content, by its format and by detection."""
    format, content = builders.ontology(builders.Choices(data))
    _read_as(format, content)
    taxonomy(content)


# --- links, plans, fitted plans --------------------------------------------------------------------------------


def links_file(data: bytes) -> None:
    """Read arbitrary bytes as a links file."""
    header, _, cells = data.decode("latin-1").partition("\n")
    with refusing(cells, [header]):
        settled = links.read(write(data))
        expect(settled.unseen <= set(settled.concepts) <= set(settled.rows), "values differ from the rows")


def built_links(data: bytes) -> None:
    """Write the links of arbitrary texts, and read them again."""
    choices = builders.Choices(data)
    values = list(dict.fromkeys(x for _ in range(choices.below(8)) if (x := choices.text().strip())))
    link_and_reread(values, mini(choices.flag()), "en")


def link_and_reread(values: Sequence[str], scope: Scope, language: str, senses: str = "coherent") -> None:
    """Link texts, write the links and read them again."""
    values = [x for x in dict.fromkeys(x.strip() for x in values) if x]
    linked = link(values, scope, senses=senses, language=language)
    expect([x.value for x in linked] == values, "values are lost")
    expect(all(x.concept is None or x.concept in scope for x in linked), "a concept is outside the scope")
    expect(all((x.concept is None) == (x.status == "unmatched") for x in linked), "a status is wrong")
    content = links.to_csv(linked, scope).encode("utf-8", "surrogatepass")
    if any("\ud800" <= x <= "\udfff" for x in content.decode("utf-8", "surrogatepass")):
        return
    again = links.read(write(content, "links.csv"))
    ids = {x.value: scope.taxonomy.ids[x.concept].strip() for x in linked if x.concept is not None}
    came_back = {x: id.strip() for x, id in again.concepts.items()}
    expect(came_back == {x: id for x, id in ids.items() if id}, "links do not come back")


@cache
def mini(animals: bool = True) -> Scope:
    """Return a small ontology: animals in two languages, or jobs in one."""
    t = read_taxonomy(seeds.DATA / ("mini-animals.ttl" if animals else "mini-jobs.csv"))
    return Scope(t, t.root)


def linking(data: bytes) -> None:
    """Link arbitrary texts, one per line."""
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
            link_and_reread(text.split("\n"), scope, language, senses)


def plan(data: bytes) -> None:
    """Read arbitrary bytes as a plan; saving it keeps the plan."""
    with refusing():
        loaded = Plan.load(write(data, "plan.toml"))
        text = toml.dumped(loaded)
        again = Plan.load(write(text.encode(), "again.toml"))
        expect(toml.dumped(again) == text and again.method == loaded.method, "a plan does not come back")


def built_plan(data: bytes) -> None:
    """Read a plan with some values replaced."""

    import tomlkit

    choices = builders.Choices(data)
    base = tomllib.loads(choices.one_of((seeds.PLAN, seeds.PRIVACY_PLAN)).decode())
    try:
        content = tomlkit.dumps(builders.mutate_json(choices, base)).encode()
    except (
        TypeError,
        ValueError,
        AttributeError,
        tomlkit.exceptions.TOMLKitError,
    ):  # TOML has no null and no surrogates
        return
    plan(content)


def fitted(data: bytes) -> None:
    """Read arbitrary bytes as a fitted plan, and mask records with it."""
    with refusing():
        loaded = Fitted.load(write(data, "fitted.json"))
        for record in ({"job": "nurse", "age": "31"}, {"job": "trekker", "age": None}, {"job": "", "age": "1.5e1"}):
            with refusing("trekker 1.5e1"):
                loaded.mask_one(record, key=3)


def built_fitted(data: bytes) -> None:
    """Read a fitted plan with some values replaced."""
    choices = builders.Choices(data)
    fitted(json.dumps(builders.mutate_json(choices, json.loads(choices.one_of(seeds.fitted())))).encode())


# --- numbers ---------------------------------------------------------------------------------------------------


def numbers(data: bytes) -> None:
    """Parse arbitrary texts as numbers and ranges, one per line."""
    texts = data.decode("utf-8", "replace").split("\n")
    values, comma = number_cells.numbers_of(texts)
    expect(all(x is None or abs(x) < number_cells.LARGEST_EXACT for x in values), "a number is too large")
    expect([number_cells.to_number(x, comma) for x in texts] == values, "numbers differ")
    for text in texts:
        for column_values in ([], [17.0, 90.0]):
            parsed = number_cells.number_or_range(text, column_values, comma)
            ends = parsed if isinstance(parsed, tuple) else (parsed, parsed)
            expect(parsed is None or all(map(math.isfinite, ends)), "a range has no end")
            expect(parsed is None or ends[0] <= ends[1], "a range goes down")
    columns = ([t for t, x in zip(texts, values, strict=True) if x is not None], texts)
    for column in columns:
        with refusing("\n".join(column)):
            encoded = Numeric().encode("given", Cells(column, np.arange(len(column))))
            labels = [encoded.label(x) for x in encoded.attribute.values if x is not None]
            comma = number_cells.numbers_of(column)[1]
            expect(all(number_cells.to_number(x, comma) is not None for x in labels), "a label is no number")


# --- the second reader -----------------------------------------------------------------------------------------


def _masked(opened: TextFile | JsonLines, choices: builders.Choices) -> tuple[bytes, list[str], list[str]]:
    """Return a release, its masked columns, and all its columns."""
    names = list(opened.names)
    quasi = [x for x in names if choices.below(3)] or names[:1]
    dropped = [x for x in names if x not in quasi and choices.flag()]
    opened.cells(names)
    new = {x: Cells(MASKS, np.array([choices.below(len(MASKS)) for _ in range(opened.n)], np.int64)) for x in quasi}
    content = b"".join(opened.changed(new, dropped, discard_style=choices.flag()))
    return gzip.compress(content) if choices.flag() else content, quasi, [x for x in names if x not in dropped]


def _smallest_group(rows: Iterable[tuple[Any, ...]]) -> int:
    return min(Counter(rows).values(), default=0)


def release_text(data: bytes) -> None:
    """Recount releases of delimited text with the second reader and with the csv module."""
    choices = builders.Choices(data)
    source = builders.table(choices)
    if source is None:
        return
    cells = " ".join(x for row in source.rows for x in row)
    with refusing(cells):
        opened = TextFile(source.raw, "given", Reading(source.encoding, source.delimiter, source.header))
        content, quasi, kept = _masked(opened, choices)
        names = None if source.header else kept
        with refusing(cells, kept):
            again = csv_format.reread(content, quasi, delimiter=opened.delimiter, encoding=opened.codec, names=names)
            reached = release.recount(*again, release.Promise(quasi, 0, opened.n, kept)).k
            expect(
                list(reached) == [_smallest_group_of_csv(_unpacked(content), opened, quasi, kept)],
                "k is not that of csv",
            )


def _smallest_group_of_csv(content: bytes, opened: TextFile, quasi: Sequence[str], kept: Sequence[str]) -> int:
    """Return the size of the smallest group as the csv module reads it."""
    text = content.decode("utf-8-sig" if opened.codec == "utf-8" else opened.codec)
    blanks = opened.delimiter != " "
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=opened.delimiter, skipinitialspace=blanks)
    rows = [row or [""] for row in reader if len(kept) == 1 or any(x.strip() for x in row) or len(row) > 1]
    rows = rows[1:] if opened.has_header else rows
    return _smallest_group(tuple(row[kept.index(x)] for x in quasi) for row in rows)


def release_json(data: bytes) -> None:
    """Recount releases of JSON lines with the second reader and with the json module."""
    choices = builders.Choices(data)
    raw = "\n".join(map(json.dumps, builders.json_lines(choices))).encode()
    with refusing():
        opened = JsonLines(raw, "given")
        if not opened.names:
            return
        content, quasi, kept = _masked(opened, choices)
        if choices.flag():
            content, quasi = raw, kept  # arbitrary values, including lists
        again = jsonl_format.reread(content, quasi, kept)
        reached = release.recount(*again, release.Promise(quasi, 0, opened.n, kept)).k
        records = [json.loads(line) for line in _unpacked(content).splitlines() if line.strip()]
        expect(
            list(reached) == [_smallest_group(tuple(_as_text(x.get(q)) for q in quasi) for x in records)],
            "k is not that of json",
        )


def _as_text(value: Any) -> Any:
    """Return a JSON value as text, or a list as sorted texts."""
    if isinstance(value, list):
        return tuple(sorted(map(str, value)))
    return value if value is None or isinstance(value, str) else json.dumps(value)


# --- long files ------------------------------------------------------------------------------------------------


def long(data: bytes) -> None:
    """Run a target on a long input: the bytes choose the target, a number of repeats, and the parts of the input."""
    choices = builders.Choices(data)
    target = choices.one_of([TARGETS[x].run for x in LONG])
    times = 4 ** (1 + choices.below(9))
    start, repeat, end, *_ = (*choices.rest().split(b"\xff"), b"", b"", b"")
    if len(repeat) * times < 1_000_000:
        target(start + repeat * times + end)


class Target(NamedTuple):
    """A function to run, and its seed inputs."""

    run: Callable[[bytes], None]
    seeds: Callable[[], tuple[bytes, ...]]


def _drawn(longest: int = 60) -> tuple[bytes, ...]:
    """Return random bytes of growing length."""
    return tuple(
        np.random.default_rng(i).integers(0, 256, 4 + i * longest // 12).astype(np.uint8).tobytes() for i in range(24)
    )


LONG = (
    "taxonomy", "table", "json-lines", "child-parent", "hierarchy", "tree", "obo", "rdf", "lmf", "mesh", "wndb",
    "links-file", "plan", "fitted", "numbers", "linking", "sheet",
)  # fmt: skip
_LONG_SEEDS = tuple(
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
    "child-parent": Target(
        partial(_read_as, "child-parent"), lambda: seeds.test_files("mini-animals.csv", "mini-jobs.csv")
    ),
    "hierarchy": Target(partial(_read_as, "hierarchy"), lambda: seeds.test_files("mini-hierarchy.csv")),
    "tree": Target(partial(_read_as, "tree"), seeds.trees),
    "obo": Target(partial(_read_as, "obo"), lambda: seeds.test_files("mini-animals.obo")),
    "rdf": Target(
        partial(_read_as, "rdf"), lambda: seeds.test_files("mini-animals.ttl", "mini-animals.nt", "mini-animals.owl")
    ),
    "lmf": Target(partial(_read_as, "lmf"), lambda: seeds.test_files("mini-animals.xml")),
    "mesh": Target(partial(_read_as, "mesh"), lambda: seeds.test_files("mini-mesh.bin")),
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
    "links-file": Target(links_file, lambda: (seeds.LINKS,)),
    "built-links": Target(built_links, _drawn),
    "plan": Target(plan, lambda: (seeds.PLAN, seeds.PRIVACY_PLAN)),
    "built-plan": Target(built_plan, _drawn),
    "fitted": Target(fitted, seeds.fitted),
    "built-fitted": Target(built_fitted, _drawn),
    "numbers": Target(numbers, lambda: seeds.NUMBERS),
    "linking": Target(linking, lambda: seeds.TEXTS),
    "release-text": Target(release_text, lambda: _drawn(240)),
    "release-json": Target(release_json, lambda: _drawn(240)),
    "long": Target(long, lambda: _LONG_SEEDS),
}
