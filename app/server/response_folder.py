"""A folder of cached responses that the processes of a server share."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from app import __version__
from app.config.settings import Settings
from app.server.cached_response import CachedResponse
from schema.plugin_api import LOADERS, VIEWS

_ROOT = Path(__file__).parents[2]
_CODE = ("app", "components", "services", "ingest", "storage", "analysis", "data_loaders", "schema")
"""Packages whose source code may change a response."""
_WRITES = 64
"""Number of written responses after which a process checks the size of the folder."""


@dataclass
class ResponseFolder:
    """Cached responses as files, by key and version of the code; without a path it caches nothing.

    A response that cannot be read or written is computed again: if the folder fails, the server
    only gets slower.
    """

    path: Path | None
    limit_bytes: int
    _written: int = 0

    @classmethod
    def of(cls, settings: Settings) -> ResponseFolder:
        """Create the folder from the settings `answers_folder` and `answers_mb`; the path may be
        None.
        """
        return cls(settings.answers_folder, settings.answers_mb * 2**20)

    def get(self, key: str, make: Callable[[], CachedResponse]) -> CachedResponse:
        """Return the response for a key; if the folder does not have it, make it, and store it if
        it may be cached.
        """
        if self.path is None:
            return make()
        # A release or plugin must not get responses that another version has rendered.
        file = self.path / code_version() / key
        with contextlib.suppress(OSError, ValueError):
            status, _, body = file.read_bytes().partition(b"\n")
            # The time of the last use decides which responses `_tidy` deletes first.
            os.utime(file)
            return CachedResponse(body, int(status))
        response = make()
        if response.is_cacheable:
            with contextlib.suppress(OSError):
                self._write(file, response)
        return response

    def _write(self, file: Path, response: CachedResponse) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
            try:
                part.write(b"%d\n" % response.status + response.body)
                part.flush()
            except OSError:
                Path(part.name).unlink()  # an incomplete file would keep the disk full
                raise
        # Replace the file as a whole: other processes may read it at the same time.
        Path(part.name).replace(file)
        self._written += 1
        if self._written % _WRITES == 0:
            self._tidy()

    def _tidy(self) -> None:
        """Delete the least recently used responses until the folder is below its limit.

        Responses of other versions of the code count as well.
        """
        if self.path is None:
            return
        files = [(file.stat(), file) for file in self.path.glob("*/*") if file.is_file()]
        total = sum(stat.st_size for stat, _ in files)
        for stat, file in sorted(files, key=lambda pair: pair[0].st_mtime):
            if total <= self.limit_bytes:
                break
            total -= stat.st_size
            file.unlink(missing_ok=True)


@cache
def code_version() -> str:
    """Return a hash, 16 hex digits, of the release, the source code and the installed plugins."""
    digest = hashlib.sha256(__version__.encode())
    for group in (LOADERS, VIEWS):
        for point in entry_points(group=group):
            digest.update(
                repr((group, point.name, point.value, point.dist and point.dist.version)).encode()
            )
    # The version alone does not change while somebody edits the code of a checkout.
    for package in _CODE:
        for file in sorted((_ROOT / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
