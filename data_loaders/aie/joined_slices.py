"""Slices of a trace buffer in one capture: each is decoded alone, by the design of its device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data_loaders.aie.captures import Capture
from data_loaders.aie.packets import TooManySamplesError
from data_loaders.aie.slices import Slice
from data_loaders.aie.unit_collector import UnitCollector, names_with_rest
from data_loaders.aie.units import Units
from data_loaders.protocol import LoadError
from schema.diagnostics import Diagnostic
from schema.frames import conform
from schema.plurals import plural


def slice_label(part: Slice | None) -> str:
    """Return device and sequence of a slice, as `dev_0/seq_0`; "" without a slice."""
    return "/".join(filter(None, (part.device, part.sequence))) if part else ""


def collect_units(
    captures: Sequence[Capture], units: Sequence[Units], path: Path
) -> tuple[UnitCollector, list[str]]:
    """Decode the streams of captures, each by the units of its own design.

    Return the collector, and the label of the slice of each unit in its order. Raises LoadError if
    the captures have too many samples.
    """
    collected = UnitCollector()
    labels: list[str] = []
    try:
        for capture, own in zip(captures, units, strict=True):
            for stream in capture.packets.streams:
                collected.add(stream, own.get((stream.kind, stream.row, stream.col)))
                labels.append(slice_label(capture.slice))
    except TooManySamplesError as error:
        raise LoadError(f"{path}: its {error}") from error
    return collected, labels


def with_slices(tracks: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Return frame `tracks` with the slice of each unit; a row per unit, in the order of labels."""
    return conform("tracks", tracks.assign(slice=pd.array([*labels], dtype="str")))


def joined_finding(captures: Sequence[Capture], file: str) -> list[Diagnostic]:
    """Report that a run has several slices, whose times begin anew; [] with fewer than two."""
    if len(captures) < 2:
        return []
    names = [slice_label(capture.slice) for capture in captures]
    text = (
        f"the buffer has slices of {plural(len(names), 'device')} ({names_with_rest(names)}): the times of each begin at 0, "
        "so that numbers over the cores of several slices mix runs of different devices"
    )
    return [Diagnostic("warning", "slices_joined", text, file, len(names))]
