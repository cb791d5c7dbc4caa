"""Disassemble a binary: its instructions, basic blocks and resources."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from data_loaders.tinygrad.machine import amd, cpu
from data_loaders.tinygrad.machine.amd import UNKNOWN, Resources
from data_loaders.tinygrad.machine.blocks import BasicBlock, Edge, basic_blocks
from data_loaders.tinygrad.machine.elf import AMD, ARM64, X86_64, Elf, ElfError, Relocation
from data_loaders.tinygrad.machine.instruction import DecodedInstructions, Instruction

MAX_INSTRUCTIONS = 50_000
"""Maximum instructions of a program; handwritten matrix products have some ten thousand.

Decoding an AMD instruction takes 40 microseconds.
"""
_NO_CODE = {
    "ptx": "it is text, not machine code",
    "operations": "it is a list of operations that Python interprets",
}
"""Kind of a binary without instructions -> description of its content."""
_CPU = {X86_64: "x86-64", ARM64: "arm64"}


@dataclass(frozen=True)
class Disassembly:
    """Architecture ("" if unknown) and instructions of a binary by pc.

    `why` is the reason if some instructions are missing, else "".
    """

    architecture: str
    instructions: list[Instruction]
    why: str = ""
    resources: Resources = UNKNOWN
    blocks: list[BasicBlock] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


def disassemble(
    kind: str, architecture: str, code: bytes, most: int = MAX_INSTRUCTIONS
) -> Disassembly:
    """Disassemble up to `most` instructions of a binary of kind `elf` or `raw`.

    Other kinds, unreadable files, unknown machines and `most` of 0 give no instructions, and the
    reason in `why`. Jump targets that are not decoded become `None`.
    """
    if most < 1:
        why = "earlier programs reach the limit of decoded instructions of a capture"
        return Disassembly(architecture, [], why)
    if kind == "elf":
        disassembly = _disassemble_elf(architecture, code, most)
    elif kind == "raw":
        disassembly = _disassemble_image(architecture, code, most)
    else:
        return Disassembly(architecture, [], _NO_CODE.get(kind, "nothing here decodes it"))
    pcs = {instruction.pc for instruction in disassembly.instructions}
    # Targets outside of the decoded instructions would be edges to blocks that do not exist.
    within = [
        each if each.target in pcs else each._replace(target=None)
        for each in disassembly.instructions
    ]
    blocks, edges = basic_blocks(within)
    return replace(disassembly, instructions=within, blocks=blocks, edges=edges)


def _disassemble_image(architecture: str, code: bytes, most: int) -> Disassembly:
    if architecture in cpu.ARCHITECTURES:
        return _disassembly(architecture, cpu.follow_program(code, architecture, most))
    if architecture:
        return Disassembly(architecture, [], f"nothing here decodes {architecture}")
    # Images of tinygrad up to 0.13 do not name their machine.
    return _disassembly(*cpu.detect_machine(code, most))


def _disassemble_elf(architecture: str, code: bytes, most: int) -> Disassembly:
    try:
        # A bare header names no machine: only the device's architecture says that it is AMD's.
        elf = Elf(code, AMD if amd.is_amd(architecture) else None)
        place = elf.section_index(".text")
        text = elf.content(place)
        relocations = elf.relocations(place) if place is not None else []
    except ElfError as error:
        return Disassembly(architecture, [], str(error))
    if not text:
        return Disassembly(architecture, [], "it has no section .text")
    if elf.machine == AMD:
        needs = amd.resources(elf.content(elf.section_index(".rodata")), architecture)
        return _disassembly(architecture, amd.decode_program(text, architecture, most), needs)
    return _disassemble_cpu(elf.machine, text, relocations, most)


def _disassemble_cpu(
    machine: int, text: bytes, relocations: list[Relocation], most: int
) -> Disassembly:
    if machine not in _CPU:
        return Disassembly("", [], f"nothing here decodes machine {machine} of ELF files")
    return _disassembly(_CPU[machine], cpu.linear(text, _CPU[machine], relocations, most))


def _disassembly(
    architecture: str, decoded: DecodedInstructions, needs: Resources = UNKNOWN
) -> Disassembly:
    return Disassembly(architecture, decoded.instructions, decoded.why, needs)
