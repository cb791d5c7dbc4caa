"""Instructions of AMD GPUs, by the decoder of the package tinygrad, and the kernel descriptor beside them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, NamedTuple

from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, NEXT, DecodedInstructions, Instruction
from schema.command import FULL

NOT_INSTALLED = f"the decoder of AMD code, tinygrad 0.14, is not installed: {FULL} has it"
_FAMILIES = (("gfx11", "rdna3"), ("gfx120", "rdna4"), ("gfx94", "cdna"), ("gfx950", "cdna"))
"""Beginnings of architectures, and the decoder's table for them: those of RDNA 3.5, RDNA 4 and CDNA 4."""
_LONGEST = 16
_WORD = 4
_NO_OPERANDS = ("encoding", "op", "opx", "opy", "literal")
_SIGNED = ("GLOBAL", "SCRATCH", "SMEM")
"""Formats whose offset may be negative."""
_LITERAL = 255
"""Where a source operand has this number, the number follows the instruction."""
_DESCRIPTOR = struct.Struct("<II40xI")
"""Local memory, scratch and register counts; the fields between them do not matter here."""


class Resources(NamedTuple):
    """What a kernel needs of a compute unit; None where the descriptor does not say it."""

    vector_registers: int | None = None
    scalar_registers: int | None = None
    lds_bytes: int | None = None
    scratch_bytes: int | None = None


UNKNOWN = Resources()


def family_of(architecture: str) -> str:
    """Return the decoder's table for an architecture such as gfx1100; empty where it has none."""
    return next((family for begin, family in _FAMILIES if architecture.startswith(begin)), "")


def is_amd(architecture: str) -> bool:
    """Whether an architecture, such as gfx1200, is one of AMD's."""
    return architecture.startswith("gfx")


def decode_program(code: bytes, architecture: str, most: int) -> DecodedInstructions:
    """Return the instructions of a `.text`, without the padding behind the last end of the program.

    Words that are no instruction are `.long`.
    """
    family = family_of(architecture)
    if not family:
        return DecodedInstructions(
            [], f"the decoder does not know {architecture or 'the architecture, which the capture lacks'}"
        )
    try:
        from tinygrad.renderer.amd import detect_format  # noqa: PLC0415 - the child alone
    except ImportError:
        return DecodedInstructions([], NOT_INSTALLED)
    found: list[Instruction] = []
    for instruction in _decode(code, family, detect_format):
        if len(found) == most:
            return DecodedInstructions(found, f"only its first {most} instructions are decoded")
        found.append(instruction)
    return DecodedInstructions(_without_padding(found))


def resources(descriptor: bytes, architecture: str) -> Resources:
    """Return what a kernel descriptor (the beginning of `.rodata`) says; of vector registers at least so many are used,
    as they are counted in steps of eight.
    """
    family = family_of(architecture)
    if len(descriptor) < _DESCRIPTOR.size or not family:
        return UNKNOWN
    lds, scratch, registers = _DESCRIPTOR.unpack_from(descriptor)
    # RDNA gives every program as many scalar registers as there are
    scalar = ((registers >> 6 & 15) // 2 + 1) * 16 if family == "cdna" else None
    return Resources(((registers & 63) + 1) * 8 - 7, scalar, lds, scratch)


def _without_padding(found: list[Instruction]) -> list[Instruction]:
    last = max((place for place, instruction in enumerate(found) if instruction.flow == END), default=len(found))
    return found if any(not instruction.padding for instruction in found[last + 1 :]) else found[: last + 1]


def _decode(code: bytes, family: str, detect_format: Callable[[bytes, str], Any]) -> Iterator[Instruction]:
    at = 0
    while at + _WORD <= len(code):
        window = code[at : at + _LONGEST]
        try:
            found = detect_format(window, family).from_bytes(window)
            instruction = _instruction(found, at)
        except Exception:
            instruction = None
        if instruction is None or instruction.end > len(code):
            instruction = Instruction(at, _WORD, f".long {int.from_bytes(window[:_WORD], 'little'):#010x}")
        yield instruction
        at = instruction.end


def _instruction(found: Any, pc: int) -> Instruction:  # noqa: ANN401 - an instruction of the decoder
    size = found.size()
    if hasattr(found, "opx"):
        return Instruction(pc, size, " :: ".join(_half(found, half) for half in "xy"))
    name = found.op.name.lower()
    flow, target = NEXT, None
    if "branch" in name:
        flow = JUMP if name == "s_branch" else BRANCH
        target = pc + size + _sign_extend(found.simm16, 16) * _WORD
    elif name.startswith("s_endpgm"):
        flow = END
    elif name.startswith("s_setpc"):
        flow = JUMP
    operands = f"{target:#x}" if target is not None else ", ".join(_operands(found))
    return Instruction(pc, size, f"{name} {operands}".rstrip(), flow, target, padding=name == "s_code_end")


def _half(found: Any, half: str) -> str:  # noqa: ANN401 - an instruction of the decoder
    """Return one of the two operations of an instruction for both."""
    name = getattr(found, f"op{half}").name.lower()
    fields = [f"vdst{half}", f"src{half}0", *([] if "_mov_" in name else [f"vsrc{half}1"])]
    literal = getattr(found, "literal", None)
    operands = [_register(getattr(found, field), literal) for field in fields]
    # a multiplication by a constant has it in no field of its own
    operands += [f"{literal:#x}"] if "fmaak" in name or "fmamk" in name else []
    return f"{name} {', '.join(operands)}"


def _operands(found: Any) -> Iterator[str]:  # noqa: ANN401 - an instruction of the decoder
    """Yield what the operation works on, then what is unusual about it, as `offset:16`."""
    literal = getattr(found, "literal", None)
    fields = [(name, field, getattr(found, name)) for name, field in found._fields if name not in _NO_OPERANDS]
    registers = [value for name, _, value in fields if hasattr(value, "fmt") and name in (found.operands or (name,))]
    yield from (_register(value, literal) for value in registers)
    if literal is not None and all(value.offset != _LITERAL for value in registers):
        yield f"{literal:#x}"
    for name, field, value in fields:
        if name == "simm16":
            yield from [f"{value:#x}"] if value or name in found.operands else []
        elif not hasattr(value, "fmt") and value != field.default:
            signed = name.endswith("offset") and type(found).__name__.lstrip("V") in _SIGNED
            shown = _sign_extend(value, field.hi - field.lo + 1) if signed else value
            yield f"{name}:{shown.name.lower() if isinstance(shown, Enum) else shown}"


def _register(value: Any, literal: int | None) -> str:  # noqa: ANN401 - an operand of the decoder
    return f"{literal:#x}" if value.offset == _LITERAL and literal is not None else str(value.fmt())


def _sign_extend(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value
