"""Chrome trace-event JSON as a stream: an array, or an object with `traceEvents`; whole, cut or damaged.

Blocks of entries of one shape are read as a table of texts, those of usual entries by pyarrow's JSON reader, unusual
ones by the standard library's. What all refuse is read entry by entry, so that one bad entry is skipped and the file is
read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

import pyarrow as pa
import pyarrow.json as pj

from data_loaders.aie.entries import Entries, EntryCollector
from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.json_values import DECODER, MAX_VALUE_CHARS, DamagedValueError, read_value
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
SCHEMA = pa.schema(
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
_MARK = b"\x1e"
"""Stands between entries while line ends within them are taken out; JSON has it nowhere."""
_LINE_ENDS_AS_SPACE = bytes.maketrans(b"\r\n", b"  ")


def opening(head: bytes) -> int:
    """Return the offset behind the `[` of the entries, -1 where there is no array at the top or in `traceEvents`."""
    match = _SPACE.match(head)
    at = match.end() if match else 0
    if head[at : at + 1] == b"[":
        return at + 1
    found = _TRACE_EVENTS.search(head, at) if head[at : at + 1] == b"{" else None
    return found.end() if found else -1


class Collector(Protocol):
    """What gathers the entries of a trace; `bad` counts what was left out, by kind."""

    bad: Counter[str]

    def add_table(self, table: pa.Table) -> None:
        """Take a block as a table with the columns of the reader's schema."""
        ...

    def add_values(self, values: list[object]) -> None:
        """Take entries that were read one by one."""
        ...


@dataclass(frozen=True)
class EntryFormat:
    """How the entries of a kind of trace are read: the columns of a block, and the reader of single values.

    `uniform`: blocks may be begin and end entries of one shape; `spread`: an entry may go over several lines.
    """

    schema: pa.Schema
    decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder)
    uniform: bool = False
    spread: bool = False


@dataclass(frozen=True)
class Surroundings:
    """What stands around the array of entries: the bytes before, those behind, and where a cut file stops (or None)."""

    before: bytes
    behind: bytes
    cut_at: int | None


_INSTANTS = EntryFormat(SCHEMA, DECODER, uniform=True)


def read_entries(stream: IO[bytes]) -> Entries:
    """Read every whole begin and end entry of a Chrome trace.

    Memory is bounded by the columns and one block. Raises ValueError where the stream holds no array of entries.
    """
    collector = EntryCollector()
    return collector.entries(cut_at=collect_entries(stream, collector, _INSTANTS).cut_at)


def collect_entries(stream: IO[bytes], collector: Collector, form: EntryFormat) -> Surroundings:
    """Give every whole entry of a Chrome trace to the collector; return what stands around them.

    Memory is bounded by one block. Raises ValueError where the stream holds no array of entries.
    """
    buffer = stream.read(BLOCK_BYTES)
    consumed = opening(buffer)
    if consumed < 0:
        raise ValueError("no JSON array of trace entries, neither at the top nor as traceEvents")
    before, buffer = buffer[:consumed], buffer[consumed:]
    reader = _BlockReader(collector, form)
    more = True
    while more and not reader.closed:
        chunk = stream.read(BLOCK_BYTES)
        more = bool(chunk)
        buffer += chunk
        used = reader.consume(buffer, final=not more)
        buffer, consumed = buffer[used:], consumed + used
    if not reader.closed:
        return Surroundings(before, b"", consumed)
    return Surroundings(before, buffer + stream.read(BLOCK_BYTES), None)


def collect_file(path: Path, collector: Collector, form: EntryFormat) -> Surroundings:
    """Give every whole entry of a file, plain or gzip, to the collector; raises LoadError with the file's name."""
    try:
        with open_content(path) as stream:
            return collect_entries(stream, collector, form)
    except ValueError as error:
        raise LoadError(f"{path}: {error}") from error


class _BlockReader:
    """Takes whole entries off the head of a buffer, quickly where it can."""

    def __init__(self, collector: Collector, form: EntryFormat) -> None:
        self.collector = collector
        self.closed = False
        self._form = form
        self._parse = pj.ParseOptions(explicit_schema=form.schema, unexpected_field_behavior="ignore")
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
        table = self._uniform(block) if self._form.uniform else None
        if table is None:
            table = _read_block(block, last.group(), self._parse, spread=self._form.spread)
        if table is not None:
            self.collector.add_table(table)
            return last.end() - 1
        values = _read_values(block, self._form.decoder)
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
                value, at = read_value(text, at, self._form.decoder)
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


def _read_block(block: bytes, separator: bytes, parse: pj.ParseOptions, *, spread: bool) -> pa.Table | None:
    """Read comma-separated objects with pyarrow; None where it refuses them."""
    if not block.isascii():
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            return None
    lines = _entry_per_line(block, separator) if spread else block.replace(separator, b"}\n{")
    if not _is_object_per_line(lines):
        return None
    # threads gain nothing on such a block, and each keeps a heap of its own
    options = pj.ReadOptions(use_threads=False, block_size=max(1 << 19, len(lines) // 2 + 1))
    try:
        return pj.read_json(pa.BufferReader(lines), options, parse, memory_pool=_POOL)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _entry_per_line(block: bytes, separator: bytes) -> bytes:
    """Return the entries of a block, each on a line of its own; b"" where its bytes do not allow that."""
    if _MARK in block:
        return b""
    marked = block.strip().replace(separator, b"}" + _MARK + b"{")
    return marked.translate(_LINE_ENDS_AS_SPACE).replace(_MARK, b"\n")


def _is_object_per_line(lines: bytes) -> bool:
    """Return whether no line holds another thing in the place of an object: on a null there pyarrow 26 crashes."""
    return (
        lines.startswith(b"{")
        and lines.count(b"\n") == lines.count(b"\n{")
        and b"\r" not in lines
        and not (b"null" in lines and _NULL_BEHIND_OBJECT.search(lines))
    )


def _read_values(block: bytes, decoder: json.JSONDecoder) -> list[object] | None:
    """Read comma-separated values of any shape; None where one of them is damaged."""
    try:
        values: list[object] = decoder.decode(f"[{block.decode('utf-8', 'surrogateescape')}]")
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
