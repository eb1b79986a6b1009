"""The content of an ontology file."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from allonym.decoding import decode
from allonym.errors import OntologyError, UnknownFormatError


@dataclass(frozen=True)
class File:
    """An ontology file, decompressed."""

    path: Path
    content: bytes
    sha256: str  # of the file as it is stored

    @classmethod
    def read(cls, path: str | Path) -> File:
        """Read a file, gzipped or not.

        Raises:
            OntologyError: the file cannot be read.
            UnknownFormatError: its gzip data is damaged.
        """
        path = Path(path)
        try:
            stored = path.read_bytes()
        except OSError as error:
            raise OntologyError(f"cannot be read: {error.strerror}.", path=path) from error
        content = stored
        if stored[:2] == b"\x1f\x8b":
            try:
                content = gzip.decompress(stored)
            except (OSError, EOFError, zlib.error) as error:
                raise UnknownFormatError(
                    "the gzip data is damaged or truncated.", path=path, hint="download the file again."
                ) from error
        return cls(path, content, hashlib.sha256(stored).hexdigest())

    @property
    def name(self) -> str:
        """The file's name without its suffixes."""
        stem = self.path.name.removesuffix(".gz")
        return stem.rsplit(".", 1)[0] or stem

    def text(self) -> str:
        """Decode the file."""
        return decode(self.content)
