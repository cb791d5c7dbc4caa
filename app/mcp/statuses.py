"""Tool about the status: the latest run of each key against a baseline rule."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from app.context import AppContext
from app.mcp.bisections import bisection_result
from app.mcp.lists import listed_result
from app.mcp.tool import PageArguments, Tool, ToolError, ToolResult
from components.comparison.status_words import status_sentence
from services.baselines.members import BaselineError

_WITHIN_S = 5.0
"""Seconds in which comparisons begin that no earlier request made."""


class Status(PageArguments):
    """Arguments of the tool `status`."""

    rule: Annotated[str, Field(max_length=200)] = Field(
        "", description="Optional if there is a single baseline rule."
    )
    # A tool of its own would not fit: assistants read the list of all tools every time.
    bisection: Annotated[str, Field(max_length=32)] = Field(
        "", description="Id of a bisection, or all."
    )


def _status(context: AppContext, arguments: Status) -> ToolResult:
    if arguments.bisection:
        return bisection_result(context, arguments.bisection, arguments.cursor)
    try:
        status = context.status.status(arguments.rule, within_s=_WITHIN_S)
    except BaselineError as error:
        raise ToolError(str(error)) from error
    query = urlencode({"rule": status.rule})
    mapping = {name: value for name, value in status.record().items() if name != "rows"}
    # The runs behind a row's sparkline would leave room for a few keys alone.
    rows = [
        {name: value for name, value in row.record().items() if name != "points"}
        for row in status.rows
    ]
    path = f"/status?{query}"
    return listed_result(status_sentence(status), path, mapping, {"rows": rows}, arguments.cursor)


STATUS = Tool(
    "status",
    "What regressed: the latest run of each key against a baseline rule, regressions first.",
    Status,
    _status,
)
