"""CPU time and peak memory of linking many different texts: python benchmarks/linking_speed.py

The texts are made up from the ontology's own forms, with modifiers, brackets, unions and typing errors. Needs the
data beside the project for the Disease Ontology. Writes a block of docs/ontologies/linking.md.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import pages
from paths import DATA, ROOT
from processes import machine

from allonym.ontology.linking.link import link
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled

PAGE = ROOT / "docs" / "ontologies" / "linking.md"
DOID = DATA / "taxonomies" / "doid_2019-03-07.obo.gz"
ONTOLOGIES: dict[str, Callable[[], Taxonomy]] = {"WordNet": bundled, "Disease Ontology": lambda: read_taxonomy(DOID)}
SIZES = (10_000, 100_000)
MODIFIERS = [
    "old", "new", "retired", "senior", "junior", "part-time", "organic", "frozen", "chronic", "acute", "local",
    "national", "big", "small", "red",
]  # fmt: skip
LETTERS = "abcdefghijklmnop"


def text(forms: list[str], draw: random.Random) -> str:
    """Return one made-up text."""
    form, other = draw.choice(forms), draw.choice(forms)
    ways = {
        form: 25,
        f"{draw.choice(MODIFIERS)} {form}": 25,
        f"{form} ({draw.choice(MODIFIERS)})": 15,
        f"{form} of {other}": 10,
        f"{other}/{form}": 10,
        f"{form[:-2]}{form[-1:]} {other}": 10,  # one letter is missing
        "".join(draw.choices(LETTERS, k=9)): 5,
    }
    return draw.choices(list(ways), list(ways.values()))[0]


def texts(taxonomy: Taxonomy, size: int) -> list[str]:
    """Return different texts."""
    draw, forms = random.Random(1), [form.replace("_", " ") for form in taxonomy.lexicon.forms]
    found: dict[str, None] = {}
    while len(found) < size:
        found[text(forms, draw)] = None
    return list(found)


def run(ontology: str, size: int) -> None:
    """Link texts, and print the CPU seconds, the peak memory in megabytes and the share of texts with a concept."""
    taxonomy = ONTOLOGIES[ontology]()
    values = texts(taxonomy, size)
    began = time.process_time()
    links = link(values, taxonomy)
    seconds = time.process_time() - began
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(seconds, megabytes, sum(x.concept is not None for x in links) / size, len(taxonomy.lexicon.forms))


def table() -> str:
    """Measure each ontology and number of texts in a separate process, and return the table."""
    lines = [
        "| ontology | forms | texts | CPU s | peak memory MB | texts with a concept |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for ontology in ONTOLOGIES:
        for size in SIZES:
            child = [sys.executable, __file__, ontology, str(size)]
            output = subprocess.run(child, capture_output=True, text=True, check=True).stdout
            seconds, megabytes, matched, forms = map(float, output.split())
            lines.append(f"| {ontology} | {forms:,.0f} | {size:,} | {seconds:.1f} | {megabytes:.0f} | {matched:.0%} |")
    caption = f"`link()` on one core, with its default options; made-up texts, all different. {machine('numpy')}."
    return "\n".join([*lines, "", caption]) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1], int(sys.argv[2]))
    else:
        pages.write(PAGE, "speed", table())
