"""The golden cases: what is run, and which of its outputs are compared. Only the public surface is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl

import allonym as al
from golden.decode import arrow as lines_of
from golden.inputs import arrow, people

Call = Callable[[], dict[str, str]]
BINARY = ("input", "output")  # hashes of files whose bytes depend on the library that wrote them


@dataclass(frozen=True)
class Case:
    """Commands run one after the other in a folder with all inputs, or a call; and the files they are judged by.

    What commands print is compared as text; what they print as JSON, or as a release, as data.
    """

    name: str
    commands: tuple[str, ...] = ()
    data: tuple[str, ...] = ()  # patterns of files that must never change
    text: tuple[str, ...] = ()  # pages for people
    call: Call | None = None  # returns data by name
    stdin: str = ""  # the input that every command reads
    process: bool = False  # whether each command has a process of its own
    unordered: bool = False  # whether rows may come in any order, as they do from the threads of DuckDB
    hidden: tuple[str, ...] = ()  # hashes in JSON that depend on the folder ("plan") or on a library (BINARY)


def command(name: str, *commands: str, **options: Any) -> Case:
    """Return a case of commands. Releases keep the order of rows unless they say otherwise, so that rows compare."""
    masks = [x.startswith("mask ") and not {"--help", "--row-order"} & set(x.split()) for x in commands]
    texts = tuple(f"{x} --row-order keep" if keep else x for x, keep in zip(commands, masks, strict=True))
    return Case(name, texts, **options)


def masking(name: str, table: str, options: str, **more: Any) -> Case:
    """Return a case that masks a table, judged by the release and its summary; options may omit the seed."""
    options += "" if "--seed" in options or "--plan" in options else " --seed 7"
    ending = "".join(Path(table).suffixes)
    files = {"data": (f"out{ending}", "summary.json")} | more
    return command(name, f"mask {table} -o out{ending} {options} --summary summary.json", **files)


# --- methods ---------------------------------------------------------------------------------------------------

PEOPLE = "--quasi job=wordnet:person --quasi age=numeric --identifier name --keep-rest --accept-review --seed 7"
WORDS = "--quasi job=wordnet:person --quasi city=category --identifier name --keep-rest --accept-review --seed 7"
WORKERS = "--quasi job=mini-jobs.csv --identifier name --keep-rest --seed 7"
ALONE = "--quasi job=wordnet:person --identifier name --keep-rest --accept-review --seed 7"
SURVEY = "--plan survey.toml --seed 7"
GROUPING = ("sa-mdav", "sa-mdav-static", "s-mdav", "abril", "mdav", "fusion")

METHODS = [
    *(masking(f"methods/{x}", "people.csv", f"{PEOPLE} --k 3 --method {x}") for x in GROUPING),
    *(masking(f"methods/{x}-survey", "survey.csv", f"{SURVEY} --method {x}") for x in GROUPING),
    *(
        masking(f"methods/{x}-{what}", "people.csv", f"{PEOPLE} --k 4 --method {x} --represent {what}")
        for x in ("sa-mdav", "s-mdav", "mdav", "abril")
        for what in ("centroid", "subsumer", "member")
    ),
    *(
        masking(f"methods/{x}-refine", "people.csv", f"{PEOPLE} --k 3 --method {x} --refine")
        for x in ("sa-mdav", "sa-mdav-static", "s-mdav", "mdav", "fusion")
    ),
    masking("methods/sa-mdav-refine-survey", "survey.csv", f"{SURVEY} --refine"),
    masking("methods/sa-mdav-weighted", "people.csv", f"{PEOPLE} --k 3 --growth weighted"),
    masking("methods/sa-mdav-static-weighted", "people.csv", f"{PEOPLE} --method sa-mdav-static --growth weighted"),
    masking("methods/sa-mdav-blocks", "survey.csv", f"{SURVEY} --blocks-from 50"),
    masking("methods/fusion-blocks", "survey.csv", f"{SURVEY} --method fusion --blocks-from 50"),
    masking("methods/old-name-mode", "people.csv", f"{PEOPLE} --k 3 --method mode"),
    *(
        masking(f"methods/fusion-{x.replace('+', '-')}", "visitors.csv", f"{SURVEY} --method fusion --heuristics {x}")
        for x in ("none", "h1", "h1+target", "h1+h2", "h1+h2+h3")
    ),
    *(
        masking(f"methods/fusion-by-{x}", "visitors.csv", f"{SURVEY} --method fusion --guide {x}")
        for x in ("similarity", "discernibility", "random", "lin")
    ),
    masking(
        "methods/fusion-by-hierarchy",
        "visitors.csv",
        f"{SURVEY} --method fusion --guide hierarchy --hierarchy reason=reason.vgh.csv "
        "--hierarchy activity=activity.vgh.csv",
        hidden=("plan",),
    ),
    *(masking(f"methods/{x}", "people.csv", f"{ALONE} --k 5 --method {x}") for x in ("recoding", "recoding-ordered")),
    masking("methods/recoding-per-attribute", "visitors.csv", f"{SURVEY} --method recoding --per-attribute"),
    masking("methods/recoding-h1", "people.csv", f"{ALONE} --k 7 --method recoding --heuristics h1"),
    masking("methods/recoding-random", "people.csv", f"{ALONE} --k 7 --method recoding --guide random"),
    masking("methods/recoding-ordered-random", "people.csv", f"{ALONE} --k 7 --method recoding-ordered --guide random"),
    masking(
        "methods/recoding-ordered-by-hierarchy",
        "workers.csv",
        f"{WORKERS} --k 9 --method recoding-ordered --guide hierarchy --hierarchy job=workers.vgh.csv",
        hidden=("plan",),
    ),
    masking(
        "methods/generalise",
        "workers.csv",
        "--quasi job=workers.vgh.csv --quasi age=ages.vgh.csv --keep name --keep-rest --k 3 --method generalise",
        hidden=("plan",),
    ),
    masking(
        "methods/generalise-suppression",
        "workers.csv",
        "--quasi job=workers.vgh.csv --quasi age=ages.vgh.csv --keep name --keep-rest --k 3 --method generalise "
        "--suppression 0.3",
        hidden=("plan",),
    ),
    masking("methods/generalise-wordnet", "people.csv", f"{WORDS} --k 3 --method generalise --suppression 0.1"),
    *(
        masking(f"methods/{x}", "people.csv", f"{PEOPLE} --method {x}")
        for x in ("noise", "randomise-uniform", "randomise-frequency")
    ),
    masking("methods/noise-alpha", "people.csv", f"{PEOPLE} --method noise --alpha 1.5"),
    masking("methods/noise-allow-same", "people.csv", f"{PEOPLE} --method noise --allow-same --alpha 0.05"),
    masking("methods/noise-key", "people.csv", f"{PEOPLE} --method noise --key name"),
    masking("methods/noise-laplace", "people.csv", f"{PEOPLE} --method noise --distribution laplace"),
    masking(
        "methods/noise-candidates",
        "people.csv",
        f"{PEOPLE} --method noise --candidates job=candidates.txt",
        hidden=("plan",),
    ),
    masking("methods/noise-correlated", "people.csv", f"{PEOPLE} --method noise --correlated"),
    masking("methods/pram", "people.csv", f"{PEOPLE} --method pram"),
    masking("methods/pram-tau", "people.csv", f"{PEOPLE} --method pram --tau 0.1 --max-odds 4"),
    masking("methods/swap", "people.csv", f"{PEOPLE} --method swap"),
    masking("methods/swap-reference", "people.csv", f"{PEOPLE} --method swap --order reference --window 20%"),
    masking("methods/swap-together", "visitors.csv", f"{SURVEY} --method swap --together all"),
    masking("methods/swap-nearest", "visitors.csv", f"{SURVEY} --method swap --pairs nearest --cap 0.3"),
    masking("methods/exponential", "people.csv", f"{ALONE} --method exponential --epsilon 4"),
    masking(
        "methods/exponential-candidates",
        "people.csv",
        f"{ALONE} --method exponential --epsilon 6 --candidates candidates.txt",
        hidden=("plan",),
    ),
    masking(
        "methods/exponential-budget",
        "people.csv",
        f"{ALONE} --method exponential --budget 6 --releases 2 --candidates candidates.txt",
        hidden=("plan",),
    ),
    masking(
        "methods/exponential-nulls",
        "people.csv",
        f"{ALONE} --method exponential --epsilon 2 --nulls --candidates job=candidates.txt",
        hidden=("plan",),
    ),
]

# --- columns ---------------------------------------------------------------------------------------------------

REST = "--identifier name --keep-rest --k 3"
ONE_BY_ONE = "--set items=wordnet:food --identifier name --keep-rest --accept-review --unmatched suppress --seed 7"
ITEMS = "--set items=wordnet --identifier name --keep-rest --accept-review --k 3"
COLUMNS = [
    masking("columns/wordnet", "people.csv", f"--quasi job=wordnet {REST} --accept-review"),
    masking("columns/guessed", "people.csv", f"--quasi job --quasi age {REST} --accept-review"),
    masking("columns/category", "people.csv", f"--quasi job=category --quasi city=category {REST}"),
    masking("columns/ordinal", "people.csv", f"--quasi size=ordinal:levels.txt --quasi age {REST}", hidden=("plan",)),
    masking("columns/numeric", "people.csv", f"--quasi age=numeric --quasi income=numeric {REST}"),
    masking("columns/ontology-file", "workers.csv", f"--quasi job=mini-jobs.csv {REST}", hidden=("plan",)),
    masking(
        "columns/ontology-root",
        "workers.csv",
        f"--quasi 'job=mini-jobs.csv#worker' {REST}",
        hidden=("plan",),
    ),
    masking(
        "columns/several-ontologies",
        "people.csv",
        f"--quasi job=mini-jobs.csv --quasi job=wordnet:person --unmatched opaque --accept-review {REST}",
        hidden=("plan",),
    ),
    masking(
        "columns/blended-ontologies",
        "people.csv",
        "--quasi job=mini-jobs.csv --quasi job=wordnet:person --combine blend --unmatched opaque --accept-review "
        f"{REST}",
        hidden=("plan",),
    ),
    masking("columns/all-kinds", "people.csv", "--plan people.toml --accept-review"),
    masking("columns/plan-of-file", "people-latin.csv", "--plan file.toml"),
    *(
        masking(
            f"columns/similarity-{x}",
            "people.csv",
            f"--quasi job=wordnet:person {REST} --accept-review --similarity {x}",
        )
        for x in ("path", "lin", "ancestor-overlap")
    ),
    masking("columns/set-text", "baskets.csv", ITEMS),
    masking("columns/set-lists", "baskets.jsonl", ITEMS),
    masking("columns/set-parquet", "baskets.parquet", ITEMS, hidden=BINARY),
    masking("columns/set-category", "baskets.csv", "--set items=category --keep-rest --identifier name --k 3"),
    *(masking(f"columns/set-{x}", "baskets.csv", f"{ITEMS} --set-distance {x}") for x in ("avg", "max", "max-sum")),
    masking("columns/set-generalise", "baskets.csv", f"{ITEMS} --quasi age=numeric --method generalise"),
    masking("columns/set-generalise-global", "baskets.csv", f"{ITEMS} --method generalise --recoding global"),
    masking("columns/set-s-mdav", "baskets.csv", f"{ITEMS} --quasi age=numeric --method s-mdav --set-distance min"),
    masking("columns/set-fusion", "baskets.csv", f"{ITEMS} --method fusion"),
    *(
        masking(f"columns/set-{x.split()[0]}", "baskets.csv", f"{ONE_BY_ONE} --method {x}")
        for x in ("noise", "randomise-frequency", "exponential --epsilon 9 --max-items 2")
    ),
    masking("columns/set-refine", "baskets.csv", f"{ITEMS} --refine"),
    masking(
        "columns/set-long",
        "purchases.csv",
        "--set item=wordnet --unit name --keep age --long --k 3 --accept-review",
    ),
    masking(
        "columns/set-long-quasi",
        "purchases.csv",
        "--set item=wordnet --unit name --quasi age=numeric --long --k 3 --accept-review",
    ),
    masking("columns/unit", "visits.csv", "--quasi job=wordnet:person --unit name --keep-rest --k 3 --accept-review"),
    masking(
        "columns/unit-s-mdav",
        "visits.csv",
        "--quasi job=wordnet:person --unit name --keep-rest --k 3 --accept-review --method s-mdav",
    ),
    masking(
        "columns/weight",
        "visits.csv",
        "--quasi job=wordnet:person --quasi age --unit name --weight times --keep-rest --k 3 --accept-review",
    ),
    masking("columns/keep", "people.csv", "--quasi age --keep job --keep size --identifier name --keep-rest --k 3"),
    *(
        masking(
            f"columns/unmatched-{x}", "holes.csv", f"--quasi job=wordnet:person {REST} --accept-review --unmatched {x}"
        )
        for x in ("opaque", "suppress")
    ),
    masking(
        "columns/unmatched-subsumer",
        "holes.csv",
        f"--quasi job=wordnet:person {REST} --accept-review --unmatched opaque --represent subsumer",
    ),
    masking(
        "columns/links",
        "visitors.csv",
        "--quasi reason=wordnet --links reason=reason.links.csv --identifier visitor --keep-rest --k 3",
        hidden=("plan",),
    ),
    *(
        masking(
            f"columns/narrower-{x}",
            "kinds.csv",
            f"--quasi job=mini-jobs.csv --links job=kinds.links.csv {REST} --method {x}",
            hidden=("plan",),
        )
        for x in ("sa-mdav", "fusion", "generalise")
    ),
    masking(
        "columns/dirty-survey",
        "dirty.csv",
        "--quasi reason=wordnet --quasi age --unit visitor --keep-rest --k 3 --accept-review --unmatched suppress",
    ),
]

# --- privacy models --------------------------------------------------------------------------------------------

JOB = "--quasi job=mini-jobs.csv --quasi age=numeric --identifier name --keep-rest --k 3"
PRIVACY = [
    masking(f"privacy/{name}", "workers.csv", f"{JOB} {options}", hidden=("plan",))
    for name, options in {
        "l-diversity": "--l-diversity illness=3",
        "l-diversity-fusion": "--l-diversity illness=3 --method fusion",
        "l-diversity-mdav": "--l-diversity illness=3 --method mdav",
        "l-diversity-refine": "--l-diversity illness=3 --refine",
        "entropy": "--entropy-l-diversity illness=2.5",
        "recursive": "--recursive-l-diversity illness=2",
        "p-sensitive": "--p-sensitive illness=2 --p-sensitive sex=2",
        "t-closeness": "--t-closeness income=0.3",
        "t-closeness-category": "--t-closeness sex=0.2 --sensitive sex=category",
        "t-closeness-ontology": "--t-closeness illness=0.2 --sensitive illness=wordnet",
        "several": "--l-diversity illness=3 --t-closeness income=0.35 --method s-mdav",
    }.items()
] + [
    masking("privacy/plan", "workers.csv", "--plan demands.toml"),
    masking(
        "privacy/generalise",
        "workers.csv",
        "--quasi job=workers.vgh.csv --keep name --keep-rest --k 3 --method generalise --l-diversity illness=4 "
        "--suppression 0.2",
        hidden=("plan",),
    ),
    masking(
        "privacy/recoding",
        "workers.csv",
        "--quasi job=mini-jobs.csv --keep name --keep-rest --k 5 --method recoding --l-diversity illness=4",
        hidden=("plan",),
    ),
    masking(
        "privacy/units",
        "visits.csv",
        "--quasi job=wordnet:person --unit name --keep-rest --k 3 --accept-review --l-diversity illness=3",
    ),
]

# --- file formats ----------------------------------------------------------------------------------------------

FORMATS = [
    *(
        masking(f"formats/{x.replace('.', '-')}", x, f"{PEOPLE} --k 3", hidden=() if x.endswith("sv") else BINARY)
        for x in (
            "people.tsv",
            "people-bom.csv",
            "people-latin.csv",
            "people-wide.csv",
            "quoted.csv",
            "people.csv.gz",
            "people.parquet",
            "people.jsonl",
            "people.jsonl.gz",
            "people.sav",
            "people.dta",
        )
    ),
    masking("formats/pipe", "people-pipe.txt", f"{PEOPLE} --k 3 --delimiter '|'"),
    masking("formats/encoding", "people-latin.csv", f"{PEOPLE} --k 3 --encoding cp1252 --delimiter ';'"),
    masking(
        "formats/no-header",
        "people-bare.csv",
        "--no-header --quasi 2=wordnet:person --quasi 3=numeric --identifier 1 --keep-rest --k 3 --accept-review",
    ),
    masking("formats/xlsx", "people.xlsx", f"{PEOPLE} --k 3 --sheet people", hidden=BINARY),
    masking("formats/sav-labels", "people.sav", f"--quasi size=ordinal:levels.txt {REST}", hidden=(*BINARY, "plan")),
    masking("formats/dta-labels", "people.dta", f"--quasi size=category --quasi job=category {REST}", hidden=BINARY),
    masking("formats/sav-noise", "people.sav", f"{PEOPLE} --method noise", hidden=BINARY),
    masking("formats/parquet-exponential", "people.parquet", f"{ALONE} --method exponential", hidden=BINARY),
    masking("formats/jsonl-noise", "people.jsonl", f"{PEOPLE} --method noise"),
    command(
        "formats/standard-streams",
        f"mask - -o - {PEOPLE} --k 3",
        f"mask - -o - {PEOPLE} --k 3 --json",
        stdin="people.csv",
        process=True,
    ),
    command("formats/csv-to-gz", f"mask people.csv -o out.csv.gz {PEOPLE} --k 3", data=("out.csv.gz",)),
]

# --- order of rows ---------------------------------------------------------------------------------------------

SHUFFLED = "--row-order shuffle --row-map rows.csv"
ORDER = [
    *(
        masking(
            f"order/{x.replace('.', '-')}",
            x,
            f"{PEOPLE} --k 3 {SHUFFLED}",
            data=(f"out{''.join(Path(x).suffixes)}", "rows.csv"),
        )
        for x in ("people.csv", "quoted.csv", "people-latin.csv", "people.jsonl")
    ),
    masking(
        "order/long",
        "purchases.csv",
        f"--set item=wordnet --unit name --keep age --long --k 3 --seed 7 --accept-review {SHUFFLED}",
        data=("out.csv", "rows.csv"),
    ),
    command(
        "order/evaluate",
        f"mask people.csv -o masked.csv --plan sure.toml --seed 7 {SHUFFLED}",
        "evaluate people.csv masked.csv --plan sure.toml",
        "evaluate people.csv masked.csv --plan sure.toml --row-map rows.csv --json",
    ),
    command(
        "order/kept",
        f"mask people.csv -o out.csv {PEOPLE} --k 3",
        "check people.csv --plan kept.toml",
        "check people.csv --plan kept.toml --json",
    ),
    *(
        command(f"order/{name}", f"mask people.parquet -o out {PEOPLE} --k 3 {options}")
        for name, options in {
            "kept-map": "--row-order keep --row-map rows.csv",
            "folder-map": f"--engine polars --partition-by sex {SHUFFLED}",
            "map-is-output": "--row-order shuffle --row-map out",
            "unknown": "--row-order sorted",
        }.items()
    ),
]

# --- engines ---------------------------------------------------------------------------------------------------

PROMISED = "--l-diversity illness=2 --k 3 --seed 7 --accept-review"
ENGINES = [
    *(
        masking(
            f"engines/{engine}-{name}",
            "people.parquet",
            f"--engine {engine} {options}",
            unordered=engine == "duckdb",
            hidden=BINARY,
        )
        for engine in ("memory", "polars", "duckdb")
        for name, options in {
            "sa-mdav": f"{PEOPLE} --k 3",
            "s-mdav": f"{PEOPLE} --k 3 --method s-mdav",
            "fusion": f"{PEOPLE} --k 3 --method fusion",
            "noise": f"{PEOPLE} --method noise",
            "noise-key": f"{PEOPLE} --method noise --key name",
            "exponential": f"{ALONE} --method exponential",
            "l-diversity": f"--quasi job=wordnet:person --identifier name --keep-rest {PROMISED}",
            "all-kinds": "--plan people.toml --accept-review",
        }.items()
    ),
    *(
        command(
            f"engines/{engine}-folder",
            f"mask parts -o out {PEOPLE} --k 3 --engine {engine} --partition-by sex --json",
            data=("out/**/*",),
            unordered=engine == "duckdb",
            hidden=BINARY,
        )
        for engine in ("polars", "duckdb")
    ),
    *(
        command(
            f"engines/{engine}-pattern",
            f"mask 'parts/*.parquet' -o out.parquet {PEOPLE} --k 3 --engine {engine} --json",
            data=("out.parquet",),
            unordered=engine == "duckdb",
            hidden=BINARY,
        )
        for engine in ("polars", "duckdb")
    ),
]

# --- commands --------------------------------------------------------------------------------------------------

EVERY = (
    "inspect",
    "check",
    "mask",
    "evaluate",
    "compare",
    "ontologies",
    "ontologies show",
    "ontologies add",
    "ontologies remove",
    "hierarchy",
    "hierarchy score",
    "hierarchy compare",
    "hierarchy build",
    "link",
    "similarity",
    "demo",
    "plan",
    "plan schema",
    "studio",
)
MEASURES = (
    "wu-palmer",
    "path",
    "leacock-chodorow",
    "ancestor-overlap",
    "resnik",
    "lin",
    "jiang-conrath",
    "tversky",
    "rodriguez-egenhofer",
    "x-similarity",
)
ANIMALS = ("csv", "nt", "obo", "owl", "ttl", "xml")
COMMANDS = [
    command("help/allonym", "--help", "", "--version"),
    *(command(f"help/{x.replace(' ', '-')}", f"{x} --help") for x in EVERY),
    *(
        command(f"inspect/{x.replace('.', '-')}", f"inspect {x}", f"inspect {x} --json -o new.toml", data=("new.toml",))
        for x in ("people.csv", "survey.csv", "holes.csv", "baskets.jsonl", "people.sav", "purchases.csv")
    ),
    command("inspect/options", "inspect people-bare.csv --no-header", "inspect people.xlsx --sheet people"),
    command(
        "check/people",
        "check people.csv --plan people.toml",
        "check people.csv --plan people.toml --json",
        "check people.csv --plan people.toml --hide-values",
        "check people.csv --plan people.toml --write",
        "check people.csv --plan people.toml",
        data=("people.toml", "job.links.csv"),
    ),
    command(
        "check/problems",
        "check holes.csv --plan people.toml",
        "check holes.csv --plan people.toml --json",
        "check holes.csv --plan people.toml --json --hide-values",
        "check visits.csv --plan people.toml",
        "check survey.csv --plan survey.toml",
        "check workers.csv --plan demands.toml --json",
    ),
    command(
        "check/dirty",
        "inspect dirty.csv -o fresh/dirty.toml",
        "check dirty.csv --plan fresh/dirty.toml --write",
        "check dirty.csv --plan fresh/dirty.toml --json",
        data=("fresh/*",),
    ),
    command(
        "report/people",
        "mask people.csv -o out.csv --plan people.toml --accept-review --report report.html --codebook codebook.json",
        "mask people.csv -o out.csv --plan people.toml --accept-review --report public.html --public",
        data=("out.csv", "codebook.json"),
        text=("report.html", "public.html"),
    ),
    command(
        "report/noise",
        f"mask people.csv -o out.csv {PEOPLE} --method noise --report report.html --codebook codebook.json",
        data=("codebook.json",),
        text=("report.html",),
    ),
    command(
        "report/generalise",
        "mask workers.csv -o out.csv --quasi job=workers.vgh.csv --keep name --keep-rest --k 3 --method generalise "
        "--l-diversity illness=3 --report report.html --codebook codebook.json",
        data=("codebook.json",),
        text=("report.html",),
        hidden=("plan",),
    ),
    command(
        "report/sets",
        f"mask baskets.csv -o out.csv {ITEMS} --seed 7 --report report.html --codebook codebook.json",
        data=("codebook.json",),
        text=("report.html",),
    ),
    command(
        "report/balance",
        f"mask people.csv -o out.csv {PEOPLE} --k 3 --balance 0.9 --hide-values --json",
        data=("out.csv",),
    ),
    command(
        "evaluate/people",
        "mask people.csv -o masked.csv --plan sure.toml",
        "evaluate people.csv masked.csv --plan sure.toml",
        "evaluate people.csv masked.csv --plan sure.toml --json",
    ),
    command(
        "evaluate/workers",
        "mask workers.csv -o masked.csv --plan demands.toml",
        "mask workers.csv -o earlier.csv --plan demands.toml --k 6",
        "evaluate workers.csv masked.csv --plan demands.toml",
        "evaluate workers.csv masked.csv --plan demands.toml --json",
        "evaluate workers.csv masked.csv --plan demands.toml --json --attacker lin --attacker path --threshold 0.1",
        "evaluate workers.csv masked.csv --plan demands.toml --json --key name --balance 0.2",
        "evaluate workers.csv masked.csv --plan demands.toml --earlier earlier.csv",
        "evaluate workers.csv masked.csv --plan demands.toml --earlier earlier.csv --hide-values --json",
    ),
    command(
        "evaluate/survey",
        "mask survey.csv -o masked.csv --plan survey.toml --seed 7",
        "evaluate survey.csv masked.csv --plan survey.toml",
        "evaluate survey.csv masked.csv --plan survey.toml --json",
    ),
    command(
        "evaluate/sets",
        f"mask baskets.csv -o masked.csv {ITEMS} --seed 7",
        "inspect baskets.csv -o baskets.toml",
        "evaluate baskets.csv masked.csv --plan baskets.toml --items 1 --json",
    ),
    command(
        "compare/people",
        "compare visitors.csv --plan seeded.toml --methods sa-mdav,s-mdav,fusion,mdav,abril --k 2,5 "
        "-o compare.csv -o compare.json -o compare.html",
        data=("compare.csv", "compare.json"),
        text=("compare.html",),
    ),
    command(
        "compare/grid",
        "compare visitors.csv --plan seeded.toml --methods sa-mdav,generalise --k 3 --grid refine=true,false --json "
        "--balance 0.3",
        "compare people.csv --plan people.toml --methods recoding,sa-mdav --k 3,100 --accept-review",
    ),
    command(
        "hierarchy/score",
        "hierarchy score reason.vgh.csv --links reason.links.csv",
        "hierarchy score activity.vgh.csv --links activity.links.csv --json",
        "hierarchy score mini-hierarchy.csv --json",
        "hierarchy score animals.csv --ontology mini-animals.obo --json",
        "hierarchy score mini-hierarchy.csv --level-weights level --aggregate mean",
    ),
    command(
        "hierarchy/building",
        "hierarchy build people.csv --column job --ontology wordnet:person --levels 4 -o built.csv --accept-review",
        "hierarchy build people.csv --column job --values 5,2,1 -o other.csv --accept-review --json",
        "hierarchy build workers.csv --column job --ontology mini-jobs.csv -o - --json",
        "hierarchy compare built.csv other.csv",
        "hierarchy compare built.csv other.csv --json --aggregate mean --measure lin",
        data=("built.csv", "other.csv"),
    ),
    command(
        "link/people",
        "link people.csv --column job --ontology wordnet:person -o job.links.csv",
        "link people.csv --column job --ontology wordnet:person --links job.links.csv",
        "link holes.csv --column job --json",
        "link holes.csv --column job --senses first --json --hide-values",
        "link people-bare.csv --column 2 --no-header",
        "link survey.csv --column hobby -o hobby.links.csv",
        "link dirty.csv --column reason --json",
        data=("job.links.csv", "hobby.links.csv"),
    ),
    command(
        "link/formats",
        *(
            f"link mini-hierarchy.csv --delimiter ';' --no-header --column 1 --ontology mini-animals.{x} --json"
            for x in ANIMALS
        ),
    ),
    command(
        "similarity/measures",
        *(f"similarity trekker jogger --measure {x} --json" for x in MEASURES),
        *(f"similarity dog homeotherm --depth {x} --json" for x in ("edges", "nodes", "virtual-root")),
        *(f"similarity cook nurse --measure lin --content {x} --json" for x in ("seco", "sanchez-batet", "corpus")),
    ),
    command(
        "similarity/text",
        "similarity trekker jogger",
        "similarity dog#2 cat.n.01 --measure path",
        "similarity bank river --senses best-pair --measure jiang-conrath",
        "similarity bank river --senses first",
        *(f"similarity parrot cat --ontology mini-animals.{x}" for x in ANIMALS),
        "similarity baker nurse --ontology mini-jobs.csv --measure lin --json",
    ),
    command(
        "demo/plain",
        "demo -o shown --report shown/report.html",
        data=("shown/masked.csv", "shown/summary.json", "shown/plan.toml", "shown/*.links.csv"),
        text=("shown/report.html",),
    ),
    command("demo/k", "demo -o shown --k 10", data=("shown/masked.csv", "shown/summary.json")),
]

# --- wrong calls -----------------------------------------------------------------------------------------------

ERRORS = [
    command(f"errors/{name}", text, **({"process": True} if name == "unknown-command" else {}))
    for name, text in {
        "unknown-command": "musk people.csv",
        "unknown-option": "mask people.csv -o out.csv --colour red",
        "no-output": f"mask people.csv {PEOPLE}",
        "no-number": f"mask people.csv -o out.csv {PEOPLE} --k five",
        "no-roles": "mask people.csv -o out.csv",
        "no-file": f"mask nowhere.csv -o out.csv {PEOPLE}",
        "no-plan": "check people.csv --plan nowhere.toml",
        "wrong-plan": "check people.csv --plan wrong.toml",
        "plan-not-toml": "check people.csv --plan people.csv",
        "unknown-method": f"mask people.csv -o out.csv {PEOPLE} --method sa-mdaf",
        "unknown-parameter": f"mask people.csv -o out.csv {PEOPLE} --method mdav --growth weighted",
        "wrong-parameter": f"mask people.csv -o out.csv {PEOPLE} --growth sideways",
        "missing-column": "mask people.csv -o out.csv --quasi jobs=wordnet --identifier name --keep-rest",
        "columns-without-role": "mask people.csv -o out.csv --quasi age=numeric --identifier name",
        "k-too-large": f"mask people.csv -o out.csv {PEOPLE} --k 61",
        "k-too-small": f"mask people.csv -o out.csv {PEOPLE} --k 1",
        "k-of-noise": f"mask people.csv -o out.csv {PEOPLE} --method noise --k 3",
        "unknown-ontology": "mask people.csv -o out.csv --quasi job=jobs.obo --identifier name --keep-rest",
        "unknown-root": "mask people.csv -o out.csv --quasi job=wordnet:flumpist --identifier name --keep-rest",
        "identifier-repeated": "mask visits.csv -o out.csv --quasi age=numeric --identifier name --keep-rest --seed 1",
        "unmatched-words": "mask holes.csv -o out.csv --quasi job=wordnet:person --identifier name --keep-rest",
        "kept-identifier": "mask people.csv -o out.csv --quasi job=mini-jobs.csv --keep-rest",
        "unmatched-hidden": "mask holes.csv -o out.csv --quasi job=wordnet:person --keep name --keep-rest "
        "--hide-values",
        "to-review": "mask survey.csv -o out.csv --quasi hobby=wordnet --identifier visitor --keep-rest",
        "wrong-ending": f"mask people.csv -o out.parquet {PEOPLE} --k 3",
        "output-is-input": f"mask people.csv -o people.csv {PEOPLE} --k 3",
        "same-outputs": f"mask people.csv -o out.csv {PEOPLE} --summary out.csv",
        "l-diversity-impossible": "mask workers.csv -o out.csv --quasi age=numeric --keep name --keep-rest "
        "--l-diversity sex=3",
        "l-diversity-no-number": "mask workers.csv -o out.csv --quasi job=mini-jobs.csv --keep-rest --l-diversity sex",
        "t-closeness-range": "mask workers.csv -o out.csv --quasi job=mini-jobs.csv --keep-rest --t-closeness sex=2",
        "promise-of-noise": f"mask people.csv -o out.csv {PEOPLE} --method noise --l-diversity illness=2",
        "public-without-report": f"mask people.csv -o out.csv {PEOPLE} --public",
        "summary-to-stdout": f"mask people.csv -o out.csv {PEOPLE} --summary -",
        "two-roles": "mask people.csv -o out.csv --quasi job=wordnet --sensitive job --keep-rest",
        "two-kinds": "mask people.csv -o out.csv --quasi job=wordnet --quasi job=category --keep-rest",
        "not-a-number": "mask people.csv -o out.csv --quasi job=numeric --keep name --keep-rest",
        "not-a-level": "mask people.csv -o out.csv --quasi job=ordinal:levels.txt --keep name --keep-rest",
        "kind-of-method": "mask people.csv -o out.csv --quasi sex=category --keep name --keep-rest --method noise",
        "per-attribute": f"mask people.csv -o out.csv {PEOPLE} --method recoding",
        "several-ontologies-noise": "mask people.csv -o out.csv --quasi job=wordnet --quasi job=mini-jobs.csv "
        "--combine blend --keep name --keep-rest --method noise --accept-review",
        "strange-candidates": f"mask people.csv -o out.csv {ALONE} --method exponential --candidates strange.txt",
        "epsilon-range": f"mask people.csv -o out.csv {ALONE} --method exponential --epsilon 0",
        "links-of-no-column": f"mask people.csv -o out.csv {PEOPLE} --links jobs=reason.links.csv",
        "no-rows": "mask empty.csv -o out.csv --quasi job=wordnet:person --keep-rest",
        "long-without-unit": "mask purchases.csv -o out.csv --set item=wordnet --long --keep-rest",
        "engine-of-text": f"mask people.csv -o out.csv {PEOPLE} --engine duckdb",
        "unknown-engine": f"mask people.parquet -o out.parquet {PEOPLE} --engine duck",
        "report-of-engine": f"mask people.parquet -o o.parquet {PEOPLE} --method noise --engine polars --report r.html",
        "unknown-sheet": f"mask people.xlsx -o out.xlsx {PEOPLE} --sheet persons",
        "wrong-encoding": f"mask people-latin.csv -o out.csv {PEOPLE} --encoding ascii",
        "inspect-overwrites": "inspect people.csv -o people.toml",
        "evaluate-other-rows": "evaluate visitors.csv survey.csv --plan survey.toml",
        "compare-wrong-ending": "compare people.csv --plan people.toml -o compare.txt",
        "compare-unknown-method": "compare people.csv --plan people.toml --methods sa-mdav,fusionn",
        "compare-grid": "compare people.csv --plan people.toml --grid alpha",
        "hierarchy-one": "hierarchy compare reason.vgh.csv",
        "hierarchy-values": "hierarchy build people.csv --column job -o built.csv --values 5,x",
        "hierarchy-unsure": "hierarchy score workers.vgh.csv",
        "similarity-unknown-word": "similarity flumpist jogger",
        "similarity-unknown-measure": "similarity trekker jogger --measure lyn",
        "link-unknown-column": "link people.csv --column jobs",
        "studio-plan-alone": "studio --plan people.toml",
        "demo-report-is-a-file-of-it": "demo -o shown --report shown/masked.csv",
    }.items()
]

# --- Python ----------------------------------------------------------------------------------------------------


def as_json(value: Any) -> str:
    """Return figures as JSON, as the command line writes them."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


