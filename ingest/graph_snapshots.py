"""Graphs in the middle of long rewrite steps, made when a run is ingested: no page rewrites a step from its beginning.

They are made in a process of their own with limits of its own, as rewriting what a capture says may take long.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import pyarrow.parquet as pq

from analysis.program.snapshots import EDGES, NODES, long_steps
from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.scratch import scratch_folder
from ingest.graph_snapshots_child import LEFT_OUT, READ, file_of
from schema.diagnostics import Diagnostic
from schema.frames import conform
from schema.plurals import plural

_CLOCK_S = 180.0


def graph_snapshots(frames: Mapping[str, pd.DataFrame]) -> tuple[dict[str, pd.DataFrame], list[Diagnostic]]:
    """Return the frames of snapshots of a run, none where no step is long, and a finding where some are left out."""
    if not all(name in frames for name in READ) or not long_steps(frames["rewrite_steps"]):
        return {}, []
    with scratch_folder() as folder:
        for name in READ:
            frames[name].to_parquet(file_of(folder, name))
        try:
            run_isolated("ingest.graph_snapshots_child", [str(folder)], _CLOCK_S)
        except KilledError as error:
            return {}, [_finding(f"none could be made, as the process {error}")]
        made = {name: conform(name, pd.read_parquet(file_of(folder, name))) for name in (NODES, EDGES)}
        left_out = int((pq.read_schema(file_of(folder, NODES)).metadata or {})[LEFT_OUT])
    return made, [_finding(f"they are left out of {plural(left_out, 'step')}")] if left_out else []


def _finding(what: str) -> Diagnostic:
    text = f"graphs within long rewrite steps are kept at ingest, so that pages are quick; {what}: too many nodes"
    return Diagnostic("info", "graph_snapshots_left_out", text, "rewrites.pkl")
