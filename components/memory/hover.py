"""Hover texts of single and of merged blocks in a memory map."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from components.memory.block_words import bank_words, both
from components.memory.buffer_words import BufferLife
from components.memory.colours import Colours
from components.numbers import address, count_text, plain, shorten
from schema.array_types import Ints
from schema.rounding import THIN
from schema.time_units import NANOSECONDS

_NAME_LENGTH = 60
_HARMLESS = re.compile(r"[\w./:\-]*", re.ASCII)
"""Names that need no escaping for plotly."""
_STATUS = {
    "failed": "failed: no address, stacked above the memory",
    "unplaced": "not placed: stacked above the memory",
    "shared": "lies in the storage of",
}


def names_shown(names: Sequence[str], limit: int = _NAME_LENGTH) -> list[str]:
    """Escape names for plotly and cut them to `limit` characters like `numbers.plain`, but faster
    for harmless names.
    """
    return [
        shorten(name, limit) if _HARMLESS.fullmatch(name) else plain(name, limit) for name in names
    ]


def block_hovers(amap: AttemptMap, rows: Ints) -> Colours:
    """Write the hover text of the blocks at positions `rows`, as an array of objects in that order.

    It has name, operator, kind, place, size, steps and status, with HTML line breaks.
    """
    # A block that wraps around the loop has two boxes, so each text is made once.
    once, which = np.unique(rows, return_inverse=True)
    blocks = amap.blocks.iloc[once]
    lines = zip(
        names_shown(blocks["name"].tolist()),
        _each(_types(blocks), lambda words: plain(words, 80)),
        _places(blocks, amap.whole("bank_bytes")) if amap.facts.addressed else [""] * len(blocks),
        _each(blocks["size"].to_numpy(np.int64), both),
        _times(blocks, amap.length) if amap.facts.unit == NANOSECONDS else _lives(blocks),
        _statuses(amap.blocks, blocks),
        strict=True,
    )
    texts = [f"<b>{name}</b><br>{'<br>'.join(filter(None, rest))}" for name, *rest in lines]
    return np.array([*texts, ""], dtype=object)[:-1][which]


def merged_hovers(count: Ints, span: tuple[Ints, Ints], places: tuple[Ints, Ints]) -> Colours:
    """Write the hover text of bars that merge `count` blocks each, as an array of objects.

    `span` is (starts, ends) in steps and `places` is (lows, highs) in bytes, both half-open.
    """
    columns = zip(count.tolist(), *(part.tolist() for part in (*span, *places)), strict=True)
    texts = [
        f"<b>{count_text(number, 'block')} merged</b><br>{_steps(start, end)}<br>"
        f"within {address(low)} – {address(high)}<br>zoom in for single blocks"
        for number, start, end, low, high in columns
    ]
    return np.array([*texts, ""], dtype=object)[:-1]


def _types(blocks: pd.DataFrame) -> Colours:
    """Join operator type, kind, role and data type of each block by ` · `; unknown parts are left
    out.
    """
    columns = [
        blocks[name].astype("object").fillna("").tolist()
        for name in ("op_type", "kind", "role", "dtype")
    ]
    return np.array(
        [" · ".join(filter(None, words)) for words in zip(*columns, strict=True)], dtype=object
    )


def _places(blocks: pd.DataFrame, bank_bytes: int | None) -> list[str]:
    """Format the address range of each block in hexadecimal and decimal, and its banks; "" for a
    block without an address.
    """
    low = blocks["address"].to_numpy(np.int64, na_value=-1)
    high = low + blocks["size"].to_numpy(np.int64)
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    return [_place(begin, end, bank_bytes) if begin >= 0 else "" for begin, end in pairs]


def _place(low: int, high: int, bank_bytes: int | None) -> str:
    hexadecimal = f"0x{low:x} – 0x{high:x}"
    decimal = _space_digits(f"{low:,} – {high:,}")
    banks = bank_words(low, high, bank_bytes)
    return f"{hexadecimal}{' · ' if banks else ''}{banks}<br>{decimal}"


def _space_digits(number: str) -> str:
    """Replace the commas of a formatted number by thin spaces as `numbers.integer`, which is too
    slow for every block, writes them.
    """
    return number.replace(",", THIN)


def _lives(blocks: pd.DataFrame) -> list[str]:
    """Format the lifetime of each block in steps, both ends included: `steps 3 – 7`."""
    always = blocks["hold"].to_numpy(bool) | (blocks["kind"] == "constant").to_numpy(bool)
    inner = (blocks["plan"] == "inner").to_numpy(bool)
    columns = (
        blocks["start"].tolist(),
        blocks["end"].tolist(),
        blocks["wraps"].tolist(),
        always,
        inner,
    )
    return [_life(*life) for life in zip(*columns, strict=True)]


def _times(blocks: pd.DataFrame, length: int) -> list[str]:
    """Format begin, end and duration of each buffer in time; `length` is the capture's length in
    ns.
    """
    return [
        BufferLife(*life, length).words for life in zip(blocks["start"], blocks["end"], strict=True)
    ]


def _life(start: int, end: int, wraps: bool, always: bool, inner: bool) -> str:
    if always:
        return "held through all steps"
    if inner:
        return _space_digits(f"step {start:,}") + ", inner plan"
    if wraps:
        return (
            _space_digits(f"from step {start:,} to the last")
            + ", and on from 0 to "
            + _space_digits(f"{end - 1:,} (wraps)")
        )
    return _steps(start, end)


def _steps(start: int, end: int) -> str:
    last = max(start, end - 1)
    return _space_digits(f"step {start:,}" if last == start else f"steps {start:,} – {last:,}")


def _statuses(every: pd.DataFrame, blocks: pd.DataFrame) -> list[str]:
    """Describe the status of each block without storage of its own; "" for placed blocks."""
    target = pd.Index(every["block"]).get_indexer(
        blocks["alias_of"].to_numpy(np.int64, na_value=-1)
    )
    names = every["name"].to_numpy(dtype=object)
    pairs = zip(blocks["status"].astype("str").tolist(), target.tolist(), strict=True)
    return [_status(status, names[at] if at >= 0 else None) for status, at in pairs]


def _status(status: str, target: str | None) -> str:
    words = _STATUS.get(status, "")
    if status == "shared":
        return f"{words} {plain(target, 40) if target else 'another block'}"
    return words


def _each(values: Sequence[Any] | np.ndarray, words: Callable[[Any], str]) -> Colours:
    """Map values to texts, calling `words` once per distinct value; "" for a missing value."""
    codes, distinct = pd.factorize(np.asarray(values))
    # Missing values have code -1, which selects the appended "".
    return np.asarray(np.array([*map(words, distinct.tolist()), ""], dtype=object)[codes])
