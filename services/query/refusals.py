"""Why the process of a query gives no answer: errors of DuckDB and of writers as one sentence with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from services.query.place import near_names, one_line, place_of

_MAX_SENTENCE = 300
_NO_MEMORY = ("out of memory", "failed to allocate", "bad_alloc", "could not allocate")
_COLUMN = re.compile(r'Referenced column "([^"]+)"')
_TOO_DEEP = "Max expression depth limit"
"""DuckDB begins an error with this; the rest advises a setting, which nobody may change here."""


class Refusal(Exception):  # noqa: N818 - an end, not a failure
    """The question has no answer: what kind of end that is, and a sentence."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


def refusal_of(error: Exception, task: Mapping[str, Any], columns: Sequence[str]) -> Refusal:
    """Return what DuckDB says as one sentence with its place in the text."""
    told = error_parts(str(error))
    message, name = told["exception_message"], str(told.get("name") or "")
    if any(words in message.lower() for words in _NO_MEMORY):
        return Refusal("memory", "")
    if message.startswith(_TOO_DEEP):
        return nested_too_deeply(task["sql"])
    missing = _COLUMN.match(message)
    name = name or (missing[1] if missing else "")
    given = told.get("position")
    offset = int(given) if given else _offset_of(name, task["sql"])
    if missing or told.get("error_subtype") == "COLUMN_NOT_FOUND":
        near = [*columns, *map(str.strip, str(told.get("candidates") or "").split(","))]
        sentence = f"there is no column {name}{near_names(name, filter(None, near))}"
    else:
        sentence = one_line(message.split("\n\n")[0].split("\n")[0])[:_MAX_SENTENCE].rstrip(".!")
        sentence = sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]
    return Refusal("refused", f"{place_of(task['sql'], offset)}: {sentence}")


def _offset_of(name: str, text: str) -> int:
    """Return where a name first is in the text, else where the text begins."""
    at = text.find(name) if name else -1
    return len(text[:at].encode()) if at >= 0 else first_word(text)


def error_parts(message: str) -> dict[str, Any]:
    """Return what an error of DuckDB tells: `exception_message`, and where it can its place and its name."""
    kind, _, rest = message.partition(": ")
    try:
        told = json.loads(rest)
    except ValueError:
        told = None
    return told if isinstance(told, dict) else {"exception_message": rest if kind.endswith("Error") else message}


def nested_too_deeply(text: str) -> Refusal:
    return Refusal("refused", f"{place_of(text, first_word(text))}: the query is nested too deeply")


def unwritable(error: Exception, task: Mapping[str, Any]) -> Refusal:
    """Return the refusal of a result with values that cannot be written, such as a date of the year 290000."""
    reason = one_line(str(error))[:_MAX_SENTENCE].rstrip(".!")
    sentence = f"the result has a value that {task['format']} cannot have: cast it to VARCHAR ({reason})"
    return Refusal("refused", f"{place_of(task['sql'], first_word(task['sql']))}: {sentence}")


def first_word(text: str) -> int:
    return len(text[: len(text) - len(text.lstrip())].encode())
