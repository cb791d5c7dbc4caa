"""Rows of a run's frames that the selection covers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.aie.iterations import measured_iterations, measured_slice
from analysis.aie.slices import slice_labels
from analysis.selection import Selection, select_kernels
from components.aie.counted_iterations import shown_track
from schema.array_types import Bools
from schema.rows import filter_rows
from services.run.capabilities import Capability
from services.run.data import RunData


def compared_slice(data: RunData) -> str:
    """Return the slice of the trace buffer that the numbers of the array are of; "" if the run has
    a single slice.
    """
    if not data.can(Capability.ITERATIONS) or not slice_labels(data.tracks):
        return ""
    return measured_slice(data.iterations)


def slice_in_view(data: RunData, selection: Selection) -> str:
    """Return the slice that views of all cores show: that of `compared_slice`; "" if a tile or
    iteration is selected, or the run has a single slice.
    """
    is_free = selection.track is None and selection.iteration is None
    return compared_slice(data) if is_free else ""


def selected_kernels(
    data: RunData, selection: Selection, *, all_slices: bool = False
) -> pd.DataFrame:
    """Return the rows of the run's kernels that the selection covers; copies of a profile are
    included only if a name is selected, of the kernel or of the program that launched it.

    Without a selected tile or iteration only kernels of the slice of `compared_slice` are covered,
    unless `all_slices` is set.
    """
    chosen = select_kernels(data.kernels, selection)
    of_slice = "" if all_slices else slice_in_view(data, selection)
    if of_slice:
        names = data.tracks.loc[data.tracks["slice"] == of_slice, "track"].astype(str)
        chosen = chosen[chosen["track"].isin(names).to_numpy(bool)]
    is_named = not (selection.kind is None and selection.launcher == Selection())
    if data.can(Capability.NAMED_KERNELS) and not is_named:
        return chosen[~chosen["copy"]]
    return chosen


def selected_activity(data: RunData, selection: Selection) -> pd.DataFrame:
    """Return frame `activity` over the selected window, or over the time of the selected iteration;
    over the whole run without either.
    """
    window = selection.window or _iteration_window(data, selection)
    if window is None:
        return data.activity
    return data.activity_by_window(window)


def _iteration_window(data: RunData, selection: Selection) -> tuple[int, int] | None:
    """Return [start, end) in ticks of the selected iteration on the selected track, or on the whole
    system.

    None if no iteration is selected or its times are unknown.
    """
    if selection.iteration is None:
        return None
    rows = data.iterations
    is_own = rows["track"].array == shown_track(rows, selection)
    numbers = rows["iteration"].to_numpy(np.int64)
    places = np.flatnonzero(np.asarray(is_own, bool) & (numbers == selection.iteration))
    if not len(places) or pd.isna(rows["first_start"].iloc[places[0]]):
        return None
    return int(rows["first_start"].iloc[places[0]]), int(rows["last_end"].iloc[places[0]])


def selected_iterations(data: RunData, selection: Selection) -> pd.DataFrame:
    """Select the rows of frame `iterations` that the selection covers, by track, iteration and
    window.
    """
    return select_iterations(data.iterations, selection)


def selected_rates(data: RunData, selection: Selection) -> pd.DataFrame:
    """Select the rows of frame `iterations` that the selection covers, as `selected_iterations`
    does; only the columns that rates of tiles are computed from.
    """
    rows = data.iterations
    rated = rows[["track", "phase", "complete", "gmacs_per_s"]]
    return filter_rows(rated, _iteration_mask(rows, selection))


def select_iterations(rows: pd.DataFrame, selection: Selection) -> pd.DataFrame:
    """Filter rows of frame `iterations` by track, iteration and window of the selection; rows that
    overlap the window are included.
    """
    return filter_rows(rows, _iteration_mask(rows, selection))


def _iteration_mask(rows: pd.DataFrame, selection: Selection) -> Bools:
    """Return a mask of the rows of frame `iterations` that `select_iterations` returns."""
    mask = np.ones(len(rows), np.bool_)
    if selection.track is not None:
        mask &= np.asarray(rows["track"].array == selection.track, bool)
    if selection.iteration is not None:
        mask &= rows["iteration"].to_numpy() == selection.iteration
    if selection.window is not None:
        begin, end = selection.window
        # Iterations without times overlap no window.
        overlaps = (rows["first_start"] < end) & (rows["last_end"] > begin)
        mask &= overlaps.to_numpy(bool, na_value=False)
    return mask


def selected_parts(data: RunData, selection: Selection) -> Bools:
    """Return a mask of the rows of `iteration_parts`, of all tracks, for the selected iteration, or
    for all measured iterations in the window.
    """
    rows = data.iterations
    mask = _iteration_mask(rows, replace(selection, track=None))
    if selection.iteration is None:
        mask &= measured_iterations(rows)
    numbers = data.iteration_parts["iteration"].to_numpy()
    return np.isin(numbers, rows["iteration"].to_numpy()[mask])
