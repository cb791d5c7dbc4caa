"""Launches of a tinygrad capture: each call of a kernel or copy by the host, and its buffers.

A launch is an `exec` point of the capture; frame `kernels` has the time of its execution on the
device.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.tinygrad.capture import MAX_NUMBER, Capture, Fields, Launch
from data_loaders.tinygrad.clock import Clock
from data_loaders.tinygrad.columns import integers, texts
from data_loaders.tinygrad.match import last_before
from data_loaders.tinygrad.memory import Buffers
from data_loaders.tinygrad.names import clean, colours, function_name, plain, without_folders
from data_loaders.tinygrad.records import Metadata, list_items, record_fields, text_field
from schema.array_types import Ints
from schema.arrays import category, distinct
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import complete

ACCESS = ("r", "w", "rw")
"""Kinds of access: read, write, both."""
MAX_VARIABLES = 100
"""Launches with this many variables, or more, have none of them stored."""
MAX_VARIABLE_NAME = 200
"""Longest name of a variable, in characters."""
MAX_METADATA = 1000
"""Longest list of tensor methods, in characters."""


@dataclass(frozen=True)
class Launches:
    """Launches in the order of time.

    The rank of a launch is the number of its kernel in all frames. `device` is the number of the
    device in the capture, `start` is in ns, `name` contains colour codes, `function` is the name of
    the compiled function, and `values` are the values of the variables of its sizes.
    """

    device: Ints
    start: Ints
    launches: list[Launch]
    name: list[str]
    function: list[str]
    values: list[Mapping[str, int]]
    metadata: list[str]
    """Tensor methods from which each launch originates."""


def read_launches(capture: Capture, clock: Clock, strip: bool) -> Launches:
    """Sort the launches by time, in ns from the clock's origin.

    If `strip`, folders of files are removed from names.
    """
    start = clock.since(launch.at for launch in capture.launches)
    order = np.argsort(start, kind="stable")
    launches = [capture.launches[place] for place in order.tolist()]
    labels = [text_field(launch.fields, "name") for launch in launches]
    names = {name: without_folders(name) if strip else name for name in set(labels)}
    functions = {name: function_name(shown) for name, shown in names.items()}
    return Launches(
        device=integers(launch.device for launch in launches),
        start=start[order],
        launches=launches,
        name=[names[name] for name in labels],
        function=[functions[name] for name in labels],
        values=[_values(launch.fields.get("var_vals")) for launch in launches],
        metadata=[_metadata(launch.fields) for launch in launches],
    )


def _values(variables: object) -> Mapping[str, int]:
    if type(variables) is not dict or not variables:
        return {}
    values = {
        name: value for name, value in variables.items() if type(name) is str and type(value) is int
    }
    if len(values) >= MAX_VARIABLES:
        return {}
    return {
        name: value
        for name, value in values.items()
        if len(name) <= MAX_VARIABLE_NAME and abs(value) < MAX_NUMBER
    }


def launches_frame(launches: Launches, names: Sequence[str]) -> pd.DataFrame:
    """Build a row per launch: kernel (rank by time), device, number (in tinygrad), name, colours,
    start (ns), copy, variables and metadata.

    `copy` is bool, `variables` is a JSON object of name and value ("" for a launch without
    variables), `device` is one of `names`, `metadata` has the tensor methods.
    """
    shown = {name: plain(name) for name in set(launches.name)}
    coloured = {name: colours(name) for name in shown}
    columns = {
        "kernel": np.arange(len(launches.name)),
        "device": category(launches.device, names),
        "number": integers(launch.key for launch in launches.launches),
        "name": pd.Categorical([shown[name] for name in launches.name]),
        "colours": pd.Categorical([coloured[name] for name in launches.name]),
        "start": launches.start,
        "copy": np.array([shown[name].startswith("copy") for name in launches.name], np.bool_),
        "variables": texts(
            json.dumps(values, sort_keys=True) if values else "" for values in launches.values
        ),
        "metadata": texts(launches.metadata),
    }
    return pd.DataFrame(columns)


def _metadata(fields: Fields) -> str:
    """Return the names of a launch's tensor methods without duplicates, joined by commas.

    "" if there are none.
    """
    items = (record_fields(item, Metadata) for item in list_items(fields.get("metadata"))[:100])
    names = [clean(text_field(item, "name")) for item in items if item]
    return clean(", ".join(dict.fromkeys(names)), MAX_METADATA)


def buffer_uses_frame(
    launches: Launches, buffers: Buffers, in_launch: bool
) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Build frame `buffer_uses`.

    A row per launch and buffer that it uses, sorted by attempt, block and kernel (rank of the
    launch). If `in_launch`, a launch's own buffers may be allocated until the next launch begins.
    References to a buffer that is not alive at that time are skipped and counted in a finding:
    tinygrad gives a view the number that the next buffer will get.
    """
    kernel, key, access = _buffer_uses(launches.launches)
    start = launches.start[kernel]
    order = np.lexsort((buffers.start, buffers.key))
    begin = buffers.start[order]
    end = buffers.end[order]
    place = last_before(buffers.key[order], begin, key, start)
    place = np.where((place >= 0) & (start <= end[place]), place, -1) if len(order) else place
    if in_launch and len(order):
        later = last_before(buffers.key[order], begin, key, _next_starts(launches.start)[kernel])
        place = np.where((place < 0) & (later >= 0) & (begin[later] >= start), later, place)
    rows = np.flatnonzero(place >= 0)
    used = order[place[rows]]
    columns = {
        "attempt": buffers.level[used],
        "block": buffers.block[used],
        "kernel": kernel[rows],
        "access": category(access[rows], ACCESS),
        "start": start[rows],
    }
    frame = complete("buffer_uses", columns).sort_values(
        ["attempt", "block", "kernel"], kind="stable"
    )
    return frame.reset_index(drop=True), _use_findings(len(kernel) - len(rows), len(kernel))


def _next_starts(start: Ints) -> Ints:
    """For each launch return the start of the next later launch, int64 max for the last."""
    times = np.append(distinct(start), np.iinfo(np.int64).max)
    return times[np.searchsorted(times, start, side="right")]


def _buffer_uses(launches: Iterable[Launch]) -> tuple[Ints, Ints, Ints]:
    """Return rank of the launch, number of the buffer and index into ACCESS, each with an element
    per use.
    """
    kernels: list[int] = []
    keys: list[int] = []
    accesses: list[int] = []
    for kernel, launch in enumerate(launches):
        for key, access in _accesses(launch.fields).items():
            kernels.append(kernel)
            keys.append(key)
            accesses.append(access)
    return integers(kernels), integers(keys), integers(accesses)


def _accesses(fields: Fields) -> dict[int, int]:
    """Map each buffer number to an index into ACCESS (0 r, 1 w, 2 rw), by the first argument with
    that number.

    `outputs` and `inputs` are indices of arguments; an argument in neither list counts as read. A
    later argument with the same number is a view and is ignored, as in tinygrad's viewer.
    """
    written = {place for place in list_items(fields.get("outputs")) if type(place) is int}
    read = {place for place in list_items(fields.get("inputs")) if type(place) is int}
    accesses: dict[int, int] = {}
    for place, key in enumerate(list_items(fields.get("bufs"))):
        if type(key) is int and abs(key) < MAX_NUMBER:
            access = 0
            if place in written:
                access = 2 if place in read else 1
            accesses.setdefault(key, access)
    return accesses


def _use_findings(unmatched: int, total: int) -> list[Diagnostic]:
    text = f"of {total} skipped: the buffer is not alive at that time"
    return occurrences("info", "uses_unmatched", unmatched, "use", text)
