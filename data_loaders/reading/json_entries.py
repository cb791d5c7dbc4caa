"""Stream reader of Chrome trace-event JSON: an array, or an object with `traceEvents`.

The file may be damaged. It is read in blocks of about 1 MiB by the fastest reader that accepts the
block: entries of one shape as a table of texts, usual entries by pyarrow's JSON reader, unusual
entries by the standard library. A block that all of these refuse is read entry by entry, so that
one bad entry is skipped and all other entries are read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.json as pj

from data_loaders.protocol import LoadError
from data_loaders.reading.bare_words import name_bare_words, null_bare_words
from data_loaders.reading.entry_blocks import POOL, read_block, read_values
from data_loaders.reading.entry_format import Collector, EntryFormat, Surroundings
from data_loaders.reading.files import open_content
from data_loaders.reading.json_values import MAX_VALUE_CHARS, DamagedValueError, read_value
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
_END_OF_WORD = re.compile(r"[\s,\]}]")
_SPACE = re.compile(rb"(?:\xef\xbb\xbf)?\s*")


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
        values = read_values(valid, self._form.decoder)
        if values is not None:
            self.collector.add_values(values)
            return last.end() - 1
        return 0

    def _table(self, block: bytes, separator: bytes) -> pa.Table | None:
        lists = self._form.list_pattern
        quoted = lists.sub(rb'\1"\2"', block) if lists else block
        if self._form.simplify:
            quoted = self._form.simplify(quoted)
        return read_block(quoted, separator, self._parse, spread=self._form.spread)

    def _uniform(self, block: bytes) -> pa.Table | None:
        """Parse a block with `read_uniform`.

        `None` if it refuses the block or refused the last three blocks.
        """
        if self._misses >= _MAX_MISSES:
            return None
        table = read_uniform(block, POOL)
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
