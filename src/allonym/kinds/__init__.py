"""One metric per kind: how far apart values are, and which value stands for several."""
