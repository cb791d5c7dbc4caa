"""The lines of a TPU-MLIR log that begin and end an allocation attempt: `lmem_spec` and `assignLmemAddr_finish`.

Sizes are bytes of the local memory of one NPU lane (SOURCE: LmemAllocator of TPU-MLIR, `assignLmemAddr`). On failure
the compiler prints a `%` after a number that is bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from data_loaders.tpu_mlir.blocks import LogBlock

_SPEC = re.compile(
    rb'; step = lmem_spec; tag = stamp; remark = "[^"\n]*"; lmem_eu_bytes = ([0-9]{1,15}); lmem_npu_num = ([0-9]{1,15})'
    rb"; lmem_bytes = ([0-9]{1,15}); lmem_banks = ([0-9]{1,15}); lmem_bank_bytes = ([0-9]{1,15})"
)
_FINISH = re.compile(
    rb'; step = assignLmemAddr_finish; tag = (success|failed); remark = "[^"\n]*"'
    rb"(?:; membuf_allocate_failed = ([0-9]{1,15}))?; (?:total_lmem_used|lmem_already_used) = ([0-9]{1,15})"
)


@dataclass(frozen=True)
class Memory:
    """The local memory of one lane: its alignment, lanes, size and banks; all positive."""

    align_bytes: int
    lanes: int
    capacity: int
    banks: int
    bank_bytes: int


@dataclass(frozen=True)
class Spec:
    """An `lmem_spec` line: where it is and what it says, None where its numbers cannot be read."""

    position: int
    line: int
    memory: Memory | None


@dataclass(frozen=True)
class Finish:
    """A finish line: where it is, how the attempt ended, the bytes in use and the blocks that did not fit."""

    position: int
    outcome: str
    used_bytes: int
    failed: int


def read_specs(block: LogBlock) -> list[Spec]:
    """Return the `lmem_spec` lines of a block."""
    at = block.fields.at[block.fields.starting(b"; step = lmem_spec;")]
    lines = block.line_numbers(at).tolist()
    return [
        Spec(block.offset + place, line, _memory(match.groups()) if (match := _SPEC.match(block.text, place)) else None)
        for place, line in zip(at.tolist(), lines, strict=True)
    ]


@lru_cache(maxsize=64)
def _memory(texts: tuple[bytes, ...]) -> Memory | None:
    """Return the memory of the numbers of a line, which are those of all others; None where one is 0."""
    numbers = [int(text) for text in texts]
    return Memory(*numbers) if all(numbers) else None


def read_finishes(block: LogBlock) -> tuple[list[Finish], int]:
    """Return the finish lines of a block and how many more could not be read."""
    at = block.fields.at[block.fields.starting(b"; step = assignLmemAddr_finish;")].tolist()
    matches = [(place, match) for place in at if (match := _FINISH.match(block.text, place))]
    found = [
        Finish(block.offset + place, match[1].decode(), int(match[3]), int(match[2] or 0)) for place, match in matches
    ]
    return found, len(at) - len(found)
