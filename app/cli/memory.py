"""Command `memory`: allocated and reserved memory of the devices of a profile or a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run

if TYPE_CHECKING:
    from analysis.memory.allocation_totals import AllocationTotals
    from analysis.memory.device_memory import DeviceMemory
    from storage.repository import Repository


@click.command()
@with_run
@click.option("--json", "as_json", is_flag=True, help="Print JSON, sizes in bytes.")
def memory(repository: Repository, run_id: str, *, as_json: bool) -> None:
    """Print the peak of allocated and reserved memory of each device, and requests that failed.

    RUN is an id or its beginning: a torch.profiler trace with memory events, or a memory snapshot of PyTorch.
    If RUN is a buffer assignment of XLA, print the bytes of all allocations by kind and memory space.
    """
    from analysis.memory.allocation_totals import AllocationTotals
    from app.run_records import find_run_memory, memory_record

    with command_errors():
        found = find_run_memory(repository, run_id)
    record = memory_record(found)
    lines = _allocation_lines(found) if isinstance(found, AllocationTotals) else _lines(found)
    print_record(record, chain([record["sentence"]], lines), as_json=as_json)


def _lines(result: DeviceMemory) -> Iterator[str]:
    from components.numbers import size

    if not len(result.devices):
        return
    columns = ("peak_allocated", "end_allocated", "peak_reserved", "end_reserved")
    headings = ("allocated, peak", "at the end", "reserved, peak", "at the end")
    yield "  ".join(f"{heading:>15}" for heading in headings) + "  device"
    for row in result.devices.to_dict("records"):
        sizes = "  ".join(f"{size(row[name]):>15}" for name in columns)
        place = row["op"] if isinstance(row["op"], str) and row["op"] else row["python"]
        yield f"{sizes}  {row['device']}" + (f", in {place}" if isinstance(place, str) else "")
    pools = result.pools.to_dict("records")
    if len(pools) > len(result.devices):
        for row in pools:
            sizes = "  ".join(f"{size(row[name]):>15}" for name in columns)
            yield f"{sizes}  {row['device']}, {row['pool']}"
    for row in result.failures.to_dict("records"):
        yield (
            f"out of memory on {row['device']} in entry {row['step']}: requested {size(row['requested'])}, "
            f"{size(row['device_free'])} of the device free"
        )


def _allocation_lines(totals: AllocationTotals) -> Iterator[str]:
    """Write a line per kind and memory space of a module's allocations, then their totals."""
    from components.memory.allocation_words import KIND_LABELS

    for kind, part in totals.by_kind.items():
        yield f"{part:>20}  bytes of {KIND_LABELS[kind]}"
    for color, part in totals.by_memory.items():
        yield f"{part:>20}  bytes in memory space {color}"
    yield f"{totals.total:>20}  bytes of all allocations"
    if totals.stated is None:
        yield "No file states a total of its own."
    else:
        yield f"{totals.stated:>20}  bytes as XLA states them"
