"""Find the byte at which a JSON text ends too early or is damaged."""

from __future__ import annotations

import json
from pathlib import Path

from data_loaders.reading.files import open_content

MAX_EXAMINED_BYTES = 4 << 20
"""Texts that are larger are not examined: parsing takes about 20 ms and 10 MiB per MiB."""
_GZIP = b"\x1f\x8b"


def file_damage(path: Path) -> str:
    """Describe where the JSON of a plain or gzip file ends too early or is damaged, such as "its
    JSON ends at byte 40, inside a value"; "" if it is whole, no JSON, or larger than 4 MiB.

    Bytes of a gzip file are counted in the uncompressed text, which the description states. Raises
    LoadError if the file cannot be opened.
    """
    with open_content(path) as stream:
        content = stream.read(MAX_EXAMINED_BYTES + 1)
    return "" if len(content) > MAX_EXAMINED_BYTES else text_damage(content, text_of(path))


def text_damage(content: bytes, of_text: str = "") -> str:
    """Describe where a JSON text ends too early or is damaged; "" if it is whole, begins with neither
    `{` nor `[`, or has several values, as files of JSON lines have.

    `of_text` is put behind the byte.
    """
    if content.lstrip()[:1] not in (b"{", b"["):
        return ""
    text = content.decode("utf-8", "surrogateescape")
    try:
        json.loads(text)
    except RecursionError:
        return "its JSON is nested too deep"
    except json.JSONDecodeError as error:
        return _place(text, error, of_text)
    except ValueError:  # a number with thousands of digits
        return "its JSON has a number that is too long"
    return ""


def _place(text: str, error: json.JSONDecodeError, of_text: str) -> str:
    if error.msg.startswith("Extra data"):
        return ""
    is_cut = error.msg.startswith("Unterminated string") or _may_be_cut(text[error.pos :])
    before = text if is_cut else text[: error.pos]
    byte = len(before.encode("utf-8", "surrogateescape"))
    if is_cut:
        return f"its JSON ends at byte {byte}{of_text}, inside a value"
    return f"its JSON is damaged at byte {byte}{of_text}"


def _may_be_cut(rest: str) -> bool:
    """Whether a text ends in the middle of a number or word, which more text might complete."""
    return all(character.isalnum() or character in "-+._" for character in rest.rstrip())


def text_of(path: Path) -> str:
    """Return " of the uncompressed text" for a gzip file, else ""."""
    with path.open("rb") as stream:
        return " of the uncompressed text" if stream.read(len(_GZIP)) == _GZIP else ""
