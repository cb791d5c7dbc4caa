"""Stream reader of Chrome trace-event JSON: an array, or an object with `traceEvents`.

The file may be damaged. It is read in blocks of about 1 MiB by the fastest reader that accepts the
block: entries of one shape as a table of texts, usual entries by pyarrow's JSON reader, unusual
entries by the standard library. A block that all of these refuse is read entry by entry, so that
one bad entry is skipped and all other entries are read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

import pyarrow as pa
import pyarrow.json as pj

from data_loaders.aie.entries import Entries, EntryCollector
from data_loaders.protocol import LoadError
from data_loaders.reading.bare_words import name_bare_words, null_bare_words
from data_loaders.reading.files import open_content
from data_loaders.reading.json_values import DECODER, MAX_VALUE_CHARS, DamagedValueError, read_value
from data_loaders.reading.uniform_entries import read_uniform

BLOCK_BYTES = 1 << 20
"""Bytes that are read from the stream at a time."""
MAX_DAMAGE_COST = 64 << 20
"""Characters that may be read in vain.

After that, damaged text is skipped without a search inside it.
"""
_MAX_MISSES = 3
"""Successive blocks of several shapes after which `read_uniform` is no longer tried."""
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
"""Memory pool of the parsers.

The default pool keeps a heap per thread, a third more memory overall.
"""
_MARK = b"\x1e"
"""Separator of entries while line ends within entries are replaced.

