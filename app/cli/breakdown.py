"""Command `breakdown`: where the time of a profile's devices goes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import steps_option, with_run
from schema.plurals import plural

if TYPE_CHECKING:
    from analysis.kernels.breakdown import Split
    from services.run.breakdown import Breakdown
    from storage.repository import Repository

_MAX_LINES = 100
"""Maximum number of steps that are printed as text."""
_PARTS = ("compute", "communication_exposed", "copy_exposed", "idle")


@click.command()
@with_run
@steps_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, times in ns.")
def breakdown(repository: Repository, run_id: str, *, prefix: str, as_json: bool) -> None:
    """Print how much of the time each device computes, communicates, copies and idles.

    RUN is an id or its beginning. Communication is exposed while nothing computes, a copy while nothing
    computes or communicates; with compute and idle they sum to the time of the window.
    """
    from app.run_records import breakdown_record
    from services.run.breakdown import find_breakdown

    with command_errors():
        result = find_breakdown(repository, run_id, prefix)
    record = breakdown_record(result)
    print_record(record, chain([record["sentence"]], _lines(result)), as_json=as_json)


def _lines(result: Breakdown) -> Iterator[str]:
    from components.kernels.device_names import device_name

    for device in result.devices:
        names = device.windows["name"].tolist()
        executions = plural(len(device.spans.start), "execution")
        streams = plural(device.spans.streams, "stream")
        yield f"{device_name(device.spans)}: {executions} on {streams}"
        yield f"{'time':>10}  {'  '.join(f'{part:>21}' for part in _PARTS)}  window"
        yield _line(device.window, "first to last execution")
        if device.counted:
            yield _line(device.counted, plural(device.counted_steps, "counted step"))
        for name, split in list(zip(names, device.steps, strict=True))[:_MAX_LINES]:
            yield _line(split, name)
        left = len(names) - _MAX_LINES
        if left > 0:
            yield f"and {left} more: --json has all"


def _line(split: Split, name: str) -> str:
    from components.kernels.step_words import time_text

    parts = []
    for part in _PARTS:
        share = split.share(part)
        text = time_text(getattr(split, part))
        parts.append(f"{text if share is None else f'{text} ({100 * share:.1f} %)':>21}")
    return f"{time_text(split.total):>10}  {'  '.join(parts)}  {name}"
