"""Codes of an ontology: finding them in a column however they are written, and writing them as the column does."""
