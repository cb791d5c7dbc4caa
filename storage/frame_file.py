"""Where the frames of a run are stored: one after another in a single file, the pack of the run."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

Checksum = tuple[int, int]
"""Size of a frame's content in bytes and CRC-32 of the content, which detects damage but not forgery."""
# SHA-256 takes two to ten times as long, and whoever can forge a file can change its row too.
_CHUNK_BYTES = 2**20
_MAGIC = b"TILEPACK"
FOOTER_BYTES = 8 + len(_MAGIC)
"""Bytes at the end of a pack: the length of its directory (8 bytes, little-endian) and _MAGIC."""
_MAX_DIRECTORY_BYTES = 2**20


@dataclass(frozen=True)
class FrameFile:
    """Place of a frame's content: `offset` bytes after the beginning of the pack of its run.

    `offset` is None if the frame has a file of its own, as releases up to 0.3.0 store it.
    `checksum` is None if a release without checksums stored it.
    """

    prefix: str
    name: str
    checksum: Checksum | None = None
    offset: int | None = None

    @property
    def path(self) -> str:
        """Path of the file with the content, below the place of the frames."""
        return pack_path(self.prefix) if self.is_packed else f"{self.prefix}/{self.name}.parquet"

    @property
    def is_packed(self) -> bool:
        """Whether the content is in the pack of the run."""
        return self.offset is not None and self.checksum is not None

    @property
    def start(self) -> int:
        """First byte of the content in its file."""
        return self.offset or 0

    @property
    def size(self) -> int:
        """Bytes of the content; 0 if they were never recorded."""
        return self.checksum[0] if self.checksum is not None else 0


def pack_path(prefix: str) -> str:
    """Path of the pack of a run, below the place of the frames."""
    return f"{prefix}/frames.pack"


def place_in_pack(prefix: str, checksums: Iterable[tuple[str, Checksum]]) -> list[FrameFile]:
    """Return the places of frames (name and checksum) that follow each other in a new pack."""
    files = []
    offset = 0
    for name, checksum in checksums:
        files.append(FrameFile(prefix, name, checksum, offset))
        offset += checksum[0]
    return files


def directory_bytes(files: Iterable[FrameFile]) -> bytes:
    """Return the end of a pack: its directory as JSON (name -> offset, bytes, CRC-32) and a footer.

    Readers use the row of the run; the directory is for a row that has lost its checksums.
    """
    entries = {file.name: [file.start, *(file.checksum or ())] for file in files}
    directory = json.dumps(entries).encode()
    return directory + len(directory).to_bytes(8, "little") + _MAGIC


def directory_size(footer: bytes) -> int | None:
    """Return the bytes of a pack's directory from its last FOOTER_BYTES; None if it has none."""
    size = int.from_bytes(footer[:8], "little")
    is_footer = len(footer) == FOOTER_BYTES and footer[8:] == _MAGIC
    return size if is_footer and size <= _MAX_DIRECTORY_BYTES else None


def parse_directory(prefix: str, directory: bytes) -> dict[str, FrameFile]:
    """Return the places of the frames in a pack's directory by name; empty if it is damaged."""
    try:
        entries = json.loads(directory)
        return {
            name: FrameFile(prefix, name, (int(size), int(crc)), int(start))
            for name, (start, size, crc) in entries.items()
        }
    except (AttributeError, TypeError, ValueError, RecursionError):
        return {}


def compute_checksum(content: bytes | memoryview | pa.Buffer) -> Checksum:
    """Compute the checksum of a frame's content: its size in bytes and its CRC-32."""
    return len(content), zlib.crc32(content)


def checksum_of_file(path: Path) -> Checksum:
    """Compute the checksum of a local file of any size: its size in bytes and its CRC-32."""
    checksum = 0
    with path.open("rb") as stream:
        while piece := stream.read(_CHUNK_BYTES):
            checksum = zlib.crc32(piece, checksum)
    return path.stat().st_size, checksum
