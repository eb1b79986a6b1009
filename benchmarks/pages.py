"""Generated blocks of documentation pages, between <!-- name: begin --> and <!-- name: end -->."""

from __future__ import annotations

from pathlib import Path


def write(page: Path, name: str, table: str) -> None:
    """Replace the named block of a page, and print it."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    text = page.read_text("utf-8")
    head, _, rest = text.partition(begin)
    page.write_text(head + begin + table + end + rest.partition(end)[2], "utf-8")
    print(table)
