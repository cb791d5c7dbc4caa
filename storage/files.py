"""Access to files below a folder or URL; every implementation raises OSError only."""

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
"""URL schemes that `storage.object_files` opens if its library (obstore) is installed."""


@dataclass(frozen=True)
class FoundFile:
    """A file found by a walk: path relative to the place, size in bytes, last change in seconds
    since 1970.
    """

    path: str
    size: int
    modified_s: float


class Files(Protocol):
    """Files that are written once and whole; a missing file raises FileNotFoundError."""

    url: str
    remote: bool
    """Whether the files are on another machine; a local folder is created when its first file is
    written.
    """

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        """Write a file."""

    def put(self, path: str, source: Path) -> None:
        """Upload a local file of any size."""

    def read(self, path: str) -> bytes:
        """Read the bytes of a file."""

    def fetch(self, path: str, target: Path) -> None:
        """Download a file of any size by appending it to a local file."""

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""

    def remove(self, folder: str) -> None:
        """Remove everything below a folder; a missing folder is no error."""

    def names(self) -> list[str]:
        """List the names of the files directly at the place, without its folders."""

    def walk(self) -> Iterator[FoundFile]:
        """Yield every file below the place; a file that is deleted meanwhile may be left out."""

    def delete(self, path: str) -> None:
        """Delete a file."""

    def check(self) -> None:
        """Raise OSError within seconds if the place cannot be read."""


def open_files(url: str) -> Files:
    """Create the access to the files at a folder or URL; it does not connect yet.

    Object storage is opened with obstore if that is installed, else with fsspec. Raises
    StorageError if no installed library opens the URL.
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
