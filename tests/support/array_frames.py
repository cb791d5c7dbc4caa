"""What views of an array read from the frames of a run."""

import pandas as pd

from analysis.aie.tiles import tile_table
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData
from schema.frames import empty

Frames = dict[str, pd.DataFrame]


def timeline_data(frames: Frames) -> TimelineData:
    """Build the data of a timeline from the frames of a run."""
    index = LaneIndex.of_events(frames["events"])
    return TimelineData.of(index, {"markers": empty("markers"), **frames})


def tiles(frames: Frames) -> pd.DataFrame:
    """Build the table of an array's tiles from the frames of a run."""
    return tile_table(
        *(frames[n] for n in ("tracks", "kernels", "iterations", "activity", "diagnostics"))
    )
