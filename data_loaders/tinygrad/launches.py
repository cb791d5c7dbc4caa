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

from data_loaders.tinygrad.capture import MOST_NUMBER, Capture, Fields, Launch
from data_loaders.tinygrad.clock import Clock
from data_loaders.tinygrad.columns import Integers, category, integers, texts
from data_loaders.tinygrad.match import last_before
from data_loaders.tinygrad.memory import Buffers
from data_loaders.tinygrad.names import clean, colours, function_name, plain, without_folders
from data_loaders.tinygrad.records import Metadata, fields_of, items_of, text_of
from schema.arrays import distinct
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import complete

ACCESS = ("r", "w", "rw")
"""Kinds of access: read, write, both."""
MOST_VARIABLES = 100
"""Launches with this many variables, or more, have none of them stored."""
MOST_NAME = 200
"""Longest name of a variable, in characters."""
MOST_METADATA = 1000
"""Longest list of tensor methods, in characters."""


@dataclass(frozen=True)
class Launches:
    """Launches in the order of time.

    The rank of a launch is the number of its kernel in all frames. `device` is the number of the
    device in the capture, `start` is in ns, `name` contains colour codes, `function` is the name of
    the compiled function, and `values` are the values of the variables of its sizes.
    """

    device: Integers
    start: Integers
    launches: list[Launch]
    name: list[str]
    function: list[str]
    values: list[Mapping[str, int]]
    metadata: list[str]
    """Tensor methods from which each launch originates."""


def read_launches(capture: Capture, clock: Clock, strip: bool) -> Launches:
    """Sort the launches by time; if `strip`, folders of files are removed from names."""
    start = clock.since(launch.at for launch in capture.launches)
    order = np.argsort(start, kind="stable")
    launches = [capture.launches[place] for place in order.tolist()]
    said = [text_of(launch.said, "name") for launch in launches]
    names = {name: without_folders(name) if strip else name for name in set(said)}
    functions = {name: function_name(shown) for name, shown in names.items()}
    return Launches(
        device=integers(launch.device for launch in launches),
        start=start[order],
        launches=launches,
        name=[names[name] for name in said],
        function=[functions[name] for name in said],
        values=[_values(launch.said.get("var_vals")) for launch in launches],
        metadata=[_metadata(launch.said) for launch in launches],
    )


def _values(said: object) -> Mapping[str, int]:
    if type(said) is not dict or not said:
        return {}
    known = {name: value for name, value in said.items() if type(name) is str and type(value) is int}
    if len(known) >= MOST_VARIABLES:
        return {}
    return {name: value for name, value in known.items() if len(name) <= MOST_NAME and abs(value) < MOST_NUMBER}


def launches_frame(launches: Launches, names: Sequence[str]) -> pd.DataFrame:
    """Build a row per launch: kernel (rank by time), device, number (in tinygrad), name, colours,
    start (ns), copy, variables and metadata.

    `copy` is boolean, `variables` is JSON ("" if there are none), `metadata` has the tensor
    methods.
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
        "variables": texts(json.dumps(values, sort_keys=True) if values else "" for values in launches.values),
        "metadata": texts(launches.metadata),
    }
    return pd.DataFrame(columns)


def _metadata(said: Fields) -> str:
    """Return the tensor methods of a launch without duplicates, joined by commas."""
    found = (fields_of(item, Metadata) for item in items_of(said.get("metadata"))[:100])
    return clean(", ".join(dict.fromkeys(clean(text_of(item, "name")) for item in found if item)), MOST_METADATA)


def buffer_uses_frame(launches: Launches, buffers: Buffers, in_launch: bool) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Build frame `buffer_uses`: which launch reads or writes which buffer, on any device.

    If `in_launch`, a launch's own buffers may be allocated until the next launch begins. References
    to a buffer that is not alive at that time are skipped and counted: tinygrad gives a view the
    number that the next buffer will get.
    """
    kernel, key, access = _buffer_uses(launches.launches)
    start = launches.start[kernel]
    order = np.lexsort((buffers.start, buffers.key))
    begin, end = buffers.start[order], buffers.end[order]
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
    frame = complete("buffer_uses", columns).sort_values(["attempt", "block", "kernel"], kind="stable")
    return frame.reset_index(drop=True), _use_findings(len(kernel) - len(rows), len(kernel))


def _next_starts(start: Integers) -> Integers:
    """For each launch return the start of the next later launch, int64 max for the last."""
    times = np.append(distinct(start), np.iinfo(np.int64).max)
    return times[np.searchsorted(times, start, side="right")]


def _buffer_uses(launches: Iterable[Launch]) -> tuple[Integers, Integers, Integers]:
    """Return rank of the launch, number of the buffer and index into ACCESS of every use."""
    kernels: list[int] = []
    keys: list[int] = []
    accesses: list[int] = []
    for kernel, launch in enumerate(launches):
        for key, access in _accesses(launch.said).items():
            kernels.append(kernel)
            keys.append(key)
            accesses.append(access)
    return integers(kernels), integers(keys), integers(accesses)


def _accesses(said: Fields) -> dict[int, int]:
    """Return number of the buffer -> index into ACCESS, by the first argument with that number, as
    in tinygrad's viewer.

    `outputs` and `inputs` are indices of arguments; an argument in neither list is read. A later
    argument with the same number is a view.
    """
    written = {place for place in items_of(said.get("outputs")) if type(place) is int}
    read = {place for place in items_of(said.get("inputs")) if type(place) is int}
    accesses: dict[int, int] = {}
    for place, key in enumerate(items_of(said.get("bufs"))):
        if type(key) is int and abs(key) < MOST_NUMBER:
            accesses.setdefault(key, 0 if place not in written else 2 if place in read else 1)
    return accesses


def _use_findings(unmatched: int, total: int) -> list[Diagnostic]:
    what = f"of {total} skipped: their buffer is not alive at that time"
    return occurrences("info", "uses_unmatched", unmatched, "use", what)
