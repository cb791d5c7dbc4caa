"""Child process that decodes thread traces; when it fails, only the later traces are lost.

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
from data_loaders.tinygrad.machine.exchange import (
    open_results,
    read_binaries,
    read_traces,
    trace_result,
)
from data_loaders.tinygrad.machine.follower import InstructionMap
from data_loaders.tinygrad.machine.program import disassemble
from data_loaders.tinygrad.machine.waves import MAX_PACKETS, NO_ROOM, Traced, decode_waves

MAX_CAPTURE_PACKETS = 2_000_000
"""Maximum packets of all traces of a capture: decoding them takes seven seconds."""
MAX_CAPTURE_ROWS = 500_000
"""Maximum waves and instructions of a capture.

Packets do not bound them, since a packet can have a mask of 16 waves.
"""
_EMPTY = "it is empty"


def main(arguments: Sequence[str]) -> int:
    """Decode the thread traces in the folder and write a result for each there; returns 0.

    After 2,000,000 packets or 500,000 rows of all traces, results are empty with a reason.
    """
    folder = Path(arguments[0])
    limits = Limits.of(arguments[1])
    limit_memory(limits)
    limit_processor(limits, 0)
    programs = {
        binary.program: InstructionMap(
            disassemble(binary.kind, binary.architecture, binary.code).instructions
        )
        for binary in read_binaries(folder)
    }
    packets = MAX_CAPTURE_PACKETS
    rows = MAX_CAPTURE_ROWS
    with open_results(folder) as write:
        for trace in read_traces(folder):
            program = programs.get(-1 if trace.program is None else trace.program, InstructionMap())
            traced = _decode_trace(trace.blob, program, min(packets, MAX_PACKETS), rows)
            packets -= sum(traced.packets.values())
            rows -= len(traced.waves) + len(traced.issues)
            write(trace_result(trace.trace, traced))
    return 0


def _decode_trace(
    blob: bytes, program: InstructionMap, most_packets: int, most_rows: int
) -> Traced:
    if not blob:
        return Traced(why=_EMPTY)
    if most_packets < 1 or most_rows < 1:
        return Traced(why=NO_ROOM)
    return decode_waves(blob, program, most_packets, most_rows)


if __name__ == "__main__":
    end_with_starter()
    code = main(sys.argv[1:])
    # Exit at once: freeing each object would only take time.
    os._exit(code)
