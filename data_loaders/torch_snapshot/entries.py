"""What a memory snapshot holds, checked and as columns: segments with their blocks, and a trace for each device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from data_loaders.protocol import LoadError
from data_loaders.torch_snapshot.call_stacks import CallStacks, clean
from schema.array_types import Ints
from schema.memory import MOST_BYTES

ACTIONS = (
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "oom",
    "snapshot",
)
"""What an entry of a trace may be; others are kept as steps in which nothing happens."""
OTHER = len(ACTIONS)
_CODE = {action: code for code, action in enumerate(ACTIONS)}
_ALIVE = ("active_allocated", "active_pending_free", "active_awaiting_free")
UNKNOWN = -1
"""A time or a number that an entry does not have."""


@dataclass(frozen=True)
class Trace:
    """The entries of a device in their order: codes of ACTIONS, addresses, bytes, time in us, and call stack.

    `stack` is a number of CallStacks, of allocations alone; `device_free` belongs to entries that ran out of memory.
    """

    action: Ints
    address: Ints
    size: Ints
    time: Ints
    stack: Ints
    device_free: Ints

    def places(self, *actions: str) -> Ints:
        """Return where entries of these actions are."""
        return np.flatnonzero(np.isin(self.action, [_CODE[action] for action in actions]))


@dataclass(frozen=True)
class Blocks:
    """What the segments of a device hold at the end.

    Per segment `base` and `length`; per block that is alive `address`, `requested` bytes and `stack`. `allocated` and
    `requested_end` are sums that the segments say themselves.
    """

    base: Ints
    length: Ints
    address: Ints
    requested: Ints
    stack: Ints
    allocated: int
    requested_end: int


@dataclass(frozen=True)
class Annotation:
    """A span that the user's program named: begins or ends on a device at a time in us."""

    name: str
    begins: bool
    device: int
    time: int


@dataclass
class Snapshot:
    """A snapshot by device; `skipped` counts why something was left out."""

    traces: dict[int, Trace] = field(default_factory=dict)
    blocks: dict[int, Blocks] = field(default_factory=dict)
    stacks: CallStacks = field(default_factory=CallStacks)
    annotations: list[Annotation] = field(default_factory=list)
    expandable: bool = False
    skipped: Counter[str] = field(default_factory=Counter)


def read_snapshot(root: object, content_bytes: int) -> Snapshot:
    """Return the columns of an unpickled snapshot; raises LoadError where it is none.

    One list of a pickle may stand in many places: more entries than bytes of content are refused.
    """
    if type(root) is not dict:
        raise LoadError("it is no snapshot: at its top is no mapping with segments and device_traces")
    segments, traces = root.get("segments"), root.get("device_traces")
    if type(segments) is not list or type(traces) is not list:
        raise LoadError("its segments and device_traces are no lists")
    lists = [entries for entries in traces if type(entries) is list]
    if len(segments) + len(traces) + sum(map(len, lists)) > content_bytes:
        raise LoadError("it unfolds to more entries than its bytes can hold, as no snapshot does")
    found = Snapshot()
    for device, entries in enumerate(traces):
        if type(entries) is not list:
            found.skipped["the trace of a device is no list"] += 1
        elif entries:
            found.traces[device] = _trace(found, entries)
    _add_segments(found, segments, content_bytes)
    found.annotations = list(_annotations(found, root.get("external_annotations")))
    settings = root.get("allocator_settings")
    found.expandable |= type(settings) is dict and settings.get("expandable_segments") is True
    if not found.traces and not found.blocks:
        raise LoadError("it holds no segments and no entries")
    return found


def number(value: object) -> int:
    """Return a number of bytes, of microseconds or an address; UNKNOWN where it is none."""
    return value if type(value) is int and 0 <= value < MOST_BYTES else UNKNOWN


