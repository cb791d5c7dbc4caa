"""Add executions to the events of a timeline, for sources that have them only as kernels."""

from __future__ import annotations

import pandas as pd

from schema.frames import complete

_TEXTS = ("track", "lane", "name")


def with_executions(events: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Return frame `events` with the timed kernels of tracks without events added, sorted by track
    and start; unchanged if there are none. Executions that lack a time are left out, and so is
    column category if executions are added.
    """
    timed = kernels["start"].notna() & kernels["end"].notna()
    rows = kernels[timed & ~kernels["track"].isin(events["track"].unique())]
    if not len(rows):
        return events
    track = rows["track"].astype("str")
    columns = {"track": track, "lane": track, "name": rows["name"].astype("str")}
    columns |= {"start": rows["start"], "end": rows["end"], "opened": True, "closed": True}
    known = events.drop(columns="category", errors="ignore")
    texts = known.astype(dict.fromkeys(_TEXTS, "str"))
    both = pd.concat([texts, complete("events", columns).astype(texts.dtypes)], ignore_index=True)
    both = both.sort_values(["track", "start"], kind="stable", ignore_index=True)
    return both.astype(dict.fromkeys(_TEXTS, "category"))
