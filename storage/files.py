"""Access to files below a folder or URL; every implementation raises OSError only."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from schema.command import HOSTING
from storage.errors import StorageError
from storage.found_file import FoundFile

OBJECT_STORES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss")
"""URL schemes that `storage.object_files` opens if its library (obstore) is installed."""


class Files(Protocol):
    """Files that are written once and whole; a missing file raises FileNotFoundError."""

    url: str
    remote: bool
    """Whether the files are on another machine; a local folder is created when its first file is
    written.
    """

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        """Write the whole content of a file, and create its folders; raises OSError."""

    def write_pieces(self, path: str, pieces: Iterable[bytes | pa.Buffer]) -> None:
        """Write a whole file from the pieces of its content, in their order, and create its folders;
        raises OSError.
        """

    def put(self, path: str, source: Path) -> None:
        """Upload the local file `source`, of any size, to `path` below the place."""

    def read(self, path: str) -> bytes:
        """Read the whole content of a file; raises FileNotFoundError if it is missing."""

    def read_range(self, path: str, start: int, size: int) -> bytes:
        """Read `size` bytes of a file from byte `start` on; fewer, or none, if the file ends before.

        Raises FileNotFoundError if the file is missing.
        """

    def fetch(self, path: str, target: Path) -> None:
        """Download a file of any size and append it to the local file `target`, which may exist
        already.

        Raises FileNotFoundError if the file is missing.
        """

    def size(self, path: str) -> int:
        """Return the size of a file in bytes; raises FileNotFoundError if it is missing."""

    def remove(self, folder: str) -> None:
        """Remove everything below a folder; a missing folder is no error."""

    def names(self) -> list[str]:
        """List the names of the files directly at the place, without paths and without its folders."""

    def walk(self) -> Iterator[FoundFile]:
        """Yield every file at any depth below the place, in no particular order; a file that is
        deleted meanwhile may be left out.
        """

    def delete(self, path: str) -> None:
        """Delete a file; if it is missing, S3 ignores that and other places raise
        FileNotFoundError.
        """

    def check(self) -> None:
        """Raise OSError within seconds if the place cannot be read; otherwise return without
        effect.
        """


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
