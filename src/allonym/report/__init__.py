"""Pages that people look at: the report of a release, and methods side by side. They know figures, not how these came.

The extra `report` draws them; without it everything else works.
"""

from __future__ import annotations

from importlib.util import find_spec

from allonym.errors import OptionError

NEEDED = ("altair", "vl_convert", "jinja2")


def needed() -> None:
    """Refuse, before any work, a page that cannot be drawn."""
    if any(find_spec(name) is None for name in NEEDED):
        raise OptionError("Reports need what draws them.", hint="pip install allonym[report].")
