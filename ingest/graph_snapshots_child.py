"""Process that computes graph snapshots: `python -m ingest.graph_snapshots_child FOLDER`.

It reads frames of a run from the folder and writes the frames of the snapshots there, within limits
of memory and processor time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.program.snapshots import make_snapshots
from data_loaders.reading.isolated import end_with_starter
from data_loaders.reading.limits import Limits, limit_memory, limit_processor

READ = ("graph_nodes", "graph_edges", "rewrite_steps", "rewrite_matches")
"""Frames that the process reads."""
LEFT_OUT = b"left_out"
"""Key of the metadata in the file of nodes: the number of steps without snapshots."""
_LIMITS = Limits(memory_mb=2000, processor_s=60.0)


def frame_path(folder: Path, name: str) -> Path:
    """Return the path of a frame's file in the folder, `NAME.parquet`."""
    return folder / f"{name}.parquet"


def main(folder: Path) -> None:
    """Compute frames `graph_snapshots` and `graph_snapshot_edges` of the run whose frames are in
    the folder, and write them there (`frame_path`), without rows if no step is long.

    Metadata LEFT_OUT of both files is the number of steps that were skipped.
    """
    end_with_starter()
    limit_memory(_LIMITS)
    limit_processor(_LIMITS, 0)
    snapshots, left_out = make_snapshots(
        {name: pd.read_parquet(frame_path(folder, name)) for name in READ}
    )
    for name, frame in snapshots.items():
        table = pa.Table.from_pandas(frame, preserve_index=False)
        metadata = {**(table.schema.metadata or {}), LEFT_OUT: str(left_out).encode()}
        pq.write_table(table.replace_schema_metadata(metadata), frame_path(folder, name))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
