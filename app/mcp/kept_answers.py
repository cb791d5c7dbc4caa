"""Answers in SQL that go on: kept for a while, since the same question asked again may have another order."""

from __future__ import annotations

import json
import re
import secrets
import time
from pathlib import Path
from typing import Any

from app.mcp.tool import Record, ToolError

_FOLDER = "kept_queries"
_MOST_BYTES = 8 * 2**20
_MOST_FILES = 64
_KEPT_S = 900
_TOKEN = re.compile(r"[0-9a-f]{32}")


class KeptAnswers:
    """The answers of a data folder, which every process of it reads; an address that nobody guesses leads to each."""

    def __init__(self, data: Path) -> None:
        self._folder = data / _FOLDER

    def keep(self, answer: Record) -> str:
        """Keep an answer and return its name; raises ToolError where it is too large, or cannot be written."""
        content = json.dumps(answer).encode()
        if len(content) > _MOST_BYTES:
            raise ToolError(f"the rows have more than {_MOST_BYTES >> 20} MiB: select fewer of them")
        token = secrets.token_hex(16)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            part = self._folder / f"{token}.part"
            part.write_bytes(content)
            part.rename(self._folder / f"{token}.json")
        except OSError as error:
            raise ToolError("the rest of the rows cannot be kept here: select fewer of them") from error
        return token

    def find(self, token: str) -> dict[str, Any]:
        """Return an answer by its name; raises ToolError where it is kept no longer."""
        path = self._folder / f"{token}.json"
        try:
            if not _TOKEN.fullmatch(token) or path.stat().st_mtime < time.time() - _KEPT_S:
                raise _expired_error()
            found: dict[str, Any] = json.loads(path.read_bytes())
        except OSError as error:
            raise _expired_error() from error
        return found

    def _sweep(self) -> None:
        """Remove what is old, and the oldest beyond so many."""
        dated = []
        for path in self._folder.iterdir():
            try:
                dated.append((path.stat().st_mtime, path))
            except FileNotFoundError:
                continue
        dated.sort()
        for rank, (at, path) in enumerate(dated):
            if at < time.time() - _KEPT_S or rank <= len(dated) - _MOST_FILES:
                path.unlink(missing_ok=True)


def _expired_error() -> ToolError:
    return ToolError(
        f"cursor: this answer was kept for {_KEPT_S // 60} minutes and is gone: ask again without a cursor"
    )
