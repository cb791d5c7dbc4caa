"""Files in a local folder, or in any other file system that fsspec opens."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import fsspec
import pyarrow as pa
from fsspec.implementations.local import LocalFileSystem

from storage.found_file import FoundFile

_MOMENTS = ("mtime", "LastModified", "last_modified", "updated", "created")
"""Keys of fsspec's file details with the time of the last change; they differ between file systems.
"""


class FolderFiles:
    """Implements `storage.files.Files` with fsspec.

    Raises ImportError or ValueError if no installed file system opens the URL.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._fs, self._root = fsspec.url_to_fs(url)
        self._is_local = isinstance(self._fs, LocalFileSystem)
        self.remote = not self._is_local

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        """Write the whole content of a file, and create its folders; raises OSError."""
        self.write_pieces(path, [content])

    def write_pieces(self, path: str, pieces: Iterable[bytes | pa.Buffer]) -> None:
        """Write the whole content of a file, piece by piece, and create its folders; raises
        OSError.
        """
        self._make_parent(path)
        with self._fs.open(self._path(path), "wb") as stream:
            for piece in pieces:
                stream.write(piece)

    def put(self, path: str, source: Path) -> None:
        """Copy the local file `source` to `path` below the place, and create its folders."""
        self._make_parent(path)
        self._fs.put_file(str(source), self._path(path))

    def read(self, path: str) -> bytes:
        """Read the whole content of a file; raises FileNotFoundError if it is missing."""
        with self._fs.open(self._path(path), "rb") as stream:
            return bytes(stream.read())

    def read_range(self, path: str, start: int, size: int) -> bytes:
        """Read `size` bytes of a file from byte `start` on; fewer, or none, if the file ends before.

        Raises FileNotFoundError if the file is missing.
        """
        with self._fs.open(self._path(path), "rb") as stream:
            stream.seek(start)
            return bytes(stream.read(size))

    def fetch(self, path: str, target: Path) -> None:
        """Append the content of a file to the local file `target`, which may exist already.

        Raises FileNotFoundError if the file is missing.
        """
        with self._fs.open(self._path(path), "rb") as stream, target.open("ab") as out:
            shutil.copyfileobj(stream, out, 2**22)

    def size(self, path: str) -> int:
        """Return the size of a file in bytes; raises FileNotFoundError if it is missing."""
        return int(self._fs.size(self._path(path)))

    def remove(self, folder: str) -> None:
        """Remove a folder with its content; a missing folder is no error.

        A local parent folder that is empty afterwards is removed too.
        """
        with contextlib.suppress(FileNotFoundError):
            self._fs.rm(self._path(folder), recursive=True)
        if self._is_local:
            with contextlib.suppress(OSError):  # the parent may contain files of another attempt
                self._fs.rmdir(self._fs._parent(self._path(folder)))

    def names(self) -> list[str]:
        """List the names of the files directly at the place, without paths and without its folders.

        Raises FileNotFoundError if a local folder is missing; empty if it is in object storage.
        """
        try:
            entries = self._fs.ls(self._root, detail=True)
        except FileNotFoundError:
            if self._is_local:
                raise
            return []  # in object storage, a folder exists only with its first file
        return [entry["name"].rpartition("/")[2] for entry in entries if entry["type"] == "file"]

    def walk(self) -> Iterator[FoundFile]:
        """Yield every file at any depth below the place, in no particular order and without
        following links.

        Local files and folders that are removed meanwhile are left out.
        """
        return _walk_folder(self._root) if self._is_local else self._walk()

    def _walk(self) -> Iterator[FoundFile]:
        for _, _, files in self._fs.walk(self._root, detail=True):
            for entry in files.values():
                # Some file systems of fsspec begin names with a slash.
                path = str(entry["name"]).lstrip("/").removeprefix(f"{self._root.lstrip('/')}/")
                yield FoundFile(path, int(entry["size"] or 0), _moment(entry))

    def delete(self, path: str) -> None:
        """Delete a file; a missing local file raises FileNotFoundError, S3 ignores it."""
        self._fs.rm_file(self._path(path))

    def check(self) -> None:
        """Raise FileNotFoundError if the local folder does not exist; without effect for other
        places.
        """
        if self._is_local and not self._fs.isdir(self._root):
            raise FileNotFoundError(errno.ENOENT, "the folder no longer exists")

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _make_parent(self, path: str) -> None:
        """Create the folder of a local file, with up to 10 attempts, then raise FileNotFoundError.

        Its parent may be removed meanwhile, together with the last file of another ingest. Without
        effect for object storage, which needs no folders, and in which some file systems would
        create a bucket.
        """
        if not self._is_local:
            return
        folder = self._fs._parent(self._path(path))
        for _ in range(10):
            with contextlib.suppress(FileNotFoundError):
                self._fs.makedirs(folder, exist_ok=True)
                return
        raise FileNotFoundError(folder)


def _walk_folder(root: str) -> Iterator[FoundFile]:
    folders = [root]
    while folders:
        try:
            entries = os.scandir(folders.pop())
        except FileNotFoundError:
            continue  # a run was deleted after its folder was listed
        with entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    with contextlib.suppress(FileNotFoundError):
                        stat = entry.stat(follow_symlinks=False)
                        yield FoundFile(
                            os.path.relpath(entry.path, root), stat.st_size, stat.st_mtime
                        )


def _moment(entry: Mapping[str, object]) -> float:
    """Return the time of a file's last change in seconds since 1970; the current time if it is
    unknown. `entry` is the file's details by fsspec.
    """
    moment = next((entry[name] for name in _MOMENTS if entry.get(name)), None)
    if isinstance(moment, datetime):
        return moment.timestamp()
    return float(moment) if isinstance(moment, int | float) else time.time()
