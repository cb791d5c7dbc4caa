"""Match the generated code with a Deeploy map: operand of each tile, and agreement of addresses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from data_loaders.deeploy.code import Code
from data_loaders.deeploy.plans import INNER


def operands(blocks: pd.DataFrame, code: Code, names: pd.Series) -> pd.Series:
    """Find the operand of every inner block: data_in, weight, mul, data_out ... (null if unknown),
    a value per row.

    `blocks` has level, plan, start, address; `names` has the node's name by step. A tile is matched
    with the operand that has the same address in the code of the same step. Outer blocks are null.
    """
    tiles = _tile_steps(code.tiles, names)
    inner = blocks.assign(row=np.arange(len(blocks)))[blocks["plan"] == INNER]
    matches = inner.merge(
        tiles, left_on=["level", "start", "address"], right_on=["level", "step", "address"]
    )
    matches = matches.drop_duplicates("row")
    role = pd.Series(None, index=range(len(blocks)), dtype="str")
    role.iloc[matches["row"].to_numpy()] = matches["operand"].to_numpy()
    return role


def addresses(blocks: pd.DataFrame, code: Code, names: pd.Series) -> tuple[int, int]:
    """Return the number of addresses of the code that the map should have, and how many of them it
    lacks.

    A tensor's address must be that of its block in the level. An operand's address must be that of
    any tile of its step and level. Tensors and steps that the map lacks are not counted.
    """
    tensors = code.places.merge(blocks[["level", "name"]].drop_duplicates(), on=["level", "name"])
    placed_tensors = tensors.merge(
        blocks[["level", "name", "address"]].drop_duplicates(), on=["level", "name", "address"]
    )
    tiles = _tile_steps(code.tiles, names)
    steps = blocks.loc[blocks["plan"] == INNER, ["level", "start", "address"]].rename(
        columns={"start": "step"}
    )
    step_tiles = tiles.merge(steps[["level", "step"]].drop_duplicates(), on=["level", "step"])
    placed_tiles = step_tiles.merge(steps.drop_duplicates(), on=["level", "step", "address"])
    expected = len(tensors) + len(step_tiles)
    return expected, expected - len(placed_tensors) - len(placed_tiles)


def _tile_steps(tiles: pd.DataFrame, names: pd.Series) -> pd.DataFrame:
    """Return columns level, step, operand and address of the code's tiles whose node is a step,
    without duplicates.
    """
    step_by_name = dict(zip(names.tolist(), range(len(names)), strict=True))
    split = [split_label(label, step_by_name) for label in tiles["label"]]
    operand = pd.array([o for _, o in split], dtype="str")
    frame = tiles.assign(step=np.array([step for step, _ in split], np.int64), operand=operand)
    return frame.loc[frame["step"] >= 0, ["level", "step", "operand", "address"]].drop_duplicates(
        ignore_index=True
    )


def split_label(label: str, steps: Mapping[str, int]) -> tuple[int, str]:
    """Split `NODE_OPERAND` into step and operand; (-1, "") if no node of `steps` is its begin.

    The longest node wins, since a node's name may begin with the name of another.
    """
    end = label.rfind("_")
    while end > 0:
        if label[:end] in steps:
            return steps[label[:end]], label[end + 1 :]
        end = label.rfind("_", 0, end)
    return -1, ""
