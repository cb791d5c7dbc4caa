"""Cache of SQL results that continue on a further page.

The same query could return its rows in another order, so its result must not be computed again.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from pathlib import Path
from typing import Any

from app.mcp.tool import Record, ToolError

_FOLDER = "kept_queries"
_MAX_BYTES = 8 * 2**20
"""Maximum size of a cached result in bytes."""
_MAX_FILES = 64
"""Maximum number of cached results of a store."""
_MAX_AGE_S = 900
"""Seconds for which a result stays in the cache."""
_TOKEN = re.compile(r"[0-9a-f]{32}")


class CachedResults:
    """Cached results in a folder of the store, shared by all processes.

    Each result has a random name that cannot be guessed, since a name gives access to it.
    """

    def __init__(self, data: Path) -> None:
        self._folder = data / _FOLDER

    def save(self, result: Record) -> str:
        """Save a result and return its random name, 32 hex digits; raises ToolError if it is larger
        than _MAX_BYTES (8 MiB) or the folder is not writable.
        """
        content = json.dumps(result).encode()
        if len(content) > _MAX_BYTES:
            raise ToolError(f"the rows have more than {_MAX_BYTES >> 20} MiB: select fewer rows")
        token = secrets.token_hex(16)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            # A renamed file is complete when another process reads it.
            part = self._folder / f"{token}.part"
            part.write_bytes(content)
            part.rename(self._folder / f"{token}.json")
        except OSError as error:
            raise ToolError("the rest of the rows cannot be cached: select fewer rows") from error
        return token

    def find(self, token: str) -> dict[str, Any]:
        """Load a result by its name; raises ToolError if it does not exist or is older than
        _MAX_AGE_S (15 min).
        """
        path = self._folder / f"{token}.json"
        try:
            if not _TOKEN.fullmatch(token) or path.stat().st_mtime < time.time() - _MAX_AGE_S:
                raise _expired_error()
            result: dict[str, Any] = json.loads(path.read_bytes())
        except OSError as error:
            raise _expired_error() from error
        return result

    def _sweep(self) -> None:
        """Remove results older than _MAX_AGE_S (15 min), and the oldest results, so that with a new
        result at most _MAX_FILES (64) remain.
        """
        dated = []
        for path in self._folder.iterdir():
            try:
                dated.append((path.stat().st_mtime, path))
            except FileNotFoundError:
                continue
        dated.sort()
        for rank, (at, path) in enumerate(dated):
            if at < time.time() - _MAX_AGE_S or rank <= len(dated) - _MAX_FILES:
                path.unlink(missing_ok=True)


def _expired_error() -> ToolError:
    return ToolError(
        f"cursor: the result expired after {_MAX_AGE_S // 60} minutes: repeat the query without a cursor"
    )
