"""Read plain and gzip files as uncompressed bytes, with a hash and limits against gzip bombs."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from data_loaders.protocol import LoadError
from schema.plurals import plural

HEAD_BYTES = 64 * 1024
"""Uncompressed bytes that a loader may see when it sniffs."""
MAX_CONTENT_BYTES = 4 * 1024**3
"""Largest uncompressed content in bytes, unless the caller sets another limit."""
MAX_GZIP_RATIO = 250
"""Highest ratio of uncompressed to compressed bytes.

Traces stay below 50, a gzip bomb reaches 1000.
"""
RATIO_FLOOR_BYTES = 64 * 1024**2
"""Uncompressed bytes up to which the ratio is not checked."""

MAX_EMPTY_MEMBERS = 5000
"""Highest number of gzip members without content.

Each member costs time, so a file with more of them is refused.
"""

_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1024 * 1024
_PIECE = 16 * 1024
"""Compressed bytes per call of zlib.

At the end of a gzip member zlib copies the rest of its input, so the input must be short.
"""
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


@dataclass(frozen=True)
class Content:
    """A file's content: sha256 (hex) and size of the uncompressed bytes, damage of the compression.

    `damage` is a sentence for the user, `None` if the file is whole.
    """

    sha256: str
    size: int
    damage: str | None


class GzipContent(io.RawIOBase):
    """Stream of the uncompressed bytes of a gzip file; at damage or a cut the stream simply ends.

    After the end, `damage` describes the damage, or is `None`. Raises LoadError for a gzip bomb and
    for too many empty members.
    """

    def __init__(self, raw: BinaryIO, name: str) -> None:
        self._raw = raw
        self._name = name
        self._decoder = zlib.decompressobj(_GZIP_WINDOW)
        self._pending = b""
        self._offset = 0
        self._compressed = 0
        self._uncompressed = 0
        self._member_start = 0
        self._empty_members = 0
        self.damage: str | None = None

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._raw.close()
        super().close()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the start of `buffer` with uncompressed bytes and return their number.

        Returns 0 at the end and at damage, which `damage` then describes. Raises LoadError for a
        gzip bomb.
        """
        while self.damage is None:
            more = self._offset < len(self._pending) or self._fetch()
            # zlib may still hold output when its input is used up, so it is asked once more at the end
            data = self._decompress(len(buffer))
            if data:
                buffer[: len(data)] = data
                self._check_ratio(len(data))
                return len(data)
            if not more:
                self._check_end()
                return 0
        return 0

    def _fetch(self) -> bool:
        """Read the next chunk of compressed bytes; returns False at the end of the file."""
        self._pending = self._raw.read(_CHUNK)
        self._offset = 0
        self._compressed += len(self._pending)
        return bool(self._pending)

    def _check_end(self) -> None:
        if not self._decoder.eof:
            self.damage = (
                f"the gzip data ends early, after {plural(self._uncompressed, 'byte')} of content"
            )

    def _decompress(self, room: int) -> bytes:
        """Decompress up to `room` bytes from the pending input.

        Returns b"" if zlib needs more input, at the file's end, or if the data is damaged (then
        `damage` is set). At the end of a gzip member, padding zeros are skipped and the next member
        is begun.
        """
        piece = self._pending[self._offset : self._offset + _PIECE]
        if self._decoder.eof:
            padded_bytes = len(piece)
            piece = piece.lstrip(b"\0")
            self._offset += padded_bytes - len(piece)
            if not piece:
                return b""
            self._next_member()
        try:
            data = self._decoder.decompress(piece, room)
        except zlib.error:
            self.damage = (
                f"the gzip data is damaged after {plural(self._uncompressed, 'byte')} of content"
            )
            return b""
        unused = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail
        self._offset += len(piece) - len(unused)
        return data

    def _next_member(self) -> None:
        self._empty_members += self._uncompressed == self._member_start
        if self._empty_members > MAX_EMPTY_MEMBERS:
            raise LoadError(
                f"{self._name}: more than {MAX_EMPTY_MEMBERS} of its gzip members are empty"
            )
        self._decoder = zlib.decompressobj(_GZIP_WINDOW)
        self._member_start = self._uncompressed

    def _check_ratio(self, produced: int) -> None:
        self._uncompressed += produced
        if self._uncompressed > max(RATIO_FLOOR_BYTES, MAX_GZIP_RATIO * self._compressed):
            raise LoadError(
                f"{self._name}: expands to more than {MAX_GZIP_RATIO} times its size, the limit of a trace"
            )


def is_gzip(path: Path) -> bool:
    """Whether the file begins with the magic bytes of gzip; its name does not matter.

    Raises OSError if the file cannot be opened.
    """
    with path.open("rb") as stream:
        return stream.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC


@contextmanager
def open_content(path: Path) -> Iterator[BinaryIO]:
    """Open the uncompressed content of a plain or gzip file for reading.

    At damage or a cut of a gzip file the stream simply ends (see `describe`). Raises LoadError if
    the file cannot be opened.
    """
    with _open(path)[0] as stream:
        yield stream


def _open(path: Path) -> tuple[BinaryIO, GzipContent | None]:
    """Open the uncompressed content as a stream, and return it with its decompressor, `None` for a
    plain file.

    Raises LoadError if the file cannot be opened.
    """
    try:
        if not is_gzip(path):
            return path.open("rb"), None
        content = GzipContent(path.open("rb"), str(path))
    except OSError as error:
        raise LoadError(f"{path}: cannot be opened: {error.strerror or error}") from error
    return cast("BinaryIO", io.BufferedReader(content, _CHUNK)), content


def read_head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """Read up to `size` bytes from the start of the uncompressed content; b"" if the file is empty.

    Raises LoadError if the file cannot be opened.
    """
    with open_content(path) as stream:
        return stream.read(size)


def describe(path: Path, max_bytes: int = MAX_CONTENT_BYTES) -> Content:
    """Compute hash, size and damage of the content in one pass and constant memory.

    Raises LoadError if the file cannot be read or its content is larger than `max_bytes`.
    """
    digest = hashlib.sha256()
    size = 0
    view = memoryview(bytearray(_CHUNK))
    stream, decompressor = _open(path)
    with stream:
        while count := _fill_buffer(stream, view, path):
            digest.update(view[:count])
            size += count
            if size > max_bytes:
                raise LoadError(f"{path}: is larger than the limit of {max_bytes} bytes")
    return Content(digest.hexdigest(), size, decompressor.damage if decompressor else None)


def _fill_buffer(stream: BinaryIO, view: memoryview, path: Path) -> int:
    try:
        return cast("io.BufferedIOBase", stream).readinto(view)
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error.strerror or error}") from error


def content_name(path: Path) -> str:
    """Return the file's name, without the folder and a last suffix `.gz`."""
    return path.name.removesuffix(".gz")
