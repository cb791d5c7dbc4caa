"""Tool about the ranks of a distributed job."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import PageArguments, Run, Tool, ToolError, ToolResult
from app.run_records import ranks_record
from services.run.ranks import find_ranks


class Ranks(PageArguments):
    """Arguments of the tool `ranks`."""

    run: Run
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100


def _ranks(context: AppContext, arguments: Ranks) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    try:
        record = ranks_record(find_ranks(context.repository, run))
    except ValueError as error:
        raise ToolError(str(error)) from error
    sentence = record.pop("sentence")
    lists = {name: record.pop(name) for name in ("ranks", "collectives")}
    # The longest waits come first, because a page may end before the others.
    lists["collectives"].sort(key=lambda collective: -collective["skew"])
    if record["missing"] is not None:
        lists["missing"] = record.pop("missing")
    path = f"/run/{run}#ranks"
    return listed_result(sentence, path, record, lists, arguments.cursor, limit=arguments.limit)


RANKS = Tool(
    "ranks",
    "Times of the ranks of a distributed job, and which rank the others wait for.",
    Ranks,
    _ranks,
)
