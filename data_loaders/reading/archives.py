"""Read the members of zip and tar archives one after another, without following their names.

A tar is read as a stream, so that its headers cannot make the reader go back; sizes in headers are
never believed, only the bytes that arrive are counted.
"""

from __future__ import annotations

import bz2
import lzma
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from data_loaders.protocol import LoadError
from data_loaders.reading.files import MAX_GZIP_RATIO, RATIO_FLOOR_BYTES, GzipContent, is_gzip

_ZIP_SUFFIXES = (".zip",)
_TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
ARCHIVE_SUFFIXES = (*_ZIP_SUFFIXES, *_TAR_SUFFIXES)
"""Ends of the names of archives.

The name decides as well as the content, because other files, such as checkpoints of PyTorch, are zip
archives inside.
"""
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_BZIP2_START = b"BZh"
_XZ_START = b"\xfd7zXZ\x00"
_TAR_MAGIC_AT = 257
_TAR_MAGIC = b"ustar"
_TAR_HEAD_BYTES = _TAR_MAGIC_AT + len(_TAR_MAGIC)
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    UnicodeError,
    ValueError,
    OSError,
)
"""Errors of the readers of archives if the archive is damaged or uses an unknown method."""


@dataclass(frozen=True)
class Member:
    """A member of an archive, `name` as the archive has it.

    `content` is read before the next member. It is None for a folder, and for a member that is not
    read, with the reason in `refused`. `modified_s` is the time of the last change in seconds since
    1970.
    """

    name: str
    content: IO[bytes] | None = None
    refused: str = ""
    modified_s: float | None = None


class Budget:
    """Bytes that an archive of `packed` bytes may still unpack, at most `max_bytes` in total."""

    def __init__(self, packed: int, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._max_by_ratio = max(RATIO_FLOOR_BYTES, MAX_GZIP_RATIO * packed)
        self._bytes = 0

    def spend(self, size: int) -> None:
        """Count `size` unpacked bytes; raises LoadError if the archive unpacks to too many."""
        self._bytes += size
        if self._bytes > self._max_bytes:
            raise LoadError(
                f"unpacks to more than {self._max_bytes // 2**20} MiB (setting max_content_mb)"
            )
        if self._bytes > self._max_by_ratio:
            raise LoadError(
                f"unpacks to more than {MAX_GZIP_RATIO} times its size, the limit of an archive"
            )


class DamagedArchiveError(LoadError):
    """An archive or a member of it cannot be unpacked; the members before were read."""


def is_archive(path: Path) -> bool:
    """Whether a file is a zip or tar archive by its name and its content.

    Raises OSError if it cannot be read.
    """
    name = path.name.lower()
    if name.endswith(_ZIP_SUFFIXES):
        with path.open("rb") as file:
            return file.read(4) in _ZIP_STARTS
    return name.endswith(_TAR_SUFFIXES) and _has_tar_header(path)


def read_members(path: Path, budget: Budget) -> Iterator[Member]:
    """Yield the members of an archive in their order.

    Every byte that is unpacked is spent from the budget, also the headers of a tar. Raises
    DamagedArchiveError at a place from which nothing more can be read, and LoadError if the budget
    is spent. `read_piece` reads the `content` of a member.
    """
    try:
        if path.name.lower().endswith(_ZIP_SUFFIXES):
            yield from _zip_members(path, budget)
        else:
            yield from _tar_members(path, budget)
    except LoadError:
        raise
    except _DAMAGE as error:
        raise DamagedArchiveError(f"the archive is damaged: {_first_line(error)}") from error


def read_piece(content: IO[bytes], size: int) -> bytes:
    """Read up to `size` bytes of a member, b"" at its end.

    Raises DamagedArchiveError if the member is damaged or ends early.
    """
    try:
        return content.read(size)
    except LoadError:
        raise
    except _DAMAGE as error:
        raise DamagedArchiveError(f"it cannot be unpacked: {_first_line(error)}") from error


def _has_tar_header(path: Path) -> bool:
    """Whether the uncompressed content begins with the header of a tar; False if it is damaged."""
    try:
        with closing(_open_uncompressed(path)) as stream:
            head = b""
            while len(head) < _TAR_HEAD_BYTES and (
                piece := stream.read(_TAR_HEAD_BYTES - len(head))
            ):
                head += piece
    except LoadError:
        return False
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        return False
    return head[_TAR_MAGIC_AT:] == _TAR_MAGIC


def _open_uncompressed(path: Path) -> BinaryIO:
    """Open the content of a tar file, without the compression that its first bytes name."""
    if is_gzip(path):
        return cast("BinaryIO", GzipContent(path.open("rb"), path.name))
    with path.open("rb") as file:
        start = file.read(len(_XZ_START))
    if start.startswith(_BZIP2_START):
        return cast("BinaryIO", bz2.open(path, "rb"))
    if start == _XZ_START:
        return cast("BinaryIO", lzma.open(path, "rb"))
    return path.open("rb")


class _Spending:
    """Stream of a tar that counts every byte, also of headers, against a budget."""

    def __init__(self, stream: IO[bytes], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes, b"" at the end; raises LoadError if the budget is spent."""
        data = self._stream.read(size)
        self._budget.spend(len(data))
        return data


def _tar_members(path: Path, budget: Budget) -> Iterator[Member]:
    with closing(_open_uncompressed(path)) as stream:
        spending = cast("BinaryIO", _Spending(stream, budget))
        with tarfile.open(fileobj=spending, mode="r|", errors="surrogateescape") as tar:
            for info in tar:
                # The list of members would grow with every header of a hostile archive.
                tar.members = []  # type: ignore[attr-defined]
                yield _tar_member(tar, info)
        # A cut within a header looks to tarfile like the end of the archive.
        if isinstance(stream, GzipContent) and stream.damage:
            raise DamagedArchiveError(f"the archive is damaged: {stream.damage}")


def _tar_member(tar: tarfile.TarFile, info: tarfile.TarInfo) -> Member:
    if info.isdir():
        return Member(info.name)
    if not info.isreg() or info.issparse():
        return Member(info.name, refused=_tar_kind(info))
    changed = float(info.mtime)
    is_sane = 0 < changed <= time.time()
    return Member(info.name, tar.extractfile(info), modified_s=changed if is_sane else None)


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "a link in an archive"
    return "a sparse file in an archive" if info.issparse() else "not a regular file"


def _zip_members(path: Path, budget: Budget) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            refused = _zip_refusal(info)
            if refused or info.is_dir():
                yield Member(info.filename, refused=refused)
                continue
            try:
                content = archive.open(info)
            except _DAMAGE as error:
                yield Member(info.filename, refused=f"it cannot be unpacked: {_first_line(error)}")
                continue
            with content:
                yield Member(
                    info.filename, cast("IO[bytes]", _Spending(cast("BinaryIO", content), budget))
                )


def _zip_refusal(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "a link in an archive"
    if kind not in (0, stat.S_IFREG):
        return "not a regular file"
    return "it is encrypted" if info.flag_bits & 1 else ""


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
