"""The rows of a profile's tables under its selection."""

from __future__ import annotations

import pandas as pd

from analysis.selection import Selection, has_name
from app.views.state import RunState
from services.profile import ProfileData

PROFILE_TABLES = ("launches", "programs", "counters", "markers", "contexts")


def profile_table(profile: ProfileData, state: RunState, name: str) -> pd.DataFrame:
    """Return the rows of a table: of the selected kernel and time, where they have one."""
    rows, chosen = profile.frame(name), state.selection
    if name == "launches":
        return _named(_within(rows, chosen), chosen)
    if name == "markers":
        return _within(rows, chosen)
    if name == "programs":
        return rows if chosen.program is None else rows[rows["program"] == chosen.program]
    if name == "counters" and chosen.kernel is not None and chosen.kernel < len(profile.kernels):
        kernel = profile.kernels.iloc[chosen.kernel]
        counted = (rows["kernel"] == kernel["kernel"]).fillna(False).astype(bool)
        return rows[counted & (rows["track"] == kernel["track"])]
    return rows


def _within(rows: pd.DataFrame, chosen: Selection) -> pd.DataFrame:
    if chosen.window is None:
        return rows
    return rows[(rows["start"] >= chosen.window[0]) & (rows["start"] < chosen.window[1])]


def _named(rows: pd.DataFrame, chosen: Selection) -> pd.DataFrame:
    return rows if chosen.kind is None else rows[has_name(rows["name"], chosen.kind)]
