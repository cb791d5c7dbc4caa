"""Levels that are open at the end of a capture: they last as long as their track."""

from __future__ import annotations

import numpy as np
import pandas as pd


def hold_open_levels(events: pd.DataFrame, tracks: pd.DataFrame) -> pd.DataFrame:
    """Return frame `events` in which every level without an end lasts to the `last` of its track.

    In the stored frame it ends at the last change of the track, as in the JSON of the same capture.
    The words of a trace may hold it longer: a core that waits for a lock for ever changes nothing.
    """
    is_open = ~events["closed"].to_numpy(bool) & events["opened"].to_numpy(bool)
    if not is_open.any():
        return events
    lasts = dict(zip(tracks["track"].astype("str"), tracks["last"].tolist(), strict=True))
    end = events["end"].to_numpy(np.int64, copy=True)
    held = events.loc[is_open, "track"].astype("str").map(lasts)
    # A track without a row has no other end than the last change.
    end[is_open] = np.maximum(end[is_open], held.fillna(0).to_numpy(np.int64))
    return events.assign(end=end)
