"""Select rows of a frame without the cost of a copy where none is needed."""

from __future__ import annotations

import pandas as pd

from schema.array_types import Bools


def filter_rows(frame: pd.DataFrame, mask: Bools) -> pd.DataFrame:
    """Return the rows of a frame at which the mask is True; the frame itself if they are all.

    pandas copies each column of a filtered frame, which costs the same for a few rows as for a
    thousand. The result shares its data with the frame: do not change it.
    """
    if mask.all():
        return frame
    return frame[mask] if mask.any() else frame.iloc[:0]
