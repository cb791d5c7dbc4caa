"""Read companions of a log as text or JSON, with a size limit."""

from __future__ import annotations

import json
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.json_damage import text_damage, text_of

MAX_COMPANION_BYTES = 128 * 2**20
"""Largest companion, in bytes after decompression."""


def read_text(path: Path) -> str:
    """Read a plain or gzip file as UTF-8, with invalid bytes replaced by U+FFFD.

    Raises LoadError if it has more than 128 MiB or is unreadable.
    """
    try:
        with open_content(path) as stream:
            content = stream.read(MAX_COMPANION_BYTES + 1)
    except OSError as error:
        raise LoadError(f"{path.name}: cannot be read: {error.strerror or error}") from error
    if len(content) > MAX_COMPANION_BYTES:
        raise LoadError(f"{path.name}: is larger than {MAX_COMPANION_BYTES} bytes")
    return content.decode(errors="replace")


def read_json(path: Path) -> object:
    """Parse a JSON file, plain or gzip.

    Raises LoadError if it is not valid JSON, too large or unreadable.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        damage = text_damage(text.encode(), text_of(path))
        place = f": {damage}" if damage else ""
        raise LoadError(f"{path.name}: is not valid JSON{place}") from None
