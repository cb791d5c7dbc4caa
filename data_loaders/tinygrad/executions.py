"""Executions of a tinygrad capture: what ran on a device or a copy engine, when, and what it computed and moved.

An execution is joined to the last launch of the same kernel on its device before it. A kernel of a graph has only the
launch that the graph was made from: the values of its variables are those of that time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from data_loaders.tinygrad.capture import BATCHED, GRAPH, Capture
from data_loaders.tinygrad.columns import Integers, category, integers, nullable_integers, numbers, texts
from data_loaders.tinygrad.estimates import Estimate
from data_loaders.tinygrad.labels import Labels
from data_loaders.tinygrad.launches import Launches, metadata
from data_loaders.tinygrad.match import last_before
from data_loaders.tinygrad.names import colours, function_name, plain
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.timeline import Timeline

MISSING = ("", "rewrites", "program", "estimate", "values")
"""Why an execution has no operations: there is no rewrites.pkl, its program is not in it, the capture does not say what
the program computes, or it depends on variables whose values are not known. Empty for copies and where it has them."""

_ROWS = ("device", "copy", "disk")
_MICROSECOND = 1000
_UNKNOWN = -1


@dataclass(frozen=True)
class Executions:
    """What ran, in the order of the timeline; `place` is an interval's place there.

    `launch` and `program` are ranks, -1 for none; `name` is a place in `names`, which have colours.
    """

    place: Integers
    name: Integers
    names: list[str]
    copy: npt.NDArray[np.bool_]
    batched: npt.NDArray[np.bool_]
    copied: Integers
    launch: Integers
    program: Integers


def read_executions(
    capture: Capture, line: Timeline, labels: Labels, launches: Launches, programs: Sequence[Program]
) -> Executions:
    """Return what ran on devices and copy engines, joined to launches and programs."""
    spans = capture.spans
    runs = np.isin(np.array(line.kinds), _ROWS)[line.row] & (integers(spans.kind)[line.span] != GRAPH)
    place = np.flatnonzero(runs)
    span = line.span[place]
    label = integers(spans.label)[span]
    arrows = np.array([" -> " in name for name in labels.names], np.bool_)[label]
    engine = (np.array(line.kinds) == "copy")[line.row[place]]
    functions = [function_name(name) for name in labels.names]
    codes = {name: code for code, name in enumerate(dict.fromkeys([*functions, *launches.function]))}
    of = integers(codes[name] for name in functions)[label]
    launch = last_before(
        launches.device * len(codes) + integers(codes[name] for name in launches.function),
        launches.start // _MICROSECOND,
        integers(spans.track)[span] * len(codes) + of,
        line.start[place] // _MICROSECOND,
    )
    return Executions(
        place=place,
        name=label,
        names=labels.names,
        copy=np.array(spans.copy, np.bool_)[span] | arrows | engine,
        batched=integers(spans.kind)[span] == BATCHED,
        copied=integers(spans.copied)[span],
        launch=launch,
        program=_programs(labels, functions, programs)[label],
    )


def _programs(labels: Labels, functions: Sequence[str], programs: Sequence[Program]) -> Integers:
    """Return the program of each label: that of its context, else the one of its function."""
    of_context = {program.context: rank for rank, program in enumerate(programs)}
    of_function = {program.function: rank for rank, program in enumerate(programs)}
    return integers(
        of_context.get(context, of_function.get(function, _UNKNOWN))
        for context, function in zip(labels.contexts, functions, strict=True)
    )


def executions_frame(
    runs: Executions, line: Timeline, launches: Launches, programs: Sequence[Program], rewrites: bool
) -> pd.DataFrame:
    """Return a row per execution, by row of the timeline and start.

    Columns: track, kernel (rank on its track), name, colours, start, end, duration (ns), copy, batched (bool), run (nth
    of its name on its track, from 1), launch, program (Int64), operations, memory_bytes, moved_bytes (Int64, of one
    run; memory counts each buffer once, moved every load and store), copied_bytes (Int64), metadata (str), missing
    (one of MISSING).
    """
    row, start, end = line.row[runs.place], line.start[runs.place], line.end[runs.place]
    shown = [plain(name) for name in runs.names]
    frame = pd.DataFrame(
        {
            "track": category(row, line.rows),
            "kernel": np.arange(len(row)) - np.searchsorted(row, np.arange(len(line.rows)))[row],
            "name": _named(runs.name, shown),
            "colours": _named(runs.name, [colours(name) for name in runs.names]),
            "start": start,
            "end": end,
            "duration": end - start,
            "copy": runs.copy,
            "batched": runs.batched,
        }
    )
    frame["run"] = frame.groupby(["track", "name"], observed=True).cumcount() + 1
    frame["launch"], frame["program"] = nullable_integers(runs.launch), nullable_integers(runs.program)
    work, missing = _work(runs, launches, programs, rewrites)
    for name, values in zip(("operations", "memory_bytes", "moved_bytes"), work.T, strict=True):
        frame[name] = nullable_integers(np.ascontiguousarray(values))
    frame["copied_bytes"] = nullable_integers(runs.copied)
    said = [*(metadata(launch.said) for launch in launches.launches), ""]
    frame["metadata"] = texts(said[launch] for launch in runs.launch.tolist())
    frame["missing"] = category(missing, MISSING)
    return frame


def _named(codes: Integers, names: Sequence[str]) -> pd.Categorical:
    """Return names that are not distinct as a category."""
    distinct = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return category(integers(distinct[name] for name in names)[codes], list(distinct))


def _work(
    runs: Executions, launches: Launches, programs: Sequence[Program], rewrites: bool
) -> tuple[Integers, Integers]:
    """Return operations, memory and moved bytes of every execution (-1: not known), and the place in MISSING."""
    fixed = [_numbers(program, {}) for program in programs]
    table = np.array([numbers or _NO_NUMBERS for numbers in fixed] + [_NO_NUMBERS], np.int64)
    work = table[runs.program]
    says = np.array([program.estimate is not None for program in programs] + [False], np.bool_)
    symbolic = np.flatnonzero((work[:, 0] < 0) & says[runs.program] & (runs.launch >= 0))
    work[symbolic] = _evaluated(runs, symbolic, launches, programs)
    missing = np.where(runs.program < 0, 2 if rewrites else 1, np.where(says[runs.program], 4, 3 if rewrites else 1))
    return work, np.where(runs.copy | (work[:, 0] >= 0), 0, missing)


_NO_NUMBERS = Estimate(_UNKNOWN, _UNKNOWN, _UNKNOWN)
_MOST = 2**62


def _numbers(program: Program, values: Mapping[str, int]) -> Estimate | None:
    """Return what an execution of a program comes to; None where it cannot be told or is no size."""
    found = program.estimate(values) if program.estimate else None
    return found if found and all(0 <= number < _MOST for number in found) else None


def _evaluated(runs: Executions, places: Integers, launches: Launches, programs: Sequence[Program]) -> Integers:
    """Return the numbers of executions whose sizes depend on variables; each set of values is computed once."""
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
    for column, name in enumerate(("operations", "memory_bytes", "moved_bytes")):
        work = (
            rate[column] * time if rate[column] is not None else None for rate, time in zip(known, seconds, strict=True)
        )
        filled[name] = numbers(None if value is None else round(value) for value in work)
    filled.loc[filled["operations"].notna(), "missing"] = ""
    return filled
