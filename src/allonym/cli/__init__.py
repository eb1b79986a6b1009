"""The command line. Heavy imports are made inside commands, so that --help is instant."""

from allonym.cli import compare as comparing
from allonym.cli import evaluate as evaluating
from allonym.cli import hierarchy as hierarchies
from allonym.cli import inspect as looking
from allonym.cli import link as words
from allonym.cli import mask as masking
from allonym.cli import studio
from allonym.cli.app import app, main

__all__ = ["app", "comparing", "evaluating", "hierarchies", "looking", "main", "masking", "studio", "words"]
