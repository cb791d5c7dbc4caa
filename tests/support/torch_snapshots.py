"""Memory snapshots of PyTorch, made entry by entry, and their frames."""

import pickle

from data_loaders.torch_snapshot.child import read_run

BASE = 1 << 40
FRAMES = [
    {"name": "torch::unwind()", "filename": "??", "line": 0},
    {"name": "forward", "filename": "/home/me/model.py", "line": 31},
    {"name": "main", "filename": "/home/me/train.py", "line": 5},
]


def entry(action, at, size, time=None, **said):
    stamp = {} if time is None else {"time_us": time}
    return {"action": action, "addr": BASE + at, "size": size, "stream": 0} | stamp | said


def alloc(at, size, time=None):
    return entry("alloc", at, size, time, frames=FRAMES)


def freed(at, size, time=None):
    return entry("free_completed", at, size, time, frames=[])


def block(size, state="active_allocated", **said):
    return {"size": size, "state": state} | said


def segment(*blocks, device=0, requested=None, total=4096, **said):
    own = {"device": device, "address": BASE, "total_size": total, "blocks": list(blocks)}
    allocated = sum(one["size"] for one in blocks if one["state"] == "active_allocated")
    sums = {"allocated_size": allocated} | (
        {} if requested is None else {"requested_size": requested}
    )
    return own | sums | said


def read(segments, *traces, **more):
    return read_run([pickle.dumps({"segments": segments, "device_traces": list(traces)} | more, 4)])


def rows(reading, *columns):
    return list(
        zip(*(reading.frames["allocations"][name].tolist() for name in columns), strict=True)
    )
