"""Exports an attempt as a CSV file of MiniMalloc: the problem, or a solution with offsets.

Format: google/minimalloc `src/converter.cc`: half-open `lower` and `upper`, no quotes, lines end
with a line feed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.allocators.demand import Demand, demand
from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Ints
from schema.plurals import plural
from schema.spreadsheet import FORMULA

_UNSAFE = r"[,\"\s\x00-\x1f\x7f]+"
"""Characters that a CSV file would have to quote."""
_NO_HINT = -1
"""Hint of a block that has none."""


def minimalloc_csv(amap: AttemptMap, solution: bool = False) -> str:
    """Write an attempt as CSV of MiniMalloc; `solution` adds the addresses of the arena as last
    column.

    Columns: id, lower, upper, size, then alignment, hint and gaps if any block has them, then
    offset.

    - Failed blocks are included, constants and aliases are not; the storage of an alias is alive
      while any of its aliases is.
    - A hold block spans all steps, a wrapped block too, with a gap; a block of an inner plan has a
      single step.
    - Ids are block names without commas, quotes, blanks and formulas, made unique by a number.
    - Two blocks that share bytes in place overlap in a solution, as they do in the map.

    Raises ValueError (a sentence) if a solution is requested and some blocks without an address.
    """
    wanted = demand(amap)
    lower, upper, gaps = _lifetimes(wanted)
    alive = np.flatnonzero(upper > lower)
    blocks = amap.blocks.iloc[wanted.row[alive]]
    columns = {
        "id": _ids(blocks).to_numpy(),
        "lower": lower[alive],
        "upper": upper[alive],
        "size": wanted.size[alive],
    }
    hint = blocks["hint"].to_numpy(np.int64, na_value=_NO_HINT)
    if (wanted.alignment[alive] > 1).any():
        columns["alignment"] = wanted.alignment[alive]
    if (hint != _NO_HINT).any():
        columns["hint"] = hint
    if (gaps[alive] != "").any():
        columns["gaps"] = gaps[alive].to_numpy()
    if solution:
        columns["offset"] = _offsets(amap, wanted.row[alive])
    return str(pd.DataFrame(columns).to_csv(index=False, lineterminator="\n"))


def _lifetimes(wanted: Demand) -> tuple[Ints, Ints, pd.Series]:
    """Compute three columns of all storages: first step, end (exclusive), and gaps as text such as
    `4-6 9-12@0:64`, "" without gaps. A storage that is never alive ends at its first step.
    """
    reached = pd.Series(wanted.end).groupby(wanted.storage).cummax().to_numpy(np.int64)
    head = np.diff(wanted.storage, prepend=-1) != 0
    upper = wanted.first
    np.maximum.at(upper, wanted.storage, wanted.end)
    before = np.where(head, wanted.start, np.roll(reached, 1))
    hole = wanted.start > before
    # If several blocks share a storage, a smaller block is not a window: bytes of the other blocks
    # may be in use in the same step.
    alone = np.bincount(wanted.of, minlength=len(wanted)) == 1
    partly = alone[wanted.storage] & (wanted.top - wanted.bottom < wanted.size[wanted.storage])
    spans = [
        pd.DataFrame(
            {
                "storage": wanted.storage,
                "start": before,
                "text": _join_text(before, "-", wanted.start),
            }
        )[hole],
        pd.DataFrame({"storage": wanted.storage, "start": wanted.start, "text": _windows(wanted)})[
            partly
        ],
    ]
    ordered = pd.concat(spans).sort_values(["storage", "start"])
    texts = (
        ordered.groupby("storage")["text"].agg(" ".join).reindex(range(len(wanted)), fill_value="")
    )
    return wanted.first, upper, texts.astype("str")


def _windows(wanted: Demand) -> pd.Series:
    spans = _join_text(wanted.start, "-", wanted.end)
    return spans + "@" + _join_text(wanted.bottom, ":", wanted.top)


def _join_text(left: Ints, mark: str, right: Ints) -> pd.Series:
    return pd.Series(left).astype("str") + mark + pd.Series(right).astype("str")


def _ids(blocks: pd.DataFrame) -> pd.Series:
    """Make unique ids from the names of blocks, without characters that would need quotes; an empty
    name becomes `block`. A name that occurred before gets `_` and its block number at the end.
    """
    names = blocks["name"].str.replace(_UNSAFE, "_", regex=True)
    # A spreadsheet would run a name that begins like a formula.
    names = names.where(~names.str.contains(FORMULA, na=False), "_" + names)
    names = names.where(names != "", "block")
    ranks = "_" + blocks["block"].astype("str")
    while (again := names.duplicated()).any():
        names = names.where(~again, names + ranks)
    return names


def _offsets(amap: AttemptMap, rows: Ints) -> Ints:
    count = int((~amap.is_placed[rows]).sum())
    if count:
        raise ValueError(
            f"{amap.label} is not a solution: {count} of {plural(len(rows), 'block')} without an address"
        )
    return np.asarray(amap.blocks["address"].iloc[rows], dtype=np.int64)