def _trace(found: Snapshot, entries: Sequence[object]) -> Trace:
    action, address, size, time, stack = ([UNKNOWN] * len(entries) for _ in range(5))
    free: dict[int, int] = {}
    for rank, entry in enumerate(entries):
        if type(entry) is not dict:
            found.skipped["an entry that is no mapping"] += 1
            action[rank] = OTHER
            continue
        said = entry.get("action")
        code = _CODE.get(said, OTHER) if type(said) is str else OTHER
        address[rank], size[rank] = number(entry.get("addr")), number(entry.get("size"))
        time[rank] = number(entry.get("time_us"))
        if code == 0:
            stack[rank] = found.stacks.of_frames(entry.get("frames"))
        elif code == _CODE["oom"]:
            free[rank] = number(entry.get("device_free"))
        if code < _CODE["oom"] and (address[rank] == UNKNOWN or size[rank] == UNKNOWN):
            found.skipped["an entry without an address or a size"] += 1
            code = OTHER
        action[rank] = code
    device_free = np.full(len(entries), UNKNOWN)
    device_free[list(free)] = list(free.values())
    return Trace(*(np.array(column, np.int64) for column in (action, address, size, time, stack, device_free)))


def _add_segments(found: Snapshot, segments: Sequence[object], content_bytes: int) -> None:
    by_device: dict[int, list[Mapping[str, object]]] = {}
    for segment in segments:
        if type(segment) is not dict or number(segment.get("device", 0)) == UNKNOWN:
            found.skipped["a segment that is no mapping, or without a device"] += 1
        elif UNKNOWN in (number(segment.get("address")), number(segment.get("total_size"))):
            found.skipped["a segment without an address or a size"] += 1
        else:
            by_device.setdefault(number(segment.get("device", 0)), []).append(segment)
            found.expandable |= segment.get("is_expandable") is True
    blocks = [segment.get("blocks") for own in by_device.values() for segment in own]
    if sum(len(listed) for listed in blocks if type(listed) is list) > content_bytes:
        raise LoadError("it unfolds to more blocks than its bytes can hold, as no snapshot does")
    for device in sorted(by_device):
        found.blocks[device] = _blocks(found, by_device[device])


def _blocks(found: Snapshot, segments: Sequence[Mapping[str, object]]) -> Blocks:
    rows = [row for segment in segments for row in _alive(found, segment)]
    address, requested, stack = (np.array([row[place] for row in rows], np.int64) for place in range(3))
    allocated = sum(max(0, number(segment.get("allocated_size"))) for segment in segments)
    said = [number(segment.get("requested_size")) for segment in segments]
    return Blocks(
        base=np.array([number(segment["address"]) for segment in segments], np.int64),
        length=np.array([number(segment["total_size"]) for segment in segments], np.int64),
        address=address,
        requested=requested,
        stack=stack,
        allocated=allocated,
        requested_end=sum(said) if UNKNOWN not in said else UNKNOWN,
    )


def _alive(found: Snapshot, segment: Mapping[str, object]) -> Iterator[tuple[int, int, int]]:
    """Give address, requested bytes and call stack of the blocks of a segment that are alive.

    Old files lack addresses of blocks, which follow each other, and what was requested.
    """
    listed = segment.get("blocks")
    at = number(segment["address"])
    for block in listed if type(listed) is list else ():
        size = number(block.get("size")) if type(block) is dict else UNKNOWN
        if size == UNKNOWN:
            found.skipped["a block without a size"] += 1
            continue
        said = number(block.get("address"))
        at = at if said == UNKNOWN else said
        if block.get("state") in _ALIVE:
            requested = number(block.get("requested_size"))
            frames = block.get("frames") or _frames_of_history(block.get("history"))
            yield at, size if requested == UNKNOWN else requested, found.stacks.of_frames(frames)
        at = min(at + size, MOST_BYTES - 1)


def _frames_of_history(history: object) -> object:
    """Return the frames of a block's last allocation, as files of 2022 have them."""
    last = history[0] if type(history) is list and history else None
    return last.get("frames") if type(last) is dict else None


def _annotations(found: Snapshot, listed: object) -> Iterator[Annotation]:
    for said in listed if type(listed) is list else ():
        stage, name = (said.get("stage"), said.get("name")) if type(said) is dict else (None, None)
        time = number(said.get("time_us")) if type(said) is dict else UNKNOWN
        if type(name) is not str or stage not in ("START", "END") or time == UNKNOWN:
            found.skipped["an annotation without stage, name or time"] += 1
            continue
        yield Annotation(clean(name), stage == "START", max(0, number(said.get("device"))), time)
