"""`allonym mask`: mask a table and write a verified release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from allonym.cli import declared, options
from allonym.cli.help import Command, option
from allonym.cli.output import as_json_text, progress, say_pairs, show_json, waiting
from allonym.cli.printing.changes import change_lines, marginal_lines, null_lines, show_replacements
from allonym.cli.printing.suppression import suppression_lines
from allonym.errors import OptionError, OutputError

if TYPE_CHECKING:
    from allonym.pipeline.run import Release
    from allonym.plan import Plan

EXECUTION = ("engine", "master", "partition_by", "blocks_from", "row_map", "exact_risk", "optimality_gap")


@click.command(cls=Command)
@options.file
@option("-o", "--output", required=True, metavar="FILE", help="Path of the release; - writes to standard output.")
@options.plan
@declared.row_order()
@options.row_map
@options.replacements
@options.balance
@options.exact_risk
@options.optimality_gap
@options.documents
@options.hide_values
@options.as_json
@declared.plan_options()
@options.execution
def mask(
    file: str, output: str, plan: Path | None, balance: float, hide_values: bool, as_json: bool, **option_values: Any
) -> None:
    r"""Mask a table and write a verified release.

    Roles come from a plan, from options, or from both; options take precedence. The release is read again and every
    promise is counted on it. If one does not hold, no file is written and the command exits with 2.

    Examples:
      allonym mask survey.csv -o masked.csv --plan plan.toml
      allonym mask survey.csv -o masked.csv --quasi job=wordnet:person \
          --quasi age=numeric --sensitive income --identifier name --keep-rest --k 5
      allonym mask survey.csv -o masked.csv --plan plan.toml --k 10 --refine
      allonym mask survey.csv -o masked.csv --quasi age=numeric \
          --quasi income=numeric --ranges age=0,18,30,45,65 --round income=100 \
          --top income=100000
      allonym mask patients.csv -o masked.csv --plan plan.toml \
          --l-diversity illness=3 --report report.html --codebook codebook.json
      allonym mask queries.csv -o masked.csv --quasi query=wordnet --keep-rest \
          --method noise --alpha 0.3
      allonym mask survey.csv -o masked.csv --quasi job=wordnet:person \
          --keep-rest --method exponential --epsilon 4 --candidates jobs.txt
      allonym mask survey.csv -o masked.csv --plan plan.toml --row-map rows.csv
      allonym mask survey.csv -o masked.csv --plan plan.toml \
          --replacements replacements.csv
      allonym mask big.parquet -o masked.parquet --plan plan.toml --engine duckdb
      allonym mask 'years/*.parquet' -o masked --plan plan.toml \
          --partition-by year --engine spark --master spark://host:7077
      allonym mask - -o - --quasi job=wordnet:person --links job=job.links.csv \
          --keep-rest < in.csv > out.csv
    """
    from allonym.cli.plan_options import named_files, plan_from_options
    from allonym.release.write import check_outputs

    documents = Documents(**{name: option_values.pop(name) for name in Documents._fields})
    documents.check()
    execution = {name: option_values.pop(name) for name in EXECUTION}
    outputs = [output, execution["row_map"], *documents.paths]
    check_outputs(outputs, [file, plan, *named_files(option_values)])
    whole = plan_from_options(plan, option_values, hint=f"run `allonym inspect {file}` to see likely roles")
    check_outputs(outputs, [file, *whole.files])
    documents.check_measured(whole, file, execution)
    with progress("Masking") as tick:
        release = whole.run(file, output, tick, balance=balance, **execution)
    try:
        with waiting("Writing the report"):
            documents.save(release)
    except OutputError as error:
        raise OutputError(f"{error} The release itself was written and verified: {output}") from error
    to_stdout = output == "-"
    if as_json:
        show_json(release.summary if hide_values else documents.summarised(release), err=to_stdout)
    else:
        path = documents.replacements
        given = click.get_current_context().get_parameter_source("balance") is ParameterSource.COMMANDLINE
        show_figures(release, path, balance=balance if given else None, err=to_stdout)
        if path is not None and release.changes is not None and not hide_values and not to_stdout:
            show_replacements(release.changes, path)
        click.echo(f"\nWritten and verified: {output}", err=to_stdout)


class Documents(NamedTuple):
    """The files that are written beside a release."""

    summary: Path | None = None
    report: Path | None = None
    public: bool = False
    codebook: Path | None = None
    replacements: Path | None = None
    matrix: Path | None = None

    @property
    def paths(self) -> list[Path | None]:
        """The paths of all documents."""
        return [self.summary, self.report, self.codebook, self.replacements, self.matrix]

    def check(self) -> None:
        """Refuse, before any work, documents that cannot be written."""
        if any(str(path) == "-" for path in self.paths):
            raise OptionError("Only the release can be written to standard output.", hint="give a file name.")
        if self.report is not None:
            from allonym.report import needed

            needed()
        elif self.public:
            raise OptionError("--public requires --report.", hint="add --report FILE.")

    def check_measured(self, plan: Plan, file: str, execution: dict[str, Any]) -> None:
        """Refuse, before any work, to report on a release that will have no figures, or no matrix."""
        from allonym.methods.record_level import RecordLevelMethod
        from allonym.pipeline.run import UNMEASURED
        from allonym.pipeline.source import ExecutionOptions, has_engine

        if self.matrix is not None:
            from allonym.pipeline.transition_matrix import check_matrix

            check_matrix(plan)
        by_row = isinstance(plan.method, RecordLevelMethod)
        chosen = ExecutionOptions(execution["engine"], partition_by=execution["partition_by"])
        if (self.report or self.codebook or self.replacements) and by_row and has_engine(file, chosen, plan):
            hint = "use --engine memory, or leave out --report, --codebook and --replacements."
            raise OptionError(UNMEASURED, hint=hint)

    def summarised(self, release: Release) -> dict[str, Any]:
        """Return the figures for JSON, with the list of replacements if it is asked for."""
        from allonym.pipeline.changes.replacements_file import listed

        if self.replacements is None or release.changes is None:
            return release.summary
        return release.summary | {"replacements": listed(release.changes)}

    def save(self, release: Release) -> None:
        """Write the documents."""
        from allonym.release.write import save_text

        if self.summary is not None:
            save_text(self.summary, as_json_text(release.summary) + "\n", private=True)
        if self.codebook is not None:
            save_text(self.codebook, as_json_text(release.codebook()) + "\n")
        if self.replacements is not None:
            release.save_replacements(self.replacements)
        if self.matrix is not None:
            release.save_matrix(self.matrix)
        if self.report is not None:
            release.report.save(self.report, public=self.public)


def show_figures(
    release: Release,
    replacements: Path | None = None,
    *,
    by_column: bool = True,
    balance: float | None = None,
    err: bool = False,
) -> None:
    """Print the figures of a release, and name the file that lists its replacements, if there is one.

    With a balance, the score that it weighs is printed too.
    """
    from allonym.methods.registry import method_parameters
    from allonym.ontology.linking.accept import unreviewed_in_words
    from allonym.pipeline.changes.promised_values import verified_in_words
    from allonym.pipeline.disclosure.wording import people_in_words
    from allonym.report.html import parameter_text

    s = release.summary
    shuffled, ordered = s["row_order"] == "shuffle", s.get("ordered_by")
    defaults = {name: x.default for name, x in method_parameters(s["method"]).items() if name not in ("k", "represent")}
    stated = {name: x for name, x in s["parameters"].items() if name not in defaults or x != defaults[name]}
    parameters = "".join(f"{name} = {parameter_text(x)}, " for name, x in stated.items())
    seed = "no seed" if s["seed"] is None else f"seed {s['seed']}"
    if s["reproducible"] and "noise" in s:
        seed += " (the errors can be repeated: keep seed and plan secret)"
    pairs = [
        *_promises(s),
        *verified_in_words(s),
        *((f"means of {name}", _dominance(x)) for name, x in s.get("dominance", {}).items()),
        *(
            (f"spellings of {name}", f"{x['values']:,} values count as {x['counted_as']:,}")
            for name, x in s.get("united", {}).items()
        ),
        *((f"words of {name}", unreviewed_in_words(x)) for name, x in s.get("unreviewed", {}).items()),
        ("records", f"{s['records']:,}{people_in_words(s)}{', in random order' if shuffled else ''}"),
        *suppression_lines(s),
        *([("caution", f"the order of rows was kept and correlates with {', '.join(ordered)}")] if ordered else []),
        *change_lines(s["changes"], replacements, by_column=by_column),
        *null_lines(s["nulls"], by_column=by_column),
        *_measures(s, by_column=by_column),
        *([("score", _score(s["measures"], balance))] if balance is not None and s["measures"] else []),
        *(("caution", text) for text in s["cautions"]),
        ("method", f"{s['method']}, {parameters}{seed}"),
        ("time", _time(s)),
    ]
    say_pairs(pairs, err=err)


def _time(s: dict[str, Any]) -> str:
    """Say how long a run took, and where the time went."""
    phases = ", ".join(f"{name} {seconds:.2f}" for name, seconds in s["seconds_by_phase"].items() if seconds >= 0.005)
    return f"{s['seconds']:.2f} s" + (f": {phases}" if phases else "")


def _dominance(column: dict[str, Any]) -> str:
    """Describe what was done about means that reveal a person's number."""
    rules = [f"{column['p']:g} % rule"] if column["p"] else []
    rules += [f"({column['n']}, {column['k']:g} %) rule"] if column["k"] < 100 else []
    if not rules:
        return "written even where they reveal a number: the dominance rules are off"
    replaced = f"{column['groups']:,} would have revealed a person's number; coded or rounded values stand instead"
    return f"{replaced} ({', '.join(rules)})"


