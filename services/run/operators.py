"""Operators of a profile, the same for page, command line and assistants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from schema.contents import has_named_kernels
from schema.frames import Frames, empty
from schema.torch_profiler import PYTHON
from services.run.node_operators import (
    has_node_operators,
    node_operators,
    shape_rows,
    shapes_by_operator,
)
from services.run.stored_frames import StoredFrames
from storage.repository import Repository


@dataclass(frozen=True)
class Operators:
    """Frames `operators` and `operator_shapes` of a run.

    `unattributed` is the number and the summed duration (ns) of the executions without an operator.
    `unknown` has a code for each kind of data that the file lacks: no_shapes, no_python.
    """

    rows: pd.DataFrame
    shapes: pd.DataFrame
    unattributed: tuple[int, int]
    unknown: tuple[str, ...]


def find_operators(repository: Repository, run_id: str) -> Operators:
    """Find the operators of a run; empty if the file has none.

    Raises RunNotFound, and ValueError if the run is not a profile of kernels.
    """
    frames = StoredFrames(repository, run_id)
    if not has_named_kernels(frames):
        raise ValueError("the run is not a profile of kernels, so it has no operators")
    return operators(frames)


def operators(frames: Frames) -> Operators:
    """Collect the operators of a profile from its stored frames; empty if the file has none.

    Operators of ONNX Runtime are types of nodes, for which nothing is `unknown`: its profiles never
    have Python functions, and no option of it leaves out shapes.
    """
    if has_node_operators(str(frames["run"].iloc[0]["source"])):
        nodes = node_operators(frames)
        return Operators(nodes.rows, nodes.shapes, nodes.unattributed, ())
    rows = frames["operators"] if "operators" in frames else empty("operators")
    shapes = shape_rows(frames)
    kernels = frames["kernels"]
    without = kernels[kernels["op"].isna()]
    unknown = []
    if not shapes["dims"].notna().any():
        unknown.append("no_shapes")
    events = frames["events"]
    if "category" not in events.columns or not (events["category"] == PYTHON).any():
        unknown.append("no_python")
    return Operators(
        rows, shapes, (len(without), int(without["duration"].fillna(0).sum())), tuple(unknown)
    )


def operators_mapping(result: Operators) -> dict[str, Any]:
    """Convert operators to JSON types; times are in ns, shapes None if the file has none."""
    shapes = shapes_by_operator(result.shapes)
    records = result.rows.astype(object).where(result.rows.notna(), None).to_dict("records")
    spans, time = result.unattributed
    has_shapes = "no_shapes" not in result.unknown
    return {
        "unit": "ns",
        "ops": [
            row | {"shapes": shapes.get(str(row["name"])) if has_shapes else None}
            for row in records
        ],
        "unattributed": {"spans": spans, "device": time},
        "said": list(result.unknown),
    }
