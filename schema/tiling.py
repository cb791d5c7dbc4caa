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
        "tiles | Int64 | tiles | number of tiles of its output; null: not in the code",
        "outer_tiles | str? | | tiles in each tile of the level above, as `2 2 1`",
        "sizes | str? | elements | maximum of the sizes that differ from tile to tile, with their names in the code: `O=80`",
        "kernel | str? | | kernel of a convolution, as `3x3`",
        "strides | str? | | its strides, as `1x1`",
        "pads | str? | | its padding: top, left, bottom, right, as `1x1x1x1`",
        "groups | Int64 | | its groups of channels",
        "transposed_a | boolean | | True: a GEMM transposes its first operand",
        "transposed_b | boolean | | True: a GEMM transposes its second operand",
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
        "operand | category? | | its role for the operator: A, B, C, mul, data_in, weight, add, bias, data_out ...",
        "access | category(r w rw)? | | read, written or both; null: a buffer of the kernel itself",
        "position | Int64 | | rank among the operator's inputs, or among its outputs",
        "shape | str? | | dimensions of the whole tensor, as 1x3x32x32",
        "element_bytes | Int64 | bytes | size of an element",
        "copies | Int64 | | tiles that the block holds: 2 if it is double-buffered",
    ),
)

TRANSFERS = FrameSpec(
    "transfers",
    "consecutive tiles of an operand with equal transfers",
    LOADED,
    columns(
        "attempt | int64 | | the attempt of the level at this end of the transfer",
        "step | int64 | steps | the step that runs the operator",
        "operand | category | | the moved operand, with its name in the code",
        "name | str? | | the tensor",
        "direction | category(in out) | | into the level, or out of it",
        "tile | int64 | tiles | the first of these tiles",
        "tiles | int64 | tiles | number of these tiles",
        "bytes | int64 | bytes | bytes moved per tile",
        "commands | int64 | | commands of the DMA per tile",
    ),
)

TILE_TIMES = FrameSpec(
    "tile_times",
    "a measured tile of an operator, or a measured operator that is not tiled",
    LOADED,
    columns(
        "name | str | | the operator; empty if the code has no name for it",
        # Levels nest, so that the times of two levels must never be added.
        "level | category? | | memory level of the tile: a tile of an outer level contains tiles of the inner level",
        "buffering | category(SB DB)? | | single or double buffered; null: the operator is not tiled",
        "operations | Int64 | operations | operations of the operator",
        "tile | int64 | tiles | rank of the tile",
        # With double buffering this is overhead and not the time of the transfer, which is mostly
        # hidden.
        "pre | Int64 | cycles | before the kernel; if double buffered, only the part that its neighbour did not hide",
        "kernel | Int64 | cycles | in the kernel; if there are several cores, each part is that of the slowest",
        "post | Int64 | cycles | after the kernel; if double buffered, only the part that its neighbour did not hide",
        # Stored besides its parts, because finding `tile_total_differs` compares them.
        "total | Int64 | cycles | the printed total",
    ),
)

OPERATOR_COUNTERS = FrameSpec(
    "operator_counters",
    "a performance counter of the device, read around an operator",
    LOADED,
    columns(
        "name | str | | the operator",
        "block | int64 | | rank of its block in the printout: an operator that runs several times has several",
        "counter | category | | the counter, such as Load Stalls",
        "value | int64 | | its value",
    ),
)
