"""Attributes the change of an array's iterations to parts of the core that sets the pace; the parts
sum to the change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import OWN_STALLS, PARTS, SLACK
from analysis.aie.pace.streams import core_place
from analysis.comparison.capture import Capture
from analysis.comparison.cause import Cause, largest_first
from analysis.statistics.outliers import find_outliers

CAUSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "late_start": ("start_skew",),
        "kernels": ("compute",),
        **OWN_STALLS,
        "other_kernels": ("other_kernels",),
        "other_gaps": ("idle",),
    }
)
"""Cause -> its columns of `iteration_parts`. The remaining columns are the slack of a core."""
ALL_CORES = "all cores"
"""Place of a cause that affects all cores."""


def causes(base: Sequence[Capture], new: Sequence[Capture]) -> list[Cause]:
    """Compute the causes of a change of the rate, largest first; their points sum to the relative
    change of the rate in percent. [] if the sides have no core in common.

    The core with the least slack on the slower side determines the duration of an iteration: other
    cores wait for it, during or at the end of the iteration. The change of its slack counts in its
    largest cause.
    """
    base_means = _means(base)
    new_means = _means(new)
    shared = sorted(set(base_means.index) & set(new_means.index))
    if not shared:
        return []
    elapsed = base_means["elapsed"].mean(), new_means["elapsed"].mean()
    slow = base_means if elapsed[0] > elapsed[1] else new_means
    last = min(shared, key=lambda track: (slow.at[track, "slack"], track))
    changes = {
        what: _change(base_means, new_means, columns).loc[shared]
        for what, columns in CAUSES.items()
    }
    own = {what: float(change[last]) for what, change in changes.items()}
    # The cause that changed most in the direction of the total change.
    top = max(own, key=lambda what: own[what] * np.sign(elapsed[1] - elapsed[0]))
    own[top] += float(new_means.at[last, "slack"] - base_means.at[last, "slack"])
    parts = [
        Cause(
            "gmacs_mean",
            what,
            _name_cores(changes[what], last, new[0].columns),
            -100 * part / elapsed[1],
            "points",
        )
        for what, part in own.items()
        if part != 0
    ]
    return largest_first(parts)


def _means(side: Sequence[Capture]) -> pd.DataFrame:
    """Compute the mean ticks of `elapsed`, of each of PARTS and of `slack` per iteration, a row per
    core, over the iterations of all runs without outliers.
    """
    # The test excludes outliers as well, so causes and verdict use the same iterations.
    undisturbed = [_split_without_outliers(capture) for capture in side]
    means = pd.concat(undisturbed).groupby("track")[["elapsed", *PARTS]].mean()
    return means.assign(slack=means[[*SLACK]].sum(axis=1))


def _split_without_outliers(capture: Capture) -> pd.DataFrame:
    rows = capture.compared_rows
    odd = rows["iteration"].to_numpy()[find_outliers(np.log(rows["elapsed"].to_numpy(np.float64)))]
    return capture.split[~capture.split["iteration"].isin(odd)]


def _change(base: pd.DataFrame, new: pd.DataFrame, columns: tuple[str, ...]) -> pd.Series[float]:
    """Compute the change (new - base) of a cause per core, in ticks: the sum of its columns.

    NaN for a core that only a side has.
    """
    return new[[*columns]].sum(axis=1) - base[[*columns]].sum(axis=1)


def _name_cores(change: pd.Series[float], last: str, columns: Mapping[str, int]) -> str:
    """Name the place where a part changed: `all cores`, or the last core's `column 2` or `row 1`,
    if exactly its cores changed by at least half as much as the last core.

    If other cores changed as well, or not all of the column or row did, it is the name of the last
    core.
    """
    half = change[last] / 2
    like = {str(track) for track in change.index[change / half >= 1]} if half else {last}
    tracks = {str(track) for track in change.index}
    if len(like) < 2:
        return last
    if like == tracks:
        return ALL_CORES
    column = columns.get(last)
    if column is not None and like == {track for track in tracks if columns.get(track) == column}:
        return f"column {column}"
    place = core_place(last)
    in_row = (
        set()
        if place is None
        else {track for track in tracks if (core_place(track) or (None,))[0] == place[0]}
    )
    return f"row {place[0]}" if place is not None and like == in_row else last
