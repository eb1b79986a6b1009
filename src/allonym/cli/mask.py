"""The command that masks a table, and the demonstration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from allonym.cli import options as o
from allonym.cli.app import Json, app, printable, progress, waiting
from allonym.cli.plan_options import Words, given_roles, plan_of
from allonym.errors import OptionError, OutputError, PlanError, first_few

if TYPE_CHECKING:
    from allonym.pipeline.run import Release
    from allonym.plan import Plan


# fmt: off
@app.command()
def mask(
    file: o.File, output: o.Release, plan: o.PlanFile = None, quasi: o.Quasi = None,
    set_: o.SetColumn = None, separator: o.Separator = None, set_distance: o.Distance = None, long: o.LongForm = False,
    sensitive: o.Sensitive = None, identifier: o.Identifier = None, unit: o.Unit = None, weight: o.Weight = None,
    keep: o.Keep = None, keep_rest: o.KeepRest = False, k: o.K = None, method: o.MethodName = None, seed: o.Seed = None,
    growth: o.Growth = None, represent: o.Represent = None, refine: o.Refine = None,
    heuristics: o.Heuristics = None, guide: o.Guide = None,
    hierarchy: o.Hierarchy = None, per_attribute: o.PerAttribute = False, suppression: o.Suppression = None,
    alpha: o.Alpha = None, allow_same: o.AllowSame = False, key: o.Key = None,
    epsilon: o.Epsilon = None, candidates: o.Candidates = None, nulls: o.Nulls = False,
    l_diversity: o.LDiversity = None, entropy_l_diversity: o.EntropyL = None,
    recursive_l_diversity: o.RecursiveL = None, p_sensitive: o.PSensitive = None, t_closeness: o.TCloseness = None,
    similarity: o.Similarity = None, links: o.Links = None, accept_review: o.Accept = False,
    unmatched: o.Unmatched = None, balance: o.Balance = 0.5, summary: o.Summary = None, report: o.ReportFile = None,
    public: o.Public = False, codebook: o.Codebook = None, encoding: o.Encoding = None, delimiter: o.Delimiter = None,
    header: o.Header = None, sheet: o.Sheet = None, engine: o.EngineName = None, master: o.Master = None,
    partition_by: o.PartitionBy = None, blocks_from: o.BlocksFrom = None,
    hide_values: o.HideValues = False, as_json: Json = False,
) -> None:
    # fmt: on
    """Mask a table and write a verified release.

    Roles come from a plan, from options, or both (options win). What is written is read again and recounted first; if a
    promise does not hold, nothing is written and the command ends with 2.

    Examples:

    `allonym mask survey.csv -o masked.csv --plan plan.toml`

    `allonym mask survey.csv -o masked.csv --quasi job=wordnet:person --quasi age=numeric --sensitive income
    --identifier name --keep-rest --k 5`

    `allonym mask survey.csv -o masked.csv --plan plan.toml --k 10 --refine`

    `allonym mask patients.csv -o masked.csv --plan plan.toml --l-diversity illness=3 --report report.html
    --codebook codebook.json`

    `allonym mask queries.csv -o masked.csv --quasi query=wordnet --keep-rest --method noise --alpha 0.3`

    `allonym mask survey.csv -o masked.csv --quasi job=wordnet:person --keep-rest --method exponential --epsilon 4
    --candidates jobs.txt`

    `allonym mask big.parquet -o masked.parquet --plan plan.toml --engine duckdb`

    `allonym mask 'years/*.parquet' -o masked --plan plan.toml --partition-by year --engine spark
    --master spark://host:7077`

    `allonym mask - -o - --quasi job=wordnet:person --links job=job.links.csv --keep-rest < in.csv > out.csv`
    """
    from allonym.release.write import check_outputs

    named_files = [x.rpartition("=")[2] for x in (*(links or []), *(hierarchy or []), *(candidates or []))]
    others = Others(summary, report, public, codebook)
    others.check()
    check_outputs([output, summary, report, codebook], [file, plan, *named_files])
    roles: dict[str, Any] = {"quasi": quasi, "set": set_, "sensitive": sensitive, "keep": keep}
    roles |= {"identifier": identifier, "unit": unit, "weight": weight}
    given = given_roles(roles, None if plan else f"see `allonym inspect {file}`")
    settings: dict[str, Any] = {"k": k, "seed": seed, "method": method, "keep_rest": keep_rest or None}
    settings["long"] = long or None
    settings["privacy"] = {"l-diversity": l_diversity, "p-sensitive": p_sensitive, "t-closeness": t_closeness}
    settings["privacy"]["entropy-l-diversity"] = entropy_l_diversity
    settings["privacy"]["recursive-l-diversity"] = recursive_l_diversity
    own: dict[str, Any] = {"growth": growth, "represent": represent, "heuristics": heuristics, "guide": guide}
    own["refine"] = refine
    own |= {"suppression": suppression, "per_attribute": per_attribute or None, "alpha": alpha, "epsilon": epsilon}
    settings["parameters"] = own | {"allow_same": allow_same or None, "nulls": nulls or None, "key": key}
    alike = {"similarity": similarity, "separator": separator, "distance": set_distance}
    words = Words(links or [], hierarchy or [], candidates or [], accept_review, unmatched, alike)
    whole = plan_of(plan, given, words, (encoding, delimiter, header, sheet), settings)
    way: dict[str, Any] = {"engine": engine, "master": master, "partition_by": partition_by or ()}
    way["blocks_from"] = blocks_from
    _mask(whole, file, output, others, {"balance": balance} | way, hide_values, as_json)


class Others(NamedTuple):
    """What is written beside a release."""

    summary: Path | None = None
    report: Path | None = None
    public: bool = False
    codebook: Path | None = None

    def check(self) -> None:
        """Refuse, before any work, what cannot be written."""
        for path in (self.summary, self.report, self.codebook):
            if str(path) == "-":
                raise OptionError("Only the release goes to standard output.", hint="give the name of a file.")
        if self.report is not None:
            from allonym.report import needed

            needed()
        elif self.public:
            raise OptionError("--public is about a report.", hint="say --report FILE.")

    def check_measured(self, plan: Plan, file: str, options: dict[str, Any]) -> None:
        """Refuse, before any work, to report what will have no figures."""
        from allonym.methods.record_level import RecordLevelMethod
        from allonym.pipeline.engines import ExecutionOptions, has_engine
        from allonym.pipeline.run import UNMEASURED

        by_row = isinstance(plan.method, RecordLevelMethod)
        way = ExecutionOptions(options.get("engine"), partition_by=options.get("partition_by", ()))
        if (self.report or self.codebook) and by_row and has_engine(file, way, plan):
            raise OptionError(UNMEASURED, hint="--engine memory, or leave out the report and the codebook.")

    def save(self, done: Release) -> None:
        """Write them."""
        from allonym.release.write import save_text

        if self.summary is not None:
            save_text(self.summary, json.dumps(done.summary, indent=2, ensure_ascii=False) + "\n")
        if self.codebook is not None:
            save_text(self.codebook, json.dumps(done.codebook(), indent=2, ensure_ascii=False) + "\n")
        if self.report is not None:
            done.report.save(self.report, public=self.public)


def _mask(
    plan: Plan, file: str, output: str, others: Others, options: dict[str, Any], hide_values: bool, as_json: bool
) -> None:
    """Mask a file, and tell what came of it."""
    from allonym.cli.output import show_release
    from allonym.release.write import check_outputs

    check_outputs([output, others.summary, others.report, others.codebook], [file, *plan.files])
    others.check_measured(plan, file, options)
    with progress("masking") as tick:
        try:
            done = plan.run(file, output, tick, **options)
        except PlanError as error:
            if not hide_values:
                show_details(error)
            raise
    try:
        with waiting("reporting"):
            others.save(done)
    except OutputError as error:
        raise OutputError(f"{error} The release itself was written and verified: {output}") from error
    if as_json:
        typer.echo(json.dumps(done.summary, indent=2, ensure_ascii=False), err=output == "-")
    else:
        show_release(done, output, stderr=output == "-")


def show_details(error: PlanError) -> None:
    """Print the values behind problems, where the user may see them."""
    for problem in (x for x in error.problems if x.values):
        what = problem.code.replace("-", " ")
        typer.echo(f"{problem.column}, {what}: {first_few(map(printable, problem.values), 20)}", err=True)


@app.command()
def demo(
    output: o.Folder = Path("allonym-demo"),
    k: o.K = None,
    report: o.ReportFile = None,
    public: o.Public = False,
) -> None:
    """Mask the bundled survey, and show what came of it.

    Writes survey.csv (invented answers of visitors to a park), plan.toml, the reviewed links, masked.csv and
    summary.json.

    Examples:

    `allonym demo -o demo && allonym mask demo/survey.csv -o again.csv --plan demo/plan.toml`

    `allonym demo --report report.html`
    """
    from allonym.cli.output import show_demo
    from allonym.pipeline.demo import FILES, demonstrate
    from allonym.release.write import check_outputs

    others = Others(report=report, public=public)
    others.check()
    if report is not None and report.absolute() in [(output / name).absolute() for name in FILES]:
        raise OptionError(f"{report} is a file of the demonstration itself.", hint="give the report another name.")
    if report is not None and report.absolute().parent != output.absolute():
        check_outputs([report], [])
    with progress("masking") as tick:
        done = demonstrate(output, 5 if k is None else k, tick)
    with waiting("reporting"):
        others.save(done)
    show_demo(done, output, report)
