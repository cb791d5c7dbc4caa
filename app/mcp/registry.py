"""All tools in the order in which they are listed for assistants."""

from __future__ import annotations

from app.mcp import analyse, comparisons, measured, memory, runs, sql, statuses
from app.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (
    runs.FIND_RUNS,
    runs.DESCRIBE_RUN,
    runs.FINDINGS,
    comparisons.COMPARE,
    comparisons.CHECK,
    comparisons.TREND,
    runs.LIST_FRAMES,
    sql.QUERY,
    memory.MEMORY_PEAK,
    measured.HOTSPOTS,
    statuses.STATUS,
    analyse.ANALYSE,
)
BY_NAME = {tool.name: tool for tool in TOOLS}
