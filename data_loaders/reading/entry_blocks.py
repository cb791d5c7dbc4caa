"""Reads a block of comma-separated JSON entries at once, as a pyarrow table or as values."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.json as pj

_NULL_BEHIND_OBJECT = re.compile(rb"\}\s*null")
POOL = pa.system_memory_pool()
"""Memory pool of the parsers.

The default pool keeps a heap per thread, a third more memory overall.
"""
_MARK = b"\x1e"
"""Separator of entries while line ends within entries are replaced.

JSON never contains this byte.
"""
_LINE_ENDS_AS_SPACE = bytes.maketrans(b"\r\n", b"  ")


def read_block(
    block: bytes, separator: bytes, parse: pj.ParseOptions, *, spread: bool
) -> pa.Table | None:
    """Read comma-separated objects with pyarrow as a table with the columns of the schema.

    `None` if pyarrow refuses them or they are not UTF-8. `separator` is the text between two
    entries; with `spread`, an entry may span several lines.
    """
    if not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            return None
    lines = _entry_per_line(block, separator) if spread else block.replace(separator, b"}\n{")
    if not _is_object_per_line(lines):
        return None
    # Threads do not speed up a block of this size, and each of them keeps a heap of its own.
    options = pj.ReadOptions(use_threads=False, block_size=max(1 << 19, len(lines) // 2 + 1))
    try:
        return pj.read_json(pa.BufferReader(lines), options, parse, memory_pool=POOL)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _entry_per_line(block: bytes, separator: bytes) -> bytes:
    """Put each entry of a block on its own line.

    Returns b"" if the block contains the byte 0x1E, which JSON never does.
    """
    if _MARK in block:
        return b""
    marked = block.strip().replace(separator, b"}" + _MARK + b"{")
    return marked.translate(_LINE_ENDS_AS_SPACE).replace(_MARK, b"\n")


def _is_object_per_line(lines: bytes) -> bool:
    """Whether every line begins with an object and no null follows an object.

    On a null there, pyarrow 26 crashes instead of raising an error.
    """
    return (
        lines.startswith(b"{")
        and lines.count(b"\n") == lines.count(b"\n{")
        and b"\r" not in lines
        and not (b"null" in lines and _NULL_BEHIND_OBJECT.search(lines))
    )


def read_values(block: bytes, decoder: json.JSONDecoder) -> list[object] | None:
    """Parse comma-separated JSON values of any type; `None` if a value is damaged.

    An empty block gives an empty list.
    """
    try:
        values: list[object] = decoder.decode(f"[{block.decode('utf-8', 'surrogateescape')}]")
    except (ValueError, RecursionError):
        return None
    return values
