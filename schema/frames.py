"""The one schema: every frame by its name, and frames that keep to it.

Times are int64 ticks of the run's clock, sizes and addresses int64 bytes, intervals half-open [start, end).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd
from pandas.api.extensions import ExtensionArray

from schema.graphs import GRAPH_EDGES, GRAPH_NODES, GRAPH_SNAPSHOT_EDGES, GRAPH_SNAPSHOTS, REWRITE_MATCHES
from schema.machine_code import BASIC_BLOCKS, BLOCK_EDGES, DISASSEMBLY, MACHINE_CODE
from schema.memory import ALLOCATIONS, ATTEMPTS, BUFFER_ORIGINS, BUFFER_USES, OCCUPANCY, STEPS, UNREAD_LINES
from schema.programs import (
    CALLS,
    CONTEXTS,
    EVENT_LINKS,
    LAUNCHES,
    MARKERS,
    PROGRAM_CANDIDATES,
    PROGRAM_OPTIONS,
    PROGRAMS,
    REWRITE_STEPS,
)
from schema.runs import DIAGNOSTICS, RUN
from schema.spec import DERIVED, Column, FrameSpec
from schema.thread_traces import THREAD_TRACES, WAVE_INSTRUCTIONS, WAVES
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
"""Rows from which a frame is not copied; a shorter one keeps columns of one type in one block: rows are taken once."""

_SHORT = 32
"""Rows up to which values of a column that nobody gave are kept: a frame copies them."""

FRAMES: Mapping[str, FrameSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            *(RUN, TRACKS, EVENTS, PROGRAM_COUNTERS),
            *(ITERATIONS, KERNEL_TOTALS, KERNELS, ACTIVITY, ITERATION_PARTS, TRAINING_STEPS, STEP_TIMES),
            *(
                LAUNCHES,
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
            *(THREAD_TRACES, WAVES, WAVE_INSTRUCTIONS),
            *(ATTEMPTS, ALLOCATIONS, OCCUPANCY, STEPS, BUFFER_USES, BUFFER_ORIGINS, UNREAD_LINES),
            *(TILINGS, TILES, TRANSFERS, TILE_TIMES, OPERATOR_COUNTERS),
            DIAGNOSTICS,
        )
    }
)


def _version() -> str:
    """Return a short hash of names and dtypes of the columns that are stored."""
    stored = [spec for spec in FRAMES.values() if spec.origin != DERIVED]
    text = "\n".join(f"{spec.name} {column.name} {column.dtype}" for spec in stored for column in spec.every)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


SCHEMA_VERSION = _version()
"""Changes with the columns of stored frames; a run of another one is read again when its file is ingested."""


def conform(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return `frame` with the columns and dtypes of the schema, in order.

    Raises ValueError when a column is missing, unknown, or cannot be cast.
    """
    given = list(frame.columns)
    wanted = _expected_columns(name, set(given))
    if given == [c.name for c in wanted] and [str(dtype) for dtype in frame.dtypes] == [c.dtype for c in wanted]:
        return frame.copy(deep=False)
    return pd.DataFrame({c.name: _column_values(frame[c.name], c.dtype) for c in wanted}, index=frame.index)


def _column_values(series: pd.Series, dtype: str) -> ExtensionArray:
    """Return the values of a column: a frame of them is made in half the time of one of Series."""
    return series.array if str(series.dtype) == dtype else series.astype(dtype).array


def build_frame(name: str, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame of `columns`, arrays or lists of one length; those of another dtype are cast.

    A long frame shares the memory of the arrays. Raises ValueError as `conform` does.
    """
    typed = {column.name: _cast(columns[column.name], column.dtype) for column in _expected_columns(name, set(columns))}
    length = len(next(iter(typed.values())))
    return pd.DataFrame(typed, copy=length < LONG)


def _cast(values: Any, dtype: str) -> Any:  # noqa: ANN401 - any array of pandas or numpy
    return values if str(getattr(values, "dtype", "")) == dtype else pd.array(values, dtype=dtype)


def _expected_columns(name: str, given: set[str]) -> tuple[Column, ...]:
    """Return the columns that a frame of these has to have; raises ValueError where it has others."""
    wanted = FRAMES[name].columns_of(given)
    names = {column.name for column in wanted}
    if names != given:
        missing, unknown = [c.name for c in wanted if c.name not in given], sorted(given - names)
        raise ValueError(f"frame {name}: missing columns {missing}, unknown columns {unknown}")
    return wanted


def fill_frame(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame that another release stored in today's columns: a missing one that may be null is null.

    Columns that today's schema does not know are left out. Raises ValueError when a column is missing that may not be
    null, or cannot be cast.
    """
    wanted = FRAMES[name].columns_of(set(frame.columns))
    known = frame[[column.name for column in wanted if column.name in frame.columns]]
    nulls = {c.name: _blank(c.dtype, len(frame)) for c in wanted if c.nullable and c.name not in frame.columns}
    return conform(name, known.assign(**nulls))


def complete(name: str, columns: Mapping[str, object]) -> pd.DataFrame:
    """Return the frame of `columns` (arrays of one length), every other column of the schema null, "", False or 0.

    Raises ValueError where a column is unknown, lengths differ, or a value cannot be cast.
    """
    frame = pd.DataFrame(dict(columns))
    given = set(frame.columns)
    wanted = _expected_columns(name, given | {c.name for c in FRAMES[name].columns_of(given)})
    typed = {
        c.name: _column_values(frame[c.name], c.dtype) if c.name in given else _blank(c.dtype, len(frame))
        for c in wanted
    }
    return pd.DataFrame(typed, index=frame.index)


def _blank(dtype: str, length: int) -> ExtensionArray:
    return (_short_blank if length <= _SHORT else _new_blank)(dtype, length)


def _new_blank(dtype: str, length: int) -> ExtensionArray:
    blanks: Mapping[str, object] = {"str": "", "bool": False, "int64": 0}
    return pd.Series(blanks.get(dtype), index=range(length), dtype=dtype).array


_short_blank = cache(_new_blank)


def empty(name: str) -> pd.DataFrame:
    """Return the frame without rows."""
    return _empty(name).copy(deep=False)


@cache
def _empty(name: str) -> pd.DataFrame:
    return pd.DataFrame({c.name: pd.Series([], dtype=c.dtype) for c in FRAMES[name].columns})
