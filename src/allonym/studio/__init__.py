"""The studio: a local web page to make, check and run plans without writing them by hand.

It uses `pipeline`, `plan` and `report` only: a script can do everything that the studio does. All state is on the
server, so that pages can be reloaded, or be open in several windows. It needs the extra `studio`.
"""

from __future__ import annotations

from importlib.util import find_spec

from allonym.errors import OptionError
from allonym.report import PACKAGES as REPORT_PACKAGES

PACKAGES = ("starlette", "uvicorn", "python_multipart", *REPORT_PACKAGES)


def needed() -> None:
    """Raise an error if a package of the extra `studio` is missing."""
    if any(find_spec(name) is None for name in PACKAGES):
        raise OptionError("The studio needs the `studio` extra.", hint="pip install 'allonym[studio]'.")
