"""The registry of frames, and functions that make and check frames of the schema.

Times are int64 ticks of the run's clock, sizes and addresses are int64 bytes, and intervals are
half-open [start, end).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd
from pandas.api.extensions import ExtensionArray

from schema.allocation_totals import ALLOCATION_TOTALS
from schema.designs import DESIGN_FRAMES
from schema.device_memory import DEVICE_MEMORY, MEMORY_POOLS, MEMORY_SEGMENTS, OUT_OF_MEMORY
from schema.device_times import DEVICE_TIMES, IDLE_GAPS, IDLE_TIMES
from schema.graphs import (
    GRAPH_EDGES,
    GRAPH_NODES,
    GRAPH_SNAPSHOT_EDGES,
    GRAPH_SNAPSHOTS,
    REWRITE_MATCHES,
)
from schema.machine_code import BASIC_BLOCKS, BLOCK_EDGES, DISASSEMBLY, MACHINE_CODE
from schema.memory import (
    ALLOCATIONS,
    ATTEMPTS,
    BUFFER_ORIGINS,
    BUFFER_USES,
    OCCUPANCY,
    STEPS,
    STORED_OCCUPANCY,
    UNREAD_LINES,
)
from schema.predictions import PREDICTION_FRAMES
from schema.programs import (
    CALLS,
    CONTEXTS,
    EVENT_LINKS,
    LAUNCHES,
    MARKERS,
    OPERATOR_SHAPES,
    OPERATORS,
    PROGRAM_CANDIDATES,
    PROGRAM_OPTIONS,
    PROGRAMS,
    REWRITE_STEPS,
)
from schema.results import RESULT_SAMPLES, RESULTS
from schema.runs import DIAGNOSTICS, RUN
from schema.spec import DERIVED, Column, FrameSpec
from schema.thread_traces import INSTRUCTION_COSTS, THREAD_TRACES, WAVE_INSTRUCTIONS, WAVES
from schema.tiling import OPERATOR_COUNTERS, TILE_TIMES, TILES, TILINGS, TRANSFERS
from schema.timeline import (
    ACTIVITY,
    COUNTERS,
    EVENTS,
    ITERATION_PARTS,
    ITERATIONS,
    KERNEL_TOTALS,
    KERNELS,
    PROGRAM_COUNTERS,
    STEP_TIMES,
    TRACKS,
    TRAINING_STEPS,
)

# Most tables with text are small, and there pandas takes a third less time for Python's strings than for Arrow's.
pd.set_option("mode.string_storage", "python")

LONG = 50_000
"""Number of rows from which a frame shares memory with its arrays and is not copied.

A shorter frame holds its columns of one dtype in one block, so that its rows are selected in one
step.
"""

_MAX_CACHED_ROWS = 32
"""Maximum number of rows for which a column of default values is cached; frames copy it."""

Frames = Mapping[str, pd.DataFrame]
"""Frames of a run by name."""
FRAMES: Mapping[str, FrameSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            *(RUN, TRACKS, EVENTS, PROGRAM_COUNTERS),
            *(
                ITERATIONS,
                KERNEL_TOTALS,
                KERNELS,
                ACTIVITY,
                ITERATION_PARTS,
                TRAINING_STEPS,
                STEP_TIMES,
            ),
            *(DEVICE_TIMES, IDLE_TIMES, IDLE_GAPS),
            *(
                LAUNCHES,
                OPERATORS,
                OPERATOR_SHAPES,
                PROGRAMS,
                PROGRAM_CANDIDATES,
                PROGRAM_OPTIONS,
                COUNTERS,
                MARKERS,
                CONTEXTS,
                REWRITE_STEPS,
                CALLS,
                EVENT_LINKS,
            ),
            *(GRAPH_NODES, GRAPH_EDGES, REWRITE_MATCHES, GRAPH_SNAPSHOTS, GRAPH_SNAPSHOT_EDGES),
            *(MACHINE_CODE, DISASSEMBLY, BASIC_BLOCKS, BLOCK_EDGES),
            *(THREAD_TRACES, WAVES, WAVE_INSTRUCTIONS, INSTRUCTION_COSTS),
            *(ATTEMPTS, ALLOCATIONS, OCCUPANCY, STORED_OCCUPANCY, STEPS),
            *(BUFFER_USES, BUFFER_ORIGINS, UNREAD_LINES),
            ALLOCATION_TOTALS,
            *(DEVICE_MEMORY, MEMORY_POOLS, MEMORY_SEGMENTS, OUT_OF_MEMORY),
            *(TILINGS, TILES, TRANSFERS, TILE_TIMES, OPERATOR_COUNTERS),
            *DESIGN_FRAMES,
            *PREDICTION_FRAMES,
            *(RESULTS, RESULT_SAMPLES),
            DIAGNOSTICS,
        )
    }
)


def _version() -> str:
    """Hash the names and dtypes of all stored columns to a text of 8 hex digits; derived frames are
    not part of it.
    """
    # Derived frames are computed on demand, so that a change of them needs no new ingest.
    stored = [spec for spec in FRAMES.values() if spec.origin != DERIVED]
    text = "\n".join(
        f"{spec.name} {column.name} {column.dtype}" for spec in stored for column in spec.every
    )
    return hashlib.sha256(text.encode()).hexdigest()[:8]


SCHEMA_VERSION = _version()
"""Version of the stored columns. A run with another version is read again when its file is ingested
again.
"""


def conform(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the rows of `frame`, cast to the columns and dtypes of the schema's frame
    `name`, in the order of the schema.

    A missing column that may be null is filled with nulls (text: ""). If columns and dtypes already
    agree, the result is a shallow copy that shares the data. Raises ValueError if a column that may
    not be null is missing, or a column is unknown or cannot be cast.
    """
    present = set(frame.columns)
    wanted = _expected_columns(name, present)
    if _has_columns(frame, wanted):
        # The copy shares the data, but columns that are added to it do not reach the caller's
        # frame.
        return frame.copy(deep=False)
    typed = {
        c.name: _column_values(frame[c.name], c.dtype)
        if c.name in present
        else _blank(c.dtype, len(frame))
        for c in wanted
    }
    return pd.DataFrame(typed, index=frame.index)


