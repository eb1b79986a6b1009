"""Links files for scripts: write proposed links, let people edit them, and read what they settled."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from allonym.ontology.catalog import open_ontology
from allonym.ontology.linking import links_file
from allonym.ontology.linking.link import Link
from allonym.ontology.scope import Scope
from allonym.release.write import save_text


def read_links(path: str | Path) -> dict[str, str]:
    """Read the concepts that a links file settles.

    Args:
        path: a file with the columns value and concept; `docs/ontologies/reviewing.md` describes the others.

    Returns:
        The concept of each value, empty where a person settled that it has none. Rows that were proposed for review
        and that nobody has changed are left out.

    Raises:
        LinksError: the file cannot be read, lacks a column, or gives a value two concepts.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "links.csv"
    ...     _ = file.write_text("value,concept\\nTech-support,technician.n.01\\n")
    ...     read_links(file)
    {'Tech-support': 'technician.n.01'}
    """
    settled = links_file.read(path)
    return {value: concept for value, concept in settled.concepts.items() if value not in settled.unseen}


def write_links(
    links: Iterable[Link], path: str | Path, ontology: str | Scope = "wordnet", *, language: str = "en"
) -> None:
    """Write links to a file that people can edit: concepts with definitions, alternatives and suggestions.

    Args:
        links: links of `link` or `link_hierarchy`.
        path: the path of the file, which only its owner may read; it is replaced.
        ontology: the ontology of the links, or its name as on the command line.
        language: the language of the values.

    Raises:
        OutputError: the file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> from allonym.ontology.linking.link import link
    >>> from allonym.ontology.wordnet import wordnet
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "links.csv"
    ...     write_links(link(["nurse", "carpenter"], wordnet("person")), file)
    ...     read_links(file)
    {'nurse': 'nurse.n.01', 'carpenter': 'carpenter.n.01'}
    """
    scope = ontology if isinstance(ontology, Scope) else open_ontology(ontology)
    save_text(Path(path), links_file.to_csv(links, scope, language=language), private=True)
