"""What the revisions and modifications of the ICD have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from allonym.ontology.lexicon import Entry, key
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.readings.labels import derived_entries
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy


@dataclass
class Classification:
    """Chapters, blocks, categories and subcategories as they are read, each after its parent.

    The id of a chapter or block is its range of codes, which is also its code. Roman and Arabic numbers of chapters are
    no codes: a column of such numbers has other meanings.
    """

    ids: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    parents: dict[int, int] = field(default_factory=dict)
    synonyms: list[Entry] = field(default_factory=list)
    borrowed: list[Entry] = field(default_factory=list)  # names in another classification
    extensions: set[int] = field(default_factory=set)

    def add(
        self, code: str, label: str, parent: int | None, synonyms: Iterable[str] = (), *, is_extension: bool = False
    ) -> int:
        """Add a concept and return its number; labels of extensions lead to no other names."""
        concept = len(self.ids)
        self.ids.append(code)
        self.labels.append(" ".join(label.split()).replace(" : ", ": "))
        if is_extension:
            self.extensions.add(concept)
        if parent is not None:
            self.parents[concept] = parent
        self.synonyms += [Entry(synonym, concept, rank=1) for synonym in dict.fromkeys(synonyms)]
        return concept

    def build(self, file: File, version: str) -> Taxonomy:
        """Return the taxonomy; codes are notations, and names that labels and synonyms lead to are words."""
        codes = [Entry(code, c, notation=True, preferred=True) for c, code in enumerate(self.ids)]
        names = [Entry(label, c, preferred=True) for c, label in enumerate(self.labels)] + self.synonyms
        english = language("en")
        names += derived_entries([x for x in names if x.concept not in self.extensions], self.parents, english)
        taken = {key(entry.form) for entry in names}
        borrowed = [entry for entry in self.borrowed if key(entry.form) not in taken]
        builder = OntologyBuilder(
            ids=self.ids,
            labels=self.labels,
            child=[self.ids[c] for c in self.parents],
            parent=[self.ids[c] for c in self.parents.values()],
            labels_are_words=False,
            words=[*codes, *names, *borrowed, *derived_entries(borrowed, self.parents, english, names)],
            version=version,
        )
        return builder.build(file)


def as_range(code: str) -> str:
    """Return the code of a block, which is a range also if it has one category.

    >>> as_range("B99"), as_range("A00-A09")
    ('B99-B99', 'A00-A09')
    """
    return code if "-" in code else f"{code}-{code}"
