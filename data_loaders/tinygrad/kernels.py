"""Frame `kernels` of a tinygrad capture: what each execution computed and moved, and how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from data_loaders.tinygrad.columns import Integers, category, integers, nullable_integers, numbers, texts
from data_loaders.tinygrad.estimates import Estimate
from data_loaders.tinygrad.executions import Executions
from data_loaders.tinygrad.launches import Launches
from data_loaders.tinygrad.names import colours, plain
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.timeline import Timeline
from schema.frames import complete

MISSING = ("", "rewrites", "program", "estimate", "values")
"""Why an execution has no operations: there is no rewrites.pkl, its program is not in it, the capture does not say what
the program computes, or it depends on variables whose values are not known. Empty for copies and where it has them."""
WORK = ("operations", "memory_bytes", "moved_bytes")
_UNKNOWN = -1


def kernels_frame(
    runs: Executions, line: Timeline, launches: Launches, programs: Sequence[Program], rewrites: bool
) -> pd.DataFrame:
    """Return frame `kernels`: executions by row of the timeline and start.

    `rewrites`: whether there are any.
    """
    row, start, end = line.row[runs.place], line.start[runs.place], line.end[runs.place]
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
    said = [*launches.metadata, ""]
    columns["metadata"] = texts(said[launch] for launch in runs.launch.tolist())
    columns["missing"] = category(missing, MISSING)
    frame = complete("kernels", columns)
    turn = frame.groupby(["track", "name"], observed=True).cumcount() + 1
    return _add_rates(frame.assign(run=turn.astype("Int64")))


def _add_rates(frame: pd.DataFrame) -> pd.DataFrame:
    """Return frame `kernels` with what each execution computed and moved per second.

    Null where it took no time.
    """
    seconds = frame["duration"].to_numpy(np.float64, na_value=np.nan) * 1e-9
    seconds[seconds <= 0] = np.nan
    moved = frame["memory_bytes"].fillna(frame["copied_bytes"])
    work = {"flops": frame["operations"], "memory_rate": moved, "moved_rate": frame["moved_bytes"]}
    return frame.assign(
        **{name: values.to_numpy(np.float64, na_value=np.nan) / seconds for name, values in work.items()}
    )


def _name_categories(codes: Integers, names: Sequence[str]) -> pd.Categorical:
    """Return names that are not distinct as a category."""
    distinct = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return category(integers(distinct[name] for name in names)[codes], list(distinct))


def _work(
    runs: Executions, launches: Launches, programs: Sequence[Program], rewrites: bool
) -> tuple[Integers, Integers]:
    """Return operations, memory and moved bytes of every execution (-1: not known), and the place
    in MISSING.
    """
    fixed = [_numbers(program, {}) for program in programs]
    table = np.array([numbers or _NO_NUMBERS for numbers in fixed] + [_NO_NUMBERS], np.int64)
    work = table[runs.program]
    says = np.array([program.estimate is not None for program in programs] + [False], np.bool_)
    symbolic = np.flatnonzero((work[:, 0] < 0) & says[runs.program] & (runs.launch >= 0))
    work[symbolic] = _evaluate_sizes(runs, symbolic, launches, programs)
    missing = np.where(runs.program < 0, 2 if rewrites else 1, np.where(says[runs.program], 4, 3 if rewrites else 1))
    for name, candidates in enumerate(runs.candidates):
        if candidates:
            places = np.flatnonzero((runs.name == name) & (runs.program < 0))
            work[places] = _agreed_numbers(runs, places, candidates, launches, programs)
    return work, np.where(runs.copy | (work[:, 0] >= 0), 0, missing)


def _agreed_numbers(
    runs: Executions, places: Integers, candidates: Sequence[int], launches: Launches, programs: Sequence[Program]
) -> Integers:
    """Return the numbers that all programs agree on of which executions ran one; -1 where they do
    not.
    """
    said = []
    for rank in candidates:
        ran = replace(runs, program=np.full(len(runs.program), rank))
        fixed = _numbers(programs[rank], {})
        if fixed is None and programs[rank].estimate is not None:
            work = np.full((len(places), 3), _UNKNOWN)
            launched = np.flatnonzero(runs.launch[places] >= 0)
            work[launched] = _evaluate_sizes(ran, places[launched], launches, programs)
        else:
            work = np.tile(np.array(fixed or _NO_NUMBERS, np.int64), (len(places), 1))
        said.append(work)
    agreed = (np.stack(said) == said[0]).all(axis=0)
    return np.where(agreed, said[0], _UNKNOWN)


_NO_NUMBERS = Estimate(_UNKNOWN, _UNKNOWN, _UNKNOWN)
_MOST = 2**62


def _numbers(program: Program, values: Mapping[str, int]) -> Estimate | None:
    """Return the number for an execution of a program; None where it is unknown or no size."""
    found = program.estimate(values) if program.estimate else None
    return found if found and all(0 <= number < _MOST for number in found) else None


def _evaluate_sizes(runs: Executions, places: Integers, launches: Launches, programs: Sequence[Program]) -> Integers:
    """Return the numbers of executions whose sizes depend on variables.

    Each set of values is computed once.
    """
    known: dict[tuple[int, tuple[tuple[str, int], ...]], Estimate] = {}
    rows = []
    for program, launch in zip(runs.program[places].tolist(), runs.launch[places].tolist(), strict=True):
        values = launches.values[launch]
        key = program, tuple(sorted(values.items()))
        if key not in known:
            known[key] = _numbers(programs[program], values) or _NO_NUMBERS
        rows.append(known[key])
    return np.array(rows, np.int64).reshape(-1, 3)


def with_rates(
    frame: pd.DataFrame, runs: Executions, line: Timeline, rates: Mapping[int, Sequence[float | None]]
) -> pd.DataFrame:
    """Return the executions with operations and bytes from rates per second; `rates` has an interval's place -> rates.

    The durations beside the rates are rounded to 7 digits, and so are the products.
    """
    spans, seconds = line.span[runs.place].tolist(), (frame["duration"] * 1e-9).tolist()
    known = [rates.get(span, (None, None, None)) for span in spans]
    filled = frame.copy()
    for column, name in enumerate(WORK):
        work = (
            rate[column] * time if rate[column] is not None else None for rate, time in zip(known, seconds, strict=True)
        )
        filled[name] = numbers(None if value is None else round(value) for value in work)
    filled.loc[filled["operations"].notna(), "missing"] = ""
    return _add_rates(filled)
