"""Buffers of a Deeploy map that lie in another's storage: views of a tensor, such as its reshape.

Deeploy gives a view its own block but its code uses the source's address. What the code says comes first, then the
operators of the graph, else blocks that coincide exactly while both are alive, as Deeploy's own allocators place them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_loaders.deeploy.code import Code
from data_loaders.deeploy.graph import Graph
from data_loaders.deeploy.plans import INNER

_LONGEST_CHAIN = 64


def view_sources(code: Code | None, graph: Graph | None) -> Mapping[str, str] | None:
    """Return view -> the tensor whose storage it is, None where neither code nor graph says."""
    if code is not None and len(code.nodes):
        views = graph.views if graph is not None and not code.whole else {}
        return {**views, **code.aliases}
    return graph.views if graph is not None else None


def ancestors(sources: Mapping[str, str]) -> pd.DataFrame:
    """Return name, ancestor, distance of every view and each tensor up its chain of sources."""
    rows = []
    for name in sources:
        at, seen = name, {name}
        while (at := sources.get(at, "")) and at not in seen and len(seen) <= _LONGEST_CHAIN:
            seen.add(at)
            rows.append((name, at, len(seen)))
    frame = pd.DataFrame(rows, columns=["name", "ancestor", "distance"])
    return frame.astype({"name": "str", "ancestor": "str", "distance": "int64"})


def alias_of_views(blocks: pd.DataFrame, sources: Mapping[str, str]) -> pd.Series:
    """Return `alias_of` (Int64): for a view the block of its furthest source that has one, else null.

    `blocks` has attempt, block, plan, name, start and constant; views of an inner plan share within their step.
    """
    keyed = _key_columns(blocks)
    views = keyed.merge(ancestors(sources), on="name")
    targets = keyed.rename(columns={"name": "ancestor", "block": "alias_of"}).drop(columns="row")
    found = views.merge(targets, on=["attempt", "plan", "step", "ancestor"])
    found = found.sort_values("distance", kind="stable").drop_duplicates("row", keep="last")
    return _alias_of(blocks, found)


def coinciding(blocks: pd.DataFrame) -> pd.Series:
    """Return `alias_of` (Int64) of blocks that have the address range of an earlier one that is alive when they begin.

    `blocks` has address, size and end besides what `alias_of_views` needs.
    """
    keyed = _key_columns(blocks.assign(begin=blocks["start"]))
    keyed = keyed[(keyed["size"] > 0) & keyed["address"].notna()]
    place = ["attempt", "plan", "step", "address", "size"]
    keyed = keyed.sort_values([*place, "begin", "block"], kind="stable").reset_index(drop=True)
    ends = keyed.groupby(place)["end"].cummax().groupby([keyed[name] for name in place]).shift()
    apart = ~(keyed["begin"] < ends)
    first = pd.Series(np.arange(len(keyed))).where(apart).ffill().astype("int64")
    found = keyed.assign(alias_of=keyed["block"].to_numpy()[first.to_numpy()])[~apart]
    return _alias_of(blocks, found)


def _key_columns(blocks: pd.DataFrame) -> pd.DataFrame:
    """Return the blocks that may share storage, with the step of inner ones (-1 of outer ones) and their row."""
    step = np.where(blocks["plan"] == INNER, blocks["start"], -1)
    names = [name for name in ("attempt", "plan", "name", "block", "address", "size", "begin", "end") if name in blocks]
    return blocks[names].assign(step=step, row=np.arange(len(blocks)))[~blocks["constant"].to_numpy(bool)]


def _alias_of(blocks: pd.DataFrame, found: pd.DataFrame) -> pd.Series:
    alias = pd.Series(pd.NA, index=range(len(blocks)), dtype="Int64")
    alias.iloc[found["row"].to_numpy()] = found["alias_of"].to_numpy()
    return alias
