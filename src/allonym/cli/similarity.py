"""`allonym similarity`: compare two words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from allonym.cli import options
from allonym.cli.help import Command, argument, option
from allonym.cli.output import caution_language, say, show_json, show_table, waiting

if TYPE_CHECKING:
    from allonym.ontology.word_similarity import Comparison


@click.command(cls=Command)
@argument("word", metavar="WORD", about="A word (dog), one of its senses (dog#2), or an id (dog.n.01).")
@argument("other", metavar="OTHER", about="The word to compare with.")
@option("--measure", default="wu-palmer", metavar="NAME", help=f"Similarity measure: {options.MEASURES}")
@option("--depth", default="nodes", metavar="NAME", help=options.DEPTH)
@option("--content", default="seco", metavar="NAME", help="Information content: seco, sanchez-batet or corpus.")
@options.ontology
@option(
    "--senses", default="coherent", metavar="NAME",
    help="Choice of senses: coherent (they fit each other), best-pair (the closest) or first.",
)  # fmt: skip
@options.language
@options.as_json
def similarity(
    word: str, other: str, measure: str, depth: str, content: str, ontology: str, senses: str, language: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Compute the similarity of two words.

    Prints their senses and their least common subsumer too.

    Examples:
      allonym similarity trekker jogger
      allonym similarity dog homeotherm --depth virtual-root --json
      allonym similarity asthma bronchitis --ontology doid.obo --measure lin
    """
    from allonym.ontology.catalog import open_ontology
    from allonym.ontology.word_similarity import compare

    with waiting(f"Reading {ontology}"):
        scope = open_ontology(ontology)
    caution_language(scope.taxonomy.lexicon, language, ontology)
    comparison = compare(
        word, other, measure=measure, depth=depth, content=content, ontology=scope, senses=senses, language=language
    )
    if as_json:
        ids = comparison.taxonomy.ids
        show_json(
            {
                "format": 1,
                "measure": measure,
                "depth": depth,
                "similarity": comparison.similarity,
                "distance": comparison.distance,
                "published": comparison.published,
                "concepts": [ids[c] for c in comparison.concepts],
                "subsumer": ids[comparison.subsumer],
            }
        )
    else:
        _show((word, other), comparison, measure, depth)


def _show(words: tuple[str, str], comparison: Comparison, measure: str, depth: str) -> None:
    """Print senses, subsumer and figures."""
    from allonym.ontology.linking.links_file import short_definition

    taxonomy = comparison.taxonomy
    rows = []
    for name, concept in (*zip(words, comparison.concepts, strict=True), ("in common", comparison.subsumer)):
        synonyms = [x for x in taxonomy.lexicon.terms(concept) if x.lower() != name.lower()]
        rows.append((name, taxonomy.ids[concept], ", ".join(synonyms[:3]), short_definition(taxonomy, concept)))
    show_table(("word", "sense", "synonyms", "definition"), rows, fold=0)
    convention = f", depth in {depth}" if measure == "wu-palmer" else ""
    say(f"\n{measure}{convention}: similarity {comparison.similarity:.4f}, distance {comparison.distance:.4f}")
    if comparison.published is not None:
        kind = {"path": "links", "jiang-conrath": "distance as published"}.get(measure, "similarity as published")
        say(f"{kind}: {comparison.published:.4g}")
