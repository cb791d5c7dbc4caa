"""Build frame `kernels` of a tinygrad capture: work and rates of each execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from data_loaders.tinygrad.columns import integers, nullable_integers, numbers, texts
from data_loaders.tinygrad.estimates import Estimate
from data_loaders.tinygrad.executions import Executions
from data_loaders.tinygrad.launches import Launches
from data_loaders.tinygrad.names import colours, plain
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.timeline import Timeline
from schema.array_types import Ints
from schema.arrays import category
from schema.frames import complete

MISSING = ("", "rewrites", "program", "estimate", "values")
"""Reasons why an execution has no operations.

They are: no rewrites.pkl, program not in it, no estimate of the program, unknown values of
variables. The reason is "" for copies and for executions with operations.
"""
WORK = ("operations", "memory_bytes", "moved_bytes")
_UNKNOWN = -1


def kernels_frame(
    runs: Executions,
    line: Timeline,
    launches: Launches,
    programs: Sequence[Program],
    rewrites: bool,
) -> pd.DataFrame:
    """Build frame `kernels`, a row per execution or copy, by track and start, with times in ns and
    rates per s.

    `rewrites` is True if there is a rewrites.pkl. Unknown numbers are null, and `missing` names the
    reason.
    """
    row = line.row[runs.place]
    start = line.start[runs.place]
    end = line.end[runs.place]
    columns: dict[str, object] = {
        "track": category(row, line.rows),
        "kernel": np.arange(len(row)) - np.searchsorted(row, np.arange(len(line.rows)))[row],
        "name": _name_categories(runs.name, [plain(name) for name in runs.names]),
        "colours": _name_categories(runs.name, [colours(name) for name in runs.names]),
        "start": start,
        "end": end,
        "duration": end - start,
        "kept": np.ones(len(row), np.bool_),
        "copy": runs.copy,
        "batched": runs.batched,
        "launch": nullable_integers(runs.launch),
        "program": nullable_integers(runs.program),
        "copied_bytes": nullable_integers(runs.copied),
    }
    work, missing = _work(runs, launches, programs, rewrites)
    for name, values in zip(WORK, work.T, strict=True):
        columns[name] = nullable_integers(np.ascontiguousarray(values))
    # Launch -1 (unknown) selects the last item.
    metadata = [*launches.metadata, ""]
    columns["metadata"] = texts(metadata[launch] for launch in runs.launch.tolist())
    columns["missing"] = category(missing, MISSING)
    frame = complete("kernels", columns)
    turn = frame.groupby(["track", "name"], observed=True).cumcount() + 1
    return _add_rates(frame.assign(run=turn.astype("Int64")))


def _add_rates(frame: pd.DataFrame) -> pd.DataFrame:
    """Add columns flops, memory_rate and moved_rate (operations and bytes per s) to a copy of frame
    `kernels`.

    Null if the duration is 0 or the number is unknown.
    """
    seconds = frame["duration"].to_numpy(np.float64, na_value=np.nan) * 1e-9
    seconds[seconds <= 0] = np.nan
    moved = frame["memory_bytes"].fillna(frame["copied_bytes"])
    work = {"flops": frame["operations"], "memory_rate": moved, "moved_rate": frame["moved_bytes"]}
    return frame.assign(
        **{
            name: values.to_numpy(np.float64, na_value=np.nan) / seconds
            for name, values in work.items()
        }
    )


def _name_categories(codes: Ints, names: Sequence[str]) -> pd.Categorical:
    """Build a categorical with an item per code.

    A code is an index into `names`, which may contain duplicates.
    """
    distinct = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return category(integers(distinct[name] for name in names)[codes], list(distinct))


def _work(
    runs: Executions, launches: Launches, programs: Sequence[Program], rewrites: bool
) -> tuple[Ints, Ints]:
    """Return an array (executions x 3) of operations, memory_bytes and moved_bytes, -1 if unknown,
    and an array of indices.

    The latter has the index into MISSING, the reason why operations are unknown, per execution; 0
    if they are known.
    """
    fixed = [_numbers(program, {}) for program in programs]
    # The last row is for rank -1, an unknown program.
    table = np.array([numbers or _NO_NUMBERS for numbers in fixed] + [_NO_NUMBERS], np.int64)
    work = table[runs.program]
    has_estimate = np.array(
        [program.estimate is not None for program in programs] + [False], np.bool_
    )
    symbolic = np.flatnonzero((work[:, 0] < 0) & has_estimate[runs.program] & (runs.launch >= 0))
    work[symbolic] = _evaluate_sizes(runs, symbolic, launches, programs)
    without_estimate = 3 if rewrites else 1
    missing = np.where(has_estimate[runs.program], 4, without_estimate)
    missing = np.where(runs.program < 0, 2 if rewrites else 1, missing)
    for name, candidates in enumerate(runs.candidates):
        if candidates:
            places = np.flatnonzero((runs.name == name) & (runs.program < 0))
            work[places] = _agreed_numbers(runs, places, candidates, launches, programs)
    return work, np.where(runs.copy | (work[:, 0] >= 0), 0, missing)


def _agreed_numbers(
    runs: Executions,
    places: Ints,
    candidates: Sequence[int],
    launches: Launches,
    programs: Sequence[Program],
) -> Ints:
    """Estimate operations, memory_bytes and moved_bytes of the executions at `places`.

    Shape (places, 3). A number is -1 if the candidate programs disagree on it or it is unknown.
    """
    estimates = []
    for rank in candidates:
        ran = replace(runs, program=np.full(len(runs.program), rank))
        fixed = _numbers(programs[rank], {})
        if fixed is None and programs[rank].estimate is not None:
            work = np.full((len(places), 3), _UNKNOWN)
            launched = np.flatnonzero(runs.launch[places] >= 0)
            work[launched] = _evaluate_sizes(ran, places[launched], launches, programs)
        else:
            work = np.tile(np.array(fixed or _NO_NUMBERS, np.int64), (len(places), 1))
        estimates.append(work)
    agreed = (np.stack(estimates) == estimates[0]).all(axis=0)
    return np.where(agreed, estimates[0], _UNKNOWN)


_NO_NUMBERS = Estimate(_UNKNOWN, _UNKNOWN, _UNKNOWN)
_MAX_SIZE = 2**62


def _numbers(program: Program, values: Mapping[str, int]) -> Estimate | None:
    """Estimate an execution of a program for these values of variables.

    `None` if the program has no estimate, or a number is unknown, negative or at least 2**62.
    """
    estimate = program.estimate(values) if program.estimate else None
    return estimate if estimate and all(0 <= number < _MAX_SIZE for number in estimate) else None


def _evaluate_sizes(
    runs: Executions, places: Ints, launches: Launches, programs: Sequence[Program]
) -> Ints:
    """Estimate operations, memory_bytes and moved_bytes of the executions at `places`, whose sizes
    are variable.

    The shape is (places, 3); unknown numbers are -1. Each set of values is evaluated only once.
    """
    estimates: dict[tuple[int, tuple[tuple[str, int], ...]], Estimate] = {}
    rows = []
    for program, launch in zip(
        runs.program[places].tolist(), runs.launch[places].tolist(), strict=True
    ):
        values = launches.values[launch]
        key = program, tuple(sorted(values.items()))
        if key not in estimates:
            estimates[key] = _numbers(programs[program], values) or _NO_NUMBERS
        rows.append(estimates[key])
    return np.array(rows, np.int64).reshape(-1, 3)


def with_rates(
    frame: pd.DataFrame,
    runs: Executions,
    line: Timeline,
    rates: Mapping[int, Sequence[float | None]],
) -> pd.DataFrame:
    """Return a copy of frame `kernels` with operations, memory_bytes and moved_bytes computed from
    an export's rates per second and durations.

    `rates` maps an interval's index to three rates; a missing rate gives null. The durations in the
    export are rounded to 7 digits, and so are the products.
    """
    seconds = (frame["duration"] * 1e-9).tolist()
    span_rates = [rates.get(span, (None, None, None)) for span in line.span[runs.place].tolist()]
    filled = frame.copy()
    for column, name in enumerate(WORK):
        values = [span_rate[column] for span_rate in span_rates]
        filled[name] = numbers(
            None if value is None else round(value * time)
            for value, time in zip(values, seconds, strict=True)
        )
    filled.loc[filled["operations"].notna(), "missing"] = ""
    return _add_rates(filled)
