"""Frames as Parquet files under a prefix, in any place that fsspec reaches."""

from __future__ import annotations

import contextlib
import errno
import zlib

import fsspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

from schema.frames import FRAMES, LONG, filled
from storage.errors import StorageError
from storage.failures import frames_failed

Checksum = tuple[int, int]
"""Bytes of a file and the CRC-32 of its content: it is quick on every processor, and is no guard against forgery."""
_ROW_GROUP = 4 * 1024 * 1024
"""Rows per row group; one group is read without gluing columns together."""

_SMALL = 100_000
"""Rows below which threads cost more than they bring."""


def checksum_of(content: bytes | pa.Buffer) -> Checksum:
    """Return size and hash of a file's content."""
    return len(content), zlib.crc32(content)


class FrameStore:
    """Parquet files at `<url>/<prefix>/<frame>.parquet`; a prefix is written once and never changed.

    Raises StorageError for a URL that no installed file system opens.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            self._fs, self._root = fsspec.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise StorageError(f"frames cannot be kept at {url}: {error}") from error

    def write(self, prefix: str, name: str, frame: pd.DataFrame) -> Checksum:
        """Write one frame of the schema; return size and checksum of its file. Raises StorageError."""
        threads = 1 if len(frame) < _SMALL else None
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=threads)
        texts = [c.name for c in FRAMES[name].every if c.dtype in ("category", "str")]
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd", use_dictionary=texts, row_group_size=_ROW_GROUP)
        content = sink.getvalue()
        try:
            self._make_folder(f"{self._root}/{prefix}")
            with self._fs.open(self._path(prefix, name), "wb") as stream:
                stream.write(content)
        except OSError as error:
            raise frames_failed(self.url, error) from error
        return checksum_of(content)

    def read(self, prefix: str, name: str, checksum: Checksum | None = None) -> pd.DataFrame:
        """Return one frame as today's schema has it.

        Raises FileNotFoundError where it is not there, ValueError where its file is not the one that `checksum` is of,
        cannot be decoded, or lacks a column that may not be null, and StorageError where the file system fails.
        """
        content = self._content(prefix, name)
        if checksum is not None and checksum != checksum_of(content):
            raise ValueError("is damaged: its file is not the one that was written")
        try:
            table = pq.ParquetFile(pa.BufferReader(content)).read()
        except MemoryError:
            raise
        except Exception as error:  # a reader of damaged bytes may raise anything
            raise ValueError("is damaged: its file cannot be decoded") from error
        try:
            long = table.num_rows >= LONG
            return filled(name, table.to_pandas(split_blocks=long, self_destruct=long))
        except ValueError as error:
            raise ValueError(f"does not fit this release ({error})") from error

    def is_whole(self, prefix: str, name: str, checksum: Checksum | None) -> bool:
        """Return whether a frame's file is the one that was written; of one without a checksum, whether it is there."""
        path = self._path(prefix, name)
        try:
            if checksum is None:
                return bool(self._fs.exists(path))
            return self._fs.size(path) == checksum[0] and checksum_of(self._content(prefix, name)) == checksum
        except FileNotFoundError:
            return False

    def check(self) -> None:
        """Raise StorageError where the folder of the frames is gone."""
        if isinstance(self._fs, LocalFileSystem) and not self._fs.isdir(self._root):
            raise frames_failed(self.url, FileNotFoundError(errno.ENOENT, "the folder is gone"))

    def remove(self, prefix: str) -> None:
        """Remove everything under a prefix; nothing happens where nothing is there."""
        try:
            self._fs.rm(f"{self._root}/{prefix}", recursive=True)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise frames_failed(self.url, error) from error
        if isinstance(self._fs, LocalFileSystem):
            with contextlib.suppress(OSError):  # another attempt's files are beside it
                self._fs.rmdir(self._fs._parent(f"{self._root}/{prefix}"))

    def _content(self, prefix: str, name: str) -> bytes:
        """Return a file's bytes, read once: what is checked is what is decoded."""
        try:
            with self._fs.open(self._path(prefix, name), "rb") as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            raise
        except OSError as error:
            raise frames_failed(self.url, error) from error

    def _path(self, prefix: str, name: str) -> str:
        return f"{self._root}/{prefix}/{name}.parquet"

    def _make_folder(self, folder: str) -> None:
        """Make a folder; its parent may vanish meanwhile, with another attempt's last file."""
        for _ in range(10):
            with contextlib.suppress(FileNotFoundError):
                self._fs.makedirs(folder, exist_ok=True)
                return
        raise FileNotFoundError(folder)
