"""Sum the time of an ONNX Runtime profile by type of operator, on the host and on devices."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data_loaders.onnxruntime.nodes import is_inside_of_its_operator, operator_names
from schema.array_types import Ints
from schema.frames import complete


def operators_frame(nodes: pd.DataFrame, executions: pd.DataFrame) -> pd.DataFrame:
    """Build frame `operators`, by time on devices, then by own time on the host.

    `nodes` are those of `with_parents`, `executions` what ran on devices. An execution without an
    operator is in no row.
    """
    launched = executions[executions["op_name"].notna().to_numpy(bool)]
    node_operator = operator_names(nodes)
    names = pd.Index(sorted({*node_operator.unique(), *launched["op_name"].astype("str").unique()}))
    place = names.get_indexer(node_operator)
    of_execution = names.get_indexer(launched["op_name"].astype("str"))
    duration = (nodes["end"] - nodes["start"]).to_numpy(np.int64)
    outermost = np.where(is_inside_of_its_operator(nodes, place), 0, duration)
    device_time = (launched["end"] - launched["start"]).to_numpy(np.int64)
    columns = {
        "name": names.to_numpy(object),
        "calls": np.bincount(place, minlength=len(names)),
        "nodes": _node_counts(nodes, place, len(names)),
        "total_cpu": _sums(place, outermost, len(names)),
        "self_cpu": _sums(place, nodes["own"].to_numpy(np.int64), len(names)),
        "self_device": _sums(of_execution, device_time, len(names)),
        "device_spans": np.bincount(of_execution, minlength=len(names)),
    }
    return complete("operators", columns).sort_values(
        ["self_device", "self_cpu", "name"], ascending=[False, False, True], ignore_index=True
    )


def _node_counts(nodes: pd.DataFrame, place: Ints, count: int) -> pd.arrays.IntegerArray:
    """Count the distinct nodes of each operator by name, nameless nodes by their index.

    Null if an operator has nodes with neither.
    """
    name = nodes["node"].astype("str")
    is_named = (name != "").to_numpy(bool)
    # Codes instead of texts, which take longer to compare than the rest of the frame to sum.
    node = pd.factorize(name)[0].astype(np.int64)
    index = pd.factorize(nodes["node_index"])[0].astype(np.int64)
    node = np.where(is_named, node, len(node) + 1 + index)
    distinct_nodes = np.unique(place * (2 * len(node) + 2) + node) // (2 * len(node) + 2)
    distinct = np.bincount(distinct_nodes, minlength=count)
    unknown = ~is_named & nodes["node_index"].isna().to_numpy(bool)
    is_unknown = np.bincount(place[unknown], minlength=count) > 0
    return pd.arrays.IntegerArray(distinct.astype(np.int64), is_unknown)


def _sums(groups: Ints, values: Ints, count: int) -> Ints:
    """Sum whole numbers by group, without floats."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, groups, values)
    return sums