def as_lines(table: Any) -> str:
    """Return an Arrow table as text."""
    return "".join(f"{line}\n" for line in lines_of(table))


def frame_as_text(frame: Any) -> str:
    """Return a frame of any library, with its types."""
    if isinstance(frame, pd.DataFrame):
        return f"{frame.dtypes.to_string()}\n{frame.to_csv()}"
    if isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
        frame = frame.lazy().collect()
        return f"{frame.schema}\n{frame.write_csv()}"
    if isinstance(frame, duckdb.DuckDBPyRelation):  # its rows may come in any order
        return "".join(sorted(as_lines(frame.arrow().read_all()).splitlines(keepends=True)))
    return as_lines(frame)


def plan_of(**options: Any) -> al.Plan:
    """Return a plan for the people."""
    columns = {
        "name": al.identifier(),
        "job": al.quasi("wordnet:person", accept_review=True),
        "age": al.quasi("numeric", weight=2),
        "illness": al.sensitive(),
    }
    return al.Plan(**({"columns": columns, "keep_rest": True, "seed": 7} | options))


def run_of(make: Callable[[], Any], **options: Any) -> Call:
    """Return a call that masks a frame and tells all about it."""

    def call() -> dict[str, str]:
        release = plan_of(**options).run(make())
        found = {"frame.txt": frame_as_text(release.frame), "summary.json": as_json(release.summary)}
        replaced = {name: release.replacements(name) for name in ("job", "age")}
        return found | {"replacements.json": as_json(replaced)}

    return call


