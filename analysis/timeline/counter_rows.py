"""Find the rows of a timeline below which its counters are drawn: those of their device."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analysis.timeline.counters import CounterTrack
from analysis.timeline.device_time import device_keys
from analysis.timeline.rows import TimelineData, TimelineRow

_DEVICE_KINDS = ("device", "graph", "copy")
_WORD = re.compile(r"[^\W\d_]+|\d+")


def counter_rows(data: TimelineData, rows: Sequence[TimelineRow]) -> list[int]:
    """Return for each counter the place in `rows` below which it is drawn.

    That is the last row of the counter's device if one of its rows is shown, else the last of all
    rows: counters of hosts and of processes are at the end.
    """
    if not data.counters:
        return []
    keys = _device_keys(data)
    last = {keys[row.track]: place for place, row in enumerate(rows) if row.track in keys}
    names = _device_names(data, keys)
    return [
        max(
            (last[key] for key in _owners(counter, keys, names) if key in last),
            default=len(rows) - 1,
        )
        for counter in data.counters
    ]


def _owners(
    counter: CounterTrack,
    keys: dict[str, tuple[str, str]],
    names: dict[tuple[str, ...], tuple[str, str]],
) -> list[tuple[str, str]]:
    """List the keys of the devices whose counter this is; [] if it is not of a device."""
    if counter.lanes:
        return [keys[track] for track in counter.lanes if track in keys]
    if counter.track in keys:
        return [keys[counter.track]]
    key = names.get(_words(counter.track))
    return [] if key is None else [key]


def _device_keys(data: TimelineData) -> dict[str, tuple[str, str]]:
    """Map each track of a device to the key of its device."""
    tracks = data.tracks["track"].astype("str")
    keys = dict(zip(tracks, device_keys(data.tracks), strict=True))
    return {track: key for track, key in keys.items() if data.kinds[track] in _DEVICE_KINDS}


def _device_names(
    data: TimelineData, keys: dict[str, tuple[str, str]]
) -> dict[tuple[str, ...], tuple[str, str]]:
    """Map the words of each name of a device to its key.

    An allocator's device `cuda:0` is the device of track `cuda 0 stream 7`, and a counter of the
    process `GPU 0` that of the tracks of this process. A name of several devices is left out, and
    the name of a process that also has threads of a host.
    """
    found: dict[tuple[str, ...], set[tuple[str, str] | None]] = {}
    for track, key in keys.items():
        words = _words(track)
        for length in range(1, len(words) + 1):
            found.setdefault(words[:length], set()).add(key)
    if "process" in data.tracks:
        processes = data.tracks["process"].fillna("").astype("str")
        for track, process in zip(data.tracks["track"].astype("str"), processes, strict=True):
            if process:
                found.setdefault(_words(process), set()).add(keys.get(track))
    return {
        words: key
        for words, owners in found.items()
        for key in owners
        if len(owners) == 1 and key is not None
    }


def _words(name: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(name.lower()))
