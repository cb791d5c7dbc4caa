"""Compares profiles: steps, matching kernels, memory of devices, and the causes of a change of a
step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.comparison.cause import Cause, largest_first
from analysis.comparison.kernel_pairs import KernelPairs, key_of, paired_kernels
from analysis.comparison.profile import Profile
from analysis.comparison.rows import ResultRow, RowTopic, Thresholds, exact_row
from analysis.comparison.sampled import Samples, families, sampled_row
from analysis.comparison.verdict import Judged
from analysis.statistics.ratio import MIN_RUNS
from schema.array_types import Floats
from schema.comparison import PROFILE, STEADY
from schema.decimals import decimals

_MAX_SPREAD = 1.5
"""Maximum ratio of the 75th to the 10th percentile of durations; above it they count
as disturbed.
"""
_MIN_CAUSE = 0.01
"""Minimum share of the sum of all changes for a kernel to be listed as a cause, so that a hundred
kernels are listed at most.
"""
_OTHER_WORK = 0.01
"""Relative difference of the operations per step above which it is mentioned."""


def profile_rows(
    base: Sequence[Profile], new: Sequence[Profile], pairs: KernelPairs, thresholds: Thresholds
) -> list[ResultRow]:
    """Compare profiles: rows of the runs (at least the kernel time of a step), then of their
    devices, then of matching kernels that have later runs on both sides.
    """
    rows = profile_run_rows(base, new, thresholds)
    kernels = [
        _kernel_row(base, new, (base_name, new_name), thresholds)
        for base_name, new_name, _ in pairs.matched
    ]
    return [*rows, *families([row for row in kernels if row is not None])]


def profile_run_rows(
    base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds
) -> list[ResultRow]:
    """Compare whole runs and their devices: a row for the kernel time of a step; then, if either
    side has them, for the time between markers, the peak memory, and the peak of each device.
    """
    return [
        _step_row(base, new, thresholds),
        *_whole_step(base, new, thresholds),
        *_peak_rows(base, new, thresholds),
    ]


def kernel_pairs(base: Sequence[Profile], new: Sequence[Profile]) -> KernelPairs:
    """Match the kernels of the first run of each side; further runs are not read.

    Raises IndexError for an empty side.
    """
    return paired_kernels(base[0].table, new[0].table)


def profile_causes(
    base: Profile, new: Profile, pairs: KernelPairs, rows: Sequence[ResultRow]
) -> list[Cause]:
    """List the causes of a change of the kernel time per step, in ns, largest first; [] without
    any, and if only one side has steps.

    Causes are kernels that only one side has (born, gone), and matching kernels whose time in a
    counted step changed: slower or faster if their runs did significantly, else takes_longer or
    takes_less. Kernels below _MIN_CAUSE (1 %) of the sum of all changes are left out.
    """
    if bool(len(base.steps)) != bool(len(new.steps)):
        return []
    judged = {row.key: row.judged.verdict for row in rows if row.level == "kernel"}
    before = base.kernel_step_times
    after = new.kernel_step_times
    causes = [_cause("born", name, after.get(name, 0.0)) for name in pairs.only_new]
    causes += [_cause("gone", name, -before.get(name, 0.0)) for name in pairs.only_base]
    for base_name, new_name, _ in pairs.matched:
        change = after.get(new_name, 0.0) - before.get(base_name, 0.0)
        verdict = judged.get(key_of(base_name, new_name), "")
        causes.append(_cause(_change_name(change, verdict), new_name, change))
    total = sum(abs(cause.amount) for cause in causes)
    return largest_first(
        [cause for cause in causes if cause.amount and abs(cause.amount) >= _MIN_CAUSE * total]
    )


def _cause(what: str, name: str, amount: float) -> Cause:
    return Cause("kernel_time", what, name, amount, "ns")


def _change_name(change: float, verdict: str) -> str:
    """Name the change of a kernel's time in a step; `verdict` is that of its runs."""
    if change > 0:
        return "slower" if verdict == "regressed" else "takes_longer"
    return "faster" if verdict == "improved" else "takes_less"


def _step_row(base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds) -> ResultRow:
    metric = PROFILE["kernel_time"]
    about = RowTopic.of(metric, thresholds)
    sides = [[profile.of_steps for profile in side] for side in (base, new)]
    samples = [[steps for steps, _ in side] for side in sides]
    shown = (
        _middle([median for _, median in sides[0]]),
        _middle([median for _, median in sides[1]]),
    )
    row = sampled_row(about, samples[0], samples[1], shown)
    row = _guard_wide_row(
        row, *(np.concatenate([steps.values for steps in side]) for side in samples)
    )
    reasons = filter(None, (row.judged.reason, _other_work(base, new)))
    return row.with_verdict(Judged(row.judged.verdict, "; ".join(reasons)))


