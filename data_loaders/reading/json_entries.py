"""Chrome trace-event JSON as a stream: an array, or an object with `traceEvents`; whole, cut or damaged.

Blocks of entries of one shape are read as a table of texts, those of usual entries by pyarrow's JSON reader, unusual
ones by the standard library's. What all refuse is read entry by entry, so that one bad entry is skipped and the file is
read.
"""

from __future__ import annotations

import json
import re
from typing import IO

import pyarrow as pa
import pyarrow.json as pj

from data_loaders.aie.entries import Entries, EntryCollector
from data_loaders.reading.json_values import MAX_VALUE_CHARS, DamagedValueError, read_value
from data_loaders.reading.uniform_entries import read_uniform

BLOCK_BYTES = 1 << 20
MAX_DAMAGE_COST = 64 << 20
"""Characters read for nothing before whole stretches of damage are skipped instead of looked into."""
_MOST_MISSES = 3
"""Blocks in a row that are not of one shape, after which the following ones are not tried as such."""
_BOUNDARY = re.compile(rb"\}\s*,\s*\{")
_NEXT_ENTRY = re.compile(r",\s*(?=\{)")
_TRACE_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_NULL_BEHIND_OBJECT = re.compile(rb"\}\s*null")
_END_OF_WORD = re.compile(r"[\s,\]}]")
_SPACE = re.compile(rb"(?:\xef\xbb\xbf)?\s*")
_SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("ph", pa.string()),
        ("ts", pa.int64()),
        ("pid", pa.int64()),
        ("tid", pa.int64()),
        ("s", pa.string()),
        ("args", pa.struct([("name", pa.string()), ("pc", pa.int64())])),
    ]
)
_POOL = pa.system_memory_pool()
"""The default pool keeps a heap per thread of what the blocks needed: a third more memory for the whole process."""
_PARSE = pj.ParseOptions(explicit_schema=_SCHEMA, unexpected_field_behavior="ignore")


def opening(head: bytes) -> int:
    """Return the offset behind the `[` of the entries, -1 where there is no array at the top or in `traceEvents`."""
    match = _SPACE.match(head)
    at = match.end() if match else 0
    if head[at : at + 1] == b"[":
        return at + 1
    found = _TRACE_EVENTS.search(head, at) if head[at : at + 1] == b"{" else None
    return found.end() if found else -1


def read_entries(stream: IO[bytes]) -> Entries:
    """Read every whole entry of a Chrome trace.

    Memory is bounded by the columns and one block. Raises ValueError where the stream holds no array of entries.
    """
    buffer = stream.read(BLOCK_BYTES)
    consumed = opening(buffer)
    if consumed < 0:
        raise ValueError("no JSON array of trace entries, neither at the top nor as traceEvents")
    buffer = buffer[consumed:]
    reader = _BlockReader()
    more = True
    while more and not reader.closed:
        chunk = stream.read(BLOCK_BYTES)
        more = bool(chunk)
        buffer += chunk
        used = reader.consume(buffer, final=not more)
        buffer, consumed = buffer[used:], consumed + used
    return reader.collector.entries(cut_at=None if reader.closed else consumed)


class _BlockReader:
    """Takes whole entries off the head of a buffer, quickly where it can."""

    def __init__(self) -> None:
        self.collector = EntryCollector()
        self.closed = False
        self._skipping = False
        self._damage_cost = 0
        self._misses = 0

    def consume(self, buffer: bytes, final: bool) -> int:
        """Collect what is whole at the head of `buffer`; return how many bytes that was."""
        used = self._consume_block(buffer)
        if used and not final:
            return used
        return used + self._consume_singly(buffer[used:], final)

    def _consume_block(self, buffer: bytes) -> int:
        boundaries = list(_BOUNDARY.finditer(buffer, max(0, len(buffer) - 65536)))
        if not boundaries or self._skipping:
            return 0
        last = boundaries[-1]
        block = buffer[: last.start() + 1]
        table = self._uniform(block)
        if table is None:
            table = _read_block(block, separator=last.group())
        if table is not None:
            self.collector.add_table(table)
            return last.end() - 1
        values = _read_values(block)
        if values is not None:
            self.collector.add_values(values)
            return last.end() - 1
        return 0

    def _uniform(self, block: bytes) -> pa.Table | None:
        if self._misses >= _MOST_MISSES:
            return None
        table = read_uniform(block, _POOL)
        self._misses = 0 if table is not None else self._misses + 1
        return table

    def _consume_singly(self, buffer: bytes, final: bool) -> int:
        text = buffer.decode("utf-8", "surrogateescape")
        values: list[object] = []
        at = 0
        while not self.closed:
            at = _skip_separators(text, at)
            if at >= len(text):
                break
            if text[at] == "]" and not self._skipping:
                self.closed = True
                break
            if not final and _may_go_on(text, at):
                break
            try:
                value, at = read_value(text, at)
            except DamagedValueError as damage:
                if not final and damage.open and len(text) - at < MAX_VALUE_CHARS:
                    break
                if final and damage.open and _holds_one_entry(text, at):
                    break
                at = self._skip_bad(text, at, damage)
            else:
                values.append(value)
                self._skipping = False
        self.collector.add_values(values)
        return len(text[:at].encode("utf-8", "surrogateescape"))

    def _skip_bad(self, text: str, at: int, damage: DamagedValueError) -> int:
        """Return where to go on after something that is not JSON, and count it once."""
        if not self._skipping:
            self.collector.bad["not JSON"] += 1
        self._damage_cost += damage.cost
        # What follows a bad entry may lie within what was read of it, and is looked for there while that is cheap.
        behind = at + (1 if self._damage_cost < MAX_DAMAGE_COST else max(1, damage.scanned))
        following = _NEXT_ENTRY.search(text, behind)
        self._skipping = following is None
        return following.end() if following else len(text)


def _read_block(block: bytes, separator: bytes) -> pa.Table | None:
    """Read comma-separated objects with pyarrow; None where it refuses them."""
    if not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            return None
    lines = block.replace(separator, b"}\n{")
    if not _is_object_per_line(lines):
        return None
    # threads gain nothing on such a block, and each keeps a heap of its own
    options = pj.ReadOptions(use_threads=False, block_size=max(1 << 19, len(lines) // 2 + 1))
    try:
        return pj.read_json(pa.BufferReader(lines), options, _PARSE, memory_pool=_POOL)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _is_object_per_line(lines: bytes) -> bool:
    """Return whether no line holds another thing in the place of an object: on a null there pyarrow 26 crashes."""
    return (
        lines.startswith(b"{")
        and lines.count(b"\n") == lines.count(b"\n{")
        and b"\r" not in lines
        and not (b"null" in lines and _NULL_BEHIND_OBJECT.search(lines))
    )


def _read_values(block: bytes) -> list[object] | None:
    """Read comma-separated values of any shape; None where one of them is damaged."""
    try:
        values: list[object] = json.loads(f"[{block.decode('utf-8', 'surrogateescape')}]")
    except (ValueError, RecursionError):
        return None
    return values


def _holds_one_entry(text: str, at: int) -> bool:
    """Return whether what begins at `at` and does not end is one entry, rather than damage that swallowed others."""
    return text.count('"ph"', at) <= 1


def _may_go_on(text: str, at: int) -> bool:
    """Return whether what begins at `at` is a number or a word whose end is not read yet."""
    return text[at] not in '{["' and len(text) - at < MAX_VALUE_CHARS and _END_OF_WORD.search(text, at) is None


def _skip_separators(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
