"""The options that several commands share, and those of `mask`, by section of the help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from allonym.cli.help import argument, option, together

PATH = click.Path(path_type=Path)
COLUMN, MEANING = "COLUMN", "COLUMN[=WHAT]"
FORMATS = "CSV, Parquet (file or folder), JSON Lines, Excel, SPSS or Stata; - reads standard input."
MEASURES = "wu-palmer, path, lin, …; an unknown name lists them."
DEPTH = "Depth of the root: edges (0), nodes (1), virtual-root (2)."


def _remember_hidden(ctx: click.Context, parameter: click.Parameter, hidden: bool) -> bool:
    """Record for the error output that values are to be hidden."""
    ctx.ensure_object(dict)["hide_values"] = hidden
    return hidden


file = argument("file", metavar="FILE", about=f"The table: {FORMATS}")
plan = option("--plan", type=PATH, metavar="FILE", help="Plan (TOML).")
required_plan = option("--plan", type=PATH, metavar="FILE", required=True, help="Plan (TOML).")
balance = option(
    "--balance", type=click.FloatRange(0, 1), default=0.5, metavar="NUMBER",
    help="Weight of information loss in the score; the rest is linkage.",
)  # fmt: skip


class ClustersType(click.ParamType[int | str]):
    """A number of clusters, or `auto`."""

    name = "clusters"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return a whole number from 2 on, or auto."""
        if value == "auto" or isinstance(value, int):
            return value
        if not str(value).isdecimal() or int(value) < 2:
            self.fail(f"{value} is neither a whole number from 2 on nor auto.", param, ctx)
        return int(value)


CLUSTERS_HELP = "auto takes as many as the variance ratio of the original suggests."
hide_values = option(
    "--hide-values", is_flag=True, callback=_remember_hidden, help="Print counts only, never values of the data."
)
as_json = option("--json", "as_json", is_flag=True, help="Print JSON to standard output.")
ontology = option(
    "--ontology", default="wordnet", metavar="WHAT",
    help="wordnet or another name that `allonym ontologies` lists, NAME:ROOT, or a file: FILE or FILE#ROOT.",
)  # fmt: skip
language = option(
    "--language",
    default="en",
    metavar="CODE",
    help="Language of the words, as a two-letter code; by default also the only one of the ontology.",
)

COLUMNS = "Columns"
columns = together(
    option("--quasi", multiple=True, metavar=MEANING, section=COLUMNS,
           help="Quasi-identifier: masked. WHAT is an ontology (wordnet:ROOT, another name that `allonym ontologies` "
           "lists, FILE[#ROOT]), numeric, category, date, code or ordinal:FILE. Repeat it for several ontologies."),
    option("--set", "set_", multiple=True, metavar=MEANING, section=COLUMNS,
           help="Quasi-identifier with several items per cell (a list, or text): masked. WHAT is an ontology or "
           "category."),
    option("--separator", metavar="TEXT", section=COLUMNS,
           help="Text between the items of a set; a semicolon by default."),
    option("--set-distance", metavar="NAME", section=COLUMNS,
           help="Distance between sets: min-sum, avg, min, max or max-sum."),
    option("--long", is_flag=True, section=COLUMNS, help="The table has one row per item of a set; needs --unit."),
    option("--sensitive", multiple=True, metavar=MEANING, section=COLUMNS, help="Confidential column: kept."),
    option("--identifier", multiple=True, metavar=COLUMN, section=COLUMNS, help="Direct identifier: dropped."),
    option("--unit", metavar=COLUMN, section=COLUMNS,
           help="Identifies the person of each row, so that k counts persons: dropped."),
    option("--household", metavar=COLUMN, section=COLUMNS,
           help="Identifies the household of each row, so that k counts households too: dropped."),
    option("--weight", metavar=COLUMN, section=COLUMNS, help="Survey weights: kept."),
    option("--keep", multiple=True, metavar=COLUMN, section=COLUMNS, help="Kept unchanged."),
    option("--confirm", multiple=True, metavar=COLUMN, section=COLUMNS,
           help="Kept unchanged, although it holds identifiers, or gives away a masked or dropped column."),
    option("--rows-are-persons", is_flag=True, section=COLUMNS,
           help="Every row is another person, although identifiers repeat."),
    option("--keep-rest", is_flag=True, section=COLUMNS, help="Keep columns without a role unchanged."),
)  # fmt: skip

METHOD = "Method"
max_distance = option(
    "--max-distance", type=float, metavar="NUMBER", section=METHOD,
    help="How far the value of a group may be from each value that it replaces, from 0 to 1; a cell that would be "
    "farther is null. By default, with represent = auto or truthful: 0.4 for words, 0.25 of the range for numbers; "
    "with truthful, 0.6 for sets. 1: no bound.",
)  # fmt: skip
k = option("--k", type=int, metavar="NUMBER", section=METHOD, help="Minimum number of people in a group; 5 by default.")
method_files = together(
    option("--hierarchy", multiple=True, metavar="COLUMN=FILE", section=METHOD,
           help="Value generalisation hierarchy of a column, for --guide hierarchy."),
    option("--candidates", multiple=True, metavar="[COLUMN=]FILE", section=METHOD,
           help="Public list of possible replacements, one per line. For exponential and noise."),
)  # fmt: skip

