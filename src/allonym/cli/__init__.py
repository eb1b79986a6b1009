"""The command line: one module per command. A command's module is imported when the command is called."""

from allonym.cli.app import app, main

__all__ = ["app", "main"]
