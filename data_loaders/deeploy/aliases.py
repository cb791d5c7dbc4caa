"""Find buffers that share another buffer's storage: views, such as a reshaped tensor.

Deeploy plans a block for a view, but its code uses the address of the source. Evidence in order of
trust: the code, the operators of the graph, and without both blocks with exactly the same addresses
while both are alive, since Deeploy's allocators place views there.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_loaders.deeploy.code import Code
from data_loaders.deeploy.graph import Graph
from data_loaders.deeploy.plans import INNER

_MAX_CHAIN = 64
"""Longest chain of views that is followed, to bound the work on a damaged graph."""


def view_sources(code: Code | None, graph: Graph | None) -> Mapping[str, str] | None:
    """Map each view to the tensor whose storage it uses, from code and graph.

    `None` without code and graph.
    """
    if code is not None and len(code.nodes):
        views = graph.views if graph is not None and not code.whole else {}
        return {**views, **code.aliases}
    return graph.views if graph is not None else None


def ancestors(sources: Mapping[str, str]) -> pd.DataFrame:
    """Compute a frame with columns name, ancestor and distance.

    A row for each view and each tensor up its chain of sources. The direct source has distance 2,
    its source 3, and so on; a chain ends at a cycle or after 64 tensors.
    """
    rows = []
    for name in sources:
        source = name
        seen = {name}
        while (
            (source := sources.get(source, "")) and source not in seen and len(seen) <= _MAX_CHAIN
        ):
            seen.add(source)
            rows.append((name, source, len(seen)))
    frame = pd.DataFrame(rows, columns=["name", "ancestor", "distance"])
    return frame.astype({"name": "str", "ancestor": "str", "distance": "int64"})


def alias_of_views(blocks: pd.DataFrame, sources: Mapping[str, str]) -> pd.Series:
    """Compute `alias_of` (Int64) of each block: for a view the number of its furthest source's
    block, else null.

    Sources without a block are skipped. `blocks` has attempt, block, plan, name, start and
    constant; views of an inner plan share storage within their step.
    """
    keyed = _key_columns(blocks)
    views = keyed.merge(ancestors(sources), on="name")
    targets = keyed.rename(columns={"name": "ancestor", "block": "alias_of"}).drop(columns="row")
    matches = views.merge(targets, on=["attempt", "plan", "step", "ancestor"])
    # A chain of views ends at the tensor that owns the storage, so the furthest source is kept.
    matches = matches.sort_values("distance", kind="stable").drop_duplicates("row", keep="last")
    return _alias_column(blocks, matches)


def coinciding(blocks: pd.DataFrame) -> pd.Series:
    """Compute `alias_of` (Int64) from addresses: the number of an earlier, still living block at
    the same range.

    Null for blocks that begin when no block with their range is alive. `blocks` has address, size
    and end in addition to the columns that `alias_of_views` needs.
    """
    keyed = _key_columns(blocks.assign(begin=blocks["start"]))
    keyed = keyed[(keyed["size"] > 0) & keyed["address"].notna()]
    place = ["attempt", "plan", "step", "address", "size"]
    keyed = keyed.sort_values([*place, "begin", "block"], kind="stable").reset_index(drop=True)
    ends = keyed.groupby(place)["end"].cummax().groupby([keyed[name] for name in place]).shift()
    is_first = ~(keyed["begin"] < ends)
    first = pd.Series(np.arange(len(keyed))).where(is_first).ffill().astype("int64")
    views = keyed.assign(alias_of=keyed["block"].to_numpy()[first.to_numpy()])[~is_first]
    return _alias_column(blocks, views)


def _key_columns(blocks: pd.DataFrame) -> pd.DataFrame:
    """Select the blocks that may share storage (not constants), with `step` (-1 in outer plans) and
    `row`, the row number in `blocks`.
    """
    step = np.where(blocks["plan"] == INNER, blocks["start"], -1)
    names = [
        name
        for name in ("attempt", "plan", "name", "block", "address", "size", "begin", "end")
        if name in blocks
    ]
    return blocks[names].assign(step=step, row=np.arange(len(blocks)))[
        ~blocks["constant"].to_numpy(bool)
    ]


def _alias_column(blocks: pd.DataFrame, views: pd.DataFrame) -> pd.Series:
    alias = pd.Series(pd.NA, index=range(len(blocks)), dtype="Int64")
    alias.iloc[views["row"].to_numpy()] = views["alias_of"].to_numpy()
    return alias
