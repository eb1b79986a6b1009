"""MeSH tree numbers: a table of descriptor, name and tree number, or NLM's mtrees file (name;tree number).

A descriptor has one tree number for each of its positions, and so may have several parents.
"""

from __future__ import annotations

import re

from allonym.errors import DuplicateIdError, UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.header import has_parent_column
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.readers.table import rows_of
from allonym.ontology.taxonomy import Taxonomy

TREE_NUMBER = re.compile(r"[A-Z]\d{2}(\.\d{3})*")
CATEGORIES = {
    "A": "Anatomy",
    "B": "Organisms",
    "C": "Diseases",
    "D": "Chemicals and Drugs",
    "E": "Analytical, Diagnostic and Therapeutic Techniques, and Equipment",
    "F": "Psychiatry and Psychology",
    "G": "Phenomena and Processes",
    "H": "Disciplines and Occupations",
    "I": "Anthropology, Education, Sociology, and Social Phenomena",
    "J": "Technology, Industry, and Agriculture",
    "K": "Humanities",
    "L": "Information Science",
    "M": "Named Groups",
    "N": "Health Care",
    "V": "Publication Characteristics",
    "Z": "Geographicals",
}


def recognise(sample: Sample) -> bool:
    """Recognise a last column of tree numbers, some of which have their parent in it too."""
    rows = sample.rows
    if not rows or has_parent_column(rows[0]):
        return False
    numbers = {row[-1] for row in rows[0 if TREE_NUMBER.fullmatch(rows[0][-1]) else 1 :]}
    parents = {number.rpartition(".")[0] for number in numbers} - {""}
    return all(map(TREE_NUMBER.fullmatch, numbers)) and not parents.isdisjoint(numbers)


def read(file: File) -> Taxonomy:
    """Read descriptors under MeSH's sixteen categories, with the parents that their tree numbers imply.

    A few descriptors of MeSH are above each other in different trees. Of such links, the one with the later tree
    number is dropped, so that no descriptor is its own ancestor.
    """
    rows = [(i, row) for i, row in enumerate(rows_of(file), 1) if len(row) >= 2]
    positions = [(i, row) for i, row in rows if TREE_NUMBER.fullmatch(row[-1])]
    if not positions:
        raise UnknownFormatError(
            "the table contains no MeSH tree number.", path=file.path, hint="an example is C01.221.812."
        )
    descriptor_at: dict[str, str] = {}
    label: dict[str, str] = {}
    first_line: dict[str, int] = {}
    for i, row in positions:
        identifier = row[0]
        if not identifier:
            raise UnknownFormatError("the tree number has no name.", path=file.path, line=i)
        if descriptor_at.setdefault(row[-1], identifier) != identifier:
            raise DuplicateIdError(f"the tree number {row[-1]} is repeated.", path=file.path, line=i, values=[row[-1]])
        label.setdefault(identifier, row[1] if len(row) > 2 else row[0])
        first_line.setdefault(identifier, i)
    builder = OntologyBuilder(ids=list(label), labels=list(label.values()), id_lines=list(first_line.values()))
    links: dict[tuple[str, str], int] = {}
    for i, row in sorted(positions, key=lambda position: position[1][-1]):
        above, _, last = row[-1].rpartition(".")
        parent = descriptor_at.get(above, above) if above else last[0]
        links.setdefault((row[0], parent), i)
    letters = sorted({number[0] for number in descriptor_at})
    builder.ids += letters
    assert builder.labels is not None
    builder.labels += [CATEGORIES.get(letter, letter) for letter in letters]
    acyclic = _acyclic(list(links))
    builder.child, builder.parent = [c for c, _ in acyclic], [p for _, p in acyclic]
    builder.link_lines = [links[link] for link in acyclic]
    number = {identifier: c for c, identifier in enumerate(builder.ids)}
    builder.words = [Entry(identifier, c, notation=True) for identifier, c in number.items()]
    builder.words += [Entry(tree, number[identifier], notation=True) for tree, identifier in descriptor_at.items()]
    return builder.build(file)


def _acyclic(links: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the links without those that close a cycle with links before them."""
    parents: dict[str, list[str]] = {}
    acyclic = []
    for child, parent in links:
        if not _reaches(parents, parent, child):
            parents.setdefault(child, []).append(parent)
            acyclic.append((child, parent))
    return acyclic


def _reaches(parents: dict[str, list[str]], start: str, goal: str) -> bool:
    """Tell whether a path up leads from one descriptor to another."""
    frontier, seen = [start], {start}
    while frontier:
        above = frontier.pop()
        if above == goal:
            return True
        new = [p for p in parents.get(above, ()) if p not in seen]
        seen.update(new)
        frontier += new
    return False
