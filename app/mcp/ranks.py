"""Analysis of the ranks of a distributed job."""

from __future__ import annotations

from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import AnalyseArguments, ToolResult, tool_errors
from app.run_records import ranks_record
from services.run.ranks import find_ranks


def ranks(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the times of the ranks of a job, and its collectives, the longest waits first.

    Raises ToolError if the run is not a profile of kernels, or its trace names no rank.
    """
    with tool_errors():
        record = ranks_record(find_ranks(context.repository, run))
    sentence = record.pop("sentence")
    lists = {name: record.pop(name) for name in ("ranks", "collectives")}
    # The longest waits come first, because a page may end before the others.
    lists["collectives"].sort(key=lambda collective: -collective["skew"])
    if record["missing"] is not None:
        lists["missing"] = record.pop("missing")
    path = f"/run/{run}#ranks"
    return listed_result(sentence, path, record, lists, arguments.cursor, limit=arguments.limit)
