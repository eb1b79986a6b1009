"""The command line. Heavy imports are made inside commands, so that --help is instant."""

from allonym.cli import evaluating, hierarchies, masking, words
from allonym.cli.app import app, main

__all__ = ["app", "evaluating", "hierarchies", "main", "masking", "words"]
