"""Parse the cycles of each tile that Deeploy's generated code prints when it is profiled.

A line has operator and level, buffering, operations, tile and part: `[GEMM_0_L2][DB][68608
ops][Tile 0] Kernel : 22066 cycles`. Snitch prints a line per core, with `[Core 3]` behind the tile.
Releases up to 0.2.1 write `Kernel took 22066 cycles`, and `Input DMA` and `Output DMA` for the
parts around a kernel. With double buffering these parts are only the time that a neighbouring
tile's kernel does not hide.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from data_loaders.deeploy.untiled import untiled_times
from schema.diagnostics import Diagnostic
from schema.frames import conform
from schema.plurals import plural

_PARTS = {
    "Pre-Kernel": "pre",
    "Input DMA": "pre",
    "Kernel": "kernel",
    "Post-Kernel": "post",
    "Output DMA": "post",
    "Total": "total",
}
_COLUMNS = ("pre", "kernel", "post", "total")
_PATTERN = (
    r"\[([^\]\[\n]{1,500})\]\[([SD]B)\]\[(\d{1,18}) ops\]\[Tile (\d{1,9})\](?:\[Core (\d{1,9})\])?\s{0,20}"
    rf"({'|'.join(_PARTS)})\s{{0,20}}(?::|took)\s{{0,20}}(\d{{1,15}}) cycles"
)
_LINE = re.compile(_PATTERN)
_LINE_BYTES = re.compile(_PATTERN.encode())
_LEVEL = re.compile(r"\A(.*)_(L\d{1,2})", re.DOTALL)
_KEY = ["name", "level", "buffering", "operations", "tile"]
_MAX_CYCLES = 2**62
"""Sums of cycles from here on are left out, so that they fit into int64."""


def has_tile_times(head: bytes) -> bool:
    """Whether the bytes contain a line with the cycles of a part of a tile."""
    return _LINE_BYTES.search(head) is not None


def split_level(name: str) -> tuple[str, str]:
    """Split a label into operator and level of its tiles, dropping the rest: `GEMM_0_L2` -> GEMM_0,
    L2.

    Without a level, the operator is the whole label and the level "".
    """
    match = _LEVEL.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def tile_times(text: str) -> pd.DataFrame:
    """Build frame `tile_times` of a printout, a row per printed tile in order.

    Operators that are not tiled come last. A part (cycles) that was not printed is null; tiles
    without cycles of their kernel are left out. With several cores a part has the cycles of its
    slowest core.
    """
    lines = _lines(text)
    # A tile that is printed twice gives two rows, so repeats are numbered and kept separate.
    again = lines.groupby([*_KEY, "core", "part"], sort=False).cumcount()
    keyed = lines.assign(again=again)
    first = keyed.drop_duplicates([*_KEY, "again"])[[*_KEY, "again"]]
    for part in _COLUMNS:
        rows = keyed.loc[keyed["part"] == part, [*_KEY, "again", "cycles"]]
        # Cores wait for each other between the parts, so a part takes as long as its slowest core.
        slowest = (
            rows.groupby([*_KEY, "again"], sort=False)["cycles"].max().rename(part).reset_index()
        )
        first = first.merge(slowest, on=[*_KEY, "again"], how="left")
    timed = first[first["kernel"].notna()]
    columns = {name: timed[name].astype("Int64") for name in _COLUMNS}
    columns |= {name: timed[name].astype("category") for name in ("level", "buffering")}
    tiled = timed[_KEY].assign(**columns).reset_index(drop=True)
    untiled = untiled_times(text)
    return conform(
        "tile_times", pd.concat([tiled, untiled], ignore_index=True) if len(untiled) else tiled
    )


def _lines(text: str) -> pd.DataFrame:
    """Parse the printed lines, a row each: name, level, buffering, operations, tile, core, part and
    cycles.

    Core is -1 if the line has no core, level "" if it has no level. Empty if there are no such
    lines.
    """
    names = ["label", "buffering", "operations", "tile", "core", "part", "cycles"]
    lines = pd.DataFrame(_LINE.findall(text), columns=names)
    split = [split_level(label) for label in lines["label"].tolist()]
    numbers = {column: lines[column].astype("int64") for column in ("operations", "tile", "cycles")}
    core = lines["core"].replace("", "-1").astype("int64")
    part = lines["part"].map(_PARTS)
    lines = lines.assign(
        name=[name for name, _ in split], level=[level for _, level in split], **numbers
    )
    return _without_totals_of_cores(lines.assign(core=core, part=part))


def _without_totals_of_cores(lines: pd.DataFrame) -> pd.DataFrame:
    """Leave out the totals of tiles with a line per core: a total does not name its core."""
    cores = lines.groupby(_KEY, sort=False)["core"].transform("max")
    return lines[(lines["part"] != "total") | (cores < 0)]


def innermost(tiles: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of each operator's innermost level, that of the smallest number (L1).

    Empty level names are further in. A tile of an outer level contains tiles of inner levels, so
    their cycles are never summed.
    """
    levels = tiles["level"].astype("str").fillna("")
    rank = np.array([int(level[1:]) if level else -1 for level in levels.tolist()], np.int64)
    if not len(tiles):
        return tiles
    return tiles[
        rank == pd.Series(rank).groupby(tiles["name"].to_numpy()).transform("min").to_numpy()
    ]


def layer_cycles(tiles: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Sum the cycles of each layer over its innermost tiles.

    Also returns the number of layers that are left out. The frame has a row per layer: name,
    transfer (null if no part around a kernel was printed) and compute. A layer is left out if its
    sum is 2**62 or more.
    """
    own = innermost(tiles)
    around = own[["pre", "post"]].sum(axis=1, min_count=1)
    split = pd.DataFrame(
        {"name": own["name"], "transfer": around.astype("Int64"), "compute": own["kernel"]}
    )
    layers = split.groupby("name", sort=False)
    # Sums that overflow int64 are detected in float64.
    rough = (
        split.astype({"transfer": "float64", "compute": "float64"})
        .groupby("name", sort=False)
        .sum()
    )
    fits = (rough < _MAX_CYCLES).all(axis=1)
    sums = layers.sum(min_count=1)[fits].reset_index()
    return sums, int((~fits).sum())


def tile_findings(tiles: pd.DataFrame, file: str) -> list[Diagnostic]:
    """Return a list with a warning that counts the tiles whose printed total is not the sum of its
    parts; empty if there are none.
    """
    parts = tiles[["pre", "kernel", "post"]]
    is_whole = tiles["total"].notna() & parts.notna().all(axis=1)
    wrong = int((is_whole & (parts.sum(axis=1) != tiles["total"])).sum())
    if not wrong:
        return []
    text = f"the printed total of {plural(wrong, 'tile')} is not the sum of its parts"
    return [Diagnostic("warning", "tile_total_differs", text, file, wrong)]
