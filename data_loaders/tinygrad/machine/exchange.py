"""What the processes that decode get and return: a line of JSON for each binary or thread trace."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from data_loaders.tinygrad.machine.program import Disassembly
from data_loaders.tinygrad.machine.waves import Traced

MOST_ANSWER_BYTES = 64 * 2**20
"""Most that is read of the answers: those of as many instructions as the process decodes take a quarter."""
Answer = Mapping[str, Mapping[str, Sequence[Any]]]
"""Frame -> column -> values, of one binary or trace."""
_BINARIES, _TRACES, _ANSWERED = "binaries.jsonl", "traces.jsonl", "answers.jsonl"


class Binary(NamedTuple):
    """Machine code of a program; `architecture` is empty where the capture does not say it, `contents` are base64."""

    program: int
    kind: str
    architecture: str
    contents: str

    @property
    def code(self) -> bytes:
        """Return its bytes."""
        return base64.b64decode(self.contents)


class Trace(NamedTuple):
    """A thread trace; `program` is None where it is not known which one ran, `contents` are base64."""

    trace: int
    program: int | None
    contents: str

    @property
    def blob(self) -> bytes:
        """Return its bytes."""
        return base64.b64decode(self.contents)


def ask(folder: Path, binaries: Iterable[Binary], traces: Iterable[Trace] = ()) -> None:
    """Put binaries into the folder, and traces of some of them."""
    for name, rows in ((_BINARIES, binaries), (_TRACES, traces)):
        with (folder / name).open("w", encoding="ascii") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows)


def asked_in(folder: Path) -> Iterator[Binary]:
    """Yield the binaries in the folder."""
    yield from (Binary(*row) for row in _rows(folder / _BINARIES))


def traces_in(folder: Path) -> Iterator[Trace]:
    """Yield the traces in the folder."""
    yield from (Trace(*row) for row in _rows(folder / _TRACES))


def _rows(path: Path) -> Iterator[Sequence[Any]]:
    with path.open(encoding="ascii") as stream:
        yield from map(json.loads, stream)


@contextmanager
def answers_into(folder: Path) -> Iterator[Callable[[Answer], None]]:
    """Return what writes an answer; each is in the file before the next binary or trace is begun."""
    with (folder / _ANSWERED).open("w", encoding="ascii") as stream:

        def answer(found: Answer) -> None:
            stream.write(json.dumps(found) + "\n")
            stream.flush()

        yield answer


def answered_in(folder: Path) -> list[Answer]:
    """Return the answers; one that is cut, because the process ended while it wrote, is none."""
    path = folder / _ANSWERED
    if not path.is_file():
        return []
    with path.open(encoding="ascii") as stream:
        lines = stream.read(MOST_ANSWER_BYTES).split("\n")[:-1]
    return [json.loads(line) for line in lines]


def disassembly_answer(program: int, found: Disassembly) -> Answer:
    """Return the answer to a binary."""
    instructions, blocks, edges = found.instructions, found.blocks, found.edges
    binary = {"program": program, "architecture": found.architecture, "instructions": len(instructions)}
    binary |= {"why": found.why, **found.resources._asdict()}
    return {
        "machine_code": {name: [value] for name, value in binary.items()},
        "disassembly": _of(program, instructions, ("pc", "size", "text", "target", "symbol")),
        "basic_blocks": _of(program, blocks, ("start", "end")) | {"block": list(range(len(blocks)))},
        "block_edges": _of(program, edges, ("source", "target", "kind")),
    }


def _of(program: int, rows: Sequence[NamedTuple], names: Sequence[str]) -> dict[str, list[Any]]:
    return {"program": [program] * len(rows)} | {name: [getattr(row, name) for row in rows] for name in names}


def trace_answer(trace: int, found: Traced) -> Answer:
    """Return the answer to a thread trace."""
    waves, issues = found.waves, found.issues
    told = {"trace": trace, "packets": sum(found.packets.values()), "waves": len(waves), "executed": len(issues)}
    parts = ("array", "unit", "simd", "slot", "start", "end", "closed")
    names = ("wave", "at", "pc", "kind", "duration")
    return {
        "thread_traces": {name: [value] for name, value in (told | {"why": found.why}).items()},
        "waves": {"trace": [trace] * len(waves), "wave": list(range(len(waves)))}
        | {name: [getattr(wave, name) for wave in waves] for name in parts},
        "wave_instructions": {"trace": [trace] * len(issues)}
        | {name: [getattr(issue, name) for issue in issues] for name in names},
    }
