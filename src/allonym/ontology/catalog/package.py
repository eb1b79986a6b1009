"""The data files of installed packages, read without importing the packages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from allonym.errors import OntologyError
from allonym.ontology.readers.source import File


@dataclass
class Package:
    """An installed distribution and the files of it that were read.

    >>> numpy = Package.find("numpy")
    >>> numpy is not None and numpy.path("numpy/__init__.py").is_file()
    True
    """

    name: str
    version: str
    distribution: metadata.Distribution
    others: dict[str, Package] = field(default_factory=dict)  # further packages of the same ontology, by name
    hashes: list[str] = field(default_factory=list)  # of the files that were read, in this order

    @classmethod
    def find(cls, name: str) -> Package | None:
        """Return an installed distribution, or None."""
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            return None
        return cls(name, distribution.version, distribution)

    def with_others(self, others: Sequence[Package]) -> Package:
        """Return the package together with others."""
        return Package(self.name, self.version, self.distribution, {x.name: x for x in others})

    @property
    def versions(self) -> str:
        """The names and versions of all packages, as in a list of requirements."""
        return " ".join(f"{x.name}=={x.version}" for x in (self, *self.others.values()))

    @property
    def versions_text(self) -> str:
        """The names and versions of all packages, for people to read."""
        return self.versions.replace(" ", ", ").replace("==", " ")

    def path(self, name: str) -> Path:
        """Return the path of a file that has this name relative to the folder of all packages."""
        return Path(str(self.distribution.locate_file(name)))

    def find_one(self, folder: str, pattern: str) -> Path:
        """Return the last file, in the order of names, that has a pattern: names may contain a version.

        Raises:
            OntologyError: there is none.
        """
        found = sorted(self.path(folder).glob(pattern))
        if not found:
            raise self.changed(f"{folder}/{pattern}")
        return found[-1]

    def read(self, path: str | Path) -> File:
        """Read a file; its hash becomes a part of the hash of the ontology.

        Raises:
            OntologyError: the package has no such file.
        """
        whole = path if isinstance(path, Path) else self.path(path)
        if not whole.is_file():
            raise self.changed(str(path))
        file = File.read(whole)
        self.hashes.append(file.sha256)
        return file

    def changed(self, what: str) -> OntologyError:
        """Return the error of a package that has another structure than the versions known."""
        return OntologyError(
            f"The package {self.name} {self.version} has no {what}.",
            hint="install the version that allonym was tested with, or report this.",
        )

    @property
    def sha256(self) -> str:
        """The hash of everything that was read."""
        hashes = [x for package in (self, *self.others.values()) for x in package.hashes]
        return hashlib.sha256(" ".join(hashes).encode()).hexdigest()
