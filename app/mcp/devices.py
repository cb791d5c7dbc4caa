"""Analyses of a profile: time of its devices by class of work, reasons of idle time, operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.context import AppContext
from app.mcp.bounded_results import make_cursor, read_offset
from app.mcp.tool import AnalyseArguments, Record, ToolResult, tool_errors
from app.run_records import (
    breakdown_record,
    find_run_operators,
    idle_record,
    operators_record,
)
from services.run.breakdown import Breakdown, find_breakdown


def _breakdown(context: AppContext, run: str, prefix: str = "") -> Breakdown:
    with tool_errors():
        return find_breakdown(context.repository, run, prefix)


def device_time(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the time of each device of a profile by class of work, paged by steps.

    Raises ToolError if the run is not a profile of kernels.
    """
    result = _breakdown(context, run, arguments.steps)
    record = breakdown_record(result)
    steps = [
        {"device": device["device"], **step}
        for device in record["devices"]
        for step in device["steps"]
    ]
    devices = [_without(device, "steps") for device in record["devices"]]
    begin = read_offset(arguments.cursor)

    def build_data(items: Sequence[Any]) -> Record:
        own = {name: record[name] for name in ("unit", "step_ns", "step_rank", "said")}
        return own | {"devices": devices, "steps": items}

    path = f"/run/{run}#devicetime"
    return ToolResult(record["sentence"], path, build_data, steps[begin:], begin)


def device_idle(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the idle time of each device of a profile by reason, paged by its longest gaps.

    Raises ToolError if the run is not a profile of kernels.
    """
    record = idle_record(_breakdown(context, run))
    devices = record["devices"]
    gaps = [{"device": device["device"], **gap} for device in devices for gap in device["top"]]
    listed = [_without(device, "top") for device in devices]
    begin = read_offset(arguments.cursor)
    return ToolResult(
        record["sentence"],
        f"/run/{run}#idle",
        lambda items: {"unit": "ns", "devices": listed, "gaps": items},
        gaps[begin:],
        begin,
    )


def operators(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the operators of a profile with their times, most device time first, `limit` to a page.

    Raises ToolError if the run has no operators.
    """
    with tool_errors():
        record = operators_record(find_run_operators(context.repository, run))
    rows = record["ops"]
    begin = read_offset(arguments.cursor)
    rest = {name: record[name] for name in record if name not in ("ops", "sentence")}
    return ToolResult(
        record["sentence"],
        f"/run/{run}#operators",
        lambda items: rest | {"ops": items},
        rows[begin : begin + arguments.limit],
        begin,
        # A page ends at `limit` even when more rows fit, so the cursor depends on all rows.
        lambda count: make_cursor(begin + count) if begin + count < len(rows) else None,
    )


def _without(mapping: Record, name: str) -> Record:
    return {key: value for key, value in mapping.items() if key != name}
