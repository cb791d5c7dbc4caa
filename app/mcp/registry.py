"""All tools in the order in which they are listed for assistants."""

from __future__ import annotations

from app.mcp import comparisons, designs, devices, measured, runs, sql
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
    measured.MEMORY_PEAK,
    measured.HOTSPOTS,
    devices.DEVICE_TIME,
    devices.DEVICE_IDLE,
    devices.OPERATORS,
    designs.DESIGN,
    designs.PREDICT,
)
BY_NAME = {tool.name: tool for tool in TOOLS}
