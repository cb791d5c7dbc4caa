"""Frames as Parquet files under a prefix, in a folder or in object storage."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from schema.frames import FRAMES, LONG, fill_frame
from storage.failures import frames_failed
from storage.files import open_files

Checksum = tuple[int, int]
"""Bytes of a file and the CRC-32 of its content: it is quick on every processor, and is no guard against forgery."""
_ROW_GROUP = 4 * 1024 * 1024
"""Rows per row group; one group is read without gluing columns together."""

_PIECE = 2**20
"""Bytes of a copied file that are in memory at once."""
_SMALL = 100_000
"""Rows below which threads cost more than they bring."""


def checksum_of(content: bytes | pa.Buffer) -> Checksum:
    """Return size and hash of a file's content."""
    return len(content), zlib.crc32(content)


def checksum_of_file(path: Path) -> Checksum:
    """Return size and hash of a file of this machine, however large."""
    checksum = 0
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            checksum = zlib.crc32(piece, checksum)
    return path.stat().st_size, checksum


def is_decodable(path: Path) -> bool:
    """Return whether a file of this machine is Parquet of which every value can be read, some rows at a time."""
    try:
        with pq.ParquetFile(path) as file:
            for _ in file.iter_batches():
                pass
    except (MemoryError, OSError) as error:
        if isinstance(error, MemoryError) or error.errno is not None:
            raise
        return False
    except Exception:  # a reader of damaged bytes may raise anything
        return False
    return True


class FrameStore:
    """Parquet files at `<url>/<prefix>/<frame>.parquet`; a prefix is written once and never changed.

    Raises StorageError for a URL that nothing installed opens. `files` is where they lie.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.files = open_files(url)

    def write(self, prefix: str, name: str, frame: pd.DataFrame) -> Checksum:
        """Write one frame of the schema; return size and checksum of its file. Raises StorageError."""
        threads = 1 if len(frame) < _SMALL else None
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=threads)
        texts = [c.name for c in FRAMES[name].every if c.dtype in ("category", "str")]
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd", use_dictionary=texts, row_group_size=_ROW_GROUP)
        content = sink.getvalue()
        with self._sentences(), self._guard_write():
            self.files.write(_path(prefix, name), content)
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
            file = pq.ParquetFile(pa.BufferReader(_of_arrow(content)))
            del content
            # a short table is not worth threads, which a command that ends soon would have to wait for
            long = file.metadata.num_rows >= LONG
            table = file.read(use_threads=long)
        except MemoryError:
            raise
        except Exception as error:  # a reader of damaged bytes may raise anything
            raise ValueError("is damaged: its file cannot be decoded") from error
        try:
            return fill_frame(name, table.to_pandas(split_blocks=long, self_destruct=long, use_threads=long))
        except ValueError as error:
            raise ValueError(f"does not fit this release ({error})") from error

    def is_whole(self, prefix: str, name: str, checksum: Checksum | None) -> bool:
        """Return whether a frame's file is the one that was written; of one without a checksum, whether it is there."""
        try:
            with self._sentences():
                size = self.files.size(_path(prefix, name))
            return checksum is None or (size == checksum[0] and checksum_of(self._content(prefix, name)) == checksum)
        except FileNotFoundError:
            return False

    def fetch(self, prefix: str, name: str, target: Path) -> Checksum:
        """Copy a frame's file to one of this machine that is not there yet, however large, and return its checksum.

        Raises FileNotFoundError where it is not there.
        """
        with self._sentences():
            self.files.fetch(_path(prefix, name), target)
        return checksum_of_file(target)

    def put(self, prefix: str, name: str, source: Path) -> None:
        """Write a frame from a file of this machine that `fetch` gave, however large."""
        with self._sentences(), self._guard_write():
            self.files.put(_path(prefix, name), source)

    def free_bytes(self) -> int | None:
        """Return the free bytes of the disk that it is on; None of object storage, and before its folder is made."""
        folder = Path(self.url)
        return shutil.disk_usage(folder).free if not self.files.remote and folder.is_dir() else None

    def check(self) -> None:
        """Raise StorageError where the place of the frames cannot be read."""
        try:
            self.files.check()
        except OSError as error:
            raise frames_failed(self.url, error) from error

    def remove(self, prefix: str) -> None:
        """Remove everything under a prefix; nothing happens where nothing is there."""
        with self._sentences():
            self.files.remove(prefix)

    def _content(self, prefix: str, name: str) -> bytes:
        """Return a file's bytes, read once: what is checked is what is decoded."""
        with self._sentences():
            return self.files.read(_path(prefix, name))

    @contextmanager
    def _guard_write(self) -> Iterator[None]:
        """Turn a folder that is gone into a failure of the storage: who writes misses no file."""
        try:
            yield
        except FileNotFoundError as error:
            raise frames_failed(self.url, error) from error

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn what fails into one sentence; a file that is not there is the caller's to handle."""
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            raise frames_failed(self.url, error) from error


def _of_arrow(content: bytes) -> pa.Buffer:
    """Return a copy in memory of Arrow's.

    A thread of Arrow's may be the last to let go of a file. To free Python's memory it would have to wait for the
    interpreter, and where that ends meanwhile the process is aborted.
    """
    buffer = pa.allocate_buffer(len(content))
    pa.FixedSizeBufferWriter(buffer).write(content)
    return buffer


def _path(prefix: str, name: str) -> str:
    return f"{prefix}/{name}.parquet"
