"""Child process that disassembles machine code: if a decoder crashes, only the disassembly is lost.

`python -m data_loaders.tinygrad.machine.child FOLDER LIMITS` reads binaries in FOLDER and writes a
result for each binary there as soon as it is decoded (see `exchange`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor
from data_loaders.tinygrad.machine.exchange import answers_into, asked_in, disassembly_answer
from data_loaders.tinygrad.machine.program import MOST_INSTRUCTIONS, disassemble

MOST_IN_ALL = 200_000
"""Maximum instructions of all programs of a capture; captures of a training have ten thousand."""


def main(arguments: Sequence[str]) -> int:
    """Disassemble the binaries in the folder."""
    folder, limits = Path(arguments[0]), Limits.of(arguments[1])
    limit_memory(limits)
    limit_processor(limits, 0)
    room = MOST_IN_ALL
    with answers_into(folder) as answer:
        for binary in asked_in(folder):
            found = disassemble(binary.kind, binary.architecture, binary.code, min(room, MOST_INSTRUCTIONS))
            room -= len(found.instructions)
            answer(disassembly_answer(binary.program, found))
    return 0


if __name__ == "__main__":
    end_with_starter()
    code = main(sys.argv[1:])
    # Exit without freeing the objects one by one.
    os._exit(code)
