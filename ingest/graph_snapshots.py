"""Compute graphs in the middle of long rewrite steps at ingest, so that no page has to replay a
whole step.

A separate process with its own limits computes them, because replaying the rewrites of a capture
may take long.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import pyarrow.parquet as pq

from analysis.program.snapshots import EDGES, NODES, long_steps
from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.scratch import scratch_folder
from ingest.graph_snapshots_child import LEFT_OUT, READ, frame_path
from schema.diagnostics import Diagnostic
from schema.frames import conform
from schema.plurals import plural

_CLOCK_S = 180.0


def graph_snapshots(
    frames: Mapping[str, pd.DataFrame],
) -> tuple[dict[str, pd.DataFrame], list[Diagnostic]]:
    """Map the names of two frames (nodes and edges) to the graph snapshots of a run, and make a
    finding if some are left out.

    Both are empty if no rewrite step is long. No frames, but a finding, if the process was killed.
    """
    if not all(name in frames for name in READ) or not long_steps(frames["rewrite_steps"]):
        return {}, []
    with scratch_folder() as folder:
        for name in READ:
            frames[name].to_parquet(frame_path(folder, name))
        try:
            run_isolated("ingest.graph_snapshots_child", [str(folder)], _CLOCK_S)
        except KilledError as error:
            return {}, [_finding(f"no snapshot was stored, because the process {error}")]
        snapshots = {
            name: conform(name, pd.read_parquet(frame_path(folder, name)))
            for name in (NODES, EDGES)
        }
        left_out = int((pq.read_schema(frame_path(folder, NODES)).metadata or {})[LEFT_OUT])
    return snapshots, [
        _finding(f"{plural(left_out, 'step')} have no snapshots")
    ] if left_out else []


def _finding(what: str) -> Diagnostic:
    text = f"ingest stores graphs within long rewrite steps, so that pages load quickly; {what}: too many nodes"
    return Diagnostic("info", "graph_snapshots_left_out", text, "rewrites.pkl")
