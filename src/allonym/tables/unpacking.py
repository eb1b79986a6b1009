"""Compressed files: how much they unpack to, counted by unpacking and not taken from their headers, which may lie."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any, BinaryIO

from allonym.decoding import TooLargeError, gunzip
from allonym.errors import TableError

MEGABYTE = 1024**2
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"  # how files begin
CHUNK = 1 << 20
MAX_RATIO = 1032  # deflate packs at most this many bytes into one
LOCAL_HEADER = struct.Struct("<26xHH")  # before each file of an archive; its name and an extra field follow
TOO_LARGE = "too-large"  # the code of the problem


def too_large(name: str, max_size: int) -> TableError:
    """Return the error for a file that unpacks to more megabytes than it may."""
    return TableError(
        f"{name} unpacks to more than {max_size:,} MB.",
        hint="if you trust the file, raise the limit (--max-size, or max_size in a plan), or unpack it first.",
        code=TOO_LARGE,
    )


def unpacked(raw: bytes, name: str, max_size: int) -> bytes:
    """Return the content of a file that may be gzipped, of at most some megabytes."""
    if raw[:2] != GZIP:
        return raw
    try:
        return gunzip(raw, max_size * MEGABYTE)
    except TooLargeError as error:
        raise too_large(name, max_size) from error
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{name} cannot be read: its gzip data is damaged.", hint="export it again.") from error


def check_archive(content: bytes, name: str, max_size: int) -> None:
    """Refuse a workbook that unpacks to more than some megabytes."""
    if content[:4] == ZIP and archive_exceeds(io.BytesIO(content), max_size * MEGABYTE):
        raise too_large(name, max_size)


def archive_exceeds(file: Any, limit: int) -> bool:
    """Tell whether the files of a zip archive have more bytes than a limit; False for a damaged archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False
    plain = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    if {x.compress_type for x in members} <= plain and sum(x.compress_size for x in members) * MAX_RATIO <= limit:
        return False
    size = 0
    for member in members:
        size += _size_of(file, member, limit - size)
        if size > limit:
            return True
    return False


def _size_of(file: BinaryIO, member: zipfile.ZipInfo, limit: int) -> int:
    """Return the size of a file of an archive, unpacked; counting stops above a limit."""
    file.seek(member.header_offset)
    head = file.read(LOCAL_HEADER.size)
    if len(head) < LOCAL_HEADER.size:
        return 0
    file.seek(sum(LOCAL_HEADER.unpack(head)), io.SEEK_CUR)
    if member.compress_type == zipfile.ZIP_STORED:
        return member.compress_size
    if member.compress_type != zipfile.ZIP_DEFLATED:
        return limit + 1  # no workbook has such files; how much they unpack to is not known
    unpacker, left, size = zlib.decompressobj(-zlib.MAX_WBITS), member.compress_size, 0
    try:
        while left > 0 and size <= limit and not unpacker.eof and (part := file.read(min(left, CHUNK))):
            left -= len(part)
            size += len(unpacker.decompress(part, CHUNK))
            while unpacker.unconsumed_tail and size <= limit:
                size += len(unpacker.decompress(unpacker.unconsumed_tail, CHUNK))
    except zlib.error:
        return size
    return size
