"""Responses that users save as files: written to temporary files with limits on number and size."""

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
"""Size in bytes above which a file moves from memory to the disk."""
_UNSENT_PER_CLIENT = 8
"""Maximum number of finished files of a client that are not downloaded yet."""
_UNSENT = 64
"""Maximum number of finished files of all clients that are not downloaded yet."""
_RETRY_S = 3
"""Seconds after which a refused client may retry."""
_PROGRAM_PATIENCE_S = 60.0
"""Maximum seconds that a program waits for its turn."""
_BROWSER_PATIENCE_S = 8.0
"""Maximum seconds that a browser waits for its turn."""


class Downloads:
    """Writes export files on at most half of the threads; limits unsent files per client."""

    def __init__(self, settings: Settings) -> None:
        at_once = max(1, settings.threads // 2)
        self._turns = threading.BoundedSemaphore(at_once)
        self._unsent = Shares(
            "exports that are not yet taken", _UNSENT, _UNSENT_PER_CLIENT, _RETRY_S
        )
        self._max_mb = settings.max_export_mb

    def respond(
        self, write: Callable[[BinaryIO], str], mimetype: str, *, waits: bool = False
    ) -> Response:
        """Build a response with the file that `write` writes; `write` returns the name of the file,
        and its errors are raised.

        Raises RequestError (429) if no turn is free within 8 s (60 s if `waits`) or this client has
        too many unsent files, and RequestError (413) if the file exceeds `max_export_mb`.
        """
        with self._turn(_PROGRAM_PATIENCE_S if waits else _BROWSER_PATIENCE_S):
            file = _Bounded(self._max_mb, self.take_place())
            try:
                name = write(cast("BinaryIO", file))
            # BaseException, because a cancelled request raises StoppedError, which is no Exception.
            except BaseException:
                file.close()
                raise
        file.seek(0)
        return send_file(
            cast("BinaryIO", file), mimetype=mimetype, as_attachment=True, download_name=name
        )

    def take_place(self) -> Callable[[], None]:
        """Reserve a place for an unsent file of this client; return the function that frees it.

        Raises RequestError (429) if the client or the server has too many.
        """
        return self._unsent.take()

    @contextmanager
    def _turn(self, patience_s: float) -> Iterator[None]:
        """Context that holds a turn for an export; raises RequestError (429) if no turn is free
        within `patience_s` seconds.

        Turns are not limited per client because several people behind a proxy may share an address.
        """
        if not self._turns.acquire(timeout=patience_s):
            raise RequestError(
                f"The server is busy with other exports; try again in {_RETRY_S} s.", 429, _RETRY_S
            )
        try:
            yield
        finally:
            self._turns.release()


class _Bounded(tempfile.SpooledTemporaryFile[bytes]):
    """A temporary file without a name and with a maximum size in MiB.

    `on_close` is called once: when the file is closed, or when it is garbage-collected.
    """

    def __init__(self, max_mb: int, on_close: Callable[[], None]) -> None:
        super().__init__(_IN_MEMORY)
        self._left = max_mb * 2**20
        self._max_mb = max_mb
        # When a response is never sent, it is garbage-collected without a call of `close`.
        self._closed_once = weakref.finalize(self, on_close)

    def write(self, data: Any) -> int:  # noqa: ANN401 - anything with bytes
        """Append bytes and return their number; raises RequestError (413) if the file would exceed
        its maximum size.
        """
        self._left -= memoryview(data).nbytes
        if self._left < 0:
            sentence = f"The export is larger than {self._max_mb} MiB (setting max_export_mb)"
            raise RequestError(f"{sentence}: select less, or export it with the command line.", 413)
        return super().write(data)

    def close(self) -> None:
        """Close the file and call `on_close`."""
        super().close()
        self._closed_once()