def special() -> pd.DataFrame:
    """Return a pandas frame with a category, missing values and a type that may lack them."""
    frame = pd.DataFrame(people(rows=40))
    frame["sex"] = frame["sex"].astype("category")
    frame.loc[5:8, "job"] = None
    frame["age"] = frame["age"].astype("Int64")
    return frame


def fit_of(**options: Any) -> Call:
    """Return a call that fits a plan, saves it, loads it and masks batches, streams and single records."""

    def call() -> dict[str, str]:
        rows = people(rows=30)
        fitted = plan_of(**options).fit(pd.DataFrame(rows))
        fitted.save("fitted.json")
        first = fitted.mask(pd.DataFrame(rows[:10]))
        fitted.save("later.json", stream=True)
        again = al.Fitted.load("later.json", resume=True)
        found = {"fitted.json": Path("fitted.json").read_text("utf-8"), "first.txt": frame_as_text(first)}
        found["second.txt"] = frame_as_text(again.mask(pl.DataFrame(rows[10:20])))
        found["stream.json"] = as_json(list(again.stream(rows[20:])))
        keys: tuple[Any, ...] = ("a", "b") if options.get("parameters", {}).get("key") else (3, 2**40)
        found["one.json"] = as_json([again.mask_one(rows[0], key=key) for key in keys])
        return found

    return call


