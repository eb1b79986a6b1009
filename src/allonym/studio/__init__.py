"""The studio: a web page on the steward's own machine for people who do not write plans by hand.

It asks `plan` and the report's charts, and nothing deeper: whatever it shows or does, a script can do through `plan`.
All state is on this side, so that a page can be loaded again, or be open twice. The extra `studio` serves it.
"""

from __future__ import annotations

from importlib.util import find_spec

from allonym.errors import OptionError
from allonym.report import PACKAGES as REPORT_PACKAGES

NEEDED = ("starlette", "uvicorn", "python_multipart", *REPORT_PACKAGES)


def needed() -> None:
    """Refuse, before any work, to start without what serves and draws the pages."""
    if any(find_spec(name) is None for name in NEEDED):
        raise OptionError("The studio needs what serves its pages.", hint="pip install allonym[studio].")
