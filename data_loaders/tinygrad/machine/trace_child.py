"""Child process that decodes thread traces: if it fails, only the traces after the broken trace are
lost.

`python -m data_loaders.tinygrad.machine.trace_child FOLDER LIMITS` reads traces in FOLDER and the
binaries that they refer to, and writes a result for each trace there as soon as it is decoded (see
`exchange`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor
from data_loaders.tinygrad.machine.exchange import answers_into, asked_in, trace_answer, traces_in
from data_loaders.tinygrad.machine.follower import InstructionMap
from data_loaders.tinygrad.machine.program import disassemble
from data_loaders.tinygrad.machine.waves import MOST_PACKETS, NO_ROOM, Traced, decode_waves

MOST_PACKETS_IN_ALL = 2_000_000
"""Maximum packets of all traces of a capture: decoding them takes seven seconds."""
MOST_ROWS_IN_ALL = 500_000
"""Maximum waves and instructions of a capture.

Packets do not bound them, since a packet can have a mask of 16 waves.
"""
_EMPTY = "it holds nothing"


def main(arguments: Sequence[str]) -> int:
    """Decode the thread traces in the folder."""
    folder, limits = Path(arguments[0]), Limits.of(arguments[1])
    limit_memory(limits)
    limit_processor(limits, 0)
    programs = {
        binary.program: InstructionMap(disassemble(binary.kind, binary.architecture, binary.code).instructions)
        for binary in asked_in(folder)
    }
    packets, rows = MOST_PACKETS_IN_ALL, MOST_ROWS_IN_ALL
    with answers_into(folder) as answer:
        for trace in traces_in(folder):
            program = programs.get(-1 if trace.program is None else trace.program, InstructionMap())
            found = _decode_trace(trace.blob, program, min(packets, MOST_PACKETS), rows)
            packets -= sum(found.packets.values())
            rows -= len(found.waves) + len(found.issues)
            answer(trace_answer(trace.trace, found))
    return 0


def _decode_trace(blob: bytes, program: InstructionMap, most_packets: int, most_rows: int) -> Traced:
    if not blob:
        return Traced(why=_EMPTY)
    if most_packets < 1 or most_rows < 1:
        return Traced(why=NO_ROOM)
    return decode_waves(blob, program, most_packets, most_rows)


if __name__ == "__main__":
    end_with_starter()
    code = main(sys.argv[1:])
    # Exit without freeing the objects one by one.
    os._exit(code)