def saved() -> dict[str, str]:
    """Save a plan with many options, load it and save it again."""
    columns = {
        "name": al.unit(),
        "times": al.weight(),
        "job": al.quasi(["wordnet:person", "mini-jobs.csv"], similarity="lin", unmatched="opaque", senses="first"),
        "reason": al.quasi("wordnet", links="reason.links.csv", root="location", individuals=False, language="en"),
        "size": al.quasi("ordinal", levels=["small", "medium", "large"], weight=0.5),
        "items": al.quasi(kind="set", separator="|", distance="avg", elements="category"),
        "illness": al.sensitive("wordnet", depth="edges"),
        "sex": al.keep(),
    }
    promised = [al.Privacy("recursive-l-diversity", "illness", l=2, c=4), al.Privacy("t-closeness", "illness", t=0.25)]
    plan = al.Plan(columns, method=al.SAMDAV(k=4, growth="weighted"), privacy=promised, about={"title": "Ünï"})
    plan.save("saved.toml")
    loaded = al.Plan.load("saved.toml")
    Path("below").mkdir()
    loaded.save("below/again.toml")
    plan_of(method="noise", parameters={"alpha": 0.5}).save("noise.toml")
    names = ("saved.toml", "below/again.toml", "noise.toml")
    return {name.rpartition("/")[2]: Path(name).read_text("utf-8") for name in names}


