"""`allonym ontologies`: list the ontologies that columns can name, show one, add and remove your own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from allonym.cli import options
from allonym.cli.help import Group, argument, option
from allonym.cli.output import say, say_pairs, short, show_json, waiting, width

if TYPE_CHECKING:
    from allonym.ontology.catalog.about import OntologyInfo
    from allonym.ontology.taxonomy import Taxonomy

MAX_CHILDREN, MAX_BELOW, MAX_LANGUAGES, MAX_SYNONYMS = 12, 4, 5, 4
name_argument = argument("name", metavar="NAME", about="A name that `allonym ontologies` lists.")


@click.group(cls=Group, invoke_without_command=True)
@options.as_json
@click.pass_context
def ontologies(ctx: click.Context, as_json: bool) -> None:
    """List, show, add and remove ontologies that columns can name.

    A column names its ontology: --quasi diagnosis=icd10, or a part of it: --quasi diagnosis=icd10:E11. Ontologies of
    the catalog come from installed packages. Others are added from the publisher's own files. Nothing is downloaded.

    Examples:
      allonym ontologies
      allonym ontologies show icd10
      allonym ontologies add ~/Downloads/esco --name esco
      allonym ontologies remove esco
    """
    if ctx.invoked_subcommand is None:
        from allonym.plan.ontologies import ontologies as listed

        if as_json:
            show_json({"format": 1, "ontologies": [x.to_dict() for x in listed()]})
        else:
            _list(listed())


@ontologies.command()
@name_argument
@options.as_json
def show(name: str, as_json: bool) -> None:
    """Show what an ontology contains: its source and licence, its first levels, and an example.

    Examples:
      allonym ontologies show wordnet
      allonym ontologies show icd10 --json
    """
    from allonym.ontology.catalog import is_named, ontology, unknown_ontology
    from allonym.ontology.catalog.about import about

    if ":" in name or not is_named(name):
        raise unknown_ontology(name, "write a name that `allonym ontologies` lists, without a root.")
    info = about(name)
    with waiting(f"Opening {name}"):
        taxonomy = ontology(name).taxonomy
    if as_json:
        top = [{"id": taxonomy.ids[c], "label": taxonomy.labels[c]} for c in _children(taxonomy, taxonomy.root)]
        show_json({"format": 1, **info.to_dict(), **_source(info, taxonomy), **_figures(taxonomy), "first_level": top})
    else:
        _show(info, taxonomy)


@ontologies.command()
@argument("path", type=options.PATH, metavar="FILE|FOLDER", about="The publisher's file, folder or zip archive.")
@option("--name", required=True, metavar="NAME", help="Name of the ontology: a-z, 0-9 and -.")
@option("--language", default="", metavar="CODE", help="Language of the words, if the file does not state it.")
@option("--licence", default="", metavar="TEXT", help="Licence, if the file does not state it; reports print it.")
@option("--version", default="", metavar="TEXT", help="Version, if the file does not state it; reports print it.")
@option("--format", metavar="NAME", help="Format; by default recognised. An unknown name lists them.")
@option("--replace", is_flag=True, help="Replace an ontology of this name that was added before.")
@options.as_json
def add(
    path: Path, name: str, language: str, licence: str, version: str, format: str | None, replace: bool, as_json: bool
) -> None:
    """Add an ontology from the publisher's own download, to use it by name.

    Reads ESCO (the folder of CSV files), SNOMED CT (an RF2 release), OBO, OWL and SKOS, MeSH, WordNets, and tables of
    codes, such as ATC, NACE and CPA. The ontology is kept in compiled form in a folder that only you can read; the
    download is not needed any more. Check that its licence allows your use.

    Examples:
      allonym ontologies add ~/Downloads/esco --name esco
      allonym ontologies add doid.obo --name disease --licence "CC0 1.0"
      allonym ontologies add atc.csv --name atc --language en --version 2024
    """
    from allonym.plan.ontologies import add_ontology

    with waiting(f"Reading {path}"):
        info = add_ontology(
            path, name, format=format, language=language, version=version, licence=licence, replace=replace
        )
    if as_json:
        show_json({"format": 1, **info.to_dict()})
        return
    from allonym.ontology.catalog import added

    languages = f", {_languages(info.languages)}" if info.languages else ""
    say(f"Added {name}: {info.concepts:,} concepts{languages}.")
    say_pairs(
        [
            ("version", info.version or "not stated; add --version TEXT --replace to record it"),
            ("licence", info.licence or "not stated; add --licence TEXT --replace to record it"),
            ("kept in", str(added.path_of(name))),
            ("use it", f"allonym mask TABLE --quasi COLUMN={name}"),
            ("look", f"allonym ontologies show {name}"),
        ]
    )


@ontologies.command()
@name_argument
def remove(name: str) -> None:
    """Remove an ontology that was added.

    Examples:
      allonym ontologies remove esco
    """
    from allonym.plan.ontologies import remove_ontology

    remove_ontology(name)
    say(f"Removed {name}.")


def _list(listed: Iterable[OntologyInfo]) -> None:
    """Print the ontologies, family by family."""
    families: dict[str, list[OntologyInfo]] = {}
    for info in listed:
        families.setdefault(info.family, []).append(info)
    longest = max(len(info.name) for members in families.values() for info in members)
    for family, members in families.items():
        click.echo(click.style(family.capitalize(), bold=True))
        say_pairs([(f"  {name:{longest}}", line) for info in members for name, line in _lines(info)])
        say()
    say_pairs(
        [
            ("Use one:", "--quasi COLUMN=NAME; a part of it: --quasi COLUMN=NAME:ROOT"),
            ("See what it has:", "allonym ontologies show NAME"),
            ("Add your own:", "allonym ontologies add FILE|FOLDER --name NAME"),
        ]
    )


def _lines(info: OntologyInfo) -> list[tuple[str, str]]:
    """Return the lines about an ontology, the first with its name."""
    concepts = f"{info.concepts:,} concepts" if info.concepts else ""
    purpose = "" if info.purpose == info.family else info.purpose
    version = f"version {info.version}" if info.version and not info.packages else ""
    title = info.title if info.publisher else ""
    lines = [
        " · ".join(filter(None, [purpose, concepts, _languages(info.languages)])),
        " · ".join(filter(None, [title, info.publisher, version, info.origin])),
        f"licence: {info.licence}" if info.licence else "",
        f"not installed; to install it: {info.install}" if info.install else "",
    ]
    return [(info.name if i == 0 else "", line) for i, line in enumerate(filter(None, lines))]


def _languages(languages: tuple[str, ...]) -> str:
    """Return the languages, in short.

    >>> _languages(("en", "de")), _languages(("ar", "de", "en", "es", "fr", "ru", "zh"))
    ('en, de', 'en and 6 more')
    """
    if len(languages) <= MAX_LANGUAGES:
        return ", ".join(languages)
    first = "en" if "en" in languages else languages[0]
    return f"{first} and {len(languages) - 1} more"


def _show(info: OntologyInfo, taxonomy: Taxonomy) -> None:
    """Print the description, the first levels and an example."""
    figures, source = _figures(taxonomy), _source(info, taxonomy)
    pairs = [
        ("name", info.name),
        ("title", info.title),
        ("for", info.purpose),
        ("publisher", " ".join(x for x in (info.publisher, info.url) if x)),
        ("from", info.origin),
        *((key, source[key]) for key in ("version", "licence", "attribution")),
        ("languages", ", ".join(info.languages)),
        ("content", f"{figures['concepts']:,} concepts, {figures['links']:,} is-a links, {figures['levels']} levels, "
         f"{figures['words']:,} words, {figures['codes']:,} codes"),
        ("sha256", source["sha256"]),
    ]  # fmt: skip
    say_pairs([(name, value) for name, value in pairs if value])
    say("\nFirst levels:")
    children = _children(taxonomy, taxonomy.root)
    for concept in children[:MAX_CHILDREN]:
        below = _children(taxonomy, concept)
        inside = "; ".join(taxonomy.labels[c] for c in below[:MAX_BELOW]) + "; …" * (len(below) > MAX_BELOW)
        click.echo("  " + short(_named(taxonomy, concept), width() - 2))
        if inside:
            click.echo("      " + short(inside, width() - 6))
    if len(children) > MAX_CHILDREN:
        say(f"  and {len(children) - MAX_CHILDREN:,} more")
    _show_example(info.name, taxonomy)


def _show_example(name: str, taxonomy: Taxonomy) -> None:
    """Print a concept of the deepest level, with its words and the concepts above it."""
    concept = int(taxonomy.depth.argmax())
    path = taxonomy.path(concept)
    words = [x for x in taxonomy.lexicon.terms(concept) if x != taxonomy.labels[concept]]
    say(f"\nExample: {_named(taxonomy, concept)}")
    if words:
        say(f"  also: {', '.join(words[:MAX_SYNONYMS])}{', …' * (len(words) > MAX_SYNONYMS)}")
    say(
        "  under: "
        + " < ".join(taxonomy.labels[c] for c in path[1:] if c != taxonomy.root or taxonomy.labels[c] != "*")
    )
    root = path[-2] if len(path) > 1 else path[0]
    codes = taxonomy.lexicon.notations(root)
    part = f"{name}:{codes[0] if codes else taxonomy.ids[root]}"
    quoted = f'"{part}"' if " " in part else part
    say(f"\nUse it:       --quasi COLUMN={name}\nA part of it: --quasi COLUMN={quoted}")


def _named(taxonomy: Taxonomy, concept: int) -> str:
    codes, label = taxonomy.lexicon.notations(concept), taxonomy.labels[concept]
    return f"{codes[0]} {label}" if codes and codes[0] != label else label


def _source(info: OntologyInfo, taxonomy: Taxonomy) -> dict[str, str]:
    """Return what the ontology states of its source, else what the catalog does."""
    source = taxonomy.source
    return {
        "version": source.version or info.version,
        "licence": source.licence or info.licence,
        "attribution": source.attribution or info.attribution,
        "sha256": source.sha256,
    }


def _children(taxonomy: Taxonomy, concept: int) -> list[int]:
    return [int(c) for c in taxonomy.children_of(concept)]


def _figures(taxonomy: Taxonomy) -> dict[str, int]:
    import numpy as np

    words = taxonomy.lexicon
    codes = np.logical_or.reduceat(words.notation, words.starts[:-1])
    only_codes = np.logical_and.reduceat(words.notation, words.starts[:-1])
    return {
        "concepts": len(taxonomy),
        "links": len(taxonomy.parents[1]),
        "levels": int(taxonomy.depth.max()) + 1,
        "words": int((~only_codes).sum()),
        "codes": int(codes.sum()),
    }
