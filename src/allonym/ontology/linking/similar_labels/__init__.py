"""Propose concepts for values by the labels of an ontology that are similar to them."""
