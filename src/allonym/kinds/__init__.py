"""One metric per kind: how far apart values are, and which value represents several."""
