"""Write the hashes of all files of every pinned package into the lock files, or check that they are there.

A line `name==version` gets one `--hash` line for each wheel and source archive that the package index lists for this
version, so that pip refuses any other file on any platform. The index is the one that pip is configured to use; no
address is written. To update a package, change its version and run `make locks`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[\w.+!-]+)")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def lock_files(root: Path = ROOT) -> list[Path]:
    """Return the lock files of the project."""
    return sorted([*root.glob("*.lock"), *root.glob("*/*.lock")])


def pinned(text: str) -> dict[tuple[str, str], list[str]]:
    """Return the hashes of each pinned package in the text of a lock file; refuse any other line.

    >>> pinned("click==8.1.8 \\\\\\n    --hash=sha256:" + "0" * 64 + "\\n")[("click", "8.1.8")][0][:15]
    '--hash=sha256:0'
    """
    packages: dict[tuple[str, str], list[str]] = {}
    for line in text.replace("\\\n", " ").splitlines():
        requirement, *hashes = line.split()
        match = PINNED.fullmatch(requirement)
        if match is None or not all(map(HASH.fullmatch, hashes)):
            raise ValueError(f"not a pinned package: {line}")
        packages[match["name"], match["version"]] = hashes
    return packages


def normalised(name: str) -> str:
    """Return the name of a package as an index writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def version_of(file: str, name: str) -> str | None:
    """Return the version in the name of a wheel or a source archive; None for another package.

    >>> version_of("ast_serialize-0.13.1-cp311-cp311-win_amd64.whl", "ast-serialize")
    '0.13.1'
    >>> version_of("PyStemmer-3.0.0.tar.gz", "pystemmer"), version_of("click-8.1.8.tar.gz", "click-extra")
    ('3.0.0', None)
    """
    stem = file.removesuffix(".tar.gz").removesuffix(".zip")
    project, version = (
        stem.split("-")[:2] if file.endswith(".whl") else stem.rsplit("-", 1) if "-" in stem else ("", "")
    )
    return version if normalised(project) == normalised(name) else None


def hashes_of(name: str, version: str) -> Iterator[str]:
    """Yield the hashes of all files of a package, as the index of pip lists them."""
    from pip._internal.commands import create_command
    from pip._internal.index.collector import parse_links
    from pip._internal.models.link import Link

    command = create_command("download")
    options, _ = command.parse_args(["--quiet"])
    session = command._build_session(options)  # type: ignore[attr-defined]
    collector = command._build_package_finder(options, session)._link_collector  # type: ignore[attr-defined]
    for location in collector.search_scope.get_index_urls_locations(name):
        page = collector.fetch_response(Link(location))
        for link in parse_links(page) if page is not None else ():
            if version_of(link.filename, name) == version and link.hash_name == "sha256":
                yield f"--hash=sha256:{link.hash}"


def locked(text: str) -> str:
    """Return a lock file with the hashes of all packages."""
    lines = []
    for name, version in pinned(text):
        hashes = sorted(set(hashes_of(name, version)))
        if not hashes:
            raise ValueError(f"the index has no file of {name} {version}")
        lines.append(" \\\n    ".join([f"{name}=={version}", *hashes]) + "\n")
    return "".join(lines)


def main() -> None:
    """Write the hashes into every lock file."""
    for path in map(Path, sys.argv[1:]) if len(sys.argv) > 1 else lock_files():
        path.write_text(locked(path.read_text("utf-8")), "utf-8")
        print(path)


if __name__ == "__main__":
    main()
