"""Text of a table that MiniMalloc itself does not know: omnimalloc's first line, and quotes."""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schema.array_types import Bools
from schema.memory import MAX_BYTES

_POOL = re.compile(
    r"\A\ufeff?#[ \t]{0,20}pool_offset[ \t]{0,20}=[ \t]{0,20}(\d{1,19})[ \t]{0,20}\n"
)
_QUOTE = '"'


class Preamble(NamedTuple):
    """Lines and characters before the header, and the address of the pool in bytes."""

    lines: int
    chars: int
    pool_offset: int


def read_preamble(text: str) -> Preamble:
    """Parse omnimalloc's line before the header, `# pool_offset=8192`.

    Without it, lines, characters and offset are 0; an offset of 2^62 or more counts as 0.
    """
    match = _POOL.match(text)
    if match is None:
        return Preamble(0, 0, 0)
    offset = int(match[1])
    return Preamble(1, match.end(), offset if offset < MAX_BYTES else 0)


def split_cells(lines: pa.Array) -> pa.Array:
    """Split lines into a list of cells each, at commas that are not within quotes.

    A quoted cell loses its quotes, and a doubled quote in it becomes a single quote.
    """
    cells = pc.split_pattern(lines, ",")
    quoted = pc.match_substring(lines, _QUOTE)
    if not pc.any(quoted).as_py():
        return cells
    split = zip(lines.to_pylist(), quoted.to_pylist(), cells.to_pylist(), strict=True)
    rows = [split_line(line) if has_quotes else own for line, has_quotes, own in split]
    return pa.array(rows, pa.list_(pa.string()))


def split_line(line: str) -> list[str]:
    """Split a line at commas that are not within quotes; the quotes of a cell are removed.

    If its quotes do not close, it is split at every comma. An empty line gives a single empty cell.
    """
    try:
        rows = list(csv.reader([line], strict=True))
    except csv.Error:
        return line.split(",")
    return rows[0] if rows else [line]


def open_quotes(lines: pa.Array, cells: pa.Array, width: int) -> Bools:
    """Return a mask of the lines that begin or end a quoted cell of several lines.

    Such a line has fewer than `width` cells and an odd number of quotes.
    """
    few = pc.less(pc.list_value_length(cells), width)
    single = pc.equal(pc.bit_wise_and(pc.count_substring(lines, _QUOTE), 1), 1)
    return np.asarray(pc.and_(few, single).to_numpy(zero_copy_only=False), dtype=np.bool_)
