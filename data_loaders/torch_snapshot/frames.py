"""The frames of a memory snapshot: a device is an attempt, an entry of its trace a step, an allocation a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.torch_snapshot.call_stacks import NO_STACK
from data_loaders.torch_snapshot.entries import ACTIONS, UNKNOWN, Annotation, Blocks, Snapshot, Trace
from data_loaders.torch_snapshot.places import packed_addresses
from data_loaders.torch_snapshot.replay import Lives, closes, replay, reserved_peak
from schema.array_types import Ints
from schema.frames import complete

ALIGNMENT = 512
"""Bytes to which the allocator rounds every block."""
_USER = "user"


@dataclass(frozen=True)
class Device:
    """A device of a snapshot, replayed."""

    number: int
    trace: Trace
    blocks: Blocks | None
    lives: Lives
    address: Ints

    @property
    def level(self) -> str:
        return f"cuda:{self.number}"

    @property
    def closes(self) -> bool:
        """Return whether the trace explains what is alive at the end."""
        return closes(self.lives, self.blocks) and not self.lives.lost


def devices_of(snapshot: Snapshot) -> list[Device]:
    """Return the devices that have segments or entries, replayed."""
    found = []
    none = np.zeros(0, np.int64)
    for number in sorted({*snapshot.traces, *snapshot.blocks}):
        trace = snapshot.traces.get(number, Trace(none, none, none, none, none, none))
        blocks = snapshot.blocks.get(number)
        lives = replay(trace, blocks)
        found.append(Device(number, trace, blocks, lives, packed_addresses(lives, trace, blocks)))
    return found


def attempts_frame(devices: Sequence[Device], strategy: str) -> pd.DataFrame:
    """Return frame `attempts`."""
    peaks = [reserved_peak(device.trace, device.blocks) for device in devices]
    said = [device.blocks.allocated if device.blocks is not None else None for device in devices]
    columns = {
        "attempt": np.arange(len(devices)),
        "level": pd.Categorical([device.level for device in devices]),
        "strategy": [strategy] * len(devices),
        "outcome": "solved",
        "steps": pd.array([device.lives.steps for device in devices], dtype="Int64"),
        "capacity": pd.array(peaks, dtype="Int64"),
        "reported_bytes": pd.array(said, dtype="Int64"),
    }
    return complete("attempts", columns)


def allocations_frame(devices: Sequence[Device], names: Sequence[str]) -> pd.DataFrame:
    """Return frame `allocations`; `names` are the innermost lines of the call stacks."""
    attempt = np.repeat(np.arange(len(devices)), [len(device.lives.size) for device in devices])
    lives = [device.lives for device in devices]
    block = np.concatenate([np.arange(len(life.size)) for life in lives])
    stack = np.concatenate([life.stack for life in lives])
    level = pd.Categorical.from_codes(attempt, categories=[device.level for device in devices])
    columns = {
        "attempt": attempt,
        "level": level,
        "block": block,
        "name": pd.Series([name for device in devices for name in _names(device, names)], dtype="str"),
        "kind": "buffer",
        "address": np.concatenate([device.address for device in devices]),
        "size": np.concatenate([life.size for life in lives]),
        "start": np.concatenate([life.start for life in lives]),
        "end": np.concatenate([life.end for life in lives]),
        "status": "placed",
        "alignment": ALIGNMENT,
        "stack": pd.arrays.IntegerArray(stack, stack == NO_STACK),
        "device_address": np.concatenate([life.address for life in lives]),
    }
    return complete("allocations", columns)


def _names(device: Device, names: Sequence[str]) -> list[str]:
    """Return the lines of Python that asked for the memory, else the device and the rank."""
    stacks = device.lives.stack.tolist()
    none = f"device {device.number} #"
    return [f"{none}{rank}" if stack == NO_STACK else names[stack] for rank, stack in enumerate(stacks)]


def steps_frame(devices: Sequence[Device]) -> pd.DataFrame:
    """Return frame `steps`: what the allocator did in each."""
    words = np.array([*ACTIONS, "other"], object)
    actions = np.concatenate([device.trace.action for device in devices])
    count = [len(device.trace.action) for device in devices]
    columns = {
        "attempt": np.repeat(np.arange(len(devices)), count),
        "step": np.concatenate([np.arange(steps) for steps in count]),
        "name": pd.Series(words[actions], dtype="str"),
        "op_type": pd.Categorical.from_codes(actions, categories=words),
    }
    return complete("steps", columns)


def markers_frame(snapshot: Snapshot, devices: Sequence[Device]) -> pd.DataFrame:
    """Return frame `markers`: where annotations begin, as steps of their device."""
    found = [(_step_at(devices, said), said.name) for said in snapshot.annotations if said.begins]
    found = sorted((step, name) for step, name in found if step is not None)
    start = np.array([step for step, _ in found], np.int64)
    names = pd.Series([name for _, name in found], dtype="str")
    return complete("markers", {"name": names, "start": start, "colour": "gray"})


def _step_at(devices: Sequence[Device], said: Annotation) -> int | None:
    """Return the first entry at or after the moment of an annotation; None where the entries have no times."""
    for device in devices:
        if device.number == said.device and (device.trace.time != UNKNOWN).any():
            return int(np.searchsorted(np.maximum.accumulate(device.trace.time), said.time))
    return None


def annotation_events(snapshot: Snapshot, devices: Sequence[Device]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return frames `tracks` and `events`: annotations from begin to end, in steps, a track for all of a device."""
    rows = sorted(_spans(snapshot, devices))
    numbers = sorted({row[0] for row in rows})
    tracks = [_USER if len(devices) == 1 else f"{_USER} cuda:{number}" for number in numbers]
    code = np.array([numbers.index(row[0]) for row in rows], np.int64)
    start, end = (np.array([row[place] for row in rows], np.int64) for place in (1, 2))
    closed = np.array([row[3] for row in rows], np.bool_)
    track = pd.Categorical.from_codes(code, categories=tracks)
    names = pd.Categorical([row[4] for row in rows])
    columns = {"track": track, "lane": track, "name": names, "start": start, "end": end}
    events = complete("events", columns | {"opened": np.ones(len(rows), np.bool_), "closed": closed})
    edges = {
        "track": pd.Categorical(tracks, categories=tracks),
        "kind": pd.Categorical([_USER] * len(tracks)),
        "order": np.arange(len(tracks)),
        "first": np.array([start[code == place].min() for place in range(len(tracks))], np.int64),
        "last": np.array([end[code == place].max() for place in range(len(tracks))], np.int64),
        "entries": np.bincount(code, minlength=len(tracks)),
    }
    return complete("tracks", edges), events


def _spans(snapshot: Snapshot, devices: Sequence[Device]) -> list[tuple[int, int, int, bool, str]]:
    """Return device, begin, end, whether it ends, and name of each annotation."""
    lengths = {device.number: device.lives.steps for device in devices}
    running: dict[tuple[int, str], list[int]] = {}
    found = []
    for said in sorted(snapshot.annotations, key=lambda said: (said.time, not said.begins)):
        step = _step_at(devices, said)
        if step is None:
            continue
        begun = running.setdefault((said.device, said.name), [])
        if said.begins:
            begun.append(step)
        elif begun:
            found.append((said.device, begun.pop(), step, True, said.name))
    for (device, name), begun in running.items():
        found += [(device, step, lengths[device], False, name) for step in begun]
    return found
