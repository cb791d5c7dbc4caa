"""Roofline model: operations per second of a kernel against the limit by its intensity.

Model of Williams, Waterman and Patterson (2009): at most min(peak operations per second, operations
per byte x peak bytes per second).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Floats

BOUNDS = ("memory", "compute")


def roofline_rows(
    table: pd.DataFrame, peak_flops: float | None = None, peak_bytes_per_s: float | None = None
) -> pd.DataFrame:
    """Select the rows of a kernel table that compute and use memory, with their limits.

    Columns: those of `table` and row (position in `table`), attainable (float64, operations per
    second that the known peaks allow), reached (flops / attainable; NaN without a peak) and bound
    (category: memory below the ridge's intensity, compute from it on; null if a peak is unknown).
    """
    placed = ((table["flops"] > 0) & (table["intensity"] > 0)).to_numpy(bool)
    rows = table[placed].assign(row=np.flatnonzero(placed))
    intensity = rows["intensity"].to_numpy(np.float64)
    attainable = roof(peak_flops, peak_bytes_per_s, intensity)
    codes = np.full(len(rows), -1)
    if peak_flops is not None and peak_bytes_per_s is not None:
        codes = (intensity >= ridge(peak_flops, peak_bytes_per_s)).astype(np.int64)
    return rows.assign(
        attainable=attainable,
        reached=rows["flops"].to_numpy(np.float64) / attainable,
        bound=pd.Categorical.from_codes(codes, list(BOUNDS)),
    ).reset_index(drop=True)


def roof(
    peak_flops: float | None, peak_bytes_per_s: float | None, intensities: npt.ArrayLike
) -> Floats:
    """Compute the attainable operations per second at each intensity (operations per byte): the
    lower of the peak and intensity x peak bytes/s.

    If only one peak is known, it is the only limit; NaN without peaks.
    """
    at = np.asarray(intensities, dtype=np.float64)
    flat = np.full(at.shape, np.nan if peak_flops is None else peak_flops)
    slope = at * (np.nan if peak_bytes_per_s is None else peak_bytes_per_s)
    lower: Floats = np.fmin(flat, slope)
    return lower


def ridge(peak_flops: float, peak_bytes_per_s: float) -> float:
    """Compute the intensity (operations per byte) from which on memory is not the limit: peak
    operations/s over peak bytes/s.
    """
    return peak_flops / peak_bytes_per_s
