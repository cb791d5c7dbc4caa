"""Devices, streams and threads that only one of two profiles has."""

from __future__ import annotations

import re
from collections import Counter

import pandas as pd

_THREAD = re.compile(r"\bthread [0-9]+", re.ASCII)


def lanes_of_one_side(base: pd.DataFrame, new: pd.DataFrame) -> tuple[list[str], list[str]]:
    """List the tracks (only in base, only in new) of two frames `tracks`, in their order.

    Threads have another number in every run, so that they match by their names and order.
    """
    base_keys = _keys(base)
    new_keys = _keys(new)
    only_base = [name for key, name in base_keys.items() if key not in new_keys]
    only_new = [name for key, name in new_keys.items() if key not in base_keys]
    return only_base, only_new


def _keys(tracks: pd.DataFrame) -> dict[tuple[str, int], str]:
    """Map the name of each track without the number of a thread, and its rank among equal names,
    to the track.
    """
    counts: Counter[str] = Counter()
    keys = {}
    for track in tracks.sort_values("order", kind="stable")["track"].astype("str"):
        name = _THREAD.sub("thread", track)
        keys[name, counts[name]] = track
        counts[name] += 1
    return keys