def _whole_step(
    base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds
) -> list[ResultRow]:
    """Compare the time between markers in a list of a single row; [] if neither side has steps."""
    sides = [[profile.step_durations for profile in side] for side in (base, new)]
    shown = (
        _middle([median for _, median in sides[0]]),
        _middle([median for _, median in sides[1]]),
    )
    if shown == (None, None):
        return []
    samples = [[steps for steps, _ in side] for side in sides]
    row = sampled_row(RowTopic.of(PROFILE["step_time"], thresholds), samples[0], samples[1], shown)
    row = _guard_wide_row(
        row, *(np.concatenate([steps.values for steps in side]) for side in samples)
    )
    return [_guard_machine_state(row, min(len(base), len(new)))]


def _guard_machine_state(row: ResultRow, runs: int) -> ResultRow:
    """Return the row with a change made undecided when `runs` is below MIN_RUNS, since all steps of
    a run share the state of its machine; else the row unchanged.

    When a program was captured twice on the same machine, its steps differed by a third, as most of
    a step is spent on the host.
    """
    if runs >= MIN_RUNS or row.judged.verdict not in ("improved", "regressed"):
        return row
    why = (
        f"all steps of a run share the state of its machine, so {MIN_RUNS} runs per side are needed"
    )
    return row.with_verdict(Judged("undecided", why))


def _peak_rows(
    base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds
) -> list[ResultRow]:
    """Compare the highest peak memory of any device, then each device if there are several; [] if
    a side has no peak, as its file does not tell any.
    """
    metric = PROFILE["peak_memory"]
    peaks = [[profile.peaks for profile in side] for side in (base, new)]
    if not all(any(side) for side in peaks):
        return []
    highest = [
        _middle([max(run_peaks.values(), default=None) for run_peaks in side]) for side in peaks
    ]
    rows = [exact_row(RowTopic.of(metric, thresholds), (highest[0], highest[1]))]
    devices = sorted({device for side in peaks for run_peaks in side for device in run_peaks})
    if len(devices) < 2:
        return rows
    for device in devices:
        shown = [_middle([run_peaks.get(device) for run_peaks in side]) for side in peaks]
        reason = "" if None not in shown else f"{device} is used on only one side"
        about = RowTopic.of(metric, thresholds, "device", device)
        rows.append(exact_row(about, (shown[0], shown[1]), reason))
    return rows


def _kernel_row(
    base: Sequence[Profile], new: Sequence[Profile], names: tuple[str, str], thresholds: Thresholds
) -> ResultRow | None:
    """Compare the steady time of a kernel, given by its two names; `None` if a side has only its
    first run.
    """
    sides = [
        [profile.durations.get(name, np.empty(0)) for profile in side]
        for side, name in zip((base, new), names, strict=True)
    ]
    joined = [np.concatenate(side) for side in sides]
    if not all(map(len, joined)):
        return None
    samples = [
        [Samples(values, np.arange(len(values)), "run") for values in side if len(values)]
        for side in sides
    ]
    shown = float(np.median(joined[0])), float(np.median(joined[1]))
    row = sampled_row(
        RowTopic.of(STEADY, thresholds, "kernel", key_of(*names)), samples[0], samples[1], shown
    )
    return _guard_wide_row(row, joined[0], joined[1])


def _guard_wide_row(row: ResultRow, base: Floats, new: Floats) -> ResultRow:
    """Return the row with a change made undecided when the durations of a side spread so widely
    that other work must have disturbed them: the 75th percentile is above 1.5 times the 10th.

    The row is unchanged when the 90th percentile of the lower side is below the 10th of the higher
    side.
    """
    if row.judged.verdict not in ("improved", "regressed") or not (_is_wide(base) or _is_wide(new)):
        return row
    low, high = sorted((base, new), key=np.median)
    if np.quantile(low, 0.9) < np.quantile(high, 0.1):
        return row
    reason = f"disturbed: on one side the 75th percentile of durations is above {_MAX_SPREAD} times the 10th"
    return row.with_verdict(Judged("undecided", reason))


def _is_wide(values: Floats) -> bool:
    low, high = np.quantile(values, (0.1, 0.75))
    return bool(high > _MAX_SPREAD * low)


def _other_work(base: Sequence[Profile], new: Sequence[Profile]) -> str:
    """Describe a number of operations per step that differs by more than 1 %, in percent of the
    base; "" if it is equal or unknown.
    """
    base_work, new_work = (_middle([profile.work for profile in side]) for side in (base, new))
    if not base_work or not new_work or abs(new_work / base_work - 1) <= _OTHER_WORK:
        return ""
    return f"operations per step differ by {decimals(100 * (new_work / base_work - 1), 1, signed=True)} %"


def _middle(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return float(np.median(numbers)) if numbers else None
