"""How a column writes codes, and how other codes are written so that they look the same."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from allonym.ontology.linking.codes.index import CodeIndex, compact, has_digit, has_letter
from allonym.ontology.taxonomy import Taxonomy

if TYPE_CHECKING:
    from allonym.ontology.linking.link import Link

NOTATION = "notation"
_OPEN_END = re.compile(r"(?<=[\w])\.?-$")
_RANGE = re.compile(r"\w-\w")


@dataclass(frozen=True)
class CodeForm:
    """The form of the codes of a column: dots, case, zeros, and which of several codes of a concept.

    >>> CodeForm.of_style(CodeForm(dotted=False, open_end="-").style)
    CodeForm(dotted=False, lower=False, zeros=True, colon=':', open_end='-', shape='')
    """

    dotted: bool = True
    lower: bool = False
    zeros: bool = True  # whether numbers begin with zeros where the ontology's codes do
    colon: str = ":"  # what stands for it
    open_end: str = ""  # after the code of a category that is divided further: .- or -
    shape: str = ""  # of the codes, if a concept may have several: A for a letter, 9 for a digit

    @property
    def style(self) -> str:
        """The form as a text: `notation`, then everything in which it differs from the ontology's own."""
        stated = {x.name: value for x in fields(self) if (value := getattr(self, x.name)) != x.default}
        return f"{NOTATION} {json.dumps(stated)}" if stated else NOTATION

    @classmethod
    def of_style(cls, style: str) -> CodeForm:
        """Return the form of a text that `style` wrote."""
        return cls(**json.loads(style.removeprefix(NOTATION) or "{}"))

    def write(self, taxonomy: Taxonomy, concept: int) -> str:
        """Return the code of a concept in this form; its id, if it has no code."""
        codes = taxonomy.lexicon.notations(concept) or [taxonomy.ids[concept]]
        code = next((x for x in codes if shape_of(x) == self.shape), codes[0])
        if not has_digit(code):
            return code.lower() if self.lower else code
        if not self.dotted:
            code = code.replace(".", "")
        if not self.zeros and code.isdecimal():
            code = code.lstrip("0") or "0"
        if self.colon != ":":
            code = code.replace(":", self.colon)
        if self.open_end and _may_be_open(taxonomy, concept, code):
            code += self.open_end
        return code.lower() if self.lower else code


def shape_of(code: str) -> str:
    """Return a code with A for every letter and 9 for every digit.

    >>> shape_of("e11.9")
    'A99.9'
    """
    return "".join("A" if x.isalpha() else "9" if x.isdigit() else x for x in code)


def is_code(value: str, concept: int, taxonomy: Taxonomy) -> bool:
    """Tell whether a value is a code of a concept, or a finer one, and nothing else."""
    if value.casefold() in map(str.casefold, taxonomy.lexicon.notations(concept)):
        return True
    index = CodeIndex.of(taxonomy)
    return index is not None and any(x.concept == concept for x in index.codes(value))


def form_of_codes(links: Mapping[str, Link], taxonomy: Taxonomy) -> CodeForm:
    """Return the form of most cells that are codes, one feature at a time; ties: as the ontology writes them."""
    votes: dict[str, Counter[object]] = {x.name: Counter() for x in fields(CodeForm)}
    for link in links.values():
        if link.concept is not None and is_code(link.value, link.concept, taxonomy):
            for name, value in _features(link.value.strip(), link.concept, taxonomy):
                votes[name][value] += link.count
    form = CodeForm()
    for name, counts in votes.items():
        usual = getattr(form, name)
        if counts:
            best = max(counts, key=lambda value: (counts[value], value == usual, str(value)))
            form = replace(form, **{name: best})  # type: ignore[arg-type]
    return form


def _features(value: str, concept: int, taxonomy: Taxonomy) -> Iterator[tuple[str, object]]:
    """Yield what a cell says about the form of codes; what its code cannot differ in says nothing."""
    codes = taxonomy.lexicon.notations(concept) or [taxonomy.ids[concept]]
    plain = _OPEN_END.sub("", value)
    own = next((x for x in codes if compact(x.casefold()) == compact(plain.casefold())), codes[0])
    if has_letter(value):
        yield "lower", value == value.lower()
    if len(codes) > 1 and (value in codes or not has_digit(value)):
        yield "shape", shape_of(value)
    if "." in own:
        yield "dotted", "." in plain
    if ":" in own:
        yield "colon", next((sign for sign in ":_" if sign in plain), "")
    if plain.isdecimal() and any(x.isdecimal() and x[0] == "0" for x in codes):
        yield "zeros", plain[0] == "0"
    if has_digit(value) and _may_be_open(taxonomy, concept, plain):
        yield "open_end", value[len(plain) :]


def _may_be_open(taxonomy: Taxonomy, concept: int, code: str) -> bool:
    return has_letter(code) and not taxonomy.is_leaf[concept] and not _RANGE.search(code)
