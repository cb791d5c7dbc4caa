"""Frames of the physical design of an AIE array, as the MLIR of mlir-aie defines it.

Tiles are named as tracks: kind, row, column. If the design belongs to a capture, columns are those
of the capture.
"""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

DESIGN_DEVICES = FrameSpec(
    "design_devices",
    "a device of the design's text; the other frames are of the chosen one",
    LOADED,
    columns(
        "device | str? | | the array, as `npu1_4col`; null: the text is from before devices",
        "name | str? | | its name in the text",
        "cores | int64 | | tiles with a core",
        "chosen | bool | | the device that is read: the one with most cores, the first of equals",
        "lowered | bool | | False: objectfifos are left, from which the compiler makes buffers and locks",
        "column_shift | int64 | columns | added to the columns of the text, so that they are the capture's",
        "file | str | | the file of the design",
        "slice | str? | | the slice of the trace whose design it is, as `dev_0/seq_0`; null: no slices",
    ),
    tabled=False,
)

DESIGN_TILES = FrameSpec(
    "design_tiles",
    "a tile of the design",
    LOADED,
    columns(
        "tile | str | | its name, as `core 2,1`; `core %name` if the design does not place it",
        "kind | category(core memtile shim) | | core, memory tile or shim tile",
        "row | Int64 | | row in the array; null: not placed",
        "col | Int64 | | column in the array; null: not placed",
        "core | bool | | a program runs on it",
        "memory | Int64 | bytes | size of its memory; null: the device is not known",
        "banks | Int64 | | banks of its memory, as the compiler counts them",
        "traced | str? | | kinds of its units that the design configures for tracing, as `core mem`",
        "slice | str? | | the slice of the trace that it is traced in; null: no slices",
    ),
)

DESIGN_BUFFERS = FrameSpec(
    "design_buffers",
    "a buffer of a tile, or the stack of its core",
    LOADED,
    columns(
        "tile | str | | the tile whose memory it is in",
        "name | str | | its name; `(stack)` is the core's stack",
        "kind | category(buffer stack) | | a buffer of the design, or the stack",
        "address | Int64 | bytes | its address in the tile's memory; null: not known",
        "bytes | Int64 | bytes | its size; null: not known",
        "first_bank | Int64 | | bank of its first byte; null: not known",
        "last_bank | Int64 | | bank of its last byte",
    ),
)

DESIGN_ACCESSES = FrameSpec(
    "design_accesses",
    "a core or DMA channel that uses a buffer",
    LOADED,
    columns(
        "tile | str | | the tile of the buffer",
        "buffer | str | | the buffer",
        "by | str | | the core whose program names it, or the channel whose descriptor does: `core 2,1 S2MM 0`",
    ),
)

DESIGN_LOCKS = FrameSpec(
    "design_locks",
    "a lock of a tile",
    LOADED,
    columns(
        "tile | str | | the tile that has it",
        "name | str | | its name",
        "id | Int64 | | its number on the tile; null: the design leaves it to the compiler",
        "init | Int64 | | its value at the start; null: not given",
    ),
)

DESIGN_USES = FrameSpec(
    "design_uses",
    "a way in which a core or DMA channel uses a lock",
    LOADED,
    columns(
        "tile | str | | the tile of the lock",
        "lock | str | | the lock",
        "by | str | | the core or the channel",
        "action | str | | Acquire, AcquireGreaterEqual or Release",
        "value | Int64 | | the value; null: computed by the program",
        "times | int64 | | statements of the text, not executions",
    ),
)

DESIGN_DESCRIPTORS = FrameSpec(
    "design_descriptors",
    "a buffer descriptor of a DMA channel",
    LOADED,
    columns(
        "tile | str | | the tile of the channel",
        "direction | category(S2MM MM2S) | | S2MM writes to memory, MM2S reads from it",
        "channel | int64 | | number of the channel",
        "loop | bool | | the chain begins again behind its last descriptor",
        "position | Int64 | | rank in the chain, from 0; null: the channel has no descriptor",
        "buffer | str? | | the buffer; null: of the host, or not known",
        "offset | Int64 | elements | first element",
        "length | Int64 | elements | elements that are moved",
        "bytes | Int64 | bytes | bytes that are moved",
        "bd_id | Int64 | | number of the descriptor on the tile",
        "acquire | str? | | the lock that it takes first",
        "acquire_action | str? | | how it takes the lock",
        "acquire_value | Int64 | | with which value",
        "release | str? | | the lock that it gives at the end",
        "release_value | Int64 | | with which value",
    ),
)

DESIGN_FLOWS = FrameSpec(
    "design_flows",
    "a stream from one port to another",
    LOADED,
    columns(
        "kind | category(circuit packet cascade) | | circuit-switched, packets with an id, or the cascade between cores",
        "id | Int64 | | id of the packets",
        "source | str | | the tile that it begins at",
        "source_port | str | | its port; Trace and TileControl carry no data of the program",
        "source_channel | Int64 | | its channel",
        "dest | str | | the tile that it ends at",
        "dest_port | str | | its port",
        "dest_channel | Int64 | | its channel",
    ),
)

DESIGN_FIFOS = FrameSpec(
    "design_fifos",
    "a consumer of an objectfifo that the compiler has not lowered",
    LOADED,
    columns(
        "name | str | | the objectfifo",
        "producer | str | | the tile that fills it",
        "consumer | str? | | a tile that empties it; null: it has none",
        "depth | str? | | its objects, or a list of them with the producer's first, as JSON",
        "bytes | Int64 | bytes | size of an object",
    ),
)

DESIGN_HOST = FrameSpec(
    "design_host",
    "a DMA channel of a shim tile that the host uses under a symbol",
    LOADED,
    columns(
        "symbol | str | | its name in the host's sequence",
        "tile | str | | the shim tile",
        "direction | category(S2MM MM2S) | | S2MM writes to the host's memory, MM2S reads from it",
        "channel | Int64 | | number of the channel",
    ),
)

DESIGN_PROGRAMS = FrameSpec(
    "design_programs",
    "a step of a core's program that decides the order in which it takes and gives locks",
    LOADED,
    columns(
        "tile | str | | the core",
        "position | int64 | | rank in its program, from 0",
        "op | category(set add compare label jump branch acquire release end unknown) | | what it does",
        "operands | str | | its operands, separated by blanks",
        "lock_tile | str? | | the tile of the lock; null: an objectfifo, or no request",
        "lock | str? | | the lock or objectfifo that it requests",
    ),
    tabled=False,
)

DESIGN_FRAMES = (
    DESIGN_DEVICES,
    DESIGN_TILES,
    DESIGN_BUFFERS,
    DESIGN_ACCESSES,
    DESIGN_LOCKS,
    DESIGN_USES,
    DESIGN_DESCRIPTORS,
    DESIGN_FLOWS,
    DESIGN_FIFOS,
    DESIGN_HOST,
    DESIGN_PROGRAMS,
)
