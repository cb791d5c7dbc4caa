"""Pages of results that have several lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.mcp.bounded_results import make_cursor, read_offset
from app.mcp.tool import Record, ToolResult

_Item = tuple[str, Any]
"""Name of a list, and an entry of it."""


def listed_result(
    sentence: str,
    path: str,
    record: Record,
    lists: Mapping[str, Sequence[Any]],
    cursor: str | None,
    *,
    limit: int | None = None,
) -> ToolResult:
    """Return a page of the entries of all lists, in the order of the lists; `limit` is the maximum.

    Each page has the members of the record and every list, which is empty if none of its entries is
    on the page.
    """
    items = [(name, entry) for name, entries in lists.items() for entry in entries]
    begin = read_offset(cursor)
    end = len(items) if limit is None else begin + limit

    def build_data(page: Sequence[_Item]) -> Record:
        listed: Record = {name: [] for name in lists}
        for name, entry in page:
            listed[name].append(entry)
        return record | listed

    return ToolResult(
        sentence,
        path,
        build_data,
        items[begin:end],
        begin,
        # A page ends at `limit` even when more rows fit, so the cursor depends on all rows.
        lambda count: make_cursor(begin + count) if begin + count < len(items) else None,
    )
