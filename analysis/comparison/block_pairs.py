"""Matches the blocks of two memory plans, and describes the change of each block."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.array_types import Bools, Ints

_NAMED = ["pair", "name", "kind", "rank"]
"""Columns by which blocks match first."""
_LIKE = ["pair", "kind", "size", "start", "end", "wraps", "hold", "gaps"]
"""Columns by which renamed blocks match."""
VALUES = ("size", "address", "start", "end")
"""Columns of a block that are listed for both sides."""


def paired_blocks(base: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Match the blocks of two sides, a row per pair of blocks or block without a match: pair, then
    name, block and VALUES of both sides (`_base`, `_new`; Int64, null without a match), and a flag
    for each of WORDS.

    The sides are rows of frame `allocations` with an additional column `pair` (int64), which is
    equal for matching attempts. Blocks match by name, kind and rank among the blocks with the same
    name and kind. Of the remaining blocks, two match as renamed if each is the only block of its
    side with this size, lifetime and kind.
    """
    base_keys = _key_columns(base)
    new_keys = _key_columns(new)
    both = base_keys.merge(new_keys, on=_NAMED, how="inner", suffixes=("_base", "_new"))[
        ["row_base", "row_new"]
    ]
    left = (
        base_keys[~base_keys["row"].isin(both["row_base"])],
        new_keys[~new_keys["row"].isin(both["row_new"])],
    )
    renamed = _single(left[0]).merge(_single(left[1]), on=_LIKE, suffixes=("_base", "_new"))[
        ["row_base", "row_new"]
    ]
    gone = left[0].loc[~left[0]["row"].isin(renamed["row_base"]), "row"].to_numpy()
    born = left[1].loc[~left[1]["row"].isin(renamed["row_new"]), "row"].to_numpy()
    nobody = np.array([-1], np.int64)
    rows = np.concatenate(
        [both["row_base"], renamed["row_base"], gone, np.repeat(nobody, len(born))]
    ).astype(np.int64)
    partners = np.concatenate(
        [both["row_new"], renamed["row_new"], np.repeat(nobody, len(gone)), born]
    ).astype(np.int64)
    blocks = _side(base, rows, "base").join(_side(new, partners, "new"))
    blocks.insert(0, "pair", np.where(rows >= 0, _pairs(base, rows), _pairs(new, partners)))
    return blocks.assign(**_changes(blocks, rows < 0, partners < 0))


WORDS = ("moved", "grown", "shrunk", "longer", "shorter", "shifted", "renamed", "born", "gone")
"""Possible changes of a block; several may apply."""


def _key_columns(blocks: pd.DataFrame) -> pd.DataFrame:
    """Select the columns that identify blocks, and `row`, their position, with `rank`, the number
    (from 0) among blocks of the same pair, name and kind.
    """
    keyed = pd.DataFrame(
        {
            "pair": blocks["pair"].to_numpy(np.int64),
            "name": blocks["name"].astype("str").fillna("").to_numpy(),
            "kind": blocks["kind"].astype("str").fillna("").to_numpy(),
            "size": blocks["size"].to_numpy(np.int64),
            "start": blocks["start"].to_numpy(np.int64),
            "end": blocks["end"].to_numpy(np.int64),
            "wraps": blocks["wraps"].to_numpy(bool),
            "hold": blocks["hold"].to_numpy(bool),
            "gaps": blocks["gaps"].fillna("").to_numpy(),
            "row": np.arange(len(blocks)),
        }
    )
    return keyed.assign(rank=keyed.groupby(["pair", "name", "kind"]).cumcount())


def _single(blocks: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the blocks whose combination of pair, size, lifetime and kind
    is unique.
    """
    return blocks[~blocks.duplicated(_LIKE, keep=False)]


def _side(blocks: pd.DataFrame, rows: Ints, side: str) -> pd.DataFrame:
    """Return name, number (`block`) and VALUES of the blocks at `rows`, with suffix `_SIDE`; null
    if the row is -1.
    """
    exists = rows >= 0
    places = np.where(exists, rows, 0)
    names = np.full(len(rows), None, dtype=object)
    names[exists] = blocks["name"].astype("str").to_numpy(object)[rows[exists]]
    columns = {f"name_{side}": pd.Series(names, dtype="object")}
    for column in ("block", *VALUES):
        # Addresses above 2^53 would lose digits as floats, so nulls need Int64.
        values = blocks[column].astype("Int64").array
        taken = values.take(places) if len(blocks) else pd.array([None] * len(rows), dtype="Int64")
        columns[f"{column}_{side}"] = pd.Series(taken).mask(~exists)
    return pd.DataFrame(columns)


def _pairs(blocks: pd.DataFrame, rows: Ints) -> Ints:
    pairs = blocks["pair"].to_numpy(np.int64)
    return pairs[np.maximum(rows, 0)] if len(pairs) else np.zeros(len(rows), np.int64)


def _changes(blocks: pd.DataFrame, born: Bools, gone: Bools) -> dict[str, Bools]:
    """Map each of WORDS to its flags, an element per row.

    `born` and `gone` are flags of rows without a base or a new block. A block is moved only if both
    sides of its pair have addresses.
    """
    size, start, end = (_difference(blocks, name) for name in ("size", "start", "end"))
    both = ~born & ~gone
    old_address = blocks["address_base"]
    new_address = blocks["address_new"]
    elsewhere = (old_address != new_address).fillna(value=False).to_numpy(bool)
    # A problem without a solution has no addresses, so that nothing can have moved from them.
    have_addresses = _are_placed(blocks, "base") & _are_placed(blocks, "new")
    elsewhere |= (old_address.isna() != new_address.isna()).to_numpy(bool) & have_addresses
    life = end - start
    return {
        "moved": both & elsewhere,
        "grown": both & (size > 0),
        "shrunk": both & (size < 0),
        "longer": both & (life > 0),
        "shorter": both & (life < 0),
        "shifted": both & (life == 0) & (start != 0),
        "renamed": both & (blocks["name_base"] != blocks["name_new"]).to_numpy(bool),
        "born": born,
        "gone": gone,
    }


def _are_placed(blocks: pd.DataFrame, side: str) -> Bools:
    """Return, an element per row, whether any block of the row's pair has an address on a side."""
    known = blocks[f"address_{side}"].notna()
    return np.asarray(known.groupby(blocks["pair"]).transform("any"), bool)


def _difference(blocks: pd.DataFrame, name: str) -> Ints:
    difference: pd.Series[int] = blocks[f"{name}_new"] - blocks[f"{name}_base"]
    return np.asarray(difference.fillna(0), np.int64)
