"""Reading the files beside a log, at a bounded cost."""

from __future__ import annotations

import json
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content

MAX_COMPANION_BYTES = 128 * 2**20


def read_text(path: Path) -> str:
    """Return a file's text, what is no UTF-8 replaced; raise LoadError where it is too large or cannot be read."""
    try:
        with open_content(path) as stream:
            content = stream.read(MAX_COMPANION_BYTES + 1)
    except OSError as error:
        raise LoadError(f"{path.name}: cannot be read: {error.strerror or error}") from error
    if len(content) > MAX_COMPANION_BYTES:
        raise LoadError(f"{path.name}: holds more than {MAX_COMPANION_BYTES} bytes")
    return content.decode(errors="replace")


def read_json(path: Path) -> object:
    """Return the value of a JSON file; raise LoadError where it is none."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        place = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise LoadError(f"{path.name}: is no JSON{place}") from None
