"""Derive a capture with slices of several devices in its trace buffer: each slice by itself.

Times of every slice begin at 0, and its cores work on a program of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from schema.diagnostics import Diagnostic
from schema.frames import Frames, conform

_BY_TRACK = ("events", "program_counters")
_NUMBERED = ("kernels", "iterations", "reference_iterations")
"""Frames with a column `iteration`."""
_SPECS = {"reference_iterations": "iterations"}
"""Derived frame -> frame of the schema with the same columns."""


def slice_labels(tracks: pd.DataFrame) -> list[str]:
    """List the slices of the units of frame `tracks`, in order; empty with fewer than two."""
    if "slice" not in tracks:
        return []
    texts = (label if isinstance(label, str) else "" for label in tracks["slice"].tolist())
    labels = [*dict.fromkeys(texts)]
    return labels if len(labels) > 1 else []


def split_slices(frames: Frames) -> list[tuple[str, Frames]]:
    """Split the stored frames of a capture into a label and the frames of each slice.

    A capture without slices is a single part with label "".
    """
    labels = slice_labels(frames["tracks"])
    if not labels:
        return [("", frames)]
    return [(label, _slice_frames(frames, label)) for label in labels]


def _slice_frames(frames: Frames, label: str) -> Frames:
    tracks = frames["tracks"]
    own = tracks[(tracks["slice"].fillna("").astype(str) == label).to_numpy(bool)]
    names = own["track"].astype(str)
    parts = {
        name: frames[name][frames[name]["track"].isin(names).to_numpy(bool)]
        for name in _BY_TRACK
        if name in frames
    }
    return {"tracks": own.reset_index(drop=True), **parts}


def join_derived(parts: Sequence[tuple[str, Frames]]) -> dict[str, pd.DataFrame]:
    """Join the derived frames of the slices of a capture.

    Iterations of a slice are numbered behind the iterations of the slice before, so that no iteration has
    cores of two slices; column `slice` of `iterations` names it.
    """
    moved = []
    base = 0
    for label, frames in parts:
        moved.append(_number_iterations(frames, label, base))
        base = max([base, *(_next_number(moved[-1], name) for name in _NUMBERED)])
    return {
        name: conform(
            _SPECS.get(name, name),
            pd.concat([_plain(part[name]) for part in moved], ignore_index=True),
        )
        for name in moved[0]
    }


def _number_iterations(frames: Frames, label: str, base: int) -> Frames:
    numbered = dict(frames)
    for name in _NUMBERED:
        if name in numbered:
            frame = numbered[name]
            numbered[name] = frame.assign(iteration=frame["iteration"] + base)
            if name != "kernels":
                numbered[name] = numbered[name].assign(slice=label)
    return numbered


def _next_number(frames: Frames, name: str) -> int:
    numbers = frames[name]["iteration"].dropna() if name in frames else []
    return int(max(numbers)) + 1 if len(numbers) else 0


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with categories as texts: slices have different categories."""
    texts = frame.select_dtypes("category").columns
    return frame.astype(dict.fromkeys(texts, object))


def join_slice_findings(parts: Sequence[tuple[str, Sequence[Diagnostic]]]) -> list[Diagnostic]:
    """Join the findings of the slices of a capture.

    A finding without a place names its slice, unless all slices have it.
    """
    joined: list[Diagnostic] = []
    for label, findings in parts:
        for finding in findings:
            is_common = all(finding in others for _, others in parts)
            place = finding.location or ("" if is_common else label)
            joined.append(replace(finding, location=place))
    return list(dict.fromkeys(joined))