def evaluated() -> dict[str, str]:
    """Evaluate a release of frames."""
    frame = pd.DataFrame(people(rows=40))
    plan = plan_of(k=3)
    return {"summary.json": as_json(plan.evaluate(frame, plan.run(frame).frame, attackers=["path"]).summary)}


def compared() -> dict[str, str]:
    """Compare methods on a frame."""
    found = al.compare(pd.DataFrame(people(rows=40)), plan_of(), ["sa-mdav", "fusion"], {"k": [2, 4]})
    found.save("compared.csv")
    found.save("compared.json")
    return {name: Path(name).read_text("utf-8") for name in ("compared.csv", "compared.json")}


def secret() -> dict[str, str]:
    """Tell what a release by noise without a seed has in common with all others."""
    summary = plan_of(method="noise", seed=None).run(pd.DataFrame(people(rows=40))).summary
    assert summary["seed"] is None
    return {"summary.json": as_json({x: summary[x] for x in ("method", "parameters", "records", "privacy", "units")})}


def words() -> dict[str, str]:
    """Link words, compare them, and read ontologies."""
    scope = al.wordnet()
    texts = ["cook", "Nurses", "software engineer", "flumpist", "red apple", "bank", "New York"]
    links = [repr(x) for x in al.link(texts, scope)]
    alike = {f"{x} {y}": al.similarity(x, y) for x in texts[:2] for y in ("baker", "physician", "river")}
    mini = {x: al.read_taxonomy(f"mini-animals.{x}") for x in ANIMALS}
    read = {x: [list(t.ids), list(t.labels), t.source.sha256] for x, t in mini.items()}
    return {"links.txt": "\n".join(links) + "\n", "similarity.json": as_json(alike), "taxonomies.json": as_json(read)}


