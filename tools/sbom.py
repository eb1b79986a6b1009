"""Write a software bill of materials (CycloneDX 1.5, JSON): allonym, what it needs, and what each of these needs.

The packages are those of the environment that runs this; extras of allonym are included as far as they are installed.
The document has no time and no serial number, so that the same environment gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = "allonym"
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
EXTRA = re.compile(r"extra\s*==\s*['\"]([\w.-]+)['\"]")
DEVELOPMENT = ("test", "benchmark")  # extras that no user needs


def normalised(name: str) -> str:
    """Return the name of a package as package URLs write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def reference(package: Distribution) -> str:
    """Return the package URL of an installed package."""
    return f"pkg:pypi/{normalised(package.metadata['Name'])}@{package.version}"


def needed(package: Distribution, *, extras: bool) -> Iterator[Distribution]:
    """Yield the installed packages that a package needs, with those of its extras if these count."""
    for requirement in package.requires or ():
        extra = EXTRA.search(requirement)
        if extra is not None and (not extras or extra[1] in DEVELOPMENT):
            continue
        match = NAME.match(requirement)
        assert match is not None
        try:
            yield distribution(match[0])
        except PackageNotFoundError:  # for another platform, or an extra that is not installed
            continue


def licence_of(package: Distribution) -> list[dict[str, Any]]:
    """Return the licence of a package as its metadata state it."""
    stated = package.metadata.get_all("License-Expression")
    if stated:
        return [{"expression": stated[0]}]
    trove = [
        x.rsplit(" :: ", 1)[-1] for x in package.metadata.get_all("Classifier") or () if x.startswith("License ::")
    ]
    return [{"license": {"name": name}} for name in trove]


def component(package: Distribution) -> dict[str, Any]:
    """Return a package as a component."""
    entry: dict[str, Any] = {
        "type": "application" if normalised(package.metadata["Name"]) == ROOT else "library",
        "bom-ref": reference(package),
        "name": normalised(package.metadata["Name"]),
        "version": package.version,
        "purl": reference(package),
    }
    licences = licence_of(package)
    return entry | ({"licenses": licences} if licences else {})


def bill_of_materials(root: str = ROOT) -> dict[str, Any]:
    """Return the bill of materials of an installed package."""
    first = distribution(root)
    packages = {reference(first): first}
    depends: dict[str, list[str]] = {}
    waiting = [first]
    while waiting:
        package = waiting.pop()
        own = {reference(x): x for x in needed(package, extras=package is first)}
        depends[reference(package)] = sorted(own.keys() - {reference(package)})
        waiting += [x for key, x in own.items() if key not in packages]
        packages |= {key: x for key, x in own.items() if key not in packages}
    libraries = sorted(packages.keys() - {reference(first)})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(first)},
        "components": [component(packages[key]) for key in libraries],
        "dependencies": [{"ref": key, "dependsOn": depends[key]} for key in sorted(depends)],
    }


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(bill_of_materials(), indent=1) + "\n", "utf-8")
    print(target)
