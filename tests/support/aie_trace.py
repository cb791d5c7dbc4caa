"""Small AIE traces for tests: the JSON text that the parser of mlir-aie writes."""

import json

_KERNELS_AT_ONCE = 500
SETUP = "npu2-gemm_64_64_64-2_row_1_col"
"""Folder of a capture: hardware, sizes of the GEMM and of the array."""


def trace_text(cores=("2,0", "3,0"), *, iterations=3, kernels=4, duration=100, gap=10, stall=5_000):
    """Write the JSON of a trace: every core runs `iterations` x `kernels` kernels, with a lock
    stall of `stall` ticks after each iteration.
    """
    metadata, events = [], []
    for pid, tile in enumerate(cores):
        names = ("INSTR_EVENT_0", "INSTR_EVENT_1", "LOCK_STALL")
        metadata.append(
            {
                "name": "process_name",
                "ph": "M",
                "pid": pid,
                "args": {"name": f"core_trace for tile{tile}"},
            }
        )
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


def write_capture_file(folder, text=None, setup=SETUP):
    """Write a trace, by default a small one, into the folders that tell its setup; return its path."""
    path = folder / setup / "traces" / "trace_mm_64_64_64.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(trace_text() if text is None else text)
    return path


def _interval(name, start, end, pid, tid):
    entry = {"name": name, "pid": pid, "tid": tid, "args": {}}
    return [entry | {"ts": start, "ph": "B"}, entry | {"ts": end, "ph": "E"}]


def write_long_trace(path, size):
    """Write the JSON of a trace of one core with at least `size` bytes; return the number of its
    kernels.
    """
    head = trace_text(("2,0",), iterations=0).rstrip().removesuffix("]")
    now = kernels = 0
    with path.open("w") as file:
        file.write(head)
        while file.tell() < size:
            for _ in range(_KERNELS_AT_ONCE):
                file.write(_kernel(now))
                now += 100
            kernels += _KERNELS_AT_ONCE
            file.write(_spelled("LOCK_STALL", now, now + 5_000, 2))
            now += 5_100
        file.write("]\n")
    return kernels


def _kernel(now):
    """Write the entries of a kernel as JSON text without a JSON writer, which would take ten times
    as long.
    """
    return _spelled("INSTR_EVENT_0", now, now + 1, 0) + _spelled(
        "INSTR_EVENT_1", now + 89, now + 90, 1
    )


def _spelled(name, start, end, tid):
    entry = f',\n{{"name": "{name}", "pid": 0, "tid": {tid}, "args": {{}}, "ts": '
    return f'{entry}{start}, "ph": "B"}}{entry}{end}, "ph": "E"}}'


def entry_rows(entries):
    """Return a list of (pid, name, tid, is begin, ts) of all entries."""
    texts = [
        (entries.pids[pid], entries.names[name], entries.tids[tid])
        for pid, name, tid in entries.lanes
    ]
    columns = zip(entries.lane.tolist(), entries.begin.tolist(), entries.ts.tolist(), strict=True)
    return [(*texts[lane], begin, ts) for lane, begin, ts in columns]