METHOD_OBJECTS = {
    "sa-mdav": lambda: al.SAMDAV(k=3, represent="member", refine=True),
    "sa-mdav-static": lambda: al.SAMDAVStatic(k=3),
    "s-mdav": lambda: al.SMDAV(k=3),
    "abril": lambda: al.Abril(k=3),
    "mdav": lambda: al.MDAV(k=3),
    "fusion": lambda: al.Fusion(k=3, heuristics="h1"),
    "recoding": lambda: al.Recoding(k=3, per_attribute=True),
    "recoding-ordered": lambda: al.RecodingOrdered(k=3, per_attribute=True),
    "noise": lambda: al.Noise(alpha=0.2),
    "randomise-uniform": al.RandomiseUniform,
    "randomise-frequency": al.RandomiseFrequency,
    "pram": lambda: al.Pram(changed=0.4),
}


def objects() -> dict[str, str]:
    """Mask with every method given as an object."""
    frame = pd.DataFrame(people(rows=30))
    releases = {name: plan_of(method=make()).run(frame) for name, make in METHOD_OBJECTS.items()}
    found = {f"{name}.txt": frame_as_text(x.frame[["job", "age"]]) for name, x in releases.items()}
    return found | {"methods.txt": "".join(f"{make()!r}\n" for make in METHOD_OBJECTS.values())}


