"""The options of the commands that look at, mask and measure tables, in panels of the help."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

Option = typer.Option
column: Any = partial(Option, rich_help_panel="Columns")
of_method: Any = partial(Option, rich_help_panel="Method")
of_words: Any = partial(Option, rich_help_panel="Words")
of_file: Any = partial(Option, rich_help_panel="The file")
COLUMN, WHAT = "COLUMN", "COLUMN[=WHAT]"
METHOD = "sa-mdav unless given. An unknown one lists them all."
GROWTH = "Of sa-mdav: plain, or weighted as published."
HEURISTICS = "Of fusion, recoding: none, h1, h1+target, h1+h2 or h1+h2+h3."
GUIDE = "Of fusion, recoding: similarity, another measure of it, hierarchy, discernibility, random."
CANDIDATES = "Of exponential: a public list of what words may become, one a line."
SEED = "The same seed gives the same bytes: 0, or of noise one nobody knows. Of exponential, for tests only."
SIMILARITY = "How alike words are: wu-palmer. An unknown one lists them."
SUPPRESSION = "Of generalise: the share of records that may become null."
REFINE = "Of methods that group: make the groups better, which takes longer."
REPRESENT = "What stands for a group: its centroid, the subsumer of all, or a member."
QUASI = "Others may know it: masked. WHAT is wordnet[:ROOT], FILE[#ROOT], numeric, category or ordinal:FILE."
SET = "Masked, several items a cell (a list, or text). WHAT is wordnet[:ROOT], FILE[#ROOT] or category."
DISTANCE = "Between sets: min-sum, avg, min, max or max-sum."
UNMATCHED = "Words not understood: error, opaque (as they are), suppress (null)."

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="CSV, Parquet (also a folder), JSON lines, Excel, SPSS, Stata; - for standard input."
    ),
]
Release = Annotated[str, Option("-o", "--output", metavar="FILE", help="The release; - for standard output.")]
PlanFile = Annotated[Path | None, Option("--plan", metavar="FILE", help="A plan (TOML).")]
NeededPlan = Annotated[Path, Option("--plan", metavar="FILE", help="A plan (TOML).")]
NewPlan = Annotated[Path | None, Option("-o", "--output", metavar="FILE", help="Write a plan to begin with.")]
Folder = Annotated[Path, Option("-o", "--output", metavar="FOLDER", help="The folder to write to.")]
Quasi = Annotated[list[str] | None, column("--quasi", metavar=WHAT, help=QUASI)]
SetColumn = Annotated[list[str] | None, column("--set", metavar=WHAT, help=SET)]
Separator = Annotated[str | None, column("--separator", metavar="TEXT", help="Between the items of a set: ;")]
Distance = Annotated[str | None, column("--set-distance", metavar="NAME", help=DISTANCE)]
LongForm = Annotated[
    bool,
    column("--long", help="A row for each item of the set, with a unit that says whose."),
]
Sensitive = Annotated[
    list[str] | None,
    column("--sensitive", metavar=WHAT, help="Nobody should learn it: kept."),
]
Identifier = Annotated[
    list[str] | None,
    column("--identifier", metavar=COLUMN, help="It names people: dropped."),
]
Unit = Annotated[
    str | None,
    Option(
        "--unit", metavar=COLUMN, help="Says who a row is about: k counts these. Dropped.", rich_help_panel="Columns"
    ),
]
Weight = Annotated[str | None, column("--weight", metavar=COLUMN, help="Survey weights: kept.")]
Keep = Annotated[list[str] | None, column("--keep", metavar=COLUMN, help="Stays as it is.")]
KeepRest = Annotated[bool, column("--keep-rest", help="Columns not named stay as they are.")]
K = Annotated[int | None, of_method("--k", metavar="NUMBER", help="How many people must look the same: 5.")]
MethodName = Annotated[str | None, of_method("--method", metavar="NAME", help=METHOD)]
Growth = Annotated[str | None, of_method("--growth", metavar="HOW", help=GROWTH)]
Refine = Annotated[bool | None, of_method("--refine/--no-refine", help=REFINE)]
Represent = Annotated[str | None, of_method("--represent", metavar="WHAT", help=REPRESENT)]
Heuristics = Annotated[str | None, of_method("--heuristics", metavar="WHICH", help=HEURISTICS)]
Guide = Annotated[str | None, of_method("--guide", metavar="WHAT", help=GUIDE)]
Hierarchy = Annotated[
    list[str] | None,
    of_method("--hierarchy", metavar="COLUMN=FILE", help="Of --guide hierarchy."),
]
Similarity = Annotated[str | None, of_words("--similarity", metavar="MEASURE", help=SIMILARITY)]
Alpha = Annotated[
    float | None,
    of_method("--alpha", metavar="NUMBER", help="Of noise: its variance beside the data's."),
]
AllowSame = Annotated[bool, of_method("--allow-same", help="Of noise: small errors leave a word as it is.")]
Epsilon = Annotated[
    float | None,
    of_method("--epsilon", metavar="NUMBER", help="Of exponential: the privacy budget."),
]
Candidates = Annotated[list[str] | None, of_method("--candidates", metavar="[COLUMN=]FILE", help=CANDIDATES)]
Nulls = Annotated[bool, of_method("--nulls", help="Of exponential: values may become null.")]
Key = Annotated[
    str | None,
    of_method("--key", metavar=COLUMN, help="Of noise: the column whose texts draws go by."),
]
of_privacy: Any = partial(Option, rich_help_panel="Promises beside k")
LDiversity = Annotated[
    list[str] | None, of_privacy("--l-diversity", metavar="COLUMN=L", help="Every group has L different values.")
]
EntropyL = Annotated[
    list[str] | None, of_privacy("--entropy-l-diversity", metavar="COLUMN=L", help="The same, by entropy.")
]
RecursiveL = Annotated[
    list[str] | None, of_privacy("--recursive-l-diversity", metavar="COLUMN=L", help="The same, (3,L)-recursive.")
]
PSensitive = Annotated[
    list[str] | None, of_privacy("--p-sensitive", metavar="COLUMN=P", help="P-sensitive k-anonymity.")
]
TCloseness = Annotated[
    list[str] | None, of_privacy("--t-closeness", metavar="COLUMN=T", help="Every group is at most T from the table.")
]
PerAttribute = Annotated[bool, of_method("--per-attribute", help="Of recoding: k in each column alone is enough.")]
Suppression = Annotated[float | None, of_method("--suppression", metavar="SHARE", help=SUPPRESSION)]
Seed = Annotated[int | None, of_method("--seed", metavar="NUMBER", help=SEED)]
Links = Annotated[
    list[str] | None,
    of_words("--links", metavar="COLUMN=FILE", help="Reviewed links of a column."),
]
Accept = Annotated[bool, of_words("--accept-review", help="Take links to review as they are.")]
Unmatched = Annotated[str | None, of_words("--unmatched", metavar="POLICY", help=UNMATCHED)]
Summary = Annotated[Path | None, Option("--summary", metavar="FILE", help="Write the figures as JSON.")]
ReportFile = Annotated[Path | None, Option("--report", metavar="FILE", help="Write a report, one HTML file.")]
Public = Annotated[bool, Option("--public", help="Of the report: leave out seed, values and groups.")]
Codebook = Annotated[
    Path | None, Option("--codebook", metavar="FILE", help="Write what each variable is now, as JSON.")
]
Balance = Annotated[float, Option("--balance", min=0, max=1, help="Of the score: 1 is all loss, 0 all linkage.")]
Write = Annotated[bool, Option("--write", help="Write the links beside the plan, and name them in it, to review.")]
Encoding = Annotated[
    str | None,
    of_file("--encoding", metavar="NAME", help="Of a text file; found unless given."),
]
Delimiter = Annotated[
    str | None,
    of_file("--delimiter", metavar="SIGN", help="Of a text file; found unless given."),
]
Header = Annotated[
    bool | None,
    of_file("--header/--no-header", help="Whether the first line names the columns."),
]
Sheet = Annotated[str | None, of_file("--sheet", metavar="NAME", help="Of a workbook; the first unless given.")]
of_engine: Any = partial(Option, rich_help_panel="Larger than memory")
ENGINE = "Parquet by an engine: polars, duckdb, spark, or memory (none). A folder, a pattern and large files have one."
EngineName = Annotated[str | None, of_engine("--engine", metavar="NAME", help=ENGINE)]
Master = Annotated[str | None, of_engine("--master", metavar="ADDRESS", help="Of spark: local[*] unless given.")]
PartitionBy = Annotated[
    list[str] | None, of_engine("--partition-by", metavar=COLUMN, help="Write a folder, parted by the column's values.")
]
BLOCKS = "From how many distinct tuples on these are grouped in blocks. On spark: 100,000."
BlocksFrom = Annotated[int | None, of_engine("--blocks-from", metavar="NUMBER", min=1, help=BLOCKS)]
HideValues = Annotated[bool, Option("--hide-values", help="Print counts, never values of the data.")]
