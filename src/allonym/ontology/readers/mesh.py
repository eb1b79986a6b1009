"""MeSH tree numbers: a table of descriptor, name and tree number, or NLM's mtrees file (name;tree number).

A descriptor has a tree number for each place it stands in, and so several parents.
"""

from __future__ import annotations

from allonym.errors import DuplicateIdError, UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.csv import TREE_NUMBER, rows_of
from allonym.ontology.readers.source import File, Found
from allonym.ontology.taxonomy import Taxonomy

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


def read(file: File) -> Taxonomy:
    """Read descriptors with the parents their tree numbers imply, under the sixteen categories.

    Where two descriptors stand above each other in different places (MeSH has a few), the link lower in the
    alphabet of tree numbers is left out, so that no descriptor is its own ancestor.
    """
    rows = [(i, row) for i, row in enumerate(rows_of(file), 1) if len(row) >= 2]
    places = [(i, row) for i, row in rows if TREE_NUMBER.fullmatch(row[-1])]
    if not places:
        raise UnknownFormatError("no MeSH tree number was found.", path=file.path, hint="they look like C01.221.812.")
    at: dict[str, str] = {}
    label: dict[str, str] = {}
    first: dict[str, int] = {}
    for i, row in places:
        identifier = row[0]
        if not identifier:
            raise UnknownFormatError("a tree number has no name.", path=file.path, line=i)
        if at.setdefault(row[-1], identifier) != identifier:
            raise DuplicateIdError(
                f"the tree number {row[-1]} is given twice.", path=file.path, line=i, values=[row[-1]]
            )
        label.setdefault(identifier, row[1] if len(row) > 2 else row[0])
        first.setdefault(identifier, i)
    found = Found(ids=list(label), labels=list(label.values()), id_lines=list(first.values()))
    links: dict[tuple[str, str], int] = {}
    for i, row in sorted(places, key=lambda place: place[1][-1]):
        above, _, last = row[-1].rpartition(".")
        parent = at.get(above, above) if above else last[0]
        links.setdefault((row[0], parent), i)
    used = sorted({number[0] for number in at})
    found.ids += used
    assert found.labels is not None
    found.labels += [CATEGORIES.get(letter, letter) for letter in used]
    kept = _acyclic(list(links))
    found.child, found.parent = [c for c, _ in kept], [p for _, p in kept]
    found.link_lines = [links[link] for link in kept]
    number = {identifier: c for c, identifier in enumerate(found.ids)}
    found.words = [Entry(identifier, c, notation=True) for identifier, c in number.items()]
    found.words += [Entry(tree, number[identifier], notation=True) for tree, identifier in at.items()]
    return found.taxonomy(file)


def _acyclic(links: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop links that would make a descriptor its own ancestor, later ones first."""
    parents: dict[str, list[str]] = {}
    kept = []
    for child, parent in links:
        if not _reaches(parents, parent, child):
            parents.setdefault(child, []).append(parent)
            kept.append((child, parent))
    return kept


def _reaches(parents: dict[str, list[str]], start: str, goal: str) -> bool:
    """Tell whether a way up leads from one descriptor to another."""
    frontier, seen = [start], {start}
    while frontier:
        above = frontier.pop()
        if above == goal:
            return True
        new = [p for p in parents.get(above, ()) if p not in seen]
        seen.update(new)
        frontier += new
    return False
