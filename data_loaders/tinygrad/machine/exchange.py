"""Exchange tasks and results with decoding processes: files with a line of JSON for each."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from data_loaders.tinygrad.machine.program import Disassembly
from data_loaders.tinygrad.machine.waves import Traced

MAX_RESULT_BYTES = 64 * 2**20
"""Maximum bytes of results that are read.

The results of the maximum number of instructions take a quarter of it.
"""
Result = Mapping[str, Mapping[str, Sequence[Any]]]
"""Result for a binary or trace: frame -> column -> values."""
_BINARIES, _TRACES, _ANSWERED = "binaries.jsonl", "traces.jsonl", "answers.jsonl"


class Binary(NamedTuple):
    """Machine code of a program; `architecture` is "" if unknown, `contents` is base64."""

    program: int
    kind: str
    architecture: str
    contents: str

    @property
    def code(self) -> bytes:
        """The machine code as bytes."""
        return base64.b64decode(self.contents)


class Trace(NamedTuple):
    """A thread trace; `program` is `None` if it is unknown, `contents` is base64."""

    trace: int
    program: int | None
    contents: str

    @property
    def blob(self) -> bytes:
        """The trace as bytes."""
        return base64.b64decode(self.contents)


def write_tasks(folder: Path, binaries: Iterable[Binary], traces: Iterable[Trace] = ()) -> None:
    """Write the binaries and traces that a child process has to decode into `binaries.jsonl` and
    `traces.jsonl` of the folder.
    """
    for name, rows in ((_BINARIES, binaries), (_TRACES, traces)):
        with (folder / name).open("w", encoding="ascii") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows)


def read_binaries(folder: Path) -> Iterator[Binary]:
    """Yield the binaries that `write_tasks` wrote into the folder, in order."""
    yield from (Binary(*row) for row in _rows(folder / _BINARIES))


def read_traces(folder: Path) -> Iterator[Trace]:
    """Yield the traces that `write_tasks` wrote into the folder, in order."""
    yield from (Trace(*row) for row in _rows(folder / _TRACES))


def _rows(path: Path) -> Iterator[Sequence[Any]]:
    with path.open(encoding="ascii") as stream:
        yield from map(json.loads, stream)


@contextmanager
def open_results(folder: Path) -> Iterator[Callable[[Result], None]]:
    """Yield a function that appends a result to the folder's results.

    Each result is flushed before the next binary or trace is decoded, so that a crash loses no
    earlier result.
    """
    with (folder / _ANSWERED).open("w", encoding="ascii") as stream:

        def write(result: Result) -> None:
            stream.write(json.dumps(result) + "\n")
            stream.flush()

        yield write


def read_results(folder: Path) -> list[Result]:
    """Read the results in the folder, in order; empty if there are none.

    A last line that is not complete is ignored, and all behind 64 MiB.
    """
    path = folder / _ANSWERED
    if not path.is_file():
        return []
    with path.open(encoding="ascii") as stream:
        # The part after the last newline is empty, or a result that was not written completely.
        lines = stream.read(MAX_RESULT_BYTES).split("\n")[:-1]
    return [json.loads(line) for line in lines]


def disassembly_result(program: int, disassembly: Disassembly) -> Result:
    """Map frames `machine_code` (one row), `disassembly`, `basic_blocks` and `block_edges` to the
    columns of a disassembled program.
    """
    instructions = disassembly.instructions
    blocks = disassembly.blocks
    edges = disassembly.edges
    binary = {
        "program": program,
        "architecture": disassembly.architecture,
        "instructions": len(instructions),
    }
    binary |= {"why": disassembly.why, **disassembly.resources._asdict()}
    return {
        "machine_code": {name: [value] for name, value in binary.items()},
        "disassembly": _program_columns(
            program, instructions, ("pc", "size", "text", "target", "symbol")
        ),
        "basic_blocks": _program_columns(program, blocks, ("start", "end"))
        | {"block": list(range(len(blocks)))},
        "block_edges": _program_columns(program, edges, ("source", "target", "kind")),
    }


def _program_columns(
    program: int, rows: Sequence[NamedTuple], names: Sequence[str]
) -> dict[str, list[Any]]:
    return {"program": [program] * len(rows)} | {
        name: [getattr(row, name) for row in rows] for name in names
    }


def trace_result(trace: int, traced: Traced) -> Result:
    """Map frames `thread_traces` (one row), `waves` and `wave_instructions` to the columns of a
    decoded thread trace.
    """
    waves = traced.waves
    issues = traced.issues
    summary = {
        "trace": trace,
        "packets": sum(traced.packets.values()),
        "waves": len(waves),
        "executed": len(issues),
        "clock_hz": traced.clock.mean_hz,
        "clock_min_hz": traced.clock.min_hz,
        "clock_max_hz": traced.clock.max_hz,
    }
    parts = ("array", "unit", "simd", "slot", "start", "end", "closed")
    names = ("wave", "at", "pc", "kind", "duration", "delay", "released")
    return {
        "thread_traces": {name: [value] for name, value in (summary | {"why": traced.why}).items()},
        "waves": {"trace": [trace] * len(waves), "wave": list(range(len(waves)))}
        | {name: [getattr(wave, name) for wave in waves] for name in parts},
        "wave_instructions": {"trace": [trace] * len(issues)}
        | {name: [getattr(issue, name) for issue in issues] for name in names},
    }
