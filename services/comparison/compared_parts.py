"""Parts of a comparison that depend on the kind of its runs, and parts of profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.comparison.cause import Cause
from analysis.comparison.kernel_changes import kernel_changes, step_records
from analysis.comparison.lane_sides import lanes_of_one_side
from analysis.comparison.peak_buffers import peak_causes
from analysis.comparison.profiles import kernel_pairs, profile_causes, profile_rows
from analysis.comparison.rows import ResultRow, Thresholds
from analysis.comparison.step_parts import StepParts, compare_parts
from services.comparison.compared_runs import ComparedRun

Runs = Sequence[ComparedRun]
"""The runs of a side."""


@dataclass(frozen=True)
class ComparedParts:
    """Parts of a result that depend on the kind of the runs; see `Comparison`."""

    rows: list[ResultRow]
    attribution: list[Cause]
    pairs: Mapping[str, object]
    step_parts: StepParts | None = None


def compare_profiles(base: Runs, new: Runs, thresholds: Thresholds) -> ComparedParts:
    """Compare the profiles of two sides: rows of all runs, parts of the first run of each side."""
    base_profiles, new_profiles = ([run.profile for run in side] for side in (base, new))
    pairs = kernel_pairs(base_profiles, new_profiles)
    rows = profile_rows(base_profiles, new_profiles, pairs, thresholds)
    cause_list = (
        profile_causes(base_profiles[0], new_profiles[0], pairs, rows)
        if has_moved(rows, "kernel_time")
        else []
    )
    if has_moved(rows, "peak_memory"):
        cause_list += peak_causes(
            base_profiles[0], new_profiles[0], [(base, new) for base, new, _ in pairs.matched]
        )
    changes = kernel_changes(base_profiles[0], new_profiles[0], pairs, rows)
    kernels = pairs.record() | {"steps": step_records(changes)}
    tracks = [runs[0].run_frames.frame_by_name["tracks"] for runs in (base, new)]
    only_base, only_new = lanes_of_one_side(*tracks)
    lanes = {"only_base": only_base, "only_new": only_new}
    step_parts = compare_parts(base[0].step_parts, new[0].step_parts)
    return ComparedParts(rows, cause_list, {"kernels": kernels, "lanes": lanes}, step_parts)


def has_moved(rows: Sequence[ResultRow], name: str = "") -> bool:
    """Whether the number `name`, or any number if "", improved or regressed."""
    return any(
        name in ("", row.metric.name) and row.judged.verdict in ("improved", "regressed")
        for row in rows
    )
