"""Frames of runs as Parquet, in a folder or in object storage: one file per run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from schema.frames import FRAMES, LONG, Frames, fill_frame
from storage.failures import frames_failed
from storage.files import open_files
from storage.frame_file import (
    FOOTER_BYTES,
    Checksum,
    FrameFile,
    checksum_of_file,
    compute_checksum,
    directory_bytes,
    directory_size,
    pack_path,
    parse_directory,
    place_in_pack,
)

_ROW_GROUP = 4 * 1024 * 1024
"""Rows per row group; a frame with a single group is read without concatenating columns."""
_CHUNK_BYTES = 8 * 2**20
"""Bytes of a copied file that are in memory at the same time."""
_MIN_THREADED_ROWS = 100_000
"""Rows below which starting threads takes longer than they save."""


def is_decodable(path: Path) -> bool:
    """Whether a local file is Parquet and all of its values can be read; it is read in batches.

    False for damaged bytes. MemoryError, and OSError for a missing file or a failing disk, are
    raised.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
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
    """Frames at `<url>/<prefix>/frames.pack`: the Parquet content of each frame of a run, one after
    another; a pack is written once. Older releases wrote `<url>/<prefix>/<frame>.parquet`.

    `files` gives access to them. Raises StorageError if no installed library opens the URL.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.files = open_files(url)

    def write(self, prefix: str, frames: Frames) -> list[FrameFile]:
        """Write the frames of a run as the pack of a prefix and return their places, the smallest
        first.

        `frames` maps names of the schema to frames. Raises StorageError if the file cannot be
        written.
        """
        # The small frames of a run are neighbours, so that a single request reads all of them.
        contents = sorted(
            ((name, _encode(name, frame)) for name, frame in frames.items()),
            key=lambda content: content[1].size,
        )
        files = place_in_pack(
            prefix, [(name, compute_checksum(content)) for name, content in contents]
        )
        with self._convert_errors(), self._guard_write():
            pieces = (content for _, content in contents)
            self.files.write_pieces(pack_path(prefix), chain(pieces, [directory_bytes(files)]))
        return files

    def read(self, file: FrameFile) -> pd.DataFrame:
        """Read a frame and convert it to the current schema.

        Raises FileNotFoundError if the file is missing. Raises ValueError if its content does not
        match the checksum, cannot be decoded, or lacks a column that may not be null. Raises
        StorageError if the file system fails.
        """
        return decode_frame(file, self.read_content(file))

    def read_head(self, prefix: str, size: int) -> bytes:
        """Read the first `size` bytes of the pack of a prefix, which have its small frames.

        Raises FileNotFoundError if it is missing, StorageError if the file system fails.
        """
        with self._convert_errors():
            return self.files.read_range(pack_path(prefix), 0, size)

    def is_whole(self, file: FrameFile) -> bool:
        """Whether the content of a frame matches its checksum; without a checksum, whether its file
        exists.

        False if the file is missing. Raises StorageError if the file system fails.
        """
        file = self._find_file(file)
        try:
            with self._convert_errors():
                size = self.files.size(file.path)
            if file.checksum is None:
                return True
            has_size = size >= file.start + file.size if file.is_packed else size == file.size
            return has_size and compute_checksum(self.read_content(file)) == file.checksum
        except FileNotFoundError:
            return False

    def fetch(self, file: FrameFile, target: Path) -> Checksum:
        """Download the content of a frame, of any size, to the new local file `target` and return
        its checksum.

        Raises FileNotFoundError if it is missing.
        """
        file = self._find_file(file)
        with self._convert_errors():
            if file.is_packed:
                self._fetch_packed(file, target)
            else:
                self.files.fetch(file.path, target)
        return checksum_of_file(target)

    def put(self, prefix: str, sources: Mapping[str, Path]) -> list[FrameFile]:
        """Write local files, which `fetch` downloaded, as the pack of a prefix and return the places
        of the frames, the smallest first. `sources` maps names of frames to files.

        Raises StorageError if it cannot be written.
        """
        names = sorted(sources, key=lambda name: sources[name].stat().st_size)
        files = place_in_pack(prefix, [(name, checksum_of_file(sources[name])) for name in names])
        with self._convert_errors(), self._guard_write():
            pieces = (piece for name in names for piece in _pieces(sources[name]))
            self.files.write_pieces(pack_path(prefix), chain(pieces, [directory_bytes(files)]))
        return files

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

    def read_content(self, file: FrameFile) -> bytes:
        """Read the whole content of a frame, once, so that the bytes that are checked are also the
        bytes that are decoded. Raises FileNotFoundError if its file is missing.
        """
        file = self._find_file(file)
        with self._convert_errors():
            if file.is_packed:
                return self.files.read_range(file.path, file.start, file.size)
            return self.files.read(file.path)

    def _find_file(self, file: FrameFile) -> FrameFile:
        """Return the place of a frame: `file` itself, or its place in the directory of the pack if
        the row has no checksum and there is no file of the frame.
        """
        if file.checksum is not None:
            return file
        with self._convert_errors():
            try:
                self.files.size(file.path)
                return file
            except FileNotFoundError:
                return self._packed_files(file.prefix).get(file.name, file)

    def _packed_files(self, prefix: str) -> dict[str, FrameFile]:
        """Read the directory of a pack; empty if there is no pack or no directory in it."""
        path = pack_path(prefix)
        try:
            end = self.files.size(path) - FOOTER_BYTES
        except FileNotFoundError:
            return {}
        size = directory_size(self.files.read_range(path, max(end, 0), FOOTER_BYTES))
        if size is None or size > end:
            return {}
        return parse_directory(prefix, self.files.read_range(path, end - size, size))

    def _fetch_packed(self, file: FrameFile, target: Path) -> None:
        with target.open("wb") as out:
            for start in range(file.start, file.start + file.size, _CHUNK_BYTES):
                size = min(_CHUNK_BYTES, file.start + file.size - start)
                out.write(self.files.read_range(file.path, start, size))

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


def _encode(name: str, frame: pd.DataFrame) -> pa.Buffer:
    """Encode a frame as Parquet."""
    threads = 1 if len(frame) < _MIN_THREADED_ROWS else None
    table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=threads)
    texts = [c.name for c in FRAMES[name].every if c.dtype in ("category", "str")]
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", use_dictionary=texts, row_group_size=_ROW_GROUP)
    return sink.getvalue()


def decode_frame(file: FrameFile, content: bytes) -> pd.DataFrame:
    """Decode the content of a frame that was read from `file` and convert it to the current schema.

    Raises ValueError if the content does not match the checksum, cannot be decoded, or lacks a
    column that may not be null.
    """
    # The bytes in memory are compared, so that a file which changes meanwhile cannot pass.
    if file.checksum is not None and file.checksum != compute_checksum(content):
        raise ValueError("is damaged: its file differs from the file that was written")
    try:
        parquet = pq.ParquetFile(pa.BufferReader(_copy_to_arrow(content)))
        # Arrow has a copy, and decoding needs the memory.
        del content
        # For a short table, threads save no time, and a command that ends soon would wait for them.
        long = parquet.metadata.num_rows >= LONG
        table = parquet.read(use_threads=long)
    except MemoryError:
        raise
    except Exception as error:  # Arrow raises various exceptions for damaged bytes
        raise ValueError("is damaged: its file cannot be decoded") from error
    try:
        return fill_frame(
            file.name, table.to_pandas(split_blocks=long, self_destruct=long, use_threads=long)
        )
    except ValueError as error:
        raise ValueError(f"does not fit this release ({error})") from error


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while piece := stream.read(_CHUNK_BYTES):
            yield piece


def _copy_to_arrow(content: bytes) -> pa.Buffer:
    """Copy bytes to memory that Arrow owns.

    A thread of Arrow may be the last user of a file's bytes. Freeing memory of Python requires the
    interpreter's lock, and if the interpreter ends meanwhile, the process is aborted.
    """
    buffer = pa.allocate_buffer(len(content))
    pa.FixedSizeBufferWriter(buffer).write(content)
    return buffer
