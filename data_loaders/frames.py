"""The one schema: every frame, its columns, their types, units and meaning.

Times are int64 ticks of the run's clock, sizes and addresses int64 bytes, intervals half-open [start, end).
`docs/frames.md` is generated from this module (`python -m data_loaders.frames`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd


@dataclass(frozen=True)
class Column:
    """One column of a frame: its pandas dtype, its unit and what it means."""

    name: str
    dtype: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class FrameSpec:
    """One frame: what a row is, where it comes from and its columns in order."""

    name: str
    row: str
    origin: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """Return the column names in order."""
        return [column.name for column in self.columns]


def _columns(*rows: str) -> tuple[Column, ...]:
    """Parse `name | dtype | unit | meaning` lines."""
    return tuple(Column(*(part.strip() for part in row.split("|", 3))) for row in rows)


_LOADED = "loader"
_DERIVED = "analysis"

RUN = FrameSpec(
    "run",
    "a run (one row)",
    _LOADED,
    _columns(
        "run_id | str | | hash of the content and the loader's name",
        "source | str | | the loader that read it",
        "name | str | | what people call the run",
        "hwid | str | | hardware or layout it ran on",
        "M | Int64 | elements | rows of the GEMM's output",
        "K | Int64 | elements | reduction length of the GEMM",
        "N | Int64 | elements | columns of the GEMM's output",
        "m | Int64 | elements | rows of one kernel's tile",
        "k | Int64 | elements | reduction length of one kernel's tile",
        "n | Int64 | elements | columns of one kernel's tile",
        "rows | Int64 | cores | rows of cores that share the work",
        "cols | Int64 | cores | columns of cores that share the work",
        "warmup | Int64 | iterations | leading iterations that are not measured",
        "iterations | Int64 | iterations | measured iterations that were asked for",
        "clock_hz | float64 | Hz | clock that turns cycles into seconds",
        "time_unit | str | | what a tick is: cycles, ns or steps",
        "mac_dtype | str | | data type of the multiply-accumulates: int16, bf16 or int8",
        "peak_macs_per_cycle | float64 | MAC/cycle/core | most that one core can do",
        "boundary_factor | float64 | median kernels | a lock stall this long ends an iteration",
        "file | str | | name of the file it was read from",
        "sha256 | str | | hash of the file's uncompressed content",
        "created_at | str | | when it was taken in, ISO 8601, UTC",
        "tags | str | | free words, separated by spaces",
        "companions | str | | names of the files read along with it, separated by `; `",
        "companions_sha256 | str | | hash of their contents",
        "reader | str | | version of the loader and of the analysis that read it",
    ),
)

TRACKS = FrameSpec(
    "tracks",
    "a traced unit or device row",
    _LOADED,
    _columns(
        "track | category | | its name, unique in the run: `core 2,1`",
        "kind | category | | core, mem, memtile, shim, engine (of a profile), attempt (its time steps) or other",
        "row | Int64 | | row in the array (0 shim, 1 memtile, from 2 cores)",
        "col | Int64 | | physical column in the array",
        "pid | str | | process id in the file, as JSON text",
        "process | str | | process name in the file",
        "order | int64 | | rank of its first entry that concerns kernels or lock stalls",
        "first | int64 | ticks | first time stamp",
        "last | int64 | ticks | last time stamp",
        "entries | int64 | | begin and end entries read",
    ),
)

EVENTS = FrameSpec(
    "events",
    "an interval on a lane",
    _LOADED,
    _columns(
        "track | category | | the unit it was seen on",
        "lane | category | | the hardware slot's label in the file; `NAME@slot` where two slots share a name",
        "name | category | | the event's name in today's spelling",
        "start | int64 | ticks | begin; equal to `end` where the begin is missing",
        "end | int64 | ticks | end; the track's last time stamp where the end is missing",
        "opened | bool | | False: an end whose begin is missing",
        "closed | bool | | False: the capture ended inside it",
    ),
)

KERNELS = FrameSpec(
    "kernels",
    "a kernel execution",
    _DERIVED,
    _columns(
        "track | category | | the core that ran it",
        "kernel | int64 | | rank on its track, by start",
        "name | category | | its kind: `main`, `short`, `long`; a kernel's name where the source has one",
        "start | Int64 | ticks | begin; null where its marker was lost",
        "end | Int64 | ticks | end; null where its marker was lost",
        "duration | Int64 | ticks | end - start",
        "iteration | Int64 | | iteration on its track; null outside of any",
        "phase | category | | warmup, perf or extra",
        "kept | bool | | False: left out of every number",
        "reason | str | | why it was left out",
    ),
)

ITERATIONS = FrameSpec(
    "iterations",
    "an iteration on a track; track `system` is the aggregate",
    _DERIVED,
    _columns(
        "track | category | | the core, or `system`",
        "iteration | int64 | | index from 0",
        "phase | category | | warmup, perf or extra",
        "gmacs_per_s | float64 | GMAC/s | work over time; null where the work is not known",
        "utilization | float64 | ratio | work over what the peak allows in that time",
        "complete | bool | | False: the capture ended inside it",
        "cores | Int64 | | cores that the row rests on",
        "kernels | int64 | | main kernels seen, those with a lost marker included",
        "measured | int64 | | main kernels kept: the durations rest on them",
        "expected | Int64 | | main kernels that the GEMM and its tiling ask for",
        "average | float64 | ticks | mean duration of its kernels",
        "minimum | Int64 | ticks | shortest of its kernels",
        "maximum | Int64 | ticks | longest of its kernels",
        "kernel_ticks | int64 | ticks | summed duration of its kernels",
        "span | int64 | ticks | last_end - first_start; on `system` the longest span of a core",
        "elapsed | int64 | ticks | on `system` latest end - earliest start over its cores; else the span",
        "first_start | Int64 | ticks | begin of its first kernel",
        "last_end | Int64 | ticks | end of its last kernel",
        "work_macs | float64 | MAC | work credited to it",
    ),
)

ACTIVITY = FrameSpec(
    "activity",
    "a lane's busy time",
    _DERIVED,
    _columns(
        "track | category | | the unit",
        "lane | category | | the hardware slot's label",
        "name | category | | the event's name",
        "count | int64 | | begins seen",
        "busy | int64 | ticks | summed duration; intervals open at the end count to the track's last time stamp",
        "longest | int64 | ticks | longest interval",
        "orphan_ends | int64 | | ends without a begin",
        "open | bool | | the capture ended inside an interval",
        "window | int64 | ticks | time that the share is taken of",
        "share | float64 | ratio | busy / window",
        "inside | float64 | ratio | share of the kernels' time in which it was busy",
        "outside | float64 | ratio | share of the time outside of kernels in which it was busy",
    ),
)

ATTEMPTS = FrameSpec(
    "attempts",
    "an allocation attempt, one memory level of a plan, or a problem",
    _LOADED,
    _columns(
        "attempt | int64 | | rank in the file, from 0",
        "level | category | | memory level; null where there is one",
        "group | str | | layer group that it lays out",
        "final | boolean | | the attempt that the compiler kept for its group; null: not known",
        "shape_secs | str | | slicing of the layer group: n,c,d,h,w",
        "allow_bank_conflict | Int64 | | 1 where conflicts were allowed",
        "one_loop | Int64 | | 1 where the group is not sliced",
        "strategy | str | | the allocator's name",
        "outcome | category | | success, failed, unfinished (no finish line), solved or unsolved",
        "steps | Int64 | steps | length in time steps",
        "capacity | Int64 | bytes | size of the memory, of one lane where it has several",
        "banks | Int64 | | banks of the memory",
        "bank_bytes | Int64 | bytes | size of a bank",
        "align_bytes | Int64 | bytes | alignment that the hardware asks for",
        "static_bytes | int64 | bytes | bytes of constants below the arena",
        "reported_bytes | Int64 | bytes | bytes in use as the tool itself says",
        "reported_failed | Int64 | | blocks without an address as the tool itself says",
        "line | Int64 | | line of the file that it begins on",
        "blocks | Int64 | | blocks asked for; from here on by the analysis, null as stored",
        "failed | Int64 | | blocks without an address because they did not fit",
        "live_peak | Int64 | bytes | most bytes alive at once, without failed blocks",
        "peak_step | Int64 | steps | first step with that many",
        "requested_peak | Int64 | bytes | most bytes alive at once, with failed blocks",
        "extent | Int64 | bytes | highest address in use, without the constants",
        "bound | Int64 | bytes | no allocator needs less: most bytes alive at once, shared storage counted once",
        "waste | Int64 | bytes | extent - bound; null where blocks are not placed",
        "fragmentation | float64 | ratio | 1 - largest free range / free bytes, at its worst step",
        "utilization | float64 | ratio | (static_bytes + extent) / capacity",
    ),
)

ALLOCATIONS = FrameSpec(
    "allocations",
    "a memory block",
    _LOADED,
    _columns(
        "attempt | int64 | | the attempt it belongs to; rows are sorted by attempt and block",
        "level | category | | memory level",
        "plan | category | | outer: resident across steps; inner: an arena of its one step; null: there is one plan",
        "block | int64 | | rank in its attempt",
        "name | str | | the tensor or buffer",
        "op_type | category | | the operator that defines it",
        "kind | category | | activation, weight, operation, constant, variable, transient or buffer",
        "role | category | | input or output of the network, or the operand it is",
        "dtype | category | | element type",
        "shape | str | | its dimensions, as 1x3x32x32",
        "tensor_bytes | Int64 | bytes | what its shape and dtype ask for",
        "address | Int64 | bytes | null: not placed; a constant's is its place in the static band",
        "size | int64 | bytes | its size",
        "start | int64 | steps | first step alive",
        "end | int64 | steps | first step after",
        "wraps | bool | | alive from start to the last step and again from 0 to end",
        "hold | bool | | alive throughout",
        "status | category | | placed, failed, shared (lies in the storage of alias_of) or unplaced (a problem)",
        "alias_of | Int64 | | block of the same attempt whose storage it uses",
        "alignment | Int64 | bytes | alignment that it asks for",
        "hint | Int64 | bytes | address that it would like",
        "gaps | str | | spans in which it is not alive, half-open, as `4-6 9-12` or `4-6@0:64`",
        "mode | category | | how it is moved, as the tool says",
    ),
)

STEPS = FrameSpec(
    "steps",
    "a time step of an attempt, or of the whole run",
    _LOADED,
    _columns(
        "attempt | Int64 | | the attempt; null: all of them",
        "step | int64 | steps | the time step",
        "name | str | | the operator that runs in it",
        "op_type | category | | its type",
        "operations | Int64 | operations | what it computes",
        "gdma_cycles | Int64 | cycles | summed cost of its transfers",
        "layer_cycles | Int64 | cycles | summed cost of its computation",
        "slack | Int64 | cycles | layer_cycles - gdma_cycles: below zero, transfers set its length",
        "begin | Int64 | ticks | where it begins in `events`, on the attempt's track",
    ),
)

OCCUPANCY = FrameSpec(
    "occupancy",
    "a step, or a step and a bank",
    _DERIVED,
    _columns(
        "attempt | int64 | | the attempt",
        "level | category | | memory level",
        "step | int64 | steps | the time step; of very long attempts only those at which something changes",
        "bank | Int64 | | null: all banks",
        "live_bytes | int64 | bytes | bytes alive, without failed blocks",
        "requested_bytes | int64 | bytes | the same with failed blocks",
        "union_bytes | Int64 | bytes | bytes of the address ranges in use, shared ones once; null: no addresses",
        "high_water | Int64 | bytes | end of the highest block alive",
        "fragmentation | float64 | ratio | 1 - largest free range / free bytes; null where nothing is free",
        "blocks | int64 | | blocks alive",
    ),
)

BUFFER_USES = FrameSpec(
    "buffer_uses",
    "a use of a block by a kernel or a step",
    _LOADED,
    _columns(
        "attempt | int64 | | the attempt of the block",
        "block | int64 | | the block",
        "kernel | int64 | | the kernel; the step where there are no kernels",
        "access | category | | r, w or rw",
        "start | int64 | ticks | when the kernel began; the step where there are no kernels",
    ),
)

COUNTERS = FrameSpec(
    "counters",
    "a counter sample",
    _LOADED,
    _columns(
        "track | category | | the device",
        "name | category | | the counter",
        "kernel | Int64 | | the kernel it was read for",
        "instance | Int64 | | hardware instance; null: the sum",
        "value | float64 | | its value",
    ),
)

DIAGNOSTICS = FrameSpec(
    "diagnostics",
    "something the reader or the analysis noticed",
    _LOADED,
    _columns(
        "severity | category | | error, warning or info",
        "code | str | | stable name of the finding",
        "message | str | | one sentence for a person",
        "location | str | | file, byte, track or iteration it is about",
        "count | int64 | | how often",
    ),
)

FRAMES: Mapping[str, FrameSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            RUN,
            TRACKS,
            EVENTS,
            KERNELS,
            ITERATIONS,
            ACTIVITY,
            ATTEMPTS,
            ALLOCATIONS,
            STEPS,
            OCCUPANCY,
            BUFFER_USES,
            COUNTERS,
            DIAGNOSTICS,
        )
    }
)


def conform(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return `frame` with the columns and dtypes of the schema, in order.

    Raises ValueError when a column is missing, unknown, or cannot be cast.
    """
    spec = FRAMES[name]
    missing = [c for c in spec.names if c not in frame.columns]
    unknown = [c for c in frame.columns if c not in spec.names]
    if missing or unknown:
        raise ValueError(f"frame {name}: missing columns {missing}, unknown columns {unknown}")
    typed = {}
    for column in spec.columns:
        series = frame[column.name]
        typed[column.name] = series if str(series.dtype) == column.dtype else series.astype(column.dtype)
    return pd.DataFrame(typed)


