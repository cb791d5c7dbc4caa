"""Comparison of the compile time of two runs."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.comparison.compile_steps import CompileChanges, compare_compile_times
from services.comparison.compared_runs import ComparedRun
from services.run.capabilities import Capability
from services.run.compile_time import stored_compile_time


def compile_changes(
    base: Sequence[ComparedRun], new: Sequence[ComparedRun]
) -> tuple[CompileChanges, tuple[str, str]] | None:
    """Compare the compile times of the first run with rewrites of each side, by the numbers of its
    page *Programs*; return them with the ids of both runs, None if a side has no such run.
    """
    before = _first_compiled(base)
    after = _first_compiled(new)
    if before is None or after is None:
        return None
    times = [stored_compile_time(run.frames) for run in (before, after)]
    return compare_compile_times(*times), (before.stored.run_id, after.stored.run_id)


def _first_compiled(runs: Sequence[ComparedRun]) -> ComparedRun | None:
    return next(
        (run for run in runs if run.run_frames.contents.can(Capability.REWRITES)),
        None,
    )
