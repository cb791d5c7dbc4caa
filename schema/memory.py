"""Frames of memory maps: attempts, blocks, steps, occupancy, and uses of blocks."""

from __future__ import annotations

from schema.spec import DERIVED, LOADED, FrameSpec, columns

MAX_BYTES = 2**62
"""Upper limit of sizes and addresses in bytes, so that the sum of two fits into int64."""
MAX_ELEMENTS = 10**12
"""Maximum number of elements of a profile's buffer that is counted, as in tinygrad's viewer.

Drivers map whole address spaces as one buffer.
"""

MAX_SEED = 2**63 - 1
"""Highest seed for random choices when blocks are placed."""

SAVED_RANK_BASE = 10**9
"""Ranks above this number are saved placements of the lab, numbered from 1; lower ranks are
attempts of the file.
"""

ATTEMPTS = FrameSpec(
    "attempts",
    "an allocation attempt, one memory level of a plan, or a problem",
    LOADED,
    columns(
        "attempt | int64 | | rank in the file, from 0",
        "level | category? | | memory level; null if there is only one",
        "group | str? | | layer group; `tensors 0` and so on: attempts that place the same tensors, if the files name no group",
        "final | boolean | | the attempt that the compiler kept for its group; null: not known",
        "shape_secs | str? | | slicing of the layer group: n,c,d,h,w",
        "allow_bank_conflict | Int64 | | 1 if conflicts were allowed",
        "one_loop | Int64 | | 1 if the group is not sliced",
        "strategy | str? | | the allocator's name",
        "search_strategy | str? | | how the tool searched for tile sizes: max, min or random-max",
        "outcome | category(success failed unfinished solved unsolved) | | unfinished: no finish line",
        "steps | Int64 | steps | length in time steps",
        "capacity | Int64 | bytes | size of the memory; of one lane if it has several",
        "banks | Int64 | | banks of the memory",
        "bank_bytes | Int64 | bytes | size of a bank",
        "align_bytes | Int64 | bytes | alignment that the hardware requires",
        "static_bytes | int64 | bytes | bytes of constants below the arena, and other static bytes of the tool",
        "reported_bytes | Int64 | bytes | bytes in use in the tool's own report",
        "reported_failed | Int64 | | blocks without an address in the tool's own report",
        "line | Int64 | | line of the file at which it begins",
        # Not stored, so that the analysis can improve without reading the file again.
        "blocks | Int64 | | blocks to be placed; this and the following columns are from the analysis and stored as null",
        "failed | Int64 | | blocks without an address because they did not fit",
        "live_peak | Int64 | bytes | maximum of the bytes alive at one step, without failed blocks",
        "peak_step | Int64 | steps | first step with that maximum",
        "requested_peak | Int64 | bytes | maximum of the bytes alive at one step, with failed blocks",
        "extent | Int64 | bytes | highest address in use, without the constants; if it has no blocks: its reported bytes",
        "bound | Int64 | bytes | lower bound of the extent: maximum of the bytes alive, shared storage counted once",
        "waste | Int64 | bytes | extent - bound; null if blocks are not placed",
        "fragmentation | float64? | ratio | 1 - largest free range / free bytes, at its worst step",
        "utilization | float64? | ratio | (static_bytes + extent) / capacity",
    ),
)

ALLOCATIONS = FrameSpec(
    "allocations",
    "a memory block",
    LOADED,
    columns(
        "attempt | int64 | | its attempt; rows are sorted by attempt and block",
        "level | category? | | memory level",
        # Without the plan, every output tile would collide with the tiles of the next step.
        "plan | category(outer inner)? | | inner: an arena for its step only; null: there is one plan",
        "block | int64 | | rank in its attempt",
        "name | str | | the tensor or buffer",
        "op_type | category? | | the operator that defines it",
        "kind | category(activation weight operation constant variable transient buffer) | | its content",
        "role | category? | | input or output of the network, or the operand's name",
        "dtype | category? | | element type",
        "shape | str? | | its dimensions, as 1x3x32x32",
        "tensor_bytes | Int64 | bytes | bytes by its shape and dtype",
        "address | Int64 | bytes | null: not placed; for a constant its place in the static band",
        "size | int64 | bytes | its size",
        "start | int64 | steps | first step alive",
        "end | int64 | steps | first step after",
        "wraps | bool | | alive from start to the last step and again from 0 to end",
        "hold | bool | | alive throughout",
        "status | category(placed failed shared unplaced) | | shared: in the storage of alias_of; unplaced: a problem",
        "alias_of | Int64 | | block of the same attempt whose storage it uses",
        "alignment | Int64 | bytes | alignment that it requires",
        "hint | Int64 | bytes | preferred address",
        "gaps | str? | | steps in which it is not alive, half-open, as `4-6 9-12` or `4-6@0:64`",
        "mode | category? | | how it is moved, in the tool's words",
    ),
    further=columns(
        "origin | category? | | line of the program that requested it, as `file:line function`",
        "stack | Int64 | | call stack that requested it, in `calls`",
        "device_address | Int64 | bytes | address on the device, minus 2^64 from 2^63 on; "
        "`address` leaves out the space between segments",
    ),
    having="If the source knows the lines of a program",
)

