"""Answers that people save as files: made in a place of their own, bounded, and gone when they are sent."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from flask import Response, send_file

from app.config.settings import Settings
from app.request.errors import RequestError
from app.server.shares import Shares

_IN_MEMORY = 8 * 2**20
_UNSENT_PER_CLIENT, _UNSENT = 8, 64
_RETRY_S = 3
_PATIENCE_S, _BRIEFLY_S = 60.0, 8.0


class Downloads:
    """Makes the files: some at once, and of those that wait to be taken a client has so many."""

    def __init__(self, settings: Settings) -> None:
        at_once = max(1, settings.threads // 2)
        self._turns = threading.BoundedSemaphore(at_once)
        self._unsent = Shares("exports that are not yet taken", _UNSENT, _UNSENT_PER_CLIENT, _RETRY_S)
        self._most_mb = settings.max_export_mb

    def answer(self, write: Callable[[BinaryIO], str], mimetype: str, *, waits: bool = False) -> Response:
        """Return what `write` writes, as a file of the name that it returns.

        Raises RequestError where none gets its turn in time or this client has enough of them (429), or the file gets
        too large (413). A program that `waits` has more time than a browser.
        """
        with self._turn(_PATIENCE_S if waits else _BRIEFLY_S):
            file = _Bounded(self._most_mb, self.take_place())
            try:
                name = write(cast("BinaryIO", file))
            except BaseException:
                file.close()
                raise
        file.seek(0)
        return send_file(cast("BinaryIO", file), mimetype=mimetype, as_attachment=True, download_name=name)

    def take_place(self) -> Callable[[], None]:
        """Take one of the places of files that this client has not taken yet, and return what gives it back."""
        return self._unsent.take()

    @contextmanager
    def _turn(self, patience_s: float) -> Iterator[None]:
        """Wait for one of the places; people behind one proxy may have one address, so none has more than others."""
        if not self._turns.acquire(timeout=patience_s):
            raise RequestError(f"The server is busy with other exports; try again in {_RETRY_S} s.", 429, _RETRY_S)
        try:
            yield
        finally:
            self._turns.release()


class _Bounded(tempfile.SpooledTemporaryFile[bytes]):
    """A temporary file without a name, of so many MiB at most; `on_close` is called once, even where it is lost."""

    def __init__(self, most_mb: int, on_close: Callable[[], None]) -> None:
        super().__init__(_IN_MEMORY)
        self._left, self._most_mb = most_mb * 2**20, most_mb
        self._closed_once = weakref.finalize(self, on_close)

    def write(self, data: Any) -> int:  # noqa: ANN401 - anything with bytes
        """Write; raises RequestError where the file gets too large."""
        self._left -= memoryview(data).nbytes
        if self._left < 0:
            sentence = f"This is larger than the {self._most_mb} MiB that one export may have (max_export_mb)"
            raise RequestError(f"{sentence}: select less, or take it with the command line.", 413)
        return super().write(data)

    def close(self) -> None:
        """Close the file and give its place back."""
        super().close()
        self._closed_once()
