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
    """Build the tables of `docs/api.md` as Markdown: operations, then members of request bodies and
    queries.
    """
    operations = registry.OPERATIONS
    head = ["| request | what it does | role | takes | answers |", "|---|---|---|---|---|"]
    parts = ["| what | member | type | meaning |", "|---|---|---|---|"]
    parts += [row for model in _models_taken(operations) for row in _members(model)]
    return "\n".join([*head, *map(_row, operations), "", _MEMBERS, "", *parts, ""])


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
    responses = ", ".join(_response(*response) for response in operation.responses.items())
    request = f"`{operation.method} {path}`"
    role = operation.needed_role.label
    cells = (request, operation.summary, role, _takes(operation), responses)
    return f"| {' | '.join(cells)} |"


def _takes(operation: Operation) -> str:
    models = [model for model in (operation.query, operation.body) if model is not None]
    named = [f"[`{model.__name__}`](#members)" for model in models]
    if operation.others:
        named.append("settings")
    if operation.takes:
        named.append("a file or a form" if operation.takes == "*/*" else f"`{operation.takes}`")
    return ", ".join(named) or "-"


def _response(status: int, model: type[BaseModel] | str | None) -> str:
    if isinstance(model, str):
        return f"{status} {'a file' if model == '*/*' else model}"
    return f"{status} `{model.__name__}`" if model else str(status)


def _models_taken(operations: Iterable[Operation]) -> list[type[BaseModel]]:
    """Return the models of queries and bodies without duplicates, in the order of the operations."""
    models: list[type[BaseModel]] = []
    for operation in operations:
        models += [
            model for model in (operation.query, operation.body) if model and model not in models
        ]
    return models


def _members(model: type[BaseModel]) -> list[str]:
    schema = model.model_json_schema()
    required = schema.get("required", [])
    return [
        f"| `{model.__name__}` | `{name}`{'' if name in required else '?'} | {_kind(part)} | {_meaning(part)} |"
        for name, part in schema["properties"].items()
    ]


def _kind(part: dict[str, Any]) -> str:
    """Return type and limits of a member in words, such as `text at most 100 characters`, or its
    allowed values.
    """
    types = [option for option in part.get("anyOf", [part]) if option.get("type") != "null"]
    kind = types[0]
    if "enum" in kind:
        return ", ".join(f"`{value}`" for value in kind["enum"])
    if kind.get("type") == "array":
        return f"list of {_kind(kind['items'])}"
    if kind.get("type") == "object":
        return "object of texts"
    limits = [f"from {kind['minimum']:,}"] if "minimum" in kind else []
    limits += [f"to {kind['maximum']:,}"] if "maximum" in kind else []
    limits += [f"at most {kind['maxLength']:,} characters"] if "maxLength" in kind else []
    return " ".join([{"string": "text"}.get(kind["type"], kind["type"]), *limits])


def _meaning(part: dict[str, Any]) -> str:
    default = part.get("default")
    sentences = [part["description"]] if "description" in part else []
    if default:
        text = str(default).lower() if isinstance(default, bool) else default
        sentences.append(f"Default {text}.")
    return " ".join(sentences) or "-"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
