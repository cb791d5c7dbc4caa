"""What each tile of an operator took, as Deeploy's generated code prints it when it is profiled.

A line names operator and level, buffering, operations and tile: `[GEMM_0_L2][DB][68608 ops][Tile 0] Kernel : 22066
cycles`. With double buffering the parts before and behind a kernel are what was not hidden behind a neighbour's.
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
    """Return the operator and the level that its tiles come from: `GEMM_0_L2` -> GEMM_0, L2; "" where none is named."""
    match = _LEVEL.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def tile_times(text: str) -> pd.DataFrame:
    """Return frame `tile_times` of a printout, in its order; without rows where there is no whole profile of a tile."""
    lines = pd.DataFrame(_LINE.findall(text), columns=["label", "buffering", "operations", "tile", "part", "cycles"])
    split = [split_level(label) for label in lines["label"].tolist()]
    lines = lines.assign(
        name=[name for name, _ in split],
        level=[level for _, level in split],
        **{column: lines[column].astype("int64") for column in ("operations", "tile", "cycles")},
        part=lines["part"].map(_PARTS),
    )
    # a profile that is printed again is another row, not another number of the first
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
    """Return the lines (column `name`) of the innermost level of each operator, named without it.

    A tile of an outer level holds those of the inner ones, so they are never summed.
    """
    split = [split_level(name) for name in cycles["name"].tolist()]
    rank = np.array([int(level[1:]) if level else -1 for _, level in split], np.int64)
    named = cycles.assign(name=pd.array([name for name, _ in split], dtype="str"))
    if named.empty:
        return named
    return named[rank == pd.Series(rank).groupby(named["name"].to_numpy()).transform("min").to_numpy()]


def tile_findings(tiles: pd.DataFrame, file: str) -> list[Diagnostic]:
    """Return how many totals are not the sum of their parts."""
    said = tiles["total"].notna() & tiles[["pre", "kernel", "post"]].notna().all(axis=1)
    wrong = int((said & (tiles[["pre", "kernel", "post"]].sum(axis=1) != tiles["total"])).sum())
    if not wrong:
        return []
    text = f"the printed total of {plural(wrong, 'tile')} is not the sum of its parts"
    return [Diagnostic("warning", "tile_total_differs", text, file, wrong)]
