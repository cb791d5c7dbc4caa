"""A memory snapshot of a small training by PyTorch's caching allocator, written without torch.

The weights are allocated before the trace begins. Each of three steps allocates the outputs of its
layers and frees them during the backward pass, which allocates gradients; the first step also
allocates the optimizer's state. After the last step an allocation exceeds the device's memory.
"""

from __future__ import annotations

import gzip
import pickle
from dataclasses import dataclass, field
from pathlib import Path

_BASE = 0x7F5A_0000_0000
_SEGMENT = 20 << 20
"""Bytes of a segment."""
_ROUND = 512
"""Allocations are rounded up to a multiple of this number of bytes."""
_BEGIN_US = 1_792_086_400_000_000
_STEPS, _LAYERS = 3, 4
_WEIGHT = 1_048_576
"""Bytes of a layer's weight."""
_OUTPUT = 3_000_000
"""Bytes of the first layer's output."""
_MAIN = ("train.py", 60, "main")
_STEP = ("train.py", 21, "train_step")
_WHERE = {
    "weight": [("model.py", 12, "__init__"), ("train.py", 48, "build"), _MAIN],
    "output": [("layers.py", 31, "forward"), ("model.py", 25, "forward"), _STEP, _MAIN],
    "gradient": [("train.py", 27, "backward"), _STEP, _MAIN],
    "state": [("optimizer.py", 44, "step"), _STEP, _MAIN],
    "batch": [("data.py", 9, "next_batch"), _STEP, _MAIN],
}
"""Kind of allocation -> its call stack, innermost call first."""
# Real stacks begin with frames of torch itself, which name no line of the program.
_NATIVE = {"name": "torch::unwind::unwind()", "filename": "??", "line": 0}
_FRAMES = {
    kind: [
        _NATIVE,
        *(
            {"name": function, "filename": f"/home/user/training/{file}", "line": line}
            for file, line, function in calls
        ),
    ]
    for kind, calls in _WHERE.items()
}


@dataclass
class _Allocator:
    """A caching allocator that uses the first free place.

    `entries` is its trace, `alive` maps addresses to size and kind.
    """

    traced: bool = False
    now: int = _BEGIN_US
    segments: int = 0
    entries: list[dict[str, object]] = field(default_factory=list)
    alive: dict[int, tuple[int, str]] = field(default_factory=dict)

    def record(
        self, action: str, address: int, size: int, frames: list[dict[str, object]], **more: object
    ) -> None:
        self.now += 7
        entry = {
            "action": action,
            "addr": address,
            "size": size,
            "stream": 0,
            "time_us": self.now,
            "frames": frames,
        }
        if self.traced:
            self.entries.append(entry | more)

    def allocate(self, kind: str, size: int) -> int:
        address = _BASE
        for start in sorted(self.alive):
            if start - address >= size:
                break
            address = start + _rounded(self.alive[start][0])
        while address + _rounded(size) > _BASE + self.segments * _SEGMENT:
            self.record("segment_alloc", _BASE + self.segments * _SEGMENT, _SEGMENT, [])
            self.segments += 1
        self.alive[address] = size, kind
        self.record("alloc", address, size, _FRAMES[kind])
        return address

    def free(self, address: int) -> None:
        size, kind = self.alive.pop(address)
        # The allocator gets the bytes back with the second entry.
        for action in ("free_requested", "free_completed"):
            self.record(action, address, size, _FRAMES[kind])


def _rounded(size: int) -> int:
    return -(-size // _ROUND) * _ROUND


def _step(allocator: _Allocator, number: int) -> None:
    batch = allocator.allocate("batch", _OUTPUT // 2)
    outputs = [allocator.allocate("output", _OUTPUT + 100_000 * layer) for layer in range(_LAYERS)]
    for output in reversed(outputs):
        gradient = allocator.allocate("gradient", _OUTPUT)
        allocator.free(output)
        allocator.free(gradient)
    if not number:
        for _ in range(_LAYERS):
            allocator.allocate("state", 2 * _WEIGHT)
    allocator.free(batch)


def _segments(allocator: _Allocator) -> list[dict[str, object]]:
    """Return the memory at the end as one segment: blocks by address, including free blocks."""
    blocks: list[dict[str, object]] = []
    at = _BASE
    end = _BASE + allocator.segments * _SEGMENT
    for address, (size, kind) in sorted(allocator.alive.items()):
        if address > at:
            blocks.append(_free_block(at, address))
        block = {
            "address": address,
            # Blocks have the rounded size, but entries of the trace the requested size.
            "size": _rounded(size),
            "requested_size": size,
            "state": "active_allocated",
        }
        blocks.append(block | {"frames": _FRAMES[kind]})
        at = address + _rounded(size)
    if end > at:
        blocks.append(_free_block(at, end))
    used = sum(_rounded(size) for size, _ in allocator.alive.values())
    requested = sum(size for size, _ in allocator.alive.values())
    sizes = {
        "total_size": end - _BASE,
        "allocated_size": used,
        "active_size": used,
        "requested_size": requested,
    }
    pool: dict[str, object] = {
        "stream": 0,
        "segment_type": "large",
        "segment_pool_id": (0, 0),
        "is_expandable": False,
        "frames": [],
    }
    return [{"device": 0, "address": _BASE} | sizes | pool | {"blocks": blocks}]


def _free_block(start: int, end: int) -> dict[str, object]:
    return {
        "address": start,
        "size": end - start,
        "requested_size": 0,
        "state": "inactive",
        "frames": [],
    }


def write_snapshot(folder: Path) -> Path:
    """Write the snapshot into the folder; return its path."""
    allocator = _Allocator()
    for _ in range(_LAYERS):
        allocator.allocate("weight", _WEIGHT)
    allocator.traced = True
    annotations = []
    for number in range(_STEPS):
        begun = allocator.now
        _step(allocator, number)
        for stage, at in (("START", begun), ("END", allocator.now)):
            annotations.append(
                {"stage": stage, "name": f"step {number}", "device": 0, "time_us": at}
            )
    allocator.record("oom", 0, 64 << 20, _FRAMES["output"], device_free=24 << 20)
    snapshot = {"segments": _segments(allocator), "device_traces": [allocator.entries]}
    snapshot |= {
        "allocator_settings": {"expandable_segments": False},
        "external_annotations": annotations,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "training.pickle.gz"
    path.write_bytes(gzip.compress(pickle.dumps(snapshot, protocol=4), mtime=0))
    return path
