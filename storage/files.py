"""Files at paths below one place: a folder, or whatever a URL names; every way there raises OSError alone."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from schema.command import HOSTING
from storage.errors import StorageError

OBJECT_STORES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss")
"""Schemes of URLs that `storage.object_files` opens where its library is installed."""


@dataclass(frozen=True)
class FoundFile:
    """A file that a walk found: its path below the place, its bytes, and when it was written, in seconds since 1970."""

    path: str
    size: int
    modified_s: float


class Files(Protocol):
    """Files that are written once, as a whole; a file that is not there is a FileNotFoundError."""

    url: str
    remote: bool
    """Whether they are on another machine: a folder of this one is made with its first file."""

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        """Write a file."""

    def put(self, path: str, source: Path) -> None:
        """Write a file that lies on this machine's disk, however large."""

    def read(self, path: str) -> bytes:
        """Return a file's bytes."""

    def fetch(self, path: str, target: Path) -> None:
        """Append a file to one on this machine's disk, however large."""

    def size(self, path: str) -> int:
        """Return a file's bytes, counted."""

    def remove(self, folder: str) -> None:
        """Remove everything below a folder; nothing happens where nothing is there."""

    def names(self) -> list[str]:
        """Return the names of the files that lie at the place itself, not below a folder of it."""

    def walk(self) -> Iterator[FoundFile]:
        """Give every file below the place, one by one; one that vanishes meanwhile may be left out."""

    def delete(self, path: str) -> None:
        """Delete a file."""

    def check(self) -> None:
        """Raise OSError within seconds where nothing can be read."""


def open_files(url: str) -> Files:
    """Return the files at a folder or URL, unconnected; raises StorageError where nothing installed opens it.

    Object storage is opened by obstore where that is installed, by any file system of fsspec where it is not.
    """
    scheme = url.partition("://")[0] if "://" in url else ""
    if scheme in OBJECT_STORES and importlib.util.find_spec("obstore"):
        from storage.object_files import ObjectFiles  # noqa: PLC0415 - an extra

        return ObjectFiles(url)
    from storage.folder_files import FolderFiles  # noqa: PLC0415 - one of the two is enough

    try:
        return FolderFiles(url)
    except (ImportError, ValueError) as error:
        extra = f"; install it with {HOSTING}" if scheme in OBJECT_STORES else ""
        raise StorageError(f"files cannot be kept at {url}: {error}{extra}") from error
