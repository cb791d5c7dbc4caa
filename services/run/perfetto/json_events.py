r"""Writer of a trace as gzipped JSON trace events.

Times are microseconds with three decimals, so no nanosecond is lost. Names are UTF-8: Perfetto
shows an escape such as `\u00b7` as it is written.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

from services.run.perfetto.ids import Ids
from services.run.perfetto.trace import Counter, Instants, Slices, Trace

_AT_ONCE = 4_096
"""Events that are written at a time."""
_LEVEL = 5
"""Compression level of gzip."""


def write_json(trace: Trace, stream: BinaryIO) -> None:
    """Write the trace to a binary stream as gzipped JSON, a bounded number of events at a time;
    equal traces give equal bytes.
    """
    # without a time in its header, equal runs give equal files
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=_LEVEL, mtime=0) as file:
        file.write(b'{"displayTimeUnit":"ns","traceEvents":[')
        events = _events(trace)
        separator = "\n"
        while part := list(islice(events, _AT_ONCE)):
            file.write((separator + ",\n".join(part)).encode(errors="replace"))
            separator = ",\n"
        file.write(b"\n]}\n")


def _events(trace: Trace) -> Iterator[str]:
    ids = Ids(trace.processes)
    for name in trace.processes:
        yield _name("process_name", ids.process(name), 0, name)
    for slices in trace.slices:
        thread = ids.next_id()
        yield _name("thread_name", ids.process(slices.process), thread, slices.thread)
        yield from _slices(slices, ids.process(slices.process), thread)
    for instants in trace.instants:
        thread = ids.next_id()
        yield _name("thread_name", ids.process(instants.process), thread, instants.thread)
        yield from _instants(instants, ids.process(instants.process), thread)
    for counter in trace.counters:
        yield from _values(counter, ids.process(counter.process))


def _name(kind: str, process: int, thread: int, name: str) -> str:
    words = _json_text(name)
    return f'{{"ph":"M","name":"{kind}","pid":{process},"tid":{thread},"args":{{"name":{words}}}}}'


def _slices(slices: Slices, process: int, thread: int) -> Iterator[str]:
    names = [_json_text(name) for name in slices.names]
    rows: Iterable[tuple[int, int, int]] = zip(
        slices.begin.tolist(), slices.end.tolist(), slices.name.tolist(), strict=True
    )
    for begin, end, name in rows:
        at = _microseconds(begin)
        long = _microseconds(end - begin)
        yield f'{{"ph":"X","pid":{process},"tid":{thread},"ts":{at},"dur":{long},"name":{names[name]}}}'


def _instants(instants: Instants, process: int, thread: int) -> Iterator[str]:
    for at, name in zip(instants.at.tolist(), instants.names, strict=True):
        words = _json_text(name)
        yield f'{{"ph":"i","s":"t","pid":{process},"tid":{thread},"ts":{_microseconds(at)},"name":{words}}}'


def _values(counter: Counter, process: int) -> Iterator[str]:
    # Perfetto's name of a counter is the name of its events, a space and the key of the value.
    name, _, key = map(_json_text, counter.name.rpartition(" "))
    for at, value in zip(counter.at.tolist(), counter.value.tolist(), strict=True):
        yield f'{{"ph":"C","pid":{process},"ts":{_microseconds(at)},"name":{name},"args":{{{key}:{value}}}}}'


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _microseconds(ns: int) -> str:
    """Format nanoseconds as microseconds with three decimals, exactly, such as `1.500`."""
    whole, rest = divmod(abs(ns), 1_000)
    return f"{'-' if ns < 0 else ''}{whole}.{rest:03d}"
