"""Parser of the lines that begin and end attempts: `lmem_spec` and `assignLmemAddr_finish`.

Sizes are bytes of the local memory of one NPU lane (source: LmemAllocator of TPU-MLIR,
`assignLmemAddr`).
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
# After a failure the compiler prints `lmem_already_used` with a `%`, but the number is bytes.
_FINISH = re.compile(
    rb'; step = assignLmemAddr_finish; tag = (success|failed); remark = "[^"\n]*"'
    rb"(?:; membuf_allocate_failed = ([0-9]{1,15}))?; (?:total_lmem_used|lmem_already_used) = ([0-9]{1,15})"
)


@dataclass(frozen=True)
class Memory:
    """Local memory of one lane: alignment (bytes), number of lanes, size (bytes), banks and their
    size (bytes); all positive.
    """

    align_bytes: int
    lanes: int
    capacity: int
    banks: int
    bank_bytes: int


@dataclass(frozen=True)
class Spec:
    """An `lmem_spec` line: its position in the file (bytes), its number and its memory.

    The memory is `None` if the numbers are unreadable.
    """

    position: int
    line: int
    memory: Memory | None


@dataclass(frozen=True)
class Finish:
    """A finish line: its position in the file (bytes), the outcome, the used bytes, and the number
    of blocks that were not placed when the allocation failed.
    """

    position: int
    outcome: str
    used_bytes: int
    failed: int


def read_specs(block: LogBlock) -> list[Spec]:
    """Parse the `lmem_spec` lines of a block, in order; unreadable lines have no memory."""
    at = block.fields.at[block.fields.starting(b"; step = lmem_spec;")]
    lines = block.line_numbers(at).tolist()
    specs = []
    for place, line in zip(at.tolist(), lines, strict=True):
        match = _SPEC.match(block.text, place)
        memory = _memory(match.groups()) if match else None
        specs.append(Spec(block.offset + place, line, memory))
    return specs


# A log repeats the numbers of its chip in every attempt.
@lru_cache(maxsize=64)
def _memory(texts: tuple[bytes, ...]) -> Memory | None:
    """Return the memory with these numbers (in the order of its fields); `None` if a number is 0."""
    numbers = [int(text) for text in texts]
    return Memory(*numbers) if all(numbers) else None


def read_finishes(block: LogBlock) -> tuple[list[Finish], int]:
    """Parse the finish lines of a block, in order.

    Also returns the number of finish lines that are unreadable and left out.
    """
    at = block.fields.at[block.fields.starting(b"; step = assignLmemAddr_finish;")].tolist()
    matches = [(place, match) for place in at if (match := _FINISH.match(block.text, place))]
    finishes = [
        Finish(block.offset + place, match[1].decode(), int(match[3]), int(match[2] or 0))
        for place, match in matches
    ]
    return finishes, len(at) - len(finishes)
