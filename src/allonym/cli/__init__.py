"""The command line. Heavy imports are made inside commands, so that --help is instant."""

from allonym.cli import comparing, evaluating, hierarchies, looking, masking, studio, words
from allonym.cli.app import app, main

__all__ = ["app", "comparing", "evaluating", "hierarchies", "looking", "main", "masking", "studio", "words"]
