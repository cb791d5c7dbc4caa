"""Results of tools whose data are the JSON of a command, paged by one of its lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.mcp.answers import read_offset
from app.mcp.tool import ToolResult


def paged_result(
    sentence: str, path: str, mapping: Mapping[str, Any], name: str, cursor: str | None
) -> ToolResult:
    """Return a result whose data are `mapping`, with as many items of its list `name` as fit from
    the position of the cursor. Raises ToolError if the cursor is invalid.
    """
    begin = read_offset(cursor)
    rest = {key: value for key, value in mapping.items() if key != name}
    return ToolResult(
        sentence, path, lambda items: rest | {name: items}, mapping[name][begin:], begin
    )
