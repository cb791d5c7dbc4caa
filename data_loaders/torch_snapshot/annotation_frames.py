"""Frames of the named spans of the user's program: markers, and events on a track per device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from data_loaders.torch_snapshot.annotations import Annotation, Span
from data_loaders.torch_snapshot.left_out import level_name
from data_loaders.torch_snapshot.values import UNKNOWN
from schema.array_types import Ints
from schema.frames import complete

_USER = "user"


def markers_frame(annotations: Sequence[Annotation], steps: Ints) -> pd.DataFrame:
    """Build frame `markers`: the begin of each annotation, as a step of its device, sorted by step.

    Annotations without a step are left out.
    """
    rows = sorted(
        (step, annotation.name)
        for step, annotation in zip(steps.tolist(), annotations, strict=True)
        if annotation.begins and step != UNKNOWN
    )
    start = np.array([step for step, _ in rows], np.int64)
    names = pd.Series([name for _, name in rows], dtype="str")
    return complete("markers", {"name": names, "start": start, "colour": "gray"})


def annotation_events(
    spans: Sequence[Span], *, is_single: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Build frames `tracks` and `events` of spans, with a track per device and times in steps.

    Spans that start together are sorted by length, the longest first. If `is_single`, the snapshot
    has a single device and the track's name does not contain it. No rows without spans.
    """
    rows = sorted(
        spans, key=lambda span: (span.device, span.start, -span.end, span.closed, span.name)
    )
    numbers, code = np.unique(
        np.array([span.device for span in rows], np.int64), return_inverse=True
    )
    tracks = [
        _USER if is_single else f"{_USER} {level_name(number)}" for number in numbers.tolist()
    ]
    start = np.array([span.start for span in rows], np.int64)
    end = np.array([span.end for span in rows], np.int64)
    track = pd.Categorical.from_codes(code, categories=tracks)
    columns = {
        "track": track,
        "lane": track,
        "name": pd.Categorical([span.name for span in rows]),
        "start": start,
        "end": end,
        "opened": np.ones(len(rows), np.bool_),
        "closed": np.array([span.closed for span in rows], np.bool_),
    }
    edges = {
        "track": pd.Categorical(tracks, categories=tracks),
        "kind": pd.Categorical([_USER] * len(tracks)),
        "order": np.arange(len(tracks)),
        "first": np.array([start[code == place].min() for place in range(len(tracks))], np.int64),
        "last": np.array([end[code == place].max() for place in range(len(tracks))], np.int64),
        "entries": np.bincount(code, minlength=len(tracks)),
    }
    return complete("tracks", edges), complete("events", columns)
