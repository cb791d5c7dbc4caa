"""Operators of an ONNX Runtime profile, the same for page, command line and assistants."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.timeline.covered import Covered
from schema.frames import Frames, empty
from services.run.stored_frames import StoredFrames
from storage.repository import Repository

SOURCE = "onnxruntime"
_RUN = "model_run"
"""Name of the session's span around a run of the model."""
OPERATOR_FRAMES = ("operators", "operator_shapes", "events", "kernels")
"""Frames that `node_operators` reads."""
_COLUMNS = (
    *("calls", "nodes", "total_cpu", "self_cpu", "self_device", "device_spans"),
    *("flops", "flop_rate"),
)


@dataclass(frozen=True)
class NodeOperators:
    """Frames `operators` and `operator_shapes` of a profile, and `runs`, the number of runs of the
    model; None if the file has no span of a run.

    `unattributed` are number and summed duration (ns) of the executions on devices without an
    operator, `outside_ns` is the summed duration of nodes that begin outside of all runs; 0 if a
    device was profiled.
    """

    rows: pd.DataFrame
    shapes: pd.DataFrame
    runs: int | None
    unattributed: tuple[int, int]
    outside_ns: int = 0

    @property
    def has_devices(self) -> bool:
        """Whether a device was profiled."""
        return bool(self.rows["device_spans"].sum()) or bool(self.unattributed[0])


def has_node_operators(source: str) -> bool:
    """Whether the operators of a run are types of nodes: it is a profile of ONNX Runtime."""
    return source == SOURCE


def has_nodes_only(frames: Frames) -> bool:
    """Whether a run is a profile of ONNX Runtime without devices, whose kernels are the spans of
    nodes on the host.
    """
    # Executions on a device have a class, nodes of the host have none.
    if not frames["kernels"]["class"].isna().all():
        return False
    return has_node_operators(str(frames["run"].iloc[0]["source"]))


def find_node_operators(repository: Repository, run_id: str) -> NodeOperators:
    """Sum up the operators of a profile of ONNX Runtime.

    Raises RunNotFound, and ValueError if an older release stored the run without operators.
    """
    frames = StoredFrames(repository, run_id)
    if "operators" not in frames:
        raise ValueError(
            "an older release stored this run without operators: ingest its file again"
        )
    return node_operators(frames)


def node_operators(frames: Frames) -> NodeOperators:
    """Sum up the operators of a profile from its stored frames; empty if none were stored."""
    rows = frames["operators"] if "operators" in frames else empty("operators")
    events = frames["events"]
    runs = events[(events["name"] == _RUN).to_numpy(bool)]
    kernels = frames["kernels"]
    without = kernels[(kernels["class"].notna() & kernels["op"].isna()).to_numpy(bool)]
    unattributed = (len(without), int(without["duration"].fillna(0).sum()))
    outside = _time_outside(kernels[kernels["class"].isna().to_numpy(bool)], runs)
    return NodeOperators(rows, shape_rows(frames), len(runs) or None, unattributed, outside)


def _time_outside(nodes: pd.DataFrame, runs: pd.DataFrame) -> int:
    """Sum the durations (ns) of the nodes that begin outside of all runs; 0 without runs."""
    if not len(runs):
        return 0
    covered = Covered.of(runs["start"].to_numpy(np.int64), runs["end"].to_numpy(np.int64))
    begin = nodes["start"].to_numpy(np.int64)
    is_outside = covered.within(begin, begin + 1) == 0
    return int(nodes["duration"][is_outside].fillna(0).sum())


def shape_rows(frames: Frames) -> pd.DataFrame:
    """Return frame `operator_shapes` of a run; empty if its file has no shapes."""
    return frames["operator_shapes"] if "operator_shapes" in frames else empty("operator_shapes")


def shapes_by_operator(rows: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """Convert rows of frame `operator_shapes` to JSON types, by operator: `dims`, the lists of the
    inputs (None if the file has none for these calls), and `calls`.
    """
    shapes: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_dict("records"):
        dims = json.loads(row["dims"]) if isinstance(row["dims"], str) and row["dims"] else None
        shapes.setdefault(str(row["name"]), []).append({"dims": dims, "calls": row["calls"]})
    return shapes


def node_operators_mapping(result: NodeOperators) -> dict[str, Any]:
    """Convert operators to JSON types; times are in ns, shapes None if the file has none."""
    rows = result.rows[["name", *_COLUMNS]].astype(object)
    shapes = shapes_by_operator(result.shapes)
    spans, time = result.unattributed
    return {
        "unit": "ns",
        "runs": result.runs,
        "ops": [
            row | {"shapes": shapes.get(str(row["name"]))}
            for row in rows.where(rows.notna(), None).to_dict("records")
        ],
        "unattributed": {"spans": spans, "device": time},
    }
