"""Slices of a trace buffer in one capture: each is decoded alone, by the design of its device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data_loaders.aie.captures import Capture
from data_loaders.aie.packets import TooManySamplesError
from data_loaders.aie.slices import Slice
from data_loaders.aie.unit_collector import UnitCollector
from data_loaders.aie.units import Units
from data_loaders.aie_design.companion import TracedSlice
from data_loaders.protocol import LoadError
from schema.frames import conform


def slice_label(part: Slice | None) -> str:
    """Return device and sequence of a slice, as `dev_0/seq_0`; "" without a slice."""
    return "/".join(filter(None, (part.device, part.sequence))) if part else ""


def slice_mark(rank: int) -> str:
    """Return the end of the names of all units and tiles of a slice: "" of the first slice of a
    run (rank 0), ` #2` of the second.

    All units of a slice have it, so that `mem 2,1 #2` is the memory of `core 2,1 #2`.
    """
    return f" #{rank + 1}" if rank else ""


def collect_units(
    captures: Sequence[Capture], units: Sequence[Units], path: Path
) -> tuple[UnitCollector, list[int]]:
    """Decode the streams of captures, each by the units of its own design.

    Return the collector, and the rank of the capture of each unit in its order. Raises LoadError if
    the captures have too many samples.
    """
    collected = UnitCollector()
    ranks: list[int] = []
    try:
        for rank, (capture, own) in enumerate(zip(captures, units, strict=True)):
            for stream in capture.packets.streams:
                configured = own.get((stream.kind, stream.row, stream.col))
                collected.add(stream, configured, slice_mark(rank))
                ranks.append(rank)
    except TooManySamplesError as error:
        raise LoadError(f"{path}: its {error}") from error
    return collected, ranks


def with_slices(
    tracks: pd.DataFrame, captures: Sequence[Capture], ranks: Sequence[int]
) -> pd.DataFrame:
    """Return frame `tracks` with the slice of each unit; a row per unit, in the order of ranks."""
    labels = [slice_label(captures[rank].slice) for rank in ranks]
    return conform("tracks", tracks.assign(slice=pd.array(labels, dtype="str")))


def traced_slices(
    tracks: pd.DataFrame, captures: Sequence[Capture], ranks: Sequence[int]
) -> list[TracedSlice]:
    """Return the units of each capture, with the device whose design they have."""
    return [
        TracedSlice(
            tracks[[own == rank for own in ranks]],
            capture.slice.device if capture.slice else None,
            slice_label(capture.slice),
            slice_mark(rank),
        )
        for rank, capture in enumerate(captures)
    ]
