"""Call stacks that allocated the blocks alive at a step, with their bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.nested_starts import nested_starts

UNKNOWN = "unknown call stack"
"""Name of the node for buffers without a call stack."""
OTHERS = "smaller call stacks"
"""Name of the node for all call stacks beyond the maximum number."""
_MAX_STACKS = 2_000
"""Maximum number of call stacks shown individually; the stacks with the most bytes are."""


def bytes_by_stack(blocks: pd.DataFrame) -> pd.DataFrame:
    """Sum the bytes of blocks (rows of frame `allocations`) per call stack, most bytes first;
    failed blocks are left out.

    Columns: stack (Int64; null if unknown), total (int64, bytes), blocks (int64, their number),
    block (int64; number of the largest block). Without blocks it has no rows.
    """
    own = blocks[(blocks["status"] != "failed").to_numpy(bool)].sort_values(
        "size", ascending=False, kind="stable"
    )
    grouped = own.groupby("stack", sort=False, dropna=False)
    totals = grouped.agg(total=("size", "sum"), blocks=("size", "size"), block=("block", "first"))
    return totals.reset_index().sort_values(
        "total", ascending=False, kind="stable", ignore_index=True
    )


def stack_tree(by_stack: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """Merge call stacks into a tree of calls with a row per node, a parent before its children:
    stacks share a node as long as their calls, from the outermost, are equal.

    `by_stack` is the frame of `bytes_by_stack`, `calls` is frame `calls`. Columns: parent (row, -1
    for a root), depth (from 0), total (bytes), blocks (number), block (the largest), name
    (`file:line function`), start (bytes; position in the drawing, in which the calls of a parent
    are side by side). Stacks after the 2,000 largest share a node.
    """
    paths = call_paths(calls, by_stack["stack"].dropna().astype("int64").tolist()[:_MAX_STACKS])
    places: dict[tuple[int, str], int] = {}
    rows: list[list[int]] = []  # parent, depth, total, blocks, block
    rest = by_stack[["stack", "total", "blocks", "block"]].itertuples(index=False)
    for rank, (stack, total, count, block) in enumerate(rest):
        path = (
            [UNKNOWN]
            if pd.isna(stack)
            else paths.get(int(stack), [UNKNOWN])
            if rank < _MAX_STACKS
            else [OTHERS]
        )
        parent = -1
        for depth, name in enumerate(path):
            row = places.setdefault((parent, name), len(rows))
            if row == len(rows):
                rows.append([parent, depth, 0, 0, block])
            rows[row][2] += total
            rows[row][3] += count
            parent = row
    table = np.array(rows, np.int64).reshape(-1, 5)
    tree = pd.DataFrame(table, columns=["parent", "depth", "total", "blocks", "block"])
    tree = tree.assign(name=pd.Series([name for _, name in places], dtype="str"))
    return tree.assign(start=nested_starts(tree["parent"].tolist(), table[:, 2]))


def call_paths(calls: pd.DataFrame, stacks: Sequence[int]) -> Mapping[int, list[str]]:
    """Map each call stack in `stacks` to its calls as `file:line function`, outermost first; a
    stack that frame `calls` lacks is missing.
    """
    own = calls[calls["stack"].isin(stacks)].sort_values(
        ["stack", "depth"], ascending=[True, False], kind="stable"
    )
    line = own["line"].astype("str").radd(":").where(own["line"].notna(), "")
    name = own["file"].astype("str") + line + " " + own["function"].astype("str")
    return {
        int(stack): names.tolist()
        for stack, names in name.groupby(own["stack"].to_numpy(np.int64), sort=False)
    }
