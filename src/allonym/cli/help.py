"""Commands, options and arguments whose help has titled sections and examples, readable without colour."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from inspect import cleandoc
from typing import Any

import click

Decorator = Callable[[Any], Any]
SETTINGS: dict[str, Any] = {"max_content_width": 100, "show_default": True}
NAME_WIDTH = 26  # a longer name of an option has a line of its own


class Formatter(click.HelpFormatter):
    """Help whose words are never broken at a hyphen, so that names can be copied."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = NAME_WIDTH, col_spacing: int = 2) -> None:
        """Write names and their descriptions in two columns."""
        rows = list(rows)
        column = min(max((len(name) for name, _ in rows), default=0), col_max) + col_spacing
        margin = " " * self.current_indent
        for name, text in rows:
            lines = textwrap.wrap(text, max(self.width - column - self.current_indent, 20), break_on_hyphens=False)
            if len(name) > col_max:
                lines = ["", *lines]
            for i, line in enumerate(lines or [""]):
                self.write(f"{margin}{name if i == 0 else '':{column}}{line}".rstrip() + "\n")


class Context(click.Context):
    """The context of a command, with our help."""

    formatter_class = Formatter


class Option(click.Option):
    """An option that belongs to a section of the help."""

    def __init__(self, *args: Any, section: str = "Options", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return names and help; the pair --refine / --no-refine is --[no-]refine."""
        record = super().get_help_record(ctx)
        if record is None or not self.secondary_opts:
            return record
        return f"--[no-]{self.opts[0].removeprefix('--')}", record[1]


class Argument(click.Argument):
    """An argument with a line of help."""

    def __init__(self, *args: Any, about: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.about = about


class Command(click.Command):
    """A command whose help shows its examples as they are typed, and its options by section."""

    context_class = Context

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"context_settings": SETTINGS} | settings)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description, wrapped, and the examples, as they are."""
        description, _, examples = cleandoc(self.help or "").partition("\nExamples:\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(description.strip())
        if examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line.removeprefix('  ')}\n" for line in examples.splitlines()))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options, each section under its title."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, Argument):
                rows = sections.setdefault("Arguments", [])
                rows.append((parameter.make_metavar(ctx), parameter.about))
            elif (record := parameter.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


class Group(Command, click.Group):
    """A group of commands."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then one line for each command."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence of each command."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        rows = [(name, _first_sentence(x.help or "")) for name, x in commands.items() if x is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of their declaration."""
        return list(self.commands)


def _first_sentence(text: str) -> str:
    return " ".join(cleandoc(text).partition("\n\n")[0].split())


def option(*names: str, section: str = "Options", **settings: Any) -> Decorator:
    """Declare an option."""
    return click.option(*names, cls=Option, section=section, **settings)


def argument(name: str, *, metavar: str, about: str, **settings: Any) -> Decorator:
    """Declare an argument."""
    return click.argument(name, cls=Argument, metavar=metavar, about=about, **settings)


def together(*declared: Decorator) -> Decorator:
    """Declare several options at once, in this order."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(declared):
            function = decorator(function)
        return function

    return decorate
