"""Frames of a memory snapshot: a device is an attempt, a trace entry a step, an allocation a
block.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data_loaders.torch_snapshot.call_stacks import NO_LINE, NO_STACK, CallStacks
from data_loaders.torch_snapshot.devices import Device
from data_loaders.torch_snapshot.traces import ACTIONS
from schema.frames import complete

ALIGNMENT = 512
"""Alignment of every block of the caching allocator, in bytes."""


def attempts_frame(devices: Sequence[Device], strategy: str) -> pd.DataFrame:
    """Build frame `attempts`, a row per device; the capacity is null, as no snapshot has it."""
    reported = [
        device.blocks.allocated if device.blocks is not None else None for device in devices
    ]
    columns = {
        "attempt": np.arange(len(devices)),
        "level": pd.Categorical([device.level for device in devices]),
        "strategy": [strategy] * len(devices),
        "outcome": "solved",
        "steps": pd.array([device.lives.steps for device in devices], dtype="Int64"),
        "reported_bytes": pd.array(reported, dtype="Int64"),
    }
    return complete("attempts", columns)


def allocations_frame(devices: Sequence[Device], names: Sequence[str]) -> pd.DataFrame:
    """Build frame `allocations`, a row per allocation, by device.

    Sizes and addresses are bytes, times are steps of its trace. `names` has the innermost line of
    each call stack. `stack` is null without a stack.
    """
    attempt = np.repeat(np.arange(len(devices)), [len(device.lives.size) for device in devices])
    lives = [device.lives for device in devices]
    block = np.concatenate([np.arange(len(life.size)) for life in lives])
    stack = np.concatenate([life.stack for life in lives])
    level = pd.Categorical.from_codes(attempt, categories=[device.level for device in devices])
    columns = {
        "attempt": attempt,
        "level": level,
        "block": block,
        "name": pd.Series(
            [name for device in devices for name in _names(device, names)], dtype="str"
        ),
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
    """Return the name of each allocation: the innermost Python line, or `device 0 #5` for the sixth
    of device 0 without a stack.
    """
    stacks = device.lives.stack.tolist()
    nameless = f"device {device.number} #"
    return [
        f"{nameless}{rank}" if stack == NO_STACK else names[stack]
        for rank, stack in enumerate(stacks)
    ]


def steps_frame(devices: Sequence[Device]) -> pd.DataFrame:
    """Build frame `steps`, a row per trace entry, by device.

    The name is the allocator's action, `other` if unknown. Steps count from 0 per device.
    """
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


def calls_frame(stacks: CallStacks) -> pd.DataFrame:
    """Build frame `calls`, a row per line of each stack: stack, depth (0 is innermost), file, line,
    function.

    An unknown line is null. No rows without stacks.
    """
    numbers = stacks.stacks
    calls = stacks.calls
    lengths = np.array([len(stack) for stack in numbers], np.int64)
    call = np.fromiter(
        (number for stack in numbers for number in stack), np.int64, int(lengths.sum())
    )
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    files, lines, functions = zip(*calls, strict=True) if calls else ((), (), ())
    line = np.array(lines, np.int64)[call] if len(call) else np.zeros(0, np.int64)
    columns = {
        "stack": np.repeat(np.arange(len(lengths)), lengths),
        "depth": np.arange(len(call)) - first,
        "file": _category(files, call),
        "line": pd.arrays.IntegerArray(line, line == NO_LINE),
        "function": _category(functions, call),
    }
    return complete("calls", columns)


def _category(texts: tuple[str, ...], call: np.ndarray) -> pd.Categorical:
    codes, distinct = pd.factorize(np.array(texts, object))
    return pd.Categorical.from_codes(codes[call] if len(call) else codes, categories=list(distinct))
