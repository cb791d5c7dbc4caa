"""Small AIE traces for tests: what mlir-aie's parser writes, as text."""

import json


def trace_text(cores=("2,0", "3,0"), *, iterations=3, kernels=4, duration=100, gap=10, stall=5_000):
    """Return a trace in which every core runs `iterations` x `kernels` kernels, with a long lock stall after each."""
    metadata, events = [], []
    for pid, tile in enumerate(cores):
        names = ("INSTR_EVENT_0", "INSTR_EVENT_1", "LOCK_STALL")
        metadata.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"core_trace for tile{tile}"}})
        metadata += [
            {"name": "thread_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}}
            for tid, name in enumerate(names)
        ]
        now = 1 + 5 * pid
        for _ in range(iterations):
            for _ in range(kernels):
                events += _interval("INSTR_EVENT_0", now, now + 1, pid, 0)
                events += _interval("INSTR_EVENT_1", now + duration - 1, now + duration, pid, 1)
                now += duration + gap
            events += _interval("LOCK_STALL", now, now + stall, pid, 2)
            now += stall + gap
    return "[" + ",\n".join(json.dumps(entry) for entry in metadata + events) + "]\n"


def _interval(name, start, end, pid, tid):
    entry = {"name": name, "pid": pid, "tid": tid, "args": {}}
    return [entry | {"ts": start, "ph": "B"}, entry | {"ts": end, "ph": "E"}]
