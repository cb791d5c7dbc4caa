"""Temporary storage of responses: unnamed files in TMPDIR, or memory if that disk is full."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import BinaryIO, cast

from waitress.buffers import ReadOnlyFileBasedBuffer

from storage.failures import is_full

MAX_IN_MEMORY = 8 * 2**20
"""Maximum bytes of an export that stay in memory if the disk is full."""


class Spool:
    """A file that a render process writes and the server sends.

    `file` is a real descriptor in both cases, so that it can be passed to another process.
    """

    def __init__(self, open_file: Callable[[], BinaryIO] | None = None) -> None:
        self.file = (open_file or _temporary_file)()
        self._size = 0
        self._is_on_disk = True

    def write(self, data: bytes) -> None:
        """Append bytes to the file, which moves to memory when the disk is full.

        Raises OSError if the disk is full and more than MAX_IN_MEMORY (8 MiB) would be in memory.
        """
        rest = memoryview(data)
        while rest:
            try:
                written = self.file.write(rest)
            except OSError as error:
                if (
                    not is_full(error)
                    or not self._is_on_disk
                    or self._size + len(rest) > MAX_IN_MEMORY
                ):
                    raise
                self._move_to_memory()
                continue
            rest = rest[written:]
            self._size += written

    def _move_to_memory(self) -> None:
        memory = cast("BinaryIO", os.fdopen(os.memfd_create("tilescope-spool"), "w+b", buffering=0))
        self.file.seek(0)
        shutil.copyfileobj(self.file, memory)
        self.file.close()
        self.file = memory
        self._is_on_disk = False


def _temporary_file() -> BinaryIO:
    return cast("BinaryIO", tempfile.TemporaryFile(buffering=0))


def unsent_buffer(data: bytes, *, may_keep: bool) -> ReadOnlyFileBasedBuffer:
    """Put bytes into a buffer of waitress, backed by a file, or by memory if the disk is full.

    Raises OSError if the disk is full and `may_keep` is False.
    """
    file: BinaryIO = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - waitress closes it
    try:
        file.write(data)
        file.flush()
    except OSError as error:
        with suppress(OSError):  # closing writes once more
            file.close()
        if not is_full(error) or not may_keep:
            raise
        file = BytesIO(data)
    file.seek(0)
    buffer = ReadOnlyFileBasedBuffer(file)
    buffer.prepare()
    return buffer