def complete(name: str, columns: Mapping[str, object]) -> pd.DataFrame:
    """Return the frame of `columns` (arrays of one length), every other column of the schema null, "", False or 0.

    Raises ValueError where a column is unknown, lengths differ, or a value cannot be cast.
    """
    frame = pd.DataFrame(dict(columns))
    missing = {c.name: _blank(c, len(frame)) for c in FRAMES[name].columns if c.name not in frame.columns}
    return conform(name, frame.assign(**missing))


def _blank(column: Column, length: int) -> pd.Series:
    blanks: Mapping[str, object] = {"str": "", "bool": False, "int64": 0}
    return pd.Series(blanks.get(column.dtype), index=range(length), dtype=column.dtype)


def empty(name: str) -> pd.DataFrame:
    """Return the frame without rows."""
    return pd.DataFrame({c.name: pd.Series([], dtype=c.dtype) for c in FRAMES[name].columns})


def markdown() -> str:
    """Return the schema as the text of `docs/frames.md`."""
    lines = [
        "# Frames",
        "",
        "Generated by `python -m data_loaders.frames`; the schema is `data_loaders/frames.py`.",
        "",
    ]
    lines += [
        "Times are integer ticks of the run's clock (`cycles`, `ns` or `steps`), sizes and addresses bytes,",
        "intervals half-open [start, end). A frame comes from the loader and is stored, or from the analysis and is",
        "computed when asked for.",
        "",
    ]
    for spec in FRAMES.values():
        lines += [f"## {spec.name}", "", f"One row is {spec.row}. From the {spec.origin}.", ""]
        lines += ["| column | dtype | unit | meaning |", "|---|---|---|---|"]
        lines += [f"| `{c.name}` | {c.dtype} | {c.unit or '-'} | {c.meaning} |" for c in spec.columns]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown(), end="")
