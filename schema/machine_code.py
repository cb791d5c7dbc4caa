"""Frames of machine code: binaries of programs, their instructions and basic blocks."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

MACHINE_CODE = FrameSpec(
    "machine_code",
    "the binary of a program",
    LOADED,
    columns(
        "program | int64 | | the program, in `programs`",
        "kind | category(elf raw ptx operations other) | | elf: of 64 bits; raw: an image without sections, code from "
        "its first byte on; ptx: text that a driver compiles; operations: a list that Python interprets; other: of no "
        "known form",
        "architecture | category? | | its instruction set: x86-64, arm64, gfx1100 ..., sm_89 ...",
        "contents | str | | the binary in base64",
        "instructions | int64 | | number of its instructions in `disassembly`",
        "why | str? | | reason why instructions are missing",
        "vector_registers | Int64 | | vector registers of a work item by AMD's kernel descriptor, which counts "
        "in units of 8: a lower bound",
        "scalar_registers | Int64 | | scalar registers of a wave; null if every program has all",
        "lds_bytes | Int64 | bytes | local memory of a work group",
        "scratch_bytes | Int64 | bytes | private memory of a work item",
    ),
    tabled=False,
)

DISASSEMBLY = FrameSpec(
    "disassembly",
    "an instruction of a program",
    LOADED,
    columns(
        "program | int64 | | the program, in `programs`",
        "pc | int64 | address | its address, from the first instruction",
        "size | int64 | bytes | its length",
        "text | str | | operation and operands",
        "target | Int64 | address | the pc that it jumps to or calls; null if the program has no instruction at it",
        "symbol | str? | | symbol that the linker inserts: a function or a constant in another file",
    ),
    tabled=False,
)

BASIC_BLOCKS = FrameSpec(
    "basic_blocks",
    "a sequence of instructions that is entered at the first and left at the last",
    LOADED,
    columns(
        "program | int64 | | the program, in `programs`",
        "block | int64 | | rank in its program, by pc",
        "start | int64 | bytes | pc of its first instruction",
        "end | int64 | bytes | pc after its last instruction",
    ),
    tabled=False,
)

BLOCK_EDGES = FrameSpec(
    "block_edges",
    "an edge from one basic block to another",
    LOADED,
    columns(
        "program | int64 | | the program, in `programs`",
        "source | int64 | | the block that ends there",
        "target | int64 | | the block that begins there",
        "kind | category | | taken, not taken (of a conditional jump), or always",
    ),
    tabled=False,
)