PROMISES = "Promises beside k"

WORDS = "Words"
accept_review = option("--accept-review", is_flag=True, section=WORDS, help="The same as --accept review.")
unmatched = option(
    "--unmatched", metavar="POLICY", section=WORDS,
    help="Values without a concept: error (the default), opaque (similar to nothing else) or suppress (null).",
)  # fmt: skip
words = together(
    option("--similarity", metavar="MEASURE", section=WORDS, help=f"Similarity of words: {MEASURES}"),
    option("--links", multiple=True, metavar="COLUMN=FILE", section=WORDS, help="Reviewed links of a column."),
    option("--abbreviations", multiple=True, metavar="COLUMN=FILE", section=WORDS,
           help="Abbreviations of a column: CSV with the columns short and long."),
    option("--ceiling", multiple=True, metavar="COLUMN=CONCEPT", section=WORDS,
           help="Concept that is too general to stand for different words, with all above it: an id or a word, or "
           "none; for --represent truthful. Repeat it for several."),
    accept_review,
    unmatched,
)  # fmt: skip

FILE = "The file"
reading = together(
    option("--encoding", metavar="NAME", section=FILE, help="Encoding of a text file; detected by default."),
    option("--delimiter", metavar="SIGN", section=FILE, help="Delimiter of a text file; detected by default."),
    option("--header/--no-header", default=None, section=FILE, help="Whether the first line has the column names."),
    option("--sheet", metavar="NAME", section=FILE, help="Sheet of a workbook; the first by default."),
    option("--max-size", type=click.IntRange(min=1), metavar="MB", section=FILE,
           help="Largest size of a compressed file, once unpacked; 4096 by default."),
)  # fmt: skip

LARGE = "Larger than memory"
execution = together(
    option("--engine", metavar="NAME", section=LARGE,
           help="Engine for Parquet: polars, duckdb, spark, or memory (none). Folders, patterns and large files "
           "have one by default."),
    option("--master", metavar="ADDRESS", section=LARGE, help="Spark master; local[*] by default."),
    option("--partition-by", multiple=True, metavar=COLUMN, section=LARGE,
           help="Write a folder, partitioned by the values of the column."),
    option("--blocks-from", type=click.IntRange(min=1), metavar="NUMBER", section=LARGE,
           help="Number of distinct tuples above which they are grouped in blocks; 100,000 on spark."),
)  # fmt: skip

unused_execution = together(
    *(option(name, hidden=True, multiple=name == "--partition-by", metavar="")
      for name in ("--engine", "--master", "--partition-by", "--blocks-from")),
)  # of a command that reads tables into memory: a release is measured by the options that masked it  # fmt: skip

disclosure = together(
    option("--population", metavar="FILE",
           help="Table of the whole population with quasi-identifiers: counts who shares the values of a record."),
    option("--combination-size", type=click.IntRange(min=0), default=4, metavar="NUMBER",
           help="Columns in a combination that makes people unique, at most; 0 skips the search."),
)  # fmt: skip
record_risk = option(
    "--record-risk", type=PATH, metavar="FILE",
    help="Write the risk of every row as CSV, for you alone; an existing file is kept.",
)  # fmt: skip

exact_risk = option(
    "--exact-risk", is_flag=True,
    help="Measure linkage on all records, however long it takes; by default on a sample, where it would take longer "
    "than masking.",
)  # fmt: skip

optimality_gap = option(
    "--optimality-gap", is_flag=True,
    help="Compute a lower bound on the loss of all releases with this k, even if that takes minutes; by default only "
    "where it takes a part of a second.",
)  # fmt: skip

row_map = option(
    "--row-map", type=PATH, metavar="FILE",
    help="Write which row of the release is which row of the table; only the owner may read it.",
)  # fmt: skip
replacements = option(
    "--replacements", type=PATH, metavar="FILE",
    help="Write every original text with its released text, as CSV or JSON; only the owner may read it.",
)  # fmt: skip
report = option("--report", type=PATH, metavar="FILE", help="Write a report: one HTML file.")
public = option("--public", is_flag=True, help="Leave seed, values and groups out of the report.")
summary = option("--summary", type=PATH, metavar="FILE", help="Write the figures as JSON.")
documents = together(
    summary,
    report,
    public,
    option("--codebook", type=PATH, metavar="FILE", help="Write a description of each variable as JSON."),
    option(
        "--matrix",
        type=PATH,
        metavar="FILE",
        help="Write the transition matrices as CSV or JSON, for publication. For pram.",
    ),
)
