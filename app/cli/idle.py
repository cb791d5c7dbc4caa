"""Command `idle`: gaps in which a profile's devices run nothing, and their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run
from schema.plurals import plural

if TYPE_CHECKING:
    from analysis.kernels.idle import DeviceIdle
    from storage.repository import Repository


@click.command()
@with_run
@click.option("--json", "as_json", is_flag=True, help="Print JSON, times in ns.")
def idle(repository: Repository, run_id: str, *, as_json: bool) -> None:
    """Print why each device of a profile idles, and its longest gaps.

    RUN is an id or its beginning. The time before the launch of the execution that ends a gap is split by what
    the launching thread did; the rest is due to the launch itself or to the device's queue.
    """
    from app.run_records import idle_record
    from components.kernels.device_names import device_name
    from services.run.breakdown import find_breakdown

    with command_errors():
        result = find_breakdown(repository, run_id)
    record = idle_record(result)
    names = {device.spans.device: device_name(device.spans) for device in result.devices}
    lines = chain.from_iterable(_lines(device, names[device.device]) for device in result.idle)
    print_record(record, chain([record["sentence"]], lines), as_json=as_json)


def _lines(device: DeviceIdle, name: str) -> Iterator[str]:
    from components.kernels.device_words import REASON_LABELS
    from components.kernels.step_words import time_text

    yield f"{name}: idle {time_text(device.idle)} in {plural(device.gaps, 'gap')}"
    for reason, label in REASON_LABELS.items():
        if device.reasons[reason]:
            counted = ""
            if device.counted is not None:
                counted = f", {time_text(device.counted[reason])} in counted steps"
            yield f"{time_text(device.reasons[reason]):>10}  {label}{counted}"
    yield "longest gaps:"
    for gap in device.top:
        place = ", ".join(filter(None, [gap.op, gap.python]))
        reason = REASON_LABELS[gap.reason]
        what = f"{reason}, before {gap.next}" if gap.next else reason
        inside = f" (in {place})" if place else ""
        yield f"{time_text(gap.duration):>10}  at {time_text(gap.start)}, {what}{inside}"
