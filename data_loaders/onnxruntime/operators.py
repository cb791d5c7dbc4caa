"""Sum the time of an ONNX Runtime profile by type of operator, on the host and on devices, and
count the shapes of its inputs.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from data_loaders.flop_counts import rate_per_second
from data_loaders.onnxruntime.flops import node_flops
from data_loaders.onnxruntime.nodes import UNKNOWN, is_inside_of_its_operator, operator_names
from data_loaders.onnxruntime.shapes import INPUTS, read_shapes
from data_loaders.trace_columns import sum_by_group
from schema.array_types import Bools, Floats, Ints
from schema.frames import complete

_HOST = "CPUExecutionProvider"


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
    counted = node_flops(nodes)
    flops = _float_sums(place, counted, len(names))
    columns = {
        "name": names.to_numpy(object),
        "flops": flops,
        "calls": np.bincount(place, minlength=len(names)),
        "nodes": _node_counts(nodes, place, len(names)),
        "total_cpu": sum_by_group(place, outermost, len(names)),
        "self_cpu": sum_by_group(place, nodes["own"].to_numpy(np.int64), len(names)),
        "self_device": sum_by_group(of_execution, device_time, len(names)),
        "device_spans": np.bincount(of_execution, minlength=len(names)),
    }
    busy = columns["total_cpu"]
    if len(executions):
        # The operations of nodes that stayed on the host are not those of the executions.
        busy = np.where(_has_host_nodes(nodes, place, len(names)), 0, columns["self_device"])
        timed = flops
    else:
        # The operations of a node are known even if its time is not.
        doubtful = nodes["doubtful"].to_numpy(bool)
        timed = _float_sums(place, np.where(doubtful, 0, counted), len(names))
    columns["flop_rate"] = rate_per_second(timed, busy)
    return complete("operators", columns).sort_values(
        ["self_device", "self_cpu", "name"], ascending=[False, False, True], ignore_index=True
    )


def operator_shapes_frame(nodes: pd.DataFrame) -> pd.DataFrame:
    """Build frame `operator_shapes`: how often each operator got inputs of which shapes; empty if
    no node has shapes.
    """
    texts = [_compact(text) for text in nodes[INPUTS].cat.categories]
    if not any(texts):
        return complete("operator_shapes", {"name": [], "dims": [], "calls": []})
    # Codes instead of texts, of which a profile may have a million.
    names = nodes["op_name"].cat
    columns = (names.codes, nodes[INPUTS].cat.codes)
    pairs = np.stack([codes.to_numpy(np.int64) for codes in columns])
    distinct, calls = np.unique(pairs, axis=1, return_counts=True)
    operators = [*names.categories, None]
    frame = pd.DataFrame(
        {
            "name": [operators[code] or UNKNOWN for code in distinct[0].tolist()],
            "dims": [[*texts, None][code] for code in distinct[1].tolist()],
            "calls": calls,
        }
    )
    # Texts may differ in spaces alone.
    counts = frame.groupby(["name", "dims"], dropna=False, as_index=False).sum()
    return complete("operator_shapes", {name: counts[name] for name in counts})


def _compact(text: str) -> str | None:
    shapes = read_shapes(text)
    return None if shapes is None else json.dumps(shapes, separators=(",", ":"))


def _has_host_nodes(nodes: pd.DataFrame, place: Ints, count: int) -> Bools:
    """Whether a node of each operator ran on the host, or on a provider that is not named."""
    on_host = (nodes["provider"].isna() | (nodes["provider"] == _HOST)).to_numpy(bool)
    return np.asarray(np.bincount(place[on_host], minlength=count) > 0)


def _float_sums(groups: Ints, values: Floats, count: int) -> Floats:
    sums = np.zeros(count, np.float64)
    np.add.at(sums, groups, values)
    return np.where(np.bincount(groups, minlength=count) > 0, sums, np.nan)


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
