"""Profiles against each other: steps, kernels that belong together, memory of devices, and what made a step longer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.comparison.cause import Cause, largest_first
from analysis.comparison.kernel_pairs import KernelPairs, paired_kernels
from analysis.comparison.profile import Profile
from analysis.comparison.rows import ResultRow, RowSubject, Thresholds, exact_row
from analysis.comparison.sampled import Samples, families, sampled_row
from analysis.comparison.verdict import Judged
from analysis.statistics.ratio import LEAST_RUNS
from schema.array_types import Floats
from schema.comparison import PROFILE, STEADY
from schema.decimals import decimals

_MOST_SPREAD = 1.5
"""75th over 10th percentile of durations, above which something else disturbed them."""
_OTHER_WORK = 0.01


def profile_rows(
    base: Sequence[Profile], new: Sequence[Profile], pairs: KernelPairs, thresholds: Thresholds
) -> list[ResultRow]:
    """Return the rows of the runs, of their devices, and of the kernels that belong together."""
    rows = profile_run_rows(base, new, thresholds)
    kernels = [_kernel_row(base, new, (one, other), thresholds) for one, other, _ in pairs.matched]
    return [*rows, *families([row for row in kernels if row is not None])]


def profile_run_rows(base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds) -> list[ResultRow]:
    """Return the rows of the runs as wholes and of their devices."""
    return [_step_row(base, new, thresholds), *_whole_step(base, new, thresholds), *_peak_rows(base, new, thresholds)]


def kernel_pairs(base: Sequence[Profile], new: Sequence[Profile]) -> KernelPairs:
    """Return the kernels that belong together, by the first run of each side."""
    return paired_kernels(base[0].table, new[0].table)


def profile_causes(base: Profile, new: Profile, pairs: KernelPairs, rows: Sequence[ResultRow]) -> list[Cause]:
    """Return what changed the kernel time of a step, in ns, the largest first.

    Kernels that are there on one side alone, and those of both whose change can be believed.
    """
    decided = {row.key for row in rows if row.level == "kernel" and row.judged.verdict in ("improved", "regressed")}
    found = [Cause("kernel_time", "born", name, new.time_of(name), "ns") for name in pairs.only_new]
    found += [Cause("kernel_time", "gone", name, -base.time_of(name), "ns") for name in pairs.only_base]
    for one, other, _ in pairs.matched:
        if _key(one, other) in decided:
            change = new.time_of(other) - base.time_of(one)
            found.append(Cause("kernel_time", "slower" if change > 0 else "faster", other, change, "ns"))
    return largest_first(found)


def _step_row(base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds) -> ResultRow:
    metric = PROFILE["kernel_time"]
    about = RowSubject.of(metric, thresholds)
    sides = [[profile.of_steps for profile in side] for side in (base, new)]
    samples = [[one for one, _ in side] for side in sides]
    shown = _middle([one for _, one in sides[0]]), _middle([one for _, one in sides[1]])
    row = sampled_row(about, samples[0], samples[1], shown)
    row = _guard_wide_row(row, *(np.concatenate([one.values for one in side]) for side in samples))
    other_work = _other_work(base, new)
    return row.judged_as(Judged(row.judged.verdict, "; ".join(filter(None, (row.judged.reason, other_work)))))


def _whole_step(base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds) -> list[ResultRow]:
    """Return the row of the time between markers; none where neither side has steps."""
    sides = [[profile.step_durations for profile in side] for side in (base, new)]
    shown = _middle([one for _, one in sides[0]]), _middle([one for _, one in sides[1]])
    if shown == (None, None):
        return []
    samples = [[one for one, _ in side] for side in sides]
    row = sampled_row(RowSubject.of(PROFILE["step_time"], thresholds), samples[0], samples[1], shown)
    row = _guard_wide_row(row, *(np.concatenate([one.values for one in side]) for side in samples))
    return [_guard_machine_state(row, min(len(base), len(new)))]


def _guard_machine_state(row: ResultRow, runs: int) -> ResultRow:
    """Return the row undecided where a side has too few runs: all steps of one run share the state of its machine.

    A program captured twice on one machine has steps that differ by a third, as most of a step is its host's time.
    """
    if runs >= LEAST_RUNS or row.judged.verdict not in ("improved", "regressed"):
        return row
    why = f"all steps of a run share the state of its machine, so that {LEAST_RUNS} runs a side are needed"
    return row.judged_as(Judged("undecided", why))


def _peak_rows(base: Sequence[Profile], new: Sequence[Profile], thresholds: Thresholds) -> list[ResultRow]:
    """Return the rows of the device with the highest peak, and of each where there are several."""
    metric = PROFILE["peak_memory"]
    peaks = [[profile.peaks for profile in side] for side in (base, new)]
    highest = [_middle([max(one.values(), default=None) for one in side]) for side in peaks]
    rows = [] if highest == [None, None] else [exact_row(RowSubject.of(metric, thresholds), (highest[0], highest[1]))]
    devices = sorted({device for side in peaks for one in side for device in one})
    if len(devices) < 2:
        return rows
    for device in devices:
        shown = [_middle([one.get(device) for one in side]) for side in peaks]
        reason = "" if None not in shown else f"{device} is used on one side alone"
        rows.append(exact_row(RowSubject.of(metric, thresholds, "device", device), (shown[0], shown[1]), reason))
    return rows


def _kernel_row(
    base: Sequence[Profile], new: Sequence[Profile], names: tuple[str, str], thresholds: Thresholds
) -> ResultRow | None:
    """Return the row of a kernel; none where a side has its first run alone."""
    sides = [
        [profile.durations.get(name, np.empty(0)) for profile in side]
        for side, name in zip((base, new), names, strict=True)
    ]
    joined = [np.concatenate(side) for side in sides]
    if not all(map(len, joined)):
        return None
    samples = [[Samples(values, np.arange(len(values)), "run") for values in side if len(values)] for side in sides]
    shown = float(np.median(joined[0])), float(np.median(joined[1]))
    row = sampled_row(RowSubject.of(STEADY, thresholds, "kernel", _key(*names)), samples[0], samples[1], shown)
    return _guard_wide_row(row, joined[0], joined[1])


def _key(one: str, other: str) -> str:
    return one if one == other else f"{one} -> {other}"


def _guard_wide_row(row: ResultRow, base: Floats, new: Floats) -> ResultRow:
    """Return the row, undecided where durations of either side are so wide that something else ran beside them.

    Unless the two lie wholly apart.
    """
    if row.judged.verdict not in ("improved", "regressed") or not (_is_wide(base) or _is_wide(new)):
        return row
    low, high = sorted((base, new), key=np.median)
    if np.quantile(low, 0.9) < np.quantile(high, 0.1):
        return row
    reason = f"disturbed: on one side the 75th percentile of durations is above {_MOST_SPREAD} times the 10th"
    return row.judged_as(Judged("undecided", reason))


def _is_wide(values: Floats) -> bool:
    low, high = np.quantile(values, (0.1, 0.75))
    return bool(high > _MOST_SPREAD * low)


def _other_work(base: Sequence[Profile], new: Sequence[Profile]) -> str:
    """Return that a step computes more or less, in words; empty where it does not, or that is not known."""
    one, other = (_middle([profile.work for profile in side]) for side in (base, new))
    if not one or not other or abs(other / one - 1) <= _OTHER_WORK:
        return ""
    return f"operations per step differ by {decimals(100 * (other / one - 1), 1, signed=True)} %"


def _middle(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None
