"""Parse the cycles of each tile that Deeploy's generated code prints when it is profiled.

A line has operator and level, buffering, operations, tile and part: `[GEMM_0_L2][DB][68608
ops][Tile 0] Kernel : 22066 cycles`. With double buffering the parts before and behind a kernel are
only the time that a neighbouring tile's kernel does not hide.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from schema.diagnostics import Diagnostic
from schema.frames import conform
from schema.plurals import plural

_PARTS = {"Pre-Kernel": "pre", "Kernel": "kernel", "Post-Kernel": "post", "Total": "total"}
_LINE = re.compile(
    r"\[([^\]\[\n]{1,500})\]\[([SD]B)\]\[(\d{1,18}) ops\]\[Tile (\d{1,9})\]\s{0,20}"
    r"(Pre-Kernel|Kernel|Post-Kernel|Total)\s{0,20}:\s{0,20}(\d{1,15}) cycles"
)
_LEVEL = re.compile(r"\A(.*)_(L\d{1,2})", re.DOTALL)
_KEY = ["name", "level", "buffering", "operations", "tile"]


def split_level(name: str) -> tuple[str, str]:
    """Split a label into operator and level of its tiles: `GEMM_0_L2` -> GEMM_0, L2.

    The level is "" if it is missing.
    """
    match = _LEVEL.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def tile_times(text: str) -> pd.DataFrame:
    """Build frame `tile_times` of a printout, in its order.

    The frame has no rows if no tile has a whole profile.
    """
    lines = pd.DataFrame(
        _LINE.findall(text), columns=["label", "buffering", "operations", "tile", "part", "cycles"]
    )
    split = [split_level(label) for label in lines["label"].tolist()]
    lines = lines.assign(
        name=[name for name, _ in split],
        level=[level for _, level in split],
        **{column: lines[column].astype("int64") for column in ("operations", "tile", "cycles")},
        part=lines["part"].map(_PARTS),
    )
    # A tile that is printed twice gives two rows, so repeats are numbered and kept separate.
    again = lines.groupby([*_KEY, "part"], sort=False).cumcount()
    keyed = lines.assign(again=again)
    first = keyed.drop_duplicates([*_KEY, "again"])[[*_KEY, "again"]]
    for part in _PARTS.values():
        rows = keyed.loc[keyed["part"] == part, [*_KEY, "again", "cycles"]]
        first = first.merge(rows.rename(columns={"cycles": part}), on=[*_KEY, "again"], how="left")
    whole = first[first["kernel"].notna() & first[["pre", "post"]].notna().any(axis=1)]
    columns = {name: whole[name].astype("Int64") for name in _PARTS.values()}
    columns |= {name: whole[name].astype("category") for name in ("level", "buffering")}
    return conform("tile_times", whole[_KEY].assign(**columns).reset_index(drop=True))


def innermost(cycles: pd.DataFrame) -> pd.DataFrame:
    """Select the lines (column `name`) of each operator's innermost level, and cut off the level.

    A tile of an outer level contains tiles of inner levels, so their cycles are never summed.
    """
    split = [split_level(name) for name in cycles["name"].tolist()]
    rank = np.array([int(level[1:]) if level else -1 for _, level in split], np.int64)
    named = cycles.assign(name=pd.array([name for name, _ in split], dtype="str"))
    if named.empty:
        return named
    return named[
        rank == pd.Series(rank).groupby(named["name"].to_numpy()).transform("min").to_numpy()
    ]


def tile_findings(tiles: pd.DataFrame, file: str) -> list[Diagnostic]:
    """Report tiles whose printed total is not the sum of its parts."""
    is_whole = tiles["total"].notna() & tiles[["pre", "kernel", "post"]].notna().all(axis=1)
    wrong = int((is_whole & (tiles[["pre", "kernel", "post"]].sum(axis=1) != tiles["total"])).sum())
    if not wrong:
        return []
    text = f"the printed total of {plural(wrong, 'tile')} is not the sum of its parts"
    return [Diagnostic("warning", "tile_total_differs", text, file, wrong)]
