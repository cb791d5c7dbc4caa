"""Command `steps`: durations of the steps of a training, and their parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import steps_option, with_run

if TYPE_CHECKING:
    from services.run.steps import StepTimes
    from storage.repository import Repository

_MAX_LINES = 100
"""Maximum number of steps that are printed as text."""


@click.command()
@with_run
@steps_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, times in ns.")
def steps(repository: Repository, run_id: str, *, prefix: str, as_json: bool) -> None:
    """Print how long each step of a profile takes, from marker to marker, and what fills its time.

    RUN is an id or its beginning. Each moment belongs to the first of kernels, copies, compiler, profiler, host
    and Python that is busy; the rest is idle. Parts that no step has are left out.
    """
    from services.run.steps import find_step_times, steps_mapping

    with command_errors():
        step_times = find_step_times(repository, run_id, prefix)
    print_record(steps_mapping(step_times), _lines(step_times), as_json=as_json)


def _lines(step_times: StepTimes) -> Iterator[str]:
    from analysis.kernels.step_times import FILLS, main_series
    from components.kernels.step_words import FILL_LABELS, step_sentence, time_text

    yield step_sentence(step_times.series, len(step_times.steps))
    if main_series(step_times.series) is None and step_times.steps.empty:
        return
    parts = [part for part in FILLS if step_times.steps[part].any()]
    labels = "  ".join(f"{FILL_LABELS[part]:>10}" for part in parts)
    yield f"{'time':>10}  {labels}  executions  step"
    for row in step_times.steps.head(_MAX_LINES).to_dict("records"):
        times = "  ".join(f"{time_text(row[part]):>10}" for part in parts)
        yield f"{time_text(row['duration']):>10}  {times}  {row['executions']:>10}  {row['name']}"
    left = len(step_times.steps) - _MAX_LINES
    if left > 0:
        yield f"and {left} more: --json prints all steps"
