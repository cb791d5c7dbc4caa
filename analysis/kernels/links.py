"""Link kernels and buffers: join `buffer_uses` with launches and executions.

A use names its launch. A kernel of a graph has the launch from which the graph was made, so that
the uses of that launch count for every run of the graph.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.timeline.lanes import LaneIndex
from analysis.timeline.positions import places_of

_OF_KERNEL = ["track", "kernel", "name", "start", "end", "run", "launch"]


def kernels_of_block(
    uses: pd.DataFrame, kernels: pd.DataFrame, attempt: int, block: int
) -> pd.DataFrame:
    """List the executions that use a block, in order of time; empty if there are no such
    executions.

    Columns: row (position in `kernels`), track, kernel, name, start, end, run, launch and access
    (r, w or rw). Launches without a known execution are left out.
    """
    wanted = uses[(uses["attempt"] == attempt) & (uses["block"] == block)]
    access = dict(
        zip(wanted["kernel"].tolist(), wanted["access"].astype("str").tolist(), strict=True)
    )
    rows = kernels["launch"].isin(list(access)).to_numpy(bool).nonzero()[0]
    executions = kernels.iloc[rows][_OF_KERNEL].assign(row=rows)
    executions["access"] = [access[int(launch)] for launch in executions["launch"]]
    return executions.sort_values("start", kind="stable", ignore_index=True)


def launches_of_block(
    uses: pd.DataFrame, launches: pd.DataFrame, attempt: int, block: int
) -> pd.DataFrame:
    """List the rows of frame `launches` that use a block, by launch number, with column access (r,
    w or rw), whether their executions were timed or not.
    """
    wanted = uses.loc[(uses["attempt"] == attempt) & (uses["block"] == block), ["kernel", "access"]]
    return launches.merge(wanted, on="kernel").sort_values(
        "kernel", kind="stable", ignore_index=True
    )


def blocks_of_launch(uses: pd.DataFrame, allocations: pd.DataFrame, launch: int) -> pd.DataFrame:
    """List the rows of frame `allocations` that a launch uses, with column access (r, w or rw),
    largest first; empty for an unknown launch.
    """
    wanted = uses.loc[uses["kernel"] == launch, ["attempt", "block", "access"]]
    blocks = allocations.merge(wanted, on=["attempt", "block"])
    return blocks.sort_values(
        ["size", "attempt", "block"], ascending=[False, True, True], ignore_index=True
    )


def find_kernel(kernels: pd.DataFrame, track: str, start: int) -> int | None:
    """Return the position in frame `kernels` of the first execution of a track that begins exactly
    at tick `start`; None if there is none.
    """
    begins = (kernels["start"] == start).fillna(value=False)
    rows = ((kernels["track"] == track) & begins).to_numpy(bool).nonzero()[0]
    return int(rows[0]) if len(rows) else None


def place_of(index: LaneIndex, kernel: pd.Series) -> tuple[str, str, int, int] | None:
    """Return track, lane, start and end (ticks) of a kernel's event in the index, None if the index
    has no such event.
    """
    places = places_of(index, kernel.to_frame().T)
    if not len(places):
        return None
    lane = int(np.searchsorted(index.offset, places[0], side="right")) - 1
    return (
        str(kernel["track"]),
        str(index.lanes["lane"].iloc[lane]),
        int(kernel["start"]),
        int(kernel["end"]),
    )


def first_event_name(index: LaneIndex, track: str, start: int) -> str:
    """Return the name of the event on the first lane of a track that has an event beginning exactly
    at tick `start`; "" if there is none.
    """
    for lane in np.flatnonzero((index.lanes["track"] == track).to_numpy(bool)).tolist():
        place = int(index.position_begun(lane, np.array([start]))[0])
        if place < index.offset[lane + 1] and index.start[place] == start:
            return str(index.names[index.code[place]])
    return ""
