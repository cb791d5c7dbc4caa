"""Launches of a tinygrad capture: every call of a kernel or a copy, as the host made it, and the buffers that it used.

A launch is known from its `exec` point; when its kernel ran on the device is in `kernels`.
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
MOST_VARIABLES = 100
MOST_NAME = 200
"""Characters of a variable's name."""
MOST_METADATA = 1000
"""Characters of the names of tensor methods, together."""


@dataclass(frozen=True)
class Launches:
    """The launches in order of time; a launch's rank is the number of its kernel everywhere.

    `device` is the number of its device in the capture, `name` has colours, `function` is the name that its kernel is
    compiled to, `values` those of the variables of its sizes; `start` is in ns.
    """

    device: Integers
    start: Integers
    launches: list[Launch]
    name: list[str]
    function: list[str]
    values: list[Mapping[str, int]]
    metadata: list[str]
    """The tensor methods that each comes from."""


def read_launches(capture: Capture, clock: Clock, strip: bool) -> Launches:
    """Return the launches in order of time; `strip` leaves the folders of files out of their
    names.
    """
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
    """Return a row per launch: kernel (rank by time), device, number (tinygrad's own), name, colours, start (ns),
    copy (bool), variables (JSON text, empty where there are none) and metadata (tensor methods that it comes from).
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
    """Return the tensor methods that a launch comes from, each once."""
    found = (fields_of(item, Metadata) for item in items_of(said.get("metadata"))[:100])
    return clean(", ".join(dict.fromkeys(clean(text_of(item, "name")) for item in found if item)), MOST_METADATA)


def buffer_uses_frame(launches: Launches, buffers: Buffers, in_launch: bool) -> tuple[pd.DataFrame, list[Diagnostic]]:
    """Return frame `buffer_uses`: which launch reads or writes which buffer, on any device.

    `in_launch`: a launch's own buffers may be allocated up to the next launch. A number that names no buffer alive then
    is left out and counted: tinygrad gives views the number that the next buffer will get.
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
    """Return when the next launch began that is later than each one.

    The last ones' own end is not known: for ever.
    """
    times = np.append(distinct(start), np.iinfo(np.int64).max)
    return times[np.searchsorted(times, start, side="right")]


def _buffer_uses(launches: Iterable[Launch]) -> tuple[Integers, Integers, Integers]:
    """Return rank of the launch, number of the buffer and place in ACCESS of every use."""
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
    """Return number of the buffer -> place in ACCESS, by the first argument that has the number, as tinygrad's viewer.

    `outputs` and `inputs` are places among the arguments; one that is neither is read. A number that comes twice is
    that of a view the second time.
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
