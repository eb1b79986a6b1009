"""Attackers who try to find people in a release: one module each, and the registry that names them all."""
