"""Tool about the memory of a run: peaks of devices, and the blocks alive at the peak of a map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from analysis.memory.alive import peak_blocks
from analysis.memory.in_use import peak_in_use
from app.context import AppContext
from app.mcp.bounded_results import quote
from app.mcp.lists import listed_result
from app.mcp.tool import PageArguments, Record, Run, Tool, ToolError, ToolResult
from app.run_records import find_run_memory, memory_record
from components.numbers import count_text, percent, size
from schema.choices import METHODS
from schema.plurals import plural
from schema.time_units import NANOSECONDS
from services.run.capabilities import Capability
from services.run.data import RunData
from storage.repository import Repository


class MemoryPeak(PageArguments):
    """Arguments of the tool `memory_peak`."""

    run: Run
    attempt: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Default: the final attempt with most bytes."
    )


def _memory_peak(context: AppContext, arguments: MemoryPeak) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    # An attempt is asked about its blocks: the memory of devices is that of the whole run.
    whole = _run_memory(context.repository, run) if arguments.attempt is None else None
    try:
        peak = _attempt_peak(context, run, arguments.attempt)
    except ToolError:
        # A trace with memory events has no map, and a snapshot may have no bytes alive.
        if whole is None:
            raise
        peak = {}
    parts = [part for part in (whole, peak) if part]
    sentence = " ".join(str(part["sentence"]) for part in parts)
    record = (whole or {}) | peak
    lists = _take_lists(record)
    place = f"?attempt={record['attempt']}#map" if peak else ""
    return listed_result(sentence, f"/run/{run}{place}", record, lists, arguments.cursor)


def _take_lists(record: Record) -> dict[str, Sequence[Any]]:
    """Move the lists out of a record, and the sentence, so that the rest is on every page.

    The lists of each device become lists of their own, whose entries name the device.
    """
    record.pop("sentence")
    lists: dict[str, Sequence[Any]] = {}
    if "devices" in record:
        devices = record.pop("devices")
        lists["devices"] = [_without_lists(device) for device in devices]
        for name in ("pools", "oom"):
            lists[name] = [*_device_parts(devices, name)]
    if "blocks" in record:
        lists["blocks"] = record.pop("blocks")
    return lists


def _without_lists(device: Record) -> Record:
    return {name: value for name, value in device.items() if not isinstance(value, list)}


def _device_parts(devices: Sequence[Record], name: str) -> Iterator[Record]:
    """Yield the entries of a list of each device, with the name of the device."""
    for device in devices:
        for part in device.get(name, []):
            yield {"device": device["device"], **part}


def _run_memory(repository: Repository, run: str) -> Record | None:
    """Build the record of command `memory`; None if the run has neither devices nor totals."""
    try:
        return memory_record(find_run_memory(repository, run))
    except ValueError:
        return None


def _attempt_peak(context: AppContext, run: str, attempt: int | None) -> Record:
    """Build the record of an attempt at its peak: its blocks alive, largest first, and a sentence.

    Raises ToolError if the run has no such attempt, or nothing is alive in it.
    """
    data = context.data.get(run, METHODS[0], {})
    if not data.can(Capability.MEMORY):
        raise ToolError(f"run {run[:12]} has no memory map")
    number = _fullest(data.memory.attempts) if attempt is None else attempt
    if not data.memory.has(number):
        raise ToolError(f"run {run[:12]} has no attempt {number}")
    amap = data.memory.index.map(number)
    peak, step = peak_in_use(amap)
    if peak is None or step is None:
        raise ToolError(f"no bytes are alive in attempt {number} of run {run[:12]}")
    level = amap.attempt["level"]
    blocks = amap.blocks.iloc[peak_blocks(amap)][["block", "name", "size", "address", "status"]]
    record: Record = {
        "attempt": number,
        "level": None if pd.isna(level) else str(level),
        "peak_bytes": peak,
        "step": step,
        "capacity": amap.whole("capacity"),
        "bound": amap.whole("bound"),
        # `object`, because other columns turn None back into their own null.
        "blocks": blocks.astype(object).where(blocks.notna(), None).to_dict("records"),
    }
    return record | {"sentence": _peak_sentence(data, record)}


def _peak_sentence(data: RunData, record: Record) -> str:
    peak = record["peak_bytes"]
    capacity = record["capacity"]
    share = f", {percent(peak / capacity)} of {size(capacity)}" if capacity else ""
    attempt = f"attempt {record['attempt']}"
    place = f"{quote(record['level'])} ({attempt})" if record["level"] is not None else attempt
    moment = f"{'ns' if data.unit == NANOSECONDS else 'step'} {record['step']}"
    lead = f"{size(peak)} ({plural(peak, 'byte')}) are alive in {place} at {moment}{share}"
    return f"{lead}, in {count_text(len(record['blocks']), 'block')}."


def _fullest(attempts: pd.DataFrame) -> int:
    """Return the number of the final attempt with the most live bytes, of all attempts if no
    attempt is final.

    Raises ToolError if no attempt has live bytes.
    """
    final = attempts[attempts["final"].fillna(value=False).astype("bool")]
    with_peak = (final if len(final) else attempts).dropna(subset=["live_peak"])
    if not len(with_peak):
        raise ToolError("no attempt of this run has bytes alive")
    return int(
        with_peak["attempt"].iloc[int(with_peak["live_peak"].astype("int64").to_numpy().argmax())]
    )


MEMORY_PEAK = Tool(
    "memory_peak",
    "Peak memory of a run's devices, failed requests, and the blocks alive, largest first.",
    MemoryPeak,
    _memory_peak,
)
