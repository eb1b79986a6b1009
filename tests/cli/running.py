"""Running commands that are expected to succeed, or to end with a certain code."""

from __future__ import annotations

from click.testing import CliRunner

from allonym.cli import app

WIDE = {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}


def run(*words: str, code: int = 0) -> str:
    """Run a command in this process; return what it printed."""
    done = CliRunner().invoke(app, words, env=WIDE)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.stdout
