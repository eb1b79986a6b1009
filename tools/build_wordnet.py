"""Compile the bundled WordNet from a WNDB directory: python tools/build_wordnet.py /usr/share/wordnet

Writes the nouns, their details, their offsets and Princeton's licence notice into the package; the same input gives
the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from allonym.ontology.array_file import joined
from allonym.ontology.compiled import pack
from allonym.ontology.readers import wndb
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import DETAILS_FILE, FILE, OFFSETS_FILE
from wordnet_details import pack_details

DATA = Path(__file__).parents[1] / "src" / "allonym" / "ontology" / "data"


def notice(directory: Path) -> str:
    """Return Princeton's notice from the head of data.noun, without its line numbers."""
    head = [line for line in (directory / "data.noun").read_text("utf-8").splitlines() if line.startswith("  ")]
    return "\n".join(line.strip().partition(" ")[2].rstrip() for line in head) + "\n"


def nouns(taxonomy: Taxonomy) -> bytes:
    """Return the bundled file of the nouns; definitions and parts are in the file of details."""
    return pack(replace(taxonomy, definitions=None, parts=None), checksum=False)


def offsets(directory: Path, taxonomy: Taxonomy) -> bytes:
    """Return the bundled file of the offsets of the nouns in data.noun, in the order of the concepts."""
    lines = (directory / "data.noun").read_text("utf-8").splitlines()
    numbers = [int(line[:8]) for line in lines if line.strip() and not line.startswith(" ")]
    assert len(numbers) == len(taxonomy)
    return joined({"offsets": np.array(numbers, np.uint32)}, {"sha256": taxonomy.source.sha256})


def main() -> None:
    """Compile, write, and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path, help="a WNDB directory (Debian: package wordnet-base)")
    directory: Path = parser.parse_args().directory
    taxonomy = wndb.read(directory)
    DATA.mkdir(exist_ok=True)
    (DATA / "WORDNET-LICENSE").write_text(notice(directory), "utf-8")
    print(repr(taxonomy))
    files = {
        FILE: nouns(taxonomy),
        DETAILS_FILE: pack_details(directory, taxonomy),
        OFFSETS_FILE: offsets(directory, taxonomy),
    }
    for name, content in files.items():
        (DATA / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
