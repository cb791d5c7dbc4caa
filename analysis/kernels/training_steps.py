"""Compute the steps of a profile: windows between neighbouring markers in which kernels ran."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.frames import build_frame


def training_steps(kernels: pd.DataFrame, markers: pd.DataFrame) -> pd.DataFrame:
    """Compute frame `training_steps`, a row per window between neighbouring markers in which a
    kernel starts; empty with fewer than two markers.

    A kernel belongs to the window in which it starts. Copies, executions without a duration, and
    executions before the first or after the last marker are left out.
    """
    timed = kernels[~kernels["copy"].to_numpy(bool) & kernels["duration"].notna().to_numpy(bool)]
    edges = np.unique(markers["start"].to_numpy(np.int64))
    step = np.searchsorted(edges, timed["start"].to_numpy(np.int64), side="right") - 1
    inside = (step >= 0) & (step < len(edges) - 1)
    rows = timed[inside]
    step = step[inside]
    steps, place = np.unique(step, return_inverse=True)
    operations = rows["operations"].to_numpy(np.float64, na_value=np.nan)
    has_operations = np.bincount(place, weights=np.isfinite(operations), minlength=len(steps)) > 0
    summed = np.bincount(place, weights=np.nan_to_num(operations), minlength=len(steps))
    last = markers.sort_values("start", kind="stable").drop_duplicates("start", keep="last")
    names = dict(
        zip(last["start"].to_numpy(np.int64).tolist(), last["name"].astype("str"), strict=True)
    )
    begins = edges[steps] if len(edges) else edges
    return build_frame(
        "training_steps",
        {
            "step": steps.astype(np.int64),
            "name": [names[begin] for begin in begins.tolist()],
            "start": begins,
            "end": edges[steps + 1] if len(edges) else edges,
            "kernels": np.bincount(place, minlength=len(steps)).astype(np.int64),
            "kernel_time": np.bincount(
                place, weights=rows["duration"].to_numpy(np.float64), minlength=len(steps)
            ),
            "operations": np.where(has_operations, summed, np.nan),
        },
    )
