"""Entries of a hardware trace, written as JSON and read again."""

import io
import json

from data_loaders.aie.trace_entries import read_entries
from tests.support.aie_trace import entry_rows

EVENT = {"name": "INSTR_EVENT_0", "ts": 5, "ph": "B", "pid": 0, "tid": 0, "args": {}}
NAMED = {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "core_trace for tile2,1"}}


def event(ts=5, ph="B", **more):
    return EVENT | {"ts": ts, "ph": ph} | more


def read(content):
    return read_entries(io.BytesIO(content if isinstance(content, bytes) else content.encode()))


def lines(*entries):
    return "[" + ",\n".join(json.dumps(entry) for entry in entries) + "]\n"


def told(entries):
    """Return the content of an `Entries` for comparison: rows (see `entry_rows`), processes by pid,
    counts of bad entries, number of all entries, position of the cut.
    """
    processes = {entries.pids[code]: named for code, named in entries.processes.items()}
    return entry_rows(entries), processes, dict(entries.bad), entries.total, entries.cut_at


NASTY = [
    "}, {",
    "},\n{",
    '"}, {"',
    "a\\",
    '\\"}, {\\"',
    "ünïcode ✓ \U0001f600",
    "\x00\x1f",
    "\ud800",
    "</script>",
    "]",
    "}]",
]
