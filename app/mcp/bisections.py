"""Results about bisections for the tool `status`."""

from __future__ import annotations

from statistics import median

from analysis.bisection.address import LIST_PATH
from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import ToolResult, tool_errors
from components.bisection.words import bisection_sentence
from components.numbers import count_text
from services.bisection.bisections import MAX_LISTED, find_bisection
from storage.bisections import Bisections

ALL = "all"
"""Argument `bisection` that requests the list of bisections."""


def bisection_result(context: AppContext, bisection_id: str, cursor: str | None) -> ToolResult:
    """Return the plan of a bisection and its measured commits, or the list of all bisections.

    Raises ToolError if there is no such bisection.
    """
    if bisection_id == ALL:
        return _list_result(context, cursor)
    with tool_errors():
        bisection = find_bisection(context.repository.catalogue, bisection_id)
    record = bisection.record()
    del record["measured"]
    # A median per commit: all values of a commit would leave room for a few commits only.
    rows = [
        {
            "commit": item.commit,
            "position": item.position,
            "runs": len(item.values),
            "median": median(item.values) if item.values else None,
            "no_result": item.is_broken,
        }
        for item in bisection.measured
    ]
    path = f"{LIST_PATH}/{bisection_id}"
    return listed_result(bisection_sentence(bisection), path, record, {"measured": rows}, cursor)


def _list_result(context: AppContext, cursor: str | None) -> ToolResult:
    rows = [
        {
            "id": stored.bisection_id,
            "metric": stored.metric,
            "good": stored.good,
            "bad": stored.bad,
            "commits": len(stored.commits) - 1,
            "created_at": stored.created_at,
        }
        for stored in Bisections(context.repository.catalogue).newest(MAX_LISTED)
    ]
    sentence = f"{count_text(len(rows), 'bisection')}, the newest first."
    return listed_result(sentence, LIST_PATH, {}, {"bisections": rows}, cursor)
