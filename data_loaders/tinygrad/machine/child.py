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
from data_loaders.tinygrad.machine.exchange import disassembly_result, open_results, read_binaries
from data_loaders.tinygrad.machine.program import MAX_INSTRUCTIONS, disassemble

MAX_CAPTURE_INSTRUCTIONS = 200_000
"""Maximum instructions of all programs of a capture; captures of a training have ten thousand."""


def main(arguments: Sequence[str]) -> int:
    """Disassemble the binaries in the folder and write a result for each there; returns 0.

    After 200,000 instructions of all binaries, results are without instructions.
    """
    folder = Path(arguments[0])
    limits = Limits.of(arguments[1])
    limit_memory(limits)
    limit_processor(limits, 0)
    room = MAX_CAPTURE_INSTRUCTIONS
    with open_results(folder) as write:
        for binary in read_binaries(folder):
            most = min(room, MAX_INSTRUCTIONS)
            disassembly = disassemble(binary.kind, binary.architecture, binary.code, most)
            room -= len(disassembly.instructions)
            write(disassembly_result(binary.program, disassembly))
    return 0


if __name__ == "__main__":
    end_with_starter()
    code = main(sys.argv[1:])
    # Exit at once: freeing each object would only take time.
    os._exit(code)
