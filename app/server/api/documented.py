"""Tables of `docs/api.md`, made from the operations.

`python -m app.server.api.documented` writes them into the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import dropwhile
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from app.server.api import registry
from app.server.api.openapi import PART
from app.server.api.operation import Operation

PAGE = Path(__file__).resolve().parents[3] / "docs" / "api.md"
_HEADING, _MEMBERS = "\n## Operations\n", "### Members"


def markdown() -> str:
    """Build the tables of operations, and of the members of request bodies and queries."""
    known = registry.OPERATIONS
    head = ["| request | what it does | role | takes | answers |", "|---|---|---|---|---|"]
    parts = ["| what | member | type | meaning |", "|---|---|---|---|"]
    parts += [row for model in _models_taken(known) for row in _members(model)]
    return "\n".join([*head, *map(_row, known), "", _MEMBERS, "", *parts, ""])


def with_tables(page: str) -> str:
    """Return the page with new tables at the begin of its section of operations.

    The text below the tables stays. Raises ValueError if the page has no such section.
    """
    before, heading, section = page.partition(_HEADING)
    if not heading:
        raise ValueError(f"the page has no heading {_HEADING.strip()!r}")
    lines = section.splitlines(keepends=True)
    words = dropwhile(lambda line: line.startswith("|") or line.strip() in ("", _MEMBERS), lines)
    return "".join([before, heading, "\n", markdown(), "\n", *words])


def _row(operation: Operation) -> str:
    path = PART.sub(r"{\1}", operation.path)
    answers = ", ".join(_answer(status, answer) for status, answer in operation.answers.items())
    cells = (f"`{operation.method} {path}`", operation.summary, operation.needed_role.label, _takes(operation), answers)
    return f"| {' | '.join(cells)} |"


def _takes(operation: Operation) -> str:
    models = [model for model in (operation.query, operation.body) if model is not None]
    named = [f"[`{model.__name__}`](#members)" for model in models]
    named += ["settings"] if operation.others else []
    named += [{"*/*": "a file or a form"}.get(operation.takes, f"`{operation.takes}`")] if operation.takes else []
    return ", ".join(named) or "-"


def _answer(status: int, answer: type[BaseModel] | str | None) -> str:
    if isinstance(answer, str):
        return f"{status} {'a file' if answer == '*/*' else answer}"
    return f"{status} `{answer.__name__}`" if answer else str(status)


def _models_taken(known: Iterable[Operation]) -> list[type[BaseModel]]:
    """Return the models of queries and bodies without duplicates."""
    models: list[type[BaseModel]] = []
    for operation in known:
        models += [model for model in (operation.query, operation.body) if model and model not in models]
    return models


def _members(model: type[BaseModel]) -> list[str]:
    schema = model.model_json_schema()
    required = schema.get("required", [])
    return [
        f"| `{model.__name__}` | `{name}`{'' if name in required else '?'} | {_kind(part)} | {_meaning(part)} |"
        for name, part in schema["properties"].items()
    ]


def _kind(part: dict[str, Any]) -> str:
    """Return type and limits of a member in words."""
    choices = [one for one in part.get("anyOf", [part]) if one.get("type") != "null"]
    one = choices[0]
    if "enum" in one:
        return ", ".join(f"`{value}`" for value in one["enum"])
    if one.get("type") == "array":
        return f"list of {_kind(one['items'])}"
    if one.get("type") == "object":
        return "object of texts"
    limits = [f"from {one['minimum']:,}"] if "minimum" in one else []
    limits += [f"to {one['maximum']:,}"] if "maximum" in one else []
    limits += [f"at most {one['maxLength']:,} characters"] if "maxLength" in one else []
    return " ".join([{"string": "text"}.get(one["type"], one["type"]), *limits])


def _meaning(part: dict[str, Any]) -> str:
    default = part.get("default")
    told = [part["description"]] if "description" in part else []
    told += [f"Default {str(default).lower() if isinstance(default, bool) else default}."] if default else []
    return " ".join(told) or "-"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