def _has_columns(frame: pd.DataFrame, wanted: Sequence[Column]) -> bool:
    """Return whether names, order and dtypes of a frame's columns are those that it must have."""
    if [*frame.columns] != [column.name for column in wanted]:
        return False
    return [str(dtype) for dtype in frame.dtypes] == [column.dtype for column in wanted]


def _column_values(series: pd.Series, dtype: str) -> ExtensionArray:
    """Return the values of a column as an extension array of `dtype`; they are not copied if they
    have it already.

    pandas builds a frame from extension arrays in half the time that it needs for Series.
    """
    return series.array if str(series.dtype) == dtype else series.astype(dtype).array


def build_frame(name: str, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Build frame `name` from arrays or lists of equal length, with a row per element and the
    columns in the order of the schema.

    Values of another dtype are cast, and a missing column that may be null is filled with nulls
    (text: ""). A frame of at least LONG (50,000) rows shares the memory of the arrays. Raises
    ValueError if a column that may not be null is missing, or a column is unknown or cannot be
    cast.
    """
    wanted = _expected_columns(name, set(columns))
    length = len(next(iter(columns.values())))
    typed = {
        column.name: _cast(columns[column.name], column.dtype)
        if column.name in columns
        else _blank(column.dtype, length)
        for column in wanted
    }
    return pd.DataFrame(typed, copy=length < LONG)


def _cast(values: Any, dtype: str) -> Any:  # noqa: ANN401 - any array of pandas or numpy
    return values if str(getattr(values, "dtype", "")) == dtype else pd.array(values, dtype=dtype)


def _expected_columns(name: str, given: set[str]) -> tuple[Column, ...]:
    """List the columns that frame `name` must have if it has the columns `given`: all of every
    source, and the `further` columns if `given` has any of them.

    Raises ValueError if such a column is missing and may not be null, or if `given` has an unknown
    column.
    """
    wanted = FRAMES[name].required_columns(given)
    missing = [c.name for c in wanted if c.name not in given and not c.nullable]
    unknown = sorted(given - {column.name for column in wanted})
    if missing or unknown:
        raise ValueError(f"frame {name}: missing columns {missing}, unknown columns {unknown}")
    return wanted


def fill_frame(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Convert a stored frame of another release to today's columns, to the `further` columns only
    if it has any of them; a frame that has today's columns is returned itself.

    A missing column that may be null is filled with nulls; columns that the schema does not know
    are dropped. Raises ValueError if a column that may not be null is missing, or if a column
    cannot be cast.
    """
    wanted = FRAMES[name].required_columns(set(frame.columns))
    if _has_columns(frame, wanted):
        return frame
    shared = frame[[column.name for column in wanted if column.name in frame.columns]]
    nulls = {
        c.name: _blank(c.dtype, len(frame))
        for c in wanted
        # Without a null there is no safe value: `conform` then refuses the frame.
        if c.nullable and c.name not in frame.columns
    }
    return conform(name, shared.assign(**nulls))


def complete(name: str, columns: Mapping[str, object]) -> pd.DataFrame:
    """Build frame `name` from some of its columns (name -> array, all of equal length).

    A column that is not in `columns` is "" if its dtype is str, False if bool, 0 if int64, and null
    for every other dtype. The frame has its `further` columns only if `columns` has any of them.
    Raises ValueError if a column is unknown, if lengths differ, or if a value cannot be cast.
    """
    frame = pd.DataFrame(dict(columns))
    present = set(frame.columns)
    wanted = _expected_columns(
        name, present | {c.name for c in FRAMES[name].required_columns(present)}
    )
    typed = {
        c.name: _column_values(frame[c.name], c.dtype)
        if c.name in present
        else _blank(c.dtype, len(frame))
        for c in wanted
    }
    return pd.DataFrame(typed, index=frame.index)


def frame_of_records(name: str, records: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Build frame `name` from a mapping per row with equal keys; an absent column is as `complete`
    fills it.

    Whole numbers beside None stay exact.
    """
    dtypes = {column.name: column.dtype for column in FRAMES[name].every}
    keys = records[0] if records else FRAMES[name].names
    columns = {
        key: pd.array([record[key] for record in records], dtype=dtypes[key]) for key in keys
    }
    return complete(name, columns)


def _blank(dtype: str, length: int) -> ExtensionArray:
    return (_short_blank if length <= _MAX_CACHED_ROWS else _new_blank)(dtype, length)


def _new_blank(dtype: str, length: int) -> ExtensionArray:
    blanks: Mapping[str, object] = {"str": "", "bool": False, "int64": 0}
    return pd.Series(blanks.get(dtype), index=range(length), dtype=dtype).array


_short_blank = cache(_new_blank)


def empty(name: str) -> pd.DataFrame:
    """Build frame `name` without rows, with the columns that every source has (not the `further`
    columns).
    """
    # The cached frame is shared, and a caller may add columns to its copy.
    return _empty(name).copy(deep=False)


@cache
def _empty(name: str) -> pd.DataFrame:
    return pd.DataFrame({c.name: pd.Series([], dtype=c.dtype) for c in FRAMES[name].columns})
