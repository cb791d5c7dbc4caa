"""Tool about the time of a run: kernels or parts of iterations that take longest."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from app.context import AppContext
from app.mcp.bounded_results import make_cursor, quote, read_offset
from app.mcp.tool import PageArguments, Record, Run, Tool, ToolError, ToolResult
from components.aie.core_words import timed_cores_text, traced_cores
from components.numbers import duration_text, integer, percent
from schema.choices import METHODS
from schema.time_units import NANOSECONDS
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.frames import find_frame

_NO_PARTS = ("track", "iteration", "work_macs", "elapsed")
"""Columns of frame `iteration_parts` that are not parts of the time."""


def _records(frame: pd.DataFrame) -> list[Record]:
    # `object`, because other columns turn None back into their own null.
    return [*frame.astype(object).where(frame.notna(), None).to_dict("records")]


class Hotspots(PageArguments):
    """Arguments of the tool `hotspots`."""

    run: Run
    limit: Annotated[int, Field(ge=1, le=10_000)] = 100


def _hotspots(context: AppContext, arguments: Hotspots) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    data = context.data.get(run, METHODS[0], {})
    if data.can(Capability.NAMED_KERNELS):
        rows = _kernel_rows(find_frame(context.repository, run, "kernel_totals"))
        whole = "all kernels and copies"
    elif data.can(Capability.ITERATIONS):
        rows = _part_rows(data)
        cores = data.iteration_parts["track"].nunique()
        whole = f"the time of {'all cores' if cores > 1 else 'the core'} and iterations"
    else:
        raise ToolError(f"run {run[:12]} has neither named kernels nor iterations")
    begin = read_offset(arguments.cursor)
    shown = rows[begin : begin + arguments.limit]
    sentence = (
        _hotspot_sentence(rows[0], data.unit, whole) if rows else f"0 {data.unit} were measured."
    )
    place = "kernels" if data.can(Capability.NAMED_KERNELS) else "pace"
    return ToolResult(
        sentence,
        f"/run/{run}#{place}",
        lambda items: {"unit": data.unit, "hotspots": items},
        shown,
        begin,
        # A page ends at `limit` even when more rows fit, so the cursor depends on all rows.
        lambda count: make_cursor(begin + count) if begin + count < len(rows) else None,
    )


def _kernel_rows(totals: pd.DataFrame) -> list[Record]:
    chosen = totals.sort_values("total", ascending=False, kind="stable")[
        ["name", "tracks", "total", "share"]
    ]
    return _records(chosen.rename(columns={"name": "what", "tracks": "where", "total": "time"}))


def _part_rows(data: RunData) -> list[Record]:
    """Build a row for each part of the time, summed over cores and iterations, largest first: what,
    where (number of cores), time (ticks), share (0 to 1, None if no time was measured).
    """
    parts = data.iteration_parts
    elapsed = int(parts["elapsed"].sum())
    sums = sorted(
        ((int(parts[name].sum()), name) for name in parts.columns if name not in _NO_PARTS),
        reverse=True,
    )
    cores = timed_cores_text(parts["track"].nunique(), traced_cores(data.tracks))
    return [
        {"what": name, "where": cores, "time": time, "share": time / elapsed if elapsed else None}
        for time, name in sums
    ]


def _hotspot_sentence(first: Record, unit: str, whole: str) -> str:
    time = (
        duration_text(first["time"]) if unit == NANOSECONDS else f"{integer(first['time'])} {unit}"
    )
    share = "" if first["share"] is None else f", {percent(first['share'])} of {whole}"
    return f"{quote(first['what'])} takes the most: {time}{share}."


HOTSPOTS = Tool(
    "hotspots", "List where the time of a run goes, largest first.", Hotspots, _hotspots
)
