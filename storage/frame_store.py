"""Frames as Parquet files under a prefix, in any place that fsspec reaches."""

from __future__ import annotations

import contextlib

import fsspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

from schema.frames import FRAMES, filled
from storage.errors import StorageError

_ROW_GROUP = 4 * 1024 * 1024
"""Rows per row group; one group is read without gluing columns together."""


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

    def write(self, prefix: str, name: str, frame: pd.DataFrame) -> None:
        """Write one frame of the schema."""
        table = pa.Table.from_pandas(frame, preserve_index=False)
        texts = [c.name for c in FRAMES[name].every if c.dtype in ("category", "str")]
        self._make_folder(f"{self._root}/{prefix}")
        with self._fs.open(self._path(prefix, name), "wb") as stream:
            pq.write_table(table, stream, compression="zstd", use_dictionary=texts, row_group_size=_ROW_GROUP)

    def read(self, prefix: str, name: str) -> pd.DataFrame:
        """Return one frame as today's schema has it.

        Raises FileNotFoundError where it is not there, ValueError where it lacks a column that may not be null.
        """
        if isinstance(self._fs, LocalFileSystem):
            table = pq.ParquetFile(self._path(prefix, name)).read()
        else:
            # Arrow's threads that call back into Python can abort the process when it ends (apache/arrow#50482)
            with self._fs.open(self._path(prefix, name), "rb") as stream:
                table = pq.ParquetFile(stream).read(use_threads=False)
        return filled(name, table.to_pandas(split_blocks=True, self_destruct=True))

    def remove(self, prefix: str) -> None:
        """Remove everything under a prefix; nothing happens where nothing is there."""
        with contextlib.suppress(FileNotFoundError):
            self._fs.rm(f"{self._root}/{prefix}", recursive=True)
        if isinstance(self._fs, LocalFileSystem):
            with contextlib.suppress(OSError):  # another attempt's files are beside it
                self._fs.rmdir(self._fs._parent(f"{self._root}/{prefix}"))

    def _path(self, prefix: str, name: str) -> str:
        return f"{self._root}/{prefix}/{name}.parquet"

    def _make_folder(self, folder: str) -> None:
        """Make a folder; its parent may vanish meanwhile, with another attempt's last file."""
        for _ in range(10):
            with contextlib.suppress(FileNotFoundError):
                self._fs.makedirs(folder, exist_ok=True)
                return
        raise FileNotFoundError(folder)
