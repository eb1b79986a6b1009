"""Ontologies: taxonomies, similarity, linking of text, readers of files, the bundled WordNet."""
