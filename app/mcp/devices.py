"""Tools about the devices of a profile: where their time goes, why they idle, and operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from app.context import AppContext
from app.mcp.answers import make_cursor, read_offset
from app.mcp.tool import PageArguments, Record, Run, Tool, ToolError, ToolResult
from components.kernels.device_words import device_sentence, idle_caption
from components.kernels.operator_words import operators_sentence
from components.kernels.operators_grid import operators_caption
from services.run.breakdown import Breakdown, breakdown_mapping, find_breakdown, idle_mapping
from services.run.node_operators import (
    find_node_operators,
    has_node_operators,
    node_operators_mapping,
)
from services.run.operators import find_operators, operators_mapping


class DeviceTime(PageArguments):
    """Arguments of the tool `device_time`."""

    run: Run
    steps: Annotated[str, Field(max_length=200)] = Field(
        "", description="Annotations whose names begin so are the steps."
    )


class DeviceIdle(PageArguments):
    """Arguments of the tool `device_idle`."""

    run: Run


class Operators(PageArguments):
    """Arguments of the tool `operators`."""

    run: Run
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100


def _breakdown(context: AppContext, run: str, prefix: str = "") -> Breakdown:
    try:
        return find_breakdown(context.repository, run, prefix)
    except ValueError as error:
        raise ToolError(str(error)) from error


def _device_time(context: AppContext, arguments: DeviceTime) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    result = _breakdown(context, run, arguments.steps)
    mapping = breakdown_mapping(result)
    steps = [
        {"device": device["device"], **step}
        for device in mapping["devices"]
        for step in device["steps"]
    ]
    devices = [_without(device, "steps") for device in mapping["devices"]]
    begin = read_offset(arguments.cursor)

    def build_data(items: Sequence[Any]) -> Record:
        own = {name: mapping[name] for name in ("unit", "step_ns", "said")}
        return own | {"devices": devices, "steps": items}

    sentence = device_sentence(result.devices, result.idle, result.step_ns)
    return ToolResult(sentence, f"/run/{run}#devicetime", build_data, steps[begin:], begin)


def _device_idle(context: AppContext, arguments: DeviceIdle) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    result = _breakdown(context, run)
    devices = idle_mapping(result)["devices"]
    gaps = [{"device": device["device"], **gap} for device in devices for gap in device["top"]]
    listed = [_without(device, "top") for device in devices]
    begin = read_offset(arguments.cursor)
    sentence = idle_caption(result.busiest, result.idle) or device_sentence([], [], None)
    return ToolResult(
        sentence,
        f"/run/{run}#idle",
        lambda items: {"unit": "ns", "devices": listed, "gaps": items},
        gaps[begin:],
        begin,
    )


def _operators(context: AppContext, arguments: Operators) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    sentence, mapping = _list_operators(context, run)
    rows = mapping["ops"]
    begin = read_offset(arguments.cursor)
    rest = _without(mapping, "ops")
    return ToolResult(
        sentence,
        f"/run/{run}#operators",
        lambda items: rest | {"ops": items},
        rows[begin : begin + arguments.limit],
        begin,
        # A page ends at `limit` even when more rows fit, so the cursor depends on all rows.
        lambda count: make_cursor(begin + count) if begin + count < len(rows) else None,
    )


def _list_operators(context: AppContext, run: str) -> tuple[str, Record]:
    """Return sentence and mapping of the operators of a run, as command `ops` prints them."""
    if has_node_operators(str(context.repository.find_run(run).run["source"])):
        nodes = find_node_operators(context.repository, run)
        sentence = operators_sentence(nodes.rows, nodes.runs, nodes.unattributed)
        return sentence or "No operator took time.", node_operators_mapping(nodes)
    try:
        result = find_operators(context.repository, run)
    except ValueError as error:
        raise ToolError(str(error)) from error
    caption = operators_caption(result.rows, result.unattributed, result.unknown)
    return caption, operators_mapping(result)


def _without(mapping: Record, name: str) -> Record:
    return {key: value for key, value in mapping.items() if key != name}


DEVICE_TIME = Tool(
    "device_time",
    "Where the time of a profile's devices goes: compute, communication, copies, idle; by step.",
    DeviceTime,
    _device_time,
)
DEVICE_IDLE = Tool(
    "device_idle",
    "Why the devices of a profile idle, and their longest gaps.",
    DeviceIdle,
    _device_idle,
)
OPERATORS = Tool(
    "operators",
    "List operators of a profile with their time on host and devices, most device time first.",
    Operators,
    _operators,
)
