"""Sentence about the slices of a trace buffer that several devices share."""

from __future__ import annotations

import pandas as pd

from analysis.aie.iterations import measured_slice
from analysis.aie.slices import slice_labels
from components.numbers import shorten
from schema.plurals import first_names, plural

_MAX_NAMED = 4


def slice_caption(tracks: pd.DataFrame, iterations: pd.DataFrame) -> str:
    """Name the slices of a capture, and the slice that the numbers of the array are of; "" without
    slices.
    """
    labels = slice_labels(tracks)
    if not labels:
        return ""
    named = first_names([shorten(label, 40) for label in labels], _MAX_NAMED)
    chosen = measured_slice(iterations)
    numbers = f"numbers of the array are of {shorten(chosen, 40)}" if chosen else ""
    unknown = "no slice has a complete iteration"
    return f"The trace has {plural(len(labels), 'slice')} ({named}): {numbers or unknown}."
