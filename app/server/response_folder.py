"""A folder of answers that the server's processes share."""

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
_WRITES = 64
"""Answers after which a process looks whether the folder has become too large."""


@dataclass
class AnswerFolder:
    """Answers as files, by what names them and by the code that made them; without a path it holds nothing.

    What cannot be read or written is made again: a folder that fails slows the server down, no more.
    """

    path: Path | None
    limit_bytes: int
    _written: int = 0

    @classmethod
    def of(cls, settings: Settings) -> AnswerFolder:
        """Return the folder that the settings name."""
        return cls(settings.answers_folder, settings.answers_mb * 2**20)

    def get(self, key: str, make: Callable[[], CachedResponse]) -> CachedResponse:
        """Return the answer of a name, made and kept where it is not there."""
        if self.path is None:
            return make()
        file = self.path / code_version() / key
        with contextlib.suppress(OSError, ValueError):
            status, _, body = file.read_bytes().partition(b"\n")
            os.utime(file)
            return CachedResponse(body, int(status))
        answer = make()
        if answer.kept:
            with contextlib.suppress(OSError):
                self._write(file, answer)
        return answer

    def _write(self, file: Path, answer: CachedResponse) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
            try:
                part.write(b"%d\n" % answer.status + answer.body)
                part.flush()
            except OSError:
                Path(part.name).unlink()  # the half of it would keep a full disk full
                raise
        Path(part.name).replace(file)
        self._written += 1
        if self._written % _WRITES == 0:
            self._tidy()

    def _tidy(self) -> None:
        """Remove the answers that were asked for longest ago, those of other code too, until the rest fits."""
        if self.path is None:
            return
        found = [(one.stat(), one) for one in self.path.glob("*/*") if one.is_file()]
        total = sum(stat.st_size for stat, _ in found)
        for stat, one in sorted(found, key=lambda pair: pair[0].st_mtime):
            if total <= self.limit_bytes:
                break
            total -= stat.st_size
            one.unlink(missing_ok=True)


@cache
def code_version() -> str:
    """Return what changes with the release, with every change of its code, and with the plugins."""
    digest = hashlib.sha256(__version__.encode())
    for group in (LOADERS, VIEWS):
        for point in entry_points(group=group):
            digest.update(repr((group, point.name, point.value, point.dist and point.dist.version)).encode())
    for package in _CODE:
        for file in sorted((_ROOT / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
