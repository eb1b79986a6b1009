"""The content of an ontology file."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from allonym.decoding import TooLargeError, decode, gunzip
from allonym.errors import OntologyError, UnknownFormatError

MAX_SIZE = 4 * 1024**3  # bytes that a compressed file may unpack to


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
            OntologyError: the file cannot be read, or unpacks to more than `MAX_SIZE`.
            UnknownFormatError: its gzip data is damaged.
        """
        path = Path(path)
        try:
            stored = path.read_bytes()
        except OSError as error:
            hint = "check the path: it names a file or a folder of an ontology."
            raise OntologyError(f"cannot be read: {error.strerror}.", path=path, hint=hint) from error
        content = stored
        if stored[:2] == b"\x1f\x8b":
            try:
                content = gunzip(stored, MAX_SIZE)
            except TooLargeError as error:
                text = f"it unpacks to more than {MAX_SIZE // 1024**2:,} MB."
                raise OntologyError(text, path=path, hint="if you trust the file, unpack it first.") from error
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
