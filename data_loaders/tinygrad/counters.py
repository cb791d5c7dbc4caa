"""Read hardware counters of AMD devices from a tinygrad capture.

A counter event lists samples. Each sample has a value per xcc, instance, shader engine, shader
array and work group processor; all values are in one blob of unsigned 64-bit numbers, in that
order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
import pandas as pd

from data_loaders.tinygrad.capture import Capture, Fields
from data_loaders.tinygrad.columns import integers, nullable_integers
from data_loaders.tinygrad.names import clean, function_name
from data_loaders.tinygrad.records import PmcSample, list_items, record_fields, text_field
from schema.array_types import Ints
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import complete, empty

MAX_SAMPLES = 5_000_000
"""Maximum rows of frame `counters`."""
_AXES = ("xcc", "inst", "se", "sa", "wgp")
_MAX_AXIS = 10_000
_NONE = -1


@dataclass
class _Rows:
    """Columns of frame `counters`; -1 marks an unknown kernel, and the row with the sum."""

    track: list[str] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    kernel: list[int] = field(default_factory=list)
    instance: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    axes: list[Ints] = field(default_factory=list)
    """Position of the instances on each axis: a matrix per counter with a row per axis."""

    def add(
        self, track: str, name: str, kernel: int, values: Sequence[int], sizes: Sequence[int]
    ) -> None:
        """Add a counter: a row with its sum, then a row per instance.

        The instances are on axes of these sizes.
        """
        places = np.indices(sizes, np.int64).reshape(len(sizes), -1)
        self.axes.append(np.insert(places, 0, _NONE, axis=1))
        self.track += [track] * (len(values) + 1)
        self.name += [name] * (len(values) + 1)
        self.kernel += [kernel] * (len(values) + 1)
        self.instance += range(_NONE, len(values))
        self.value += [float(sum(values)), *map(float, values)]


def counters_frame(
    capture: Capture, kernels: pd.DataFrame, names: Sequence[str], tagged: Mapping[int, str]
) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Build frame `counters`: per reading and counter a row with the sum (`instance` null) and a
    row per instance.

    The nth reading of a program's counters belongs to the nth execution of its kernel on that
    device. `names` are the names of the capture's devices; `tagged` maps tags of programs to
    functions. `kernel` is null if the execution is unknown. A finding counts readings that are cut
    off; no rows without counters.
    """
    rows = _Rows()
    broken = 0
    if not capture.counters:
        return empty("counters"), []
    runs = _runs(kernels)
    turns: Counter[tuple[str, str]] = Counter()
    for fields in _readings(capture, tagged):
        device = text_field(fields, "device")
        function = traced_function(fields, tagged)
        track = names[capture.devices[device]] if device in capture.devices else clean(device)
        places = runs.get((track, function), [])
        turn = turns[track, function]
        turns[track, function] += 1
        broken += not _read_counters(
            rows, track, places[turn] if turn < len(places) else _NONE, fields
        )
    return _frame(rows), _findings(broken)


def _runs(kernels: pd.DataFrame) -> dict[tuple[str, str], list[int]]:
    """Map (device, function) to the ranks of its executions outside of graphs, in order.

    Copies are left out.
    """
    single = kernels[~kernels["batched"] & ~kernels["copy"]]
    groups = single.groupby(["track", "name"], observed=True)["kernel"]
    return {(track, function_name(name)): ranks.tolist() for (track, name), ranks in groups}


def _readings(capture: Capture, tagged: Mapping[int, str]) -> list[Fields]:
    """Return the counter events in order.

    Of events with the same device, function and `exec_tag` only the first. Events without a tag are
    all kept.
    """
    readings: dict[tuple[str, str, object], Fields] = {}
    for place, fields in enumerate(capture.counters):
        tag = fields.get("exec_tag")
        key = (
            text_field(fields, "device"),
            traced_function(fields, tagged),
            tag if type(tag) is int else f"event {place}",
        )
        readings.setdefault(key, fields)
    return list(readings.values())


def traced_function(fields: Fields, tagged: Mapping[int, str]) -> str:
    """Return the function of a counter or trace event; "" if its program is unknown.

    The event contains the function's name up to 0.12, and the program's tag from 0.13 on.
    """
    kernel = fields.get("kern")
    if type(kernel) is str:
        return kernel
    return tagged.get(kernel, "") if type(kernel) is int else ""


def tagged_functions(capture: Capture) -> dict[int, str]:
    """Map the tag of each program to its function.

    If several programs have a tag, the first one counts.
    """
    functions: dict[int, str] = {}
    for program in capture.programs:
        tag = program.get("tag")
        if type(tag) is int:
            functions.setdefault(tag, text_field(program, "name"))
    return functions


def _read_counters(rows: _Rows, track: str, kernel: int, fields: Fields) -> bool:
    """Add the counters of a reading to `rows`.

    False if its data or the maximum of rows (5,000,000) end before its last counter.
    """
    blob = fields.get("blob")
    at = 0
    words = np.frombuffer(blob[: len(blob) // 8 * 8], "<u8").tolist() if type(blob) is bytes else []
    for item in list_items(fields.get("sched")):
        sample = record_fields(item, PmcSample) or {}
        axes = [sample.get(axis) for axis in _AXES]
        sizes = [axis for axis in axes if type(axis) is int and 0 < axis <= _MAX_AXIS]
        count = prod(sizes)
        if len(sizes) < len(_AXES) or at + count > len(words):
            return False
        if len(rows.value) + count > MAX_SAMPLES:
            return False
        rows.add(track, clean(text_field(sample, "name")), kernel, words[at : at + count], sizes)
        at += count
    return True


def _frame(rows: _Rows) -> pd.DataFrame:
    kernel = integers(rows.kernel)
    instance = integers(rows.instance)
    columns = {"track": pd.Categorical(rows.track), "name": pd.Categorical(rows.name)}
    nullable = {"kernel": nullable_integers(kernel), "instance": nullable_integers(instance)}
    places = np.concatenate(rows.axes, axis=1) if rows.axes else np.empty((len(_AXES), 0), np.int64)
    axes = dict(zip(_AXES, map(nullable_integers, places), strict=True))
    return complete(
        "counters", columns | nullable | axes | {"value": np.array(rows.value, np.float64)}
    )


def _findings(broken: int) -> list[Diagnostic]:
    text = "of hardware counters shorter than declared: the available part was read"
    return occurrences("warning", "counters_broken", broken, "reading", text)
