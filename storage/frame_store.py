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
"""Size of a file in bytes and CRC-32 of its content, which detects damage but not forgery."""
# SHA-256 takes two to ten times as long, and whoever can forge a file can change its row too.
_ROW_GROUP = 4 * 1024 * 1024
"""Rows per row group; a frame with a single group is read without concatenating columns."""

_CHUNK_BYTES = 2**20
"""Bytes of a copied file that are in memory at the same time."""
_MIN_THREADED_ROWS = 100_000
"""Rows below which starting threads takes longer than they save."""


def compute_checksum(content: bytes | pa.Buffer) -> Checksum:
    """Compute the checksum of a file's content: its size in bytes and its CRC-32."""
    return len(content), zlib.crc32(content)


def checksum_of_file(path: Path) -> Checksum:
    """Compute the checksum of a local file of any size: its size in bytes and its CRC-32."""
    checksum = 0
    with path.open("rb") as stream:
        while piece := stream.read(_CHUNK_BYTES):
            checksum = zlib.crc32(piece, checksum)
    return path.stat().st_size, checksum


def is_decodable(path: Path) -> bool:
    """Whether a local file is Parquet and all of its values can be read; it is read in batches.

    False for damaged bytes. MemoryError, and OSError for a missing file or a failing disk, are
    raised.
    """
    try:
        with pq.ParquetFile(path) as file:
            for _ in file.iter_batches():
                pass
    except (MemoryError, OSError) as error:
        # An OSError of Arrow about damaged bytes has no errno; an error of the disk has one.
        if isinstance(error, MemoryError) or error.errno is not None:
            raise
        return False
    except Exception:  # Arrow raises various exceptions for damaged bytes
        return False
    return True


class FrameStore:
    """Parquet files at `<url>/<prefix>/<frame>.parquet`; files under a prefix are written once.

    `files` gives access to them. Raises StorageError if no installed library opens the URL.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.files = open_files(url)

    def write(self, prefix: str, name: str, frame: pd.DataFrame) -> Checksum:
        """Write a frame as file `<prefix>/<name>.parquet` and return the file's checksum.

        `name` is that of a frame of the schema. Raises StorageError if the file cannot be written.
        """
        threads = 1 if len(frame) < _MIN_THREADED_ROWS else None
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=threads)
        texts = [c.name for c in FRAMES[name].every if c.dtype in ("category", "str")]
        sink = pa.BufferOutputStream()
        pq.write_table(
            table, sink, compression="zstd", use_dictionary=texts, row_group_size=_ROW_GROUP
        )
        content = sink.getvalue()
        with self._convert_errors(), self._guard_write():
            self.files.write(_path(prefix, name), content)
        return compute_checksum(content)

    def read(self, prefix: str, name: str, checksum: Checksum | None = None) -> pd.DataFrame:
        """Read a frame and convert it to the current schema.

        Raises FileNotFoundError if the file is missing. Raises ValueError if its content does not
        match `checksum`, cannot be decoded, or lacks a column that may not be null. Raises
        StorageError if the file system fails.
        """
        content = self._content(prefix, name)
        # The bytes in memory are compared, so that a file which changes meanwhile cannot pass.
        if checksum is not None and checksum != compute_checksum(content):
            raise ValueError("is damaged: its file differs from the file that was written")
        try:
            file = pq.ParquetFile(pa.BufferReader(_copy_to_arrow(content)))
            # Arrow has a copy, and decoding needs the memory.
            del content
            # For a short table, threads save no time, and a command that ends soon would wait for them.
            long = file.metadata.num_rows >= LONG
            table = file.read(use_threads=long)
        except MemoryError:
            raise
        except Exception as error:  # Arrow raises various exceptions for damaged bytes
            raise ValueError("is damaged: its file cannot be decoded") from error
        try:
            return fill_frame(
                name, table.to_pandas(split_blocks=long, self_destruct=long, use_threads=long)
            )
        except ValueError as error:
            raise ValueError(f"does not fit this release ({error})") from error

    def is_whole(self, prefix: str, name: str, checksum: Checksum | None) -> bool:
        """Whether a frame's file matches its checksum; without a checksum, whether the file exists.

        False if the file is missing. Raises StorageError if the file system fails.
        """
        try:
            with self._convert_errors():
                size = self.files.size(_path(prefix, name))
            return checksum is None or (
                size == checksum[0] and compute_checksum(self._content(prefix, name)) == checksum
            )
        except FileNotFoundError:
            return False

    def fetch(self, prefix: str, name: str, target: Path) -> Checksum:
        """Download a frame's file of any size to the new local file `target` and return its
        checksum.

        Raises FileNotFoundError if it is missing.
        """
        with self._convert_errors():
            self.files.fetch(_path(prefix, name), target)
        return checksum_of_file(target)

    def put(self, prefix: str, name: str, source: Path) -> None:
        """Upload the local file `source`, which `fetch` downloaded, as the file of a frame.

        Raises StorageError if it cannot be written.
        """
        with self._convert_errors(), self._guard_write():
            self.files.put(_path(prefix, name), source)

    def free_bytes(self) -> int | None:
        """Return the free bytes of the disk with the store's folder; None for object storage, or if
        the folder does not exist yet.
        """
        folder = Path(self.url)
        return shutil.disk_usage(folder).free if not self.files.remote and folder.is_dir() else None

    def check(self) -> None:
        """Raise StorageError if the folder or bucket with the frames cannot be read."""
        try:
            self.files.check()
        except OSError as error:
            raise frames_failed(self.url, error) from error

    def remove(self, prefix: str) -> None:
        """Remove all files under a prefix; a missing prefix is no error.

        Raises StorageError if the file system fails.
        """
        with self._convert_errors():
            self.files.remove(prefix)

    def _content(self, prefix: str, name: str) -> bytes:
        """Read the whole content of a frame's file, once, so that the bytes that are checked are
        also the bytes that are decoded. Raises FileNotFoundError if it is missing.
        """
        with self._convert_errors():
            return self.files.read(_path(prefix, name))

    @contextmanager
    def _guard_write(self) -> Iterator[None]:
        """Convert FileNotFoundError to StorageError: on writing, it means that the store's folder
        is missing.
        """
        try:
            yield
        except FileNotFoundError as error:
            raise frames_failed(self.url, error) from error

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        """Convert OSError to StorageError; FileNotFoundError is left to the caller."""
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            raise frames_failed(self.url, error) from error


def _copy_to_arrow(content: bytes) -> pa.Buffer:
    """Copy bytes to memory that Arrow owns.

    A thread of Arrow may be the last user of a file's bytes. Freeing memory of Python requires the
    interpreter's lock, and if the interpreter ends meanwhile, the process is aborted.
    """
    buffer = pa.allocate_buffer(len(content))
    pa.FixedSizeBufferWriter(buffer).write(content)
    return buffer


def _path(prefix: str, name: str) -> str:
    return f"{prefix}/{name}.parquet"