STEPS = FrameSpec(
    "steps",
    "a time step of an attempt, or of the whole run",
    LOADED,
    columns(
        "attempt | Int64 | | the attempt; null: all attempts",
        "step | int64 | steps | the time step",
        "name | str | | the operator that runs in it",
        "op_type | category? | | its type",
        "operations | Int64 | operations | number of operations",
        "gdma_cycles | Int64 | cycles | summed cost of its transfers",
        "layer_cycles | Int64 | cycles | summed cost of its computation",
        "slack | Int64 | cycles | layer_cycles - gdma_cycles; if negative, transfers determine its length",
        "begin | Int64 | ticks | its begin in `events`, on the attempt's track",
    ),
)

# Computed on demand: the 3,829 attempts of a log would give millions of rows.
OCCUPANCY = FrameSpec(
    "occupancy",
    "a step, or a step and a bank",
    DERIVED,
    columns(
        "attempt | int64 | | the attempt",
        "level | category? | | memory level",
        "step | int64 | steps | the time step; of very long attempts only steps with a change",
        "bank | Int64 | | null: all banks",
        "live_bytes | int64 | bytes | bytes alive, without failed blocks",
        "requested_bytes | int64 | bytes | the same with failed blocks",
        "union_bytes | Int64 | bytes | bytes of the address ranges in use, each counted once; null: no addresses",
        "high_water | Int64 | bytes | end of the highest block alive",
        "fragmentation | float64? | ratio | 1 - largest free range / free bytes; null if no bytes are free",
        "blocks | int64 | | blocks alive",
    ),
)

# A page of a map of 20,000 blocks or more would otherwise sweep over all blocks when it opens.
STORED_OCCUPANCY = FrameSpec(
    "stored_occupancy",
    "a row of `occupancy` of a map of at least 20,000 blocks, computed when its file was read",
    DERIVED,
    (
        *OCCUPANCY.columns,
        *columns("analysis | category | | version of the analysis that computed it"),
    ),
    tabled=False,
)

BUFFER_USES = FrameSpec(
    "buffer_uses",
    "a use of a block by a kernel or a step",
    LOADED,
    columns(
        # The rank of a block counts within its attempt, so that a use needs both.
        "attempt | int64 | | the attempt of the block",
        "block | int64 | | the block",
        # A use is known from the host's call, whether or not its execution was timed.
        "kernel | int64 | | the call of a kernel, in `launches`; the step if the source has no kernels",
        "access | category(r w rw) | | read, write or both",
        "start | int64 | ticks | time of the call; the step if the source has no kernels",
    ),
)

BUFFER_ORIGINS = FrameSpec(
    "buffer_origins",
    "a buffer of a profile, and its origin",
    DERIVED,
    columns(
        "allocation | int64 | | rank of the buffer in frame `allocations`",
        "attempt | int64 | | its device, an attempt",
        "block | int64 | | its rank in the attempt",
        "range | category? | | the innermost traced range around its allocation, such as `realize`",
        "context | Int64 | | the last schedule that began before it, in `contexts`",
        "file | category? | | file of the user's program that requested that schedule; null: not known, or not stored",
        "line | Int64 | | line in the file",
    ),
    tabled=False,
)

UNREAD_LINES = FrameSpec(
    "unread_lines",
    "a line of a log that the end of the file cuts",
    LOADED,
    columns(
        "line | int64 | | its number in the file, from 1",
        "text | str | | the text before the cut",
        "read | bool | | True: its block is the last of the last attempt, and only its settings are cut",
    ),
    tabled=False,
)
