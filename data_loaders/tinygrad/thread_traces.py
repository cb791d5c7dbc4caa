"""Thread traces (SQTT) of AMD devices: kernel, run, shader engine and size of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from data_loaders.tinygrad.capture import Capture, Fields
from data_loaders.tinygrad.columns import numbers
from data_loaders.tinygrad.counters import traced_function
from data_loaders.tinygrad.machine.waves import MAX_PACKETS
from data_loaders.tinygrad.names import clean, plain
from data_loaders.tinygrad.programs import Program
from data_loaders.tinygrad.records import text_field
from schema.diagnostics import Diagnostic
from schema.frames import complete, empty
from schema.plurals import plural

MAX_KERNELS = 10
"""Maximum kernels that a finding names."""
_MAX_NAME = 60
_MAX_ENGINE = 10_000
MAX_BYTES = 32 * 2**20
"""Maximum bytes of traces that are decoded: a pickle may refer to the same trace a million
times.
"""
_MAX_TRACE_BYTES = 9 * MAX_PACKETS
"""Maximum bytes of a trace that are decoded: the maximum number of packets fits into it."""


class _Trace(NamedTuple):
    """A row of frame `thread_traces`."""

    trace: int
    device: str
    program: int | None
    kernel: str
    run: int
    engine: int
    instructions: bool
    bytes: int


def thread_traces_frame(
    capture: Capture, names: Sequence[str], tagged: Mapping[int, str], programs: Sequence[Program]
) -> pd.DataFrame:
    """Build frame `thread_traces`, a row per trace in the order of the capture: device, program,
    kernel, run, engine, size.

    `names` are the names of the capture's devices, `tagged` maps tags to functions. `program` is
    null unless a single program has the function. Traces of a run of a kernel share a number from
    1. Before December 2025 traces have no number: a new run begins when a shader engine recurs.
    """
    rows = []
    runs = _Runs()
    ranks = _ranks(programs)
    for place, fields in enumerate(capture.thread_traces):
        device = text_field(fields, "device")
        function = plain(traced_function(fields, tagged))
        engine, size = _engine_and_size(fields)
        track = names[capture.devices[device]] if device in capture.devices else clean(device)
        run = runs.number((device, _key(fields)), fields.get("exec_tag"), engine)
        rows.append(
            _Trace(
                trace=place,
                device=track,
                program=ranks.get(function),
                kernel=function,
                run=run,
                engine=engine,
                instructions=fields.get("itrace") is True,
                bytes=size,
            )
        )
    if not rows:
        return empty("thread_traces")
    frame = pd.DataFrame(rows, columns=list(_Trace._fields))
    return complete(
        "thread_traces", dict(frame.assign(program=numbers(row.program for row in rows)))
    )


def trace_blobs(capture: Capture) -> dict[int, bytes]:
    """Map the number of each trace to its bytes to decode, for as many traces as fit into MAX_BYTES
    (32 MiB).

    Empty traces are left out.
    """
    blobs: dict[int, bytes] = {}
    room = MAX_BYTES
    for place, fields in enumerate(capture.thread_traces):
        blob = fields.get("blob")
        content = blob[:_MAX_TRACE_BYTES] if type(blob) is bytes else b""
        if content and len(content) <= room:
            room -= len(content)
            blobs[place] = content
    return blobs


def _key(fields: Fields) -> int | str | None:
    """Return the function (text, up to 0.12) or the program's tag (int) of the traced kernel.

    `None` for values of other types.
    """
    kernel = fields.get("kern")
    return kernel if type(kernel) is int or type(kernel) is str else None


def _engine_and_size(fields: Fields) -> tuple[int, int]:
    """Return the shader engine (-1 if unknown) and the size in bytes of a trace (0 without
    content).
    """
    engine = fields.get("se")
    blob = fields.get("blob")
    valid_engine = engine if type(engine) is int and 0 <= engine < _MAX_ENGINE else -1
    return valid_engine, len(blob) if type(blob) is bytes else 0


def _ranks(programs: Sequence[Program]) -> dict[str, int]:
    """Map each function that a single program has to the rank of that program."""
    count = Counter(program.function for program in programs)
    return {
        program.function: rank
        for rank, program in enumerate(programs)
        if count[program.function] == 1
    }


_Kernel = tuple[str, int | str | None]
"""Device and identifier of a kernel on it."""


class _Runs:
    """Numbers the traced runs of each kernel."""

    def __init__(self) -> None:
        self._tags: dict[_Kernel, dict[int, int]] = {}
        self._engines: dict[_Kernel, list[set[int]]] = {}

    def number(self, kernel: _Kernel, tag: object, engine: int) -> int:
        """Return the number of the run, from 1 per kernel, that a trace of shader engine `engine`
        belongs to.

        Equal tags give equal numbers; without a tag (not an int), a new run begins when an engine
        recurs.
        """
        if type(tag) is int:
            tags = self._tags.setdefault(kernel, {})
            return tags.setdefault(tag, len(tags) + 1)
        # Captures from before December 2025 have no `exec_tag`; a shader engine has a single trace
        # per run, so a new run begins when an engine recurs.
        runs = self._engines.setdefault(kernel, [set()])
        if engine in runs[-1]:
            runs.append(set())
        runs[-1].add(engine)
        return len(runs)


def thread_trace_findings(capture: Capture, tagged: Mapping[int, str]) -> list[Diagnostic]:
    """Report number, kernels and sizes (bytes) of the thread traces in one finding.

    Empty without traces. `tagged` maps tags of programs to functions.
    """
    sizes: Counter[str] = Counter()
    count = len(capture.thread_traces)
    for fields in capture.thread_traces:
        blob = fields.get("blob")
        sizes[_kernel(fields, tagged)] += len(blob) if type(blob) is bytes else 0
    if not count:
        return []
    largest = sizes.most_common(MAX_KERNELS)
    rest = sum(sizes.values()) - sum(size for _, size in largest)
    others = len(sizes) - len(largest)
    parts = [f"{name} {plural(size, 'byte')}" for name, size in largest]
    parts += [f"{plural(others, 'other')} {plural(rest, 'byte')}"] if others else []
    total = f"{plural(count, 'thread trace')} (SQTT) of {plural(len(sizes), 'kernel')}"
    text = f"{total}, {plural(sum(sizes.values()), 'byte')}: {', '.join(parts)}"
    return [Diagnostic("info", "thread_traces", text, "", count)]


def _kernel(fields: Fields, tagged: Mapping[int, str]) -> str:
    kernel = fields.get("kern")
    name = plain(traced_function(fields, tagged))
    if not name:
        return (
            f"program {kernel}"
            if type(kernel) is int and abs(kernel) < 2**63
            else "an unknown kernel"
        )
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"
