"""Frames of tilings: the tiles of an operator at a memory level, their sizes, transfers and times."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

TILINGS = FrameSpec(
    "tilings",
    "an operator at a memory level that holds tiles of its operands",
    LOADED,
    columns(
        "attempt | int64 | | the attempt of the level; rows are sorted by attempt and step",
        "level | category? | | memory level",
        "step | int64 | steps | the step that runs the operator",
        "tiles | Int64 | tiles | how many tiles its output is cut into; null: no code says",
        "outer_tiles | str? | | tiles in each tile of the level above, as `2 2 1`",
        "sizes | str? | elements | the largest of sizes that differ from tile to tile, as the code names them: `O=80`",
        "kernel | str? | | kernel of a convolution, as `3x3`",
        "strides | str? | | its strides, as `1x1`",
        "pads | str? | | its padding: top, left, bottom, right, as `1x1x1x1`",
        "groups | Int64 | | its groups of channels",
        "transposed_a | boolean | | whether a GEMM takes its first operand transposed",
        "transposed_b | boolean | | whether a GEMM takes its second operand transposed",
    ),
)

TILES = FrameSpec(
    "tiles",
    "the part of an operand that a memory level holds while an operator runs",
    LOADED,
    columns(
        "attempt | int64 | | the attempt of the level",
        "block | int64 | | its block in `allocations`; rows are sorted by attempt and block",
        "step | int64 | steps | the step that runs the operator",
        "operand | category? | | what it is to the operator: A, B, C, mul, data_in, weight, add, bias, data_out ...",
        "access | category(r w rw)? | | read, written or both; null: a buffer of the kernel's own",
        "position | Int64 | | rank among the operator's inputs, or among its outputs",
        "shape | str? | | dimensions of the whole tensor, as 1x3x32x32",
        "element_bytes | Int64 | bytes | size of an element",
        "copies | Int64 | | tiles that the block holds: 2 where it is double-buffered",
    ),
)

TRANSFERS = FrameSpec(
    "transfers",
    "tiles of an operand, one after another, that are moved alike",
    LOADED,
    columns(
        "attempt | int64 | | the attempt of the level that is moved into or out of",
        "step | int64 | steps | the step that runs the operator",
        "operand | category | | what is moved, as the code names it",
        "name | str? | | the tensor",
        "direction | category(in out) | | into the level, or out of it",
        "tile | int64 | tiles | the first of these tiles",
        "tiles | int64 | tiles | how many there are",
        "bytes | int64 | bytes | what is moved for each",
        "commands | int64 | | commands of the DMA for each",
    ),
)

TILE_TIMES = FrameSpec(
    "tile_times",
    "a tile of an operator that was measured on the device, or an operator that is not tiled",
    LOADED,
    columns(
        "name | str | | the operator; empty where the code has no name for it",
        # Levels nest, so that the times of two levels must never be added.
        "level | category? | | where the tile comes from: a tile of an outer level holds those of the inner one",
        "buffering | category(SB DB)? | | single or double buffered; null: the operator is not tiled",
        "operations | Int64 | operations | what the operator computes",
        "tile | int64 | tiles | rank of the tile",
        # With double buffering this is overhead and not the time of the transfer, which is mostly
        # hidden.
        "pre | Int64 | cycles | before the kernel; where double buffered, what its neighbour did not hide",
        "kernel | Int64 | cycles | in the kernel; of several cores each part is that of the slowest",
        "post | Int64 | cycles | behind the kernel; where double buffered, what its neighbour did not hide",
        # Stored besides its parts, because finding `tile_total_differs` compares them.
        "total | Int64 | cycles | the total as it is printed",
    ),
)

OPERATOR_COUNTERS = FrameSpec(
    "operator_counters",
    "a performance counter of the device that was read around an operator",
    LOADED,
    columns(
        "name | str | | the operator",
        "block | int64 | | rank of its block in the printout: an operator that runs again has several",
        "counter | category | | the counter, such as Load Stalls",
        "value | int64 | | its value",
    ),
)
