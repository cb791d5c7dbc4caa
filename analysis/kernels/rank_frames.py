"""Split the frames of a file that holds the traces of several ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.array_types import Bools
from schema.frames import Frames, empty
from schema.torch_profiler import rank_label

_BY_TRACK = ("tracks", "events", "kernels")


def rank_labels(frames: Frames) -> list[str]:
    """List the labels of the ranks of a merged file, in order; [] if no process names a rank."""
    return sorted({label for label in _labels(tracks_of(frames)) if label})


def tracks_of(frames: Frames) -> pd.DataFrame:
    """Return frame `tracks`; without rows if the frames have none, and then no rank."""
    return frames["tracks"] if "tracks" in frames else empty("tracks")


def split_ranks(frames: Frames) -> list[tuple[str, Frames]]:
    """Return label and frames of each rank of a merged file; else "" and the frames as they are.

    Rows of tracks, events, kernels and markers are those of the rank. Frame `launches` stays whole,
    because kernels refer to its rows. Processes without a label, if any of them has executions or
    steps, come first as rank "".
    """
    found = rank_labels(frames)
    if not found:
        return [("", frames)]
    unlabelled = _rank_frames(frames, "")
    has_own = len(unlabelled["kernels"]) or len(unlabelled["markers"])
    return [("", unlabelled)] * bool(has_own) + [
        (label, _rank_frames(frames, label)) for label in found
    ]


def rank_mask(frame: pd.DataFrame, tracks: pd.DataFrame, label: str) -> Bools:
    """Mask of the rows of a frame with column `track` that belong to a rank, "" for tracks of
    processes that name none.
    """
    labels = dict(zip(tracks["track"].astype("str"), _labels(tracks), strict=True))
    track = frame["track"]
    if isinstance(track.dtype, pd.CategoricalDtype):
        # By category: a trace has millions of events on a few hundred tracks.
        names = [str(name) for name in track.cat.categories]
        is_own = np.array([labels.get(name, "") == label for name in names] + [False], np.bool_)
        return np.asarray(is_own[track.cat.codes.to_numpy()])
    return np.array([labels.get(str(name), "") == label for name in track], np.bool_)


def _rank_frames(frames: Frames, label: str) -> Frames:
    tracks = frames["tracks"]
    own = dict(frames)
    for name in _BY_TRACK:
        frame = frames[name]
        rows = frame[rank_mask(frame, tracks, label)].reset_index(drop=True)
        # The analysis looks up every category, also if no row has it.
        own[name] = rows.assign(
            track=rows["track"].astype("category").cat.remove_unused_categories()
        )
    markers = frames["markers"] if "markers" in frames else empty("markers")
    own["markers"] = markers[marker_ranks(markers) == label].reset_index(drop=True)
    return own


def marker_ranks(markers: pd.DataFrame) -> pd.Series:
    """Return the rank of each marker, "" if its process names none."""
    if "rank" not in markers.columns:
        return pd.Series("", index=markers.index)
    return markers["rank"].astype("object").fillna("").astype("str")


def _labels(tracks: pd.DataFrame) -> list[str]:
    if "pid" not in tracks.columns:
        return [""] * len(tracks)
    return [rank_label(str(pid)) for pid in tracks["pid"]]
