"""Conversion of errors of DuckDB and of the writers to a sentence with its position in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from services.query.place import near_names, one_line, place_of

_MAX_SENTENCE = 300
"""Maximum characters of a sentence from DuckDB."""
_NO_MEMORY = ("out of memory", "failed to allocate", "bad_alloc", "could not allocate")
"""Words of DuckDB's errors if it ran out of memory."""
_COLUMN = re.compile(r'Referenced column "([^"]+)"')
_TOO_DEEP = "Max expression depth limit"
"""Start of a DuckDB error whose rest advises a setting that users cannot change here."""


class Refusal(Exception):  # noqa: N818 - an end, not a failure
    """The query has no result: the kind of the refusal (`refused`, `memory`, `size`), and a
    sentence.
    """

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


def convert_error(error: Exception, task: Mapping[str, Any], columns: Sequence[str]) -> Refusal:
    """Convert an error of DuckDB to a refusal, whose sentence begins with the position in the text
    (memory errors have no sentence); `columns` are suggestions for unknown names.
    """
    parts = error_parts(str(error))
    message = parts["exception_message"]
    name = str(parts.get("name") or "")
    if any(words in message.lower() for words in _NO_MEMORY):
        return Refusal("memory", "")
    if message.startswith(_TOO_DEEP):
        return nested_too_deeply(task["sql"])
    missing = _COLUMN.match(message)
    name = name or (missing[1] if missing else "")
    position = parts.get("position")
    offset = int(position) if position else _find_offset(name, task["sql"])
    if missing or parts.get("error_subtype") == "COLUMN_NOT_FOUND":
        near = [*columns, *map(str.strip, str(parts.get("candidates") or "").split(","))]
        sentence = f"there is no column {name}{near_names(name, filter(None, near))}"
    else:
        sentence = one_line(message.split("\n\n")[0].split("\n")[0])[:_MAX_SENTENCE].rstrip(".!")
        sentence = sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]
    return Refusal("refused", f"{place_of(task['sql'], offset)}: {sentence}")


def _find_offset(name: str, text: str) -> int:
    """Return the offset (bytes) of a name's first occurrence in the text; that of the first word if
    `name` is "" or does not occur.
    """
    at = text.find(name) if name else -1
    return len(text[:at].encode()) if at >= 0 else first_word(text)


def error_parts(message: str) -> dict[str, Any]:
    """Parse an error of DuckDB into a dict with `exception_message`, and `position` and `name`
    (texts) if it has them; a message without JSON is all `exception_message`.
    """
    kind, _, rest = message.partition(": ")
    # Errors without a kind that the package for Python knows have no words before their JSON.
    for text in (rest, message):
        with suppress(ValueError):
            parts = json.loads(text)
            if isinstance(parts, dict) and "exception_message" in parts:
                return parts
    return {"exception_message": rest if kind.endswith("Error") else message}


def nested_too_deeply(text: str) -> Refusal:
    """Return the refusal of a query that is nested too deeply, placed at its first word."""
    return Refusal("refused", f"{place_of(text, first_word(text))}: the query is nested too deeply")


def unwritable(error: Exception, task: Mapping[str, Any]) -> Refusal:
    """Return the refusal of a result with a value that the requested format cannot represent, such
    as a date in the year 290000.
    """
    reason = one_line(str(error))[:_MAX_SENTENCE].rstrip(".!")
    sentence = f"the result has a value that {task['format']} cannot represent: cast it to VARCHAR ({reason})"
    return Refusal("refused", f"{place_of(task['sql'], first_word(task['sql']))}: {sentence}")


def first_word(text: str) -> int:
    """Return the offset (bytes) of the first character that is not white space; the length of the
    text if it has only white space.
    """
    return len(text[: len(text) - len(text.lstrip())].encode())
