"""Choice of the track that views of iterations show, and of its iterations that count."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.selection import Selection
from analysis.timeline.rows import SYSTEM
from schema.array_types import Bools


def shown_track(frame: pd.DataFrame, selection: Selection) -> str:
    """Choose the track for the bars: the selected track if it has iterations, else SYSTEM, the
    whole array.
    """
    track = selection.track
    return track if track is not None and (frame["track"] == track).any() else SYSTEM


def best_iteration(frame: pd.DataFrame, rows: Bools | None = None) -> int | None:
    """Find the number of the fastest complete perf iteration among a track's iterations on the most
    cores. `rows` is a mask of the iterations of the track; by default all are of it.

    Returns None if no such iteration has a rate.
    """
    perf = complete_perf(frame)
    counted = on_most_cores(frame, perf if rows is None else perf & rows)
    rates = frame["gmacs_per_s"].to_numpy(np.float64)
    places = np.flatnonzero(counted & ~np.isnan(rates))
    if not len(places):
        return None
    return int(frame["iteration"].to_numpy()[places[rates[places].argmax()]])


def complete_perf(frame: pd.DataFrame) -> Bools:
    """Return a mask of the complete perf iterations of a frame `iterations`."""
    is_perf: Bools = np.asarray(frame["phase"].array == "perf", bool)
    is_complete: Bools = frame["complete"].to_numpy(bool)
    return is_perf & is_complete


def on_most_cores(frame: pd.DataFrame, rows: Bools) -> Bools:
    """Restrict a mask of a track's iterations to those that use as many cores as the iteration with
    the most; iterations on fewer cores are left out, as in headlines.
    """
    # Rates on different numbers of cores are not comparable.
    cores = frame["cores"].to_numpy(dtype=np.int64, na_value=0)
    is_most: Bools = cores == cores[rows].max(initial=0)
    return rows & is_most
