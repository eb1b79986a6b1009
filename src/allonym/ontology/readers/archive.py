"""Zip archives of ontologies: unpacked into a temporary folder, read, and deleted."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from allonym.errors import OntologyError, UnknownFormatError
from allonym.ontology.readers.source import MAX_SIZE

OFFICE = "[Content_Types].xml"  # a file in all documents of Office, which are zip archives
IGNORED = ("_Full_", "_Delta_", "_FullDelta", "Full-", "Delta-", "__MACOSX")  # other forms of the same release


def is_archive(path: Path) -> bool:
    """Tell whether a file is a zip archive."""
    return path.is_file() and zipfile.is_zipfile(path)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Unpack an archive; yield its only file, or the folder of its files, which has the name of the archive.

    Raises:
        OntologyError: it unpacks to more than `MAX_SIZE`.
        UnknownFormatError: it is damaged, encrypted or empty.
    """
    with TemporaryDirectory(prefix="allonym-") as temporary:
        folder = Path(temporary) / path.stem
        try:
            with zipfile.ZipFile(path) as archive:
                if OFFICE in archive.namelist():
                    hint = "save the sheet with the codes as CSV (UTF-8)."
                    raise UnknownFormatError("a spreadsheet or another Office document.", path=path, hint=hint)
                members = [x for x in archive.infolist() if not x.is_dir() and not _is_ignored(x.filename)]
                if sum(x.file_size for x in members) > MAX_SIZE:
                    text = f"it unpacks to more than {MAX_SIZE // 1024**2:,} MB."
                    raise OntologyError(text, path=path, hint="if you trust the archive, unpack it first.")
                files = [Path(archive.extract(member, folder)) for member in members]
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:
            text = "the zip archive is damaged or encrypted."
            raise UnknownFormatError(text, path=path, hint="download it again, or unpack it first.") from error
        except OSError as error:
            raise OntologyError(f"cannot be unpacked: {error.strerror}.", path=path) from error
        if not files:
            raise UnknownFormatError("the zip archive is empty.", path=path)
        try:
            yield files[0] if len(files) == 1 else folder
        except OntologyError as error:
            raise _of_archive(error, folder, path) from error


def _of_archive(error: OntologyError, folder: Path, path: Path) -> OntologyError:
    """Return an error that names the archive instead of the temporary folder."""
    [problem] = error.problems
    return type(error)(problem.text.replace(str(folder), str(path)), hint=problem.hint, values=problem.values)


def _is_ignored(name: str) -> bool:
    return any(part in name for part in IGNORED) or "/Full/" in name or "/Delta/" in name
