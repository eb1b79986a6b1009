"""Pages for people: the report of a release, and methods compared. They are drawn from figures alone.

Pages need the extra `report`; everything else works without it.
"""

from __future__ import annotations

from importlib.util import find_spec

from allonym.errors import OptionError

PACKAGES = ("altair", "vl_convert", "jinja2")  # of the extra


def needed() -> None:
    """Refuse a page that cannot be drawn, before any work."""
    if any(find_spec(name) is None for name in PACKAGES):
        raise OptionError("Reports need the `report` extra.", hint="pip install 'allonym[report]'.")
