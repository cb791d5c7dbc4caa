"""Read the text or the JSON of a results file within limits."""

from __future__ import annotations

import json
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.json_damage import text_damage, text_of

MAX_BYTES = 64 * 2**20
"""Maximum uncompressed bytes of a results file; a million samples are about 25 MiB."""


def read_text(path: Path) -> str:
    """Read a file as UTF-8 without a byte order mark; invalid bytes become replacement characters.

    Raises LoadError if it is larger than 64 MiB (MAX_BYTES).
    """
    with open_content(path) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise LoadError(f"{path}: has more than {MAX_BYTES >> 20} MiB, the limit of a results file")
    return content.decode("utf-8", "replace").removeprefix("\ufeff")


def read_json(path: Path) -> object:
    """Read the JSON value of a file.

    Raises LoadError with the byte if it is cut or damaged, or if it is too large.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        damage = text_damage(text.encode("utf-8", "replace"), text_of(path))
        raise LoadError(f"{path}: {damage or 'is not valid JSON'}") from error


def as_text(value: object) -> str:
    """Return a value of JSON if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def as_object(value: object) -> dict[str, object]:
    """Return a value of JSON if it is an object, else an empty object."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return a value of JSON if it is an array, else an empty array."""
    return value if isinstance(value, list) else []