def _promises(s: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the promises of a release."""
    from allonym.pipeline.budget import spent_in_words

    for promise in s["privacy"]:
        if "sensitivity" in promise:
            yield promise["model"], spent_in_words(promise)
        else:
            yield (
                promise["model"],
                f"required {promise['asked']}, reached {promise['reached']:.4g}, counted in the release",
            )
        yield "over", ", ".join(promise["columns"])
    if not s["privacy"]:
        yield "promise", "none, no k-anonymity: values change one by one; judge the release by its highest linkage"


def _measures(s: dict[str, Any], *, by_column: bool) -> Iterator[tuple[str, str]]:
    """Yield loss and linkage; an engine that masked row by row measures nothing."""
    if not s["measures"]:
        yield "measures", "none: rows stayed in the engine; use `allonym evaluate` on a sample"
        return
    from allonym.pipeline.disclosure.wording import sample_in_words, sets_in_words
    from allonym.report.html import optimality_in_words

    loss = s["measures"]["information_loss"]
    columns = ", ".join(f"{name} {value:.1f} %" for name, value in loss["by_column"].items())
    yield "distinct tuples", f"{s['tuples']['before']:,} before, {s['tuples']['after']:,} after"
    yield from ((f"errors in {name}", _noise(x)) for name, x in s.get("noise", {}).items())
    yield from ((f"transitions of {name}", _transitions(x)) for name, x in s.get("transitions", {}).items())
    yield "information loss", f"{loss['value']:.2f} % ({columns})"
    if s["optimality"] is not None:
        yield "optimality", optimality_in_words(s["optimality"])
    if by_column:
        yield from marginal_lines(s["measures"])
    if s.get("association"):
        yield "relations", ", ".join(map(_association, s["association"]))
    yield "highest linkage", _highest_linkage(s["risk"])
    yield "other attackers", _other_attackers(s["risk"])
    yield from ((f"{name} inferred", _inference(x)) for name, x in s["risk"]["inference"].items())
    yield from sets_in_words(s["measures"], s["parameters"].get("k", 2))
    yield from (("sampled", text) for text in [sample_in_words(s["risk"])] if text)


def _score(measures: dict[str, Any], balance: float) -> str:
    """Describe the score, and what it weighs."""
    lost, linked, score = (measures[name]["value"] for name in ("information_loss", "record_linkage", "score"))
    return f"{score:.2f} = {balance:g} · loss {lost:.2f} + {1 - balance:g} · linkage by text {linked:.2f}"


def _noise(column: dict[str, Any]) -> str:
    """Describe how far the values of a column moved."""
    before, after = (x if isinstance(x, str) else f"{x:.4g}" for x in (column["mean_before"], column["mean_after"]))
    text = f"mean {before} → {after} (distance {column['mean_distance']:.2f}), "
    text += f"variance {column['variance_before']:.3g} → {column['variance']:.3g}"
    if "expected_variance" in column:
        text += f" (expected {column['expected_variance']:.3g})"
    text += f", mean error {column['mean_error']:.3g}, root mean square error {column['rmse']:.3g}"
    if "target_rmse" in column:
        text += f" (targets {column['target_mean_error']:.3g}, {column['target_rmse']:.3g})"
    return text


def _transitions(column: dict[str, Any]) -> str:
    """Describe the matrix by which the values of a column changed."""
    text = f"{100 * column['expected_changed']:.1f} % expected to change (τ = {column['tau']:.3g})"
    if column["mixing"]:
        text += f", {100 * column['mixing']:.1f} % drawn by frequency"
    return f"{text}; an original value is known with a probability of at most {column['highest_posterior']:.2f}"


def _association(pair: dict[str, Any]) -> str:
    """Describe how strongly two columns depend on each other, before and after."""
    figure = pair["distance_correlation"]
    text = f"{' – '.join(pair['columns'])} {figure['before']:.2f} → {figure['after']:.2f} (distance correlation"
    return text + (f"; {figure['independent']:.2f} with independent noise)" if "independent" in figure else ")")


def _highest_linkage(risk: dict[str, Any]) -> str:
    """Describe the share of records that the strongest attacker links, and name the attacker."""
    from allonym.pipeline.disclosure.wording import estimate_in_words

    highest = risk["highest"]
    after = f"{estimate_in_words(highest['value'], highest['interval'])} after ({highest['attacker']})"
    return f"{highest['before']:.1f} % before, {after}; blind guess {risk['blind_guess']:.1f} %"


def _other_attackers(risk: dict[str, Any]) -> str:
    """Name the other attackers, and what they reach, the highest first."""
    from allonym.pipeline.disclosure.wording import estimate_in_words

    others = sorted((-value, name) for name, value in risk["attackers"].items() if name != risk["highest"]["attacker"])
    return ", ".join(f"{name} {estimate_in_words(-value, risk['intervals'].get(name))}" for value, name in others)


def _inference(column: dict[str, Any]) -> str:
    """Describe how often a sensitive value is guessed right."""
    from allonym.pipeline.disclosure.wording import estimate_in_words

    after = f"{estimate_in_words(column['value'], column['interval'])} after"
    return f"{column['before']:.1f} % before, {after}; by the most frequent value {column['baseline']:.1f} %"