PYTHON = [
    Case("python/pandas", call=run_of(lambda: pd.DataFrame(people(rows=40)), k=3)),
    Case("python/pandas-types", call=run_of(special, k=3)),
    Case("python/pandas-noise", call=run_of(special, method="noise")),
    Case("python/polars", call=run_of(lambda: pl.DataFrame(people(rows=40)), k=3)),
    Case("python/polars-lazy", call=run_of(lambda: pl.LazyFrame(people(rows=40)), k=3)),
    Case("python/pyarrow", call=run_of(lambda: arrow(people(rows=40)), k=3)),
    Case("python/duckdb", call=run_of(lambda: duckdb.connect().from_arrow(arrow(people(rows=40))), k=3)),
    Case(
        "python/promises",
        call=run_of(
            lambda: pd.DataFrame(people(rows=40)),
            k=3,
            privacy=[al.Privacy("l-diversity", "illness", l=3), al.Privacy("t-closeness", "illness", t=0.5)],
        ),
    ),
    Case("python/fitted-noise", call=fit_of(method="noise")),
    Case("python/fitted-key", call=fit_of(method="noise", parameters={"alpha": 1.0, "key": "name"})),
    Case("python/fitted-uniform", call=fit_of(method="randomise-uniform")),
    Case("python/fitted-frequency", call=fit_of(method="randomise-frequency")),
    Case("python/fitted-pram", call=fit_of(method="pram")),
    Case("python/fitted-correlated", call=fit_of(method="noise", parameters={"correlated": True})),
    Case(
        "python/fitted-exponential",
        call=fit_of(
            method="exponential",
            parameters={"epsilon": 3.0},
            columns={
                "name": al.identifier(),
                "job": al.quasi("wordnet:person", candidates=["cook", "nurse", "teacher"], accept_review=True),
            },
        ),
    ),
    Case("python/plans", call=saved),
    Case("python/evaluate", call=evaluated),
    Case("python/compare", call=compared),
    Case("python/secret-seed", call=secret),
    Case("python/words", call=words),
    Case("python/methods", call=objects),
]

CASES = [*METHODS, *COLUMNS, *PRIVACY, *FORMATS, *ORDER, *ENGINES, *COMMANDS, *ERRORS, *PYTHON]