JSON never contains this byte.
"""
_LINE_ENDS_AS_SPACE = bytes.maketrans(b"\r\n", b"  ")


def entries_offset(head: bytes) -> int:
    """Return the offset behind the `[` that begins the entries.

    Returns -1 if the head has no array of entries. The array is the top value of the file, or the
    value of `traceEvents` in the object at the top.
    """
    match = _SPACE.match(head)
    start = match.end() if match else 0
    if head[start : start + 1] == b"[":
        return start + 1
    array = _TRACE_EVENTS.search(head, start) if head[start : start + 1] == b"{" else None
    return array.end() if array else -1


class Collector(Protocol):
    """Receiver of the entries of a trace; `bad` counts skipped entries by kind."""

    bad: Counter[str]

    def add_table(self, table: pa.Table) -> None:
        """Add a block of entries to the collector, as a table with the columns of the format's
        schema.
        """
        ...

    def add_values(self, values: list[object]) -> None:
        """Add entries to the collector as parsed JSON values, which may be of any type."""
        ...


@dataclass(frozen=True)
class EntryFormat:
    """How to read a kind of trace: columns of a block, and the JSON decoder of single values.

    `uniform`: blocks may consist of begin and end entries of one shape. `spread`: an entry may span
    several lines. `lists_as_text` names the keys whose lists of numbers, nested or not, a table has
    as JSON texts. `bare_words`: words such as `inf`, which are no JSON, are null; the decoder has to
    accept `NaN`. `needs_values` tells of a table whether the decoder has to read the block instead,
    as it has entries with other keys than the schema.
    """

    schema: pa.Schema
    decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder)
    uniform: bool = False
    spread: bool = False
    lists_as_text: tuple[str, ...] = ()
    bare_words: bool = False
    needs_values: Callable[[pa.Table], bool] | None = None

    @cached_property
    def list_pattern(self) -> re.Pattern[bytes] | None:
        """Pattern of a key of `lists_as_text` with its list; None without such keys."""
        if not self.lists_as_text:
            return None
        keys = b"|".join(re.escape(key.encode()) for key in self.lists_as_text)
        # Within a text its quotes would be escaped, so that this matches keys alone.
        return re.compile(rb'("(?:' + keys + rb')"\s*:\s*)(\[[][\s\d.,+-]*\])')


@dataclass(frozen=True)
class Surroundings:
    """Text around the array of entries: bytes before it, bytes behind it, and the offset of a cut.

    `cut_at` is the offset in bytes at which a cut text ends inside the array, `None` if the array is
    closed.
    """

    before: bytes
    behind: bytes
    cut_at: int | None


_INSTANTS = EntryFormat(SCHEMA, DECODER, uniform=True)


def read_entries(stream: IO[bytes]) -> Entries:
    """Read every whole begin and end entry, instant and process name of a Chrome trace as columns.

    Damaged entries are counted. Memory is bounded by the columns and one block. Raises ValueError
    if the stream has no array of entries.
    """
    collector = EntryCollector()
    return collector.entries(cut_at=collect_entries(stream, collector, _INSTANTS).cut_at)


class ByteStream(Protocol):
    """Source of bytes; it ends when `read` returns b""."""

    def read(self, size: int, /) -> bytes:
        """Read about `size` bytes, at least one unless the stream ended."""
        ...


def collect_entries(stream: ByteStream, collector: Collector, form: EntryFormat) -> Surroundings:
    """Pass every whole entry of a Chrome trace to the collector.

    Returns the bytes around the entries (at most 1 MiB behind them) and the offset of a cut, if
    any. Memory is bounded by one block. Raises ValueError if the stream has no array of entries.
    """
    buffer = stream.read(BLOCK_BYTES)
    consumed = entries_offset(buffer)
    if consumed < 0:
        raise ValueError("no JSON array of trace entries at the top level or in traceEvents")
    before = buffer[:consumed]
    buffer = buffer[consumed:]
    reader = _BlockReader(collector, form)
    more = True
    while more and not reader.closed:
        chunk = stream.read(BLOCK_BYTES)
        more = bool(chunk)
        buffer += chunk
        used = reader.consume(buffer, final=not more)
        buffer = buffer[used:]
        consumed += used
    if not reader.closed:
        # The rest of the buffer is an unfinished entry: the text ends behind it.
        return Surroundings(before, b"", consumed + len(buffer))
    return Surroundings(before, buffer + stream.read(BLOCK_BYTES), None)


def collect_file(path: Path, collector: Collector, form: EntryFormat) -> Surroundings:
    """Pass every whole entry of a plain or gzip file to the collector.

    Returns the bytes around the entries, and the offset of a cut, if any. Raises LoadError, with
    the file's path, if the file has no array of entries or cannot be read.
    """
    try:
        with open_content(path) as stream:
            return collect_entries(stream, collector, form)
    except ValueError as error:
        raise LoadError(f"{path}: {error}") from error


class _BlockReader:
    """Parser of the whole entries at the start of a buffer; tries fast readers first."""

    def __init__(self, collector: Collector, form: EntryFormat) -> None:
        self.collector = collector
        self.closed = False
        self._form = form
        self._parse = pj.ParseOptions(
            explicit_schema=form.schema, unexpected_field_behavior="ignore"
        )
        self._skipping = False
        self._damage_cost = 0
        self._misses = 0

    def consume(self, buffer: bytes, final: bool) -> int:
        """Pass the whole entries at the start of `buffer` to the collector.

        Returns how many bytes are done. `final` means that no more bytes follow. Sets `closed` when
        the end of the array is reached. 0 if more bytes are needed.
        """
        used = self._consume_block(buffer)
        if used and not final:
            return used
        return used + self._consume_singly(buffer[used:], final)

    def _consume_block(self, buffer: bytes) -> int:
        """Pass all entries of the buffer but the last to the collector as a block.

        Returns the number of bytes that are done, 0 if all readers refuse or there are fewer than
        two entries.
        """
        # Only the last boundary is needed, so the rest of the block is not searched.
        boundaries = list(_BOUNDARY.finditer(buffer, max(0, len(buffer) - 65536)))
        if not boundaries or self._skipping:
            return 0
        last = boundaries[-1]
        block = buffer[: last.start() + 1]
        table = self._uniform(block) if self._form.uniform else None
        if table is None:
            table = self._table(block, last.group())
        valid = block
        if table is None and self._form.bare_words:
            valid = null_bare_words(block)
            table = self._table(valid, last.group()) if valid is not block else None
        needs_values = self._form.needs_values
        if table is not None and not (needs_values and needs_values(table)):
            self.collector.add_table(table)
            return last.end() - 1
        values = _read_values(valid, self._form.decoder)
        if values is not None:
            self.collector.add_values(values)
            return last.end() - 1
        return 0

    def _table(self, block: bytes, separator: bytes) -> pa.Table | None:
        lists = self._form.list_pattern
        quoted = lists.sub(rb'\1"\2"', block) if lists else block
        return _read_block(quoted, separator, self._parse, spread=self._form.spread)

    def _uniform(self, block: bytes) -> pa.Table | None:
        """Parse a block with `read_uniform`.

        `None` if it refuses the block or refused the last three blocks.
        """
        if self._misses >= _MAX_MISSES:
            return None
        table = read_uniform(block, _POOL)
        self._misses = 0 if table is not None else self._misses + 1
        return table

    def _consume_singly(self, buffer: bytes, final: bool) -> int:
        """Pass entry by entry to the collector and skip damaged text, up to the end of the array or
        an unfinished entry.

        Returns how many bytes of the buffer are done.
        """
        text = buffer.decode("utf-8", "surrogateescape")
        if self._form.bare_words:
            text = name_bare_words(text)
        values: list[object] = []
        at = 0
        while not self.closed:
            at = _skip_separators(text, at)
            if at >= len(text):
                break
            if text[at] == "]" and not self._skipping:
                self.closed = True
                break
            if not final and _is_unfinished_word(text, at):
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
        """Count text that is not JSON once, and return the offset of the next entry behind it.

        Returns the length of the text if there is no further entry.
        """
        if not self._skipping:
            self.collector.bad["not JSON"] += 1
        self._damage_cost += damage.cost
        # The parser may have run over good entries behind the bad entry, so the search begins right
        # behind its first character as long as that is cheap.
        behind = at + (1 if self._damage_cost < MAX_DAMAGE_COST else max(1, damage.scanned))
        following = _NEXT_ENTRY.search(text, behind)
        self._skipping = following is None
        return following.end() if following else len(text)


def _read_block(
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
        return pj.read_json(pa.BufferReader(lines), options, parse, memory_pool=_POOL)
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


def _read_values(block: bytes, decoder: json.JSONDecoder) -> list[object] | None:
    """Parse comma-separated JSON values of any type; `None` if a value is damaged.

    An empty block gives an empty list.
    """
    try:
        values: list[object] = decoder.decode(f"[{block.decode('utf-8', 'surrogateescape')}]")
    except (ValueError, RecursionError):
        return None
    return values


def _holds_one_entry(text: str, at: int) -> bool:
    """Whether the text from `at` on contains `"ph"` at most once: a single unfinished entry, not
    damage that swallowed more.
    """
    return text.count('"ph"', at) <= 1


def _is_unfinished_word(text: str, at: int) -> bool:
    """Whether a number or word at `at` runs to the end of the text, so that more may follow.

    False if it is longer than 1 MiB.
    """
    return (
        text[at] not in '{["'
        and len(text) - at < MAX_VALUE_CHARS
        and _END_OF_WORD.search(text, at) is None
    )


def _skip_separators(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
