"""Layer groups of a compiled model: `*.layer_group_cache.json` names the layers of each group,
which identifies its attempts.

An attempt belongs to a group if all layers of the group (`locs`) are among the outputs of `tpu`
operators that it places. The last attempt of a group has the layout that the compiler uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.companion_files import read_json


@dataclass(frozen=True)
class LayerGroup:
    """Label of a layer group and the names of its layers."""

    label: str
    layers: frozenset[str]


def read_groups(path: Path) -> list[LayerGroup]:
    """Read the layer groups of a cache file, in order.

    Raises LoadError if it has no group or is not JSON. A label is `group 3`, or `subfunc_0 group 3`
    if the file has several subfunctions.
    """
    content = read_json(path)
    named = content.items() if isinstance(content, dict) else ()
    parts = [
        (name, part)
        for name, part in named
        if isinstance(part, dict) and isinstance(part.get("GroupLayer"), list)
    ]
    groups = []
    for name, part in parts:
        subfunction = name if len(parts) > 1 else ""
        for rank, group in enumerate(part["GroupLayer"]):
            if isinstance(group, dict) and isinstance(group.get("locs"), list) and group["locs"]:
                label = _name(group, rank, subfunction)
                groups.append(LayerGroup(label, frozenset(map(str, group["locs"]))))
    if not groups:
        raise LoadError(f"{path.name}: names no layer group")
    return groups


def _name(group: Mapping[str, object], rank: int, subfunction: str) -> str:
    return f"{subfunction} group {group.get('index', rank)}".strip()


def labels(groups: Sequence[LayerGroup], allocations: pd.DataFrame, count: int) -> list[str]:
    """Return the label of the layer group whose layers are all among the attempt's outputs, for
    each of `count` attempts.

    The label is "" if no group fits, or if several groups fit and the largest does not contain all
    layers of the other groups.
    """
    outputs = allocations["op_type"].cat.categories[
        allocations["op_type"].cat.categories.str.startswith("tpu.")
    ]
    chosen = (allocations["kind"] == "activation") & allocations["op_type"].isin(outputs)
    names = allocations.loc[chosen].groupby("attempt")["name"].agg(frozenset)
    return [_label(groups, names.get(attempt, frozenset())) for attempt in range(count)]


def _label(groups: Sequence[LayerGroup], names: frozenset[str]) -> str:
    fitting = [group for group in groups if group.layers <= names]
    largest = max(fitting, key=lambda group: len(group.layers), default=None)
    if largest is None or not all(group.layers <= largest.layers for group in fitting):
        return ""
    return largest.label


def mark_last_attempts(groups: Sequence[str]) -> list[bool]:
    """Return for each attempt whether it is the last attempt of its group.

    `groups` has a label per attempt; attempts without a group ("") are False.
    """
    last = {group: attempt for attempt, group in enumerate(groups) if group}
    return [last.get(group) == attempt for attempt, group in enumerate(groups)]
