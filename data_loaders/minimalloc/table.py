"""Read MiniMalloc's CSV tables, check every row, and convert lifetimes to half-open steps.

Format: google/minimalloc `src/converter.cc`. `upper` is exclusive and `end` inclusive, and the table
ends at the first blank line. MiniMalloc has no quotes; rows with quotes are read as Python's `csv`
writes them. omnimalloc writes the address of the pool before the header, `# pool_offset=8192`, and
counts offsets within the pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from data_loaders.minimalloc.gaps import half_open_gaps
from data_loaders.minimalloc.text import open_quotes, read_preamble, split_cells, split_line
from data_loaders.protocol import LoadError
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.memory import MAX_BYTES
from schema.plurals import plural

MAX_TABLE_BYTES = 16 * 1024**2
"""Bytes of a table that are read, enough for more than half a million rows; the rest is skipped."""
MAX_LINE_BYTES = 64 * 1024
"""Longest line in bytes; a longer row is skipped, and a longer first line is not a header."""

_SPELLINGS = {
    "name": ("id", "buffer", "buffer_id"),
    "start": ("lower", "start", "begin"),
    "end": ("upper", "end"),
    "size": ("size",),
    "alignment": ("alignment",),
    "hint": ("hint",),
    "gaps": ("gaps",),
    "offset": ("offset",),
}
"""Field -> names of its column that MiniMalloc accepts; on conflict the first name wins."""
_REQUIRED = ("name", "start", "end", "size")
_BOM = "\ufeff"


@dataclass(frozen=True)
class Header:
    """Layout of a table: `places` maps a field (name, start ...) to its index in `width` columns.

    `inclusive` is true if the end column includes its last step; `ignored` has the names of other
    columns.
    """

    places: Mapping[str, int]
    width: int
    inclusive: bool
    ignored: tuple[str, ...]


@dataclass
class MinimallocTable:
    """Rows of a problem or solution, with names, lifetimes and sizes.

    `frame` has name, start, end, size, address, alignment, hint and gaps. Lifetimes and gaps are
    half-open; `fixed` is true if the table has a column of offsets. Offsets count from `pool_offset`.
    """

    frame: pd.DataFrame
    fixed: bool
    findings: list[Diagnostic] = field(default_factory=list)
    pool_offset: int = 0


def read_header(line: str) -> Header | None:
    """Parse the first line of a table.

    `None` if it lacks name, start, end or size, repeats a column or is longer than 64 KiB.
    """
    if len(line) > MAX_LINE_BYTES:
        return None
    names = [name.strip() for name in split_line(line.removeprefix(_BOM).rstrip("\r\n"))]
    places = {
        column: names.index(spelling)
        for column, spellings in _SPELLINGS.items()
        for spelling in reversed(spellings)
        if spelling in names
    }
    if not all(column in places for column in _REQUIRED) or len(set(names)) != len(names):
        return None
    inclusive = names[places["end"]] == "end"
    ignored = tuple(name for rank, name in enumerate(names) if rank not in places.values())
    return Header(places, len(names), inclusive, ignored)


def has_header(head: bytes) -> bool:
    """Whether the bytes begin with a MiniMalloc header, or with omnimalloc's line of the pool and
    then a header.
    """
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    return read_header(text[read_preamble(text).chars :].split("\n", 1)[0]) is not None


def read_table(stream: IO[bytes], file: str) -> MinimallocTable:
    """Read a table up to its first blank line or 16 MiB.

    Rows that cannot be read are left out with a finding. Raises LoadError if the header is invalid,
    a quoted cell has several lines or no row can be read. `file` is the name in messages.
    """
    content = stream.read(MAX_TABLE_BYTES + 1)
    whole = (
        content
        if len(content) <= MAX_TABLE_BYTES
        else content[: content.rfind(b"\n", 0, MAX_TABLE_BYTES) + 1]
    )
    # MiniMalloc itself fails on CRLF; here it is accepted.
    text = whole.decode("utf-8", "replace").replace("\r\n", "\n")
    preamble = read_preamble(text)
    first, _, body = text[preamble.chars :].partition("\n")
    header = read_header(first)
    if header is None:
        where = f"line {preamble.lines + 1}"
        raise LoadError(
            f"{file}: {where} is not a MiniMalloc header: the columns id, lower, upper and size are required"
        )
    lines, behind = _until_blank(body)
    rows = _Rows(header, lines, file, preamble.lines + 1)
    table = rows.table()
    table.pool_offset = preamble.pool_offset
    if not len(table.frame):
        reason = f": {table.findings[0].message}" if table.findings else ""
        raise LoadError(f"{file}: the table has no readable row{reason}")
    table.findings += _text_findings(header, behind, len(lines) + preamble.lines, content, file)
    return table


def _until_blank(body: str) -> tuple[pa.Array, int]:
    """Return the lines before the first blank line, and the number of nonblank lines after it: all
    lines and 0 without a blank line.
    """
    lines = pc.list_flatten(pc.split_pattern(pa.array([body]), "\n"))
    blank = pc.equal(pc.ascii_trim_whitespace(lines), "").to_numpy(zero_copy_only=False)
    end = int(blank.argmax()) if blank.any() else len(lines)
    return lines.slice(0, end), int((~blank[end:]).sum())


def _text_findings(
    header: Header, behind: int, rows: int, content: bytes, file: str
) -> list[Diagnostic]:
    """Report skipped lines, a truncated table, an unterminated last line and ignored columns.

    Empty if there are none. `behind` counts lines after the blank line, `rows` the lines of the
    table before it.
    """
    findings = []
    if behind:
        text = f"{plural(behind, 'line')} after a blank line skipped, because MiniMalloc stops reading there"
        findings.append(
            Diagnostic("warning", "rows_after_blank", text, f"{file}, line {rows + 2}", behind)
        )
    if len(content) > MAX_TABLE_BYTES:
        text = f"only the first {MAX_TABLE_BYTES} bytes of the table were read"
        findings.append(Diagnostic("warning", "table_cut", text, f"{file}, line {rows + 1}"))
    elif not behind and not content.endswith(b"\n"):
        text = "the last line is not terminated: if the file was cut off, its last number may be too small"
        findings.append(Diagnostic("info", "table_end_open", text, f"{file}, line {rows + 1}"))
    if header.ignored:
        names = ", ".join(repr(name[:40]) for name in header.ignored[:5])
        text = f"columns that MiniMalloc does not define were skipped: {names}"
        findings.append(
            Diagnostic("info", "columns_ignored", text, f"{file}, line 1", len(header.ignored))
        )
    return findings


class _Rows:
    """Parser of the table's columns; records which rows are skipped or lose a value, and why."""

    def __init__(self, header: Header, lines: pa.Array, file: str, header_line: int) -> None:
        self._file = file
        self._header = header
        self._findings: list[Diagnostic] = []
        self._line = np.arange(len(lines), dtype=np.int64) + header_line + 1
        self._cells = self._split(lines)
        self._valid = np.ones(len(self._line), bool)

    def table(self) -> MinimallocTable:
        """Parse all columns and return the table of the valid rows, with a finding per reason for
        skipped rows and ignored values.
        """
        start, end, size = self._lifetimes()
        address = self._optional("offset", "an offset")
        self._skip(
            address.to_numpy(np.int64, na_value=0) > MAX_BYTES - size, "an address beyond 2^62"
        )
        columns = {"start": start, "end": end, "size": size, "address": address}
        columns |= {
            "alignment": self._optional("alignment", "an alignment", 1),
            "hint": self._optional("hint", "a hint"),
        }
        columns |= {"name": self._text("name"), "gaps": self._gaps(start, end)}
        frame = pd.DataFrame(columns)[self._valid].reset_index(drop=True)
        self._report_repeated_names(frame["name"])
        return MinimallocTable(frame, "offset" in self._header.places, self._findings)

    def _split(self, lines: pa.Array) -> pa.Array:
        """Split the lines at commas and return all cells, row after row, `width` cells each.

        Lines with another number of fields than the header are reported and left out. Raises
        LoadError if a quoted cell has several lines.
        """
        short = pc.less_equal(pc.binary_length(lines), MAX_LINE_BYTES).to_numpy(
            zero_copy_only=False
        )
        own = lines.filter(pa.array(short))
        cells = split_cells(own)
        broken = open_quotes(own, cells, self._header.width)
        if broken.any():
            line = self._line[short][broken.argmax()]
            raise LoadError(f"{self._file}, line {line}: a quoted cell does not end on its line")
        whole = pc.equal(pc.list_value_length(cells), self._header.width).to_numpy(
            zero_copy_only=False
        )
        fit = short.copy()
        fit[short] = whole
        self._report_skipped(self._line[~fit], f"not {self._header.width} fields")
        self._line = self._line[fit]
        return pc.list_flatten(cells.filter(pa.array(whole)))

    def _cell(self, column: str) -> pa.Array:
        rank = self._header.places[column]
        return self._cells.take(pa.array(np.arange(rank, len(self._cells), self._header.width)))

    def _text(self, column: str) -> pd.Series:
        return self._cell(column).to_pandas().astype("str")

    def _lifetimes(self) -> tuple[Ints, Ints, Ints]:
        """Parse (start, end, size) of all rows, end exclusive, and mark invalid rows as skipped.

        The arrays have an element for skipped rows as well.
        """
        (start, _, _), (last, _, _), (size, _, _) = read = [
            _whole(self._cell(c)) for c in ("start", "end", "size")
        ]
        self._skip(
            ~np.logical_and.reduce([number for _, number, _ in read]),
            "text instead of a number",
        )
        self._skip(np.logical_or.reduce([large for _, _, large in read]), "a number beyond 2^62")
        end = last + self._header.inclusive
        self._skip(size < 0, "a size below 0")
        self._skip(start < 0, "a start below step 0")
        self._skip(end <= start, "an end at or before the start")
        self._skip(
            _largest(np.where(self._valid, size, 0)),
            "sizes that sum to 2^62 bytes (the largest rows)",
        )
        return start, end, size

    def _optional(self, column: str, what: str, least: int = 0) -> pd.Series:
        """Parse an optional column of numbers as Int64.

        A value is null if it is empty, -1, invalid or below `least`; all are null without the
        column. A finding calls invalid values `what`.
        """
        if column not in self._header.places:
            return pd.Series(pd.NA, index=range(len(self._line)), dtype="Int64")
        cells = self._cell(column)
        value, number, large = _whole(cells)
        # MiniMalloc writes -1 for a missing hint.
        missing = pc.equal(pc.ascii_trim_whitespace(cells), "").to_numpy(zero_copy_only=False) | (
            value == -1
        )
        good = number & ~large & (value >= least)
        self._report_ignored(~good & ~missing, f"{what} that is not a number from {least}")
        return pd.Series(value).astype("Int64").mask(~good)

    def _gaps(self, start: Ints, end: Ints) -> pd.Series:
        """Parse the gaps of all rows as half-open text such as `3-5 7-9`; "" without gaps.

        If a gap is malformed or outside the row's lifetime, the row keeps no gaps and a finding
        reports it.
        """
        if "gaps" not in self._header.places:
            return pd.Series([""] * len(self._line), dtype="str")
        text, bad = half_open_gaps(self._cell("gaps"), start, end, self._header.inclusive)
        self._report_ignored(bad, "gaps that are not spans of its lifetime")
        return text

    def _report_repeated_names(self, names: pd.Series) -> None:
        again = names.duplicated()
        if again.any():
            line = self._line[self._valid][again.to_numpy(bool).argmax()]
            text = f"{plural(int(again.sum()), 'row')} with the id of an earlier row: each is shown as a separate block"
            place = f"{self._file}, line {line}"
            self._findings.append(
                Diagnostic("warning", "ids_repeated", text, place, int(again.sum()))
            )

    def _skip(self, bad: Bools, reason: str) -> None:
        bad = bad & self._valid
        self._valid &= ~bad
        self._report_skipped(self._line[bad], reason)

    def _report_skipped(self, lines: Ints, reason: str) -> None:
        if len(lines):
            text = f"{plural(len(lines), 'row')} skipped: {reason}; the first is line {lines[0]}"
            where = f"{self._file}, line {lines[0]}"
            self._findings.append(Diagnostic("warning", "rows_skipped", text, where, len(lines)))

    def _report_ignored(self, bad: Bools, what: str) -> None:
        lines = self._line[bad & self._valid]
        if len(lines):
            text = f"{plural(len(lines), 'row')} kept without {what}; the first is line {lines[0]}"
            where = f"{self._file}, line {lines[0]}"
            self._findings.append(Diagnostic("warning", "values_ignored", text, where, len(lines)))


def _largest(size: Ints) -> Bools:
    """Return a mask of sizes to leave out: the largest, so that the sum of the remaining sizes is
    below 2^62.

    All False if the sum of all sizes is.
    """
    order = np.argsort(size, kind="stable")
    beyond = np.zeros(len(size), bool)
    # Summed as floats, since the sum may overflow int64.
    beyond[order] = np.cumsum(size[order], dtype=np.float64) >= MAX_BYTES
    return beyond


def _whole(cells: pa.Array) -> tuple[Ints, Bools, Bools]:
    """Parse texts as integers.

    Returns the values (0 if not an integer or beyond 2^62), a mask of the integers, and a mask of
    the integers beyond 2^62 or below -2^62.
    """
    text = pc.ascii_trim_whitespace(cells)
    number = pc.match_substring_regex(text, r"^[+-]?[0-9]+$").to_numpy(zero_copy_only=False)
    # Without leading zeros the number of digits shows if the value fits into uint64.
    digits = pc.replace_substring_regex(text, r"^[+-]?0*", "")
    fits = number & (pc.binary_length(digits).to_numpy() <= 19)
    size = (
        pc.if_else(pa.array(fits & (pc.binary_length(digits).to_numpy() > 0)), digits, "0")
        .cast(pa.uint64())
        .to_numpy()
    )
    large = number & (~fits | (size > MAX_BYTES))
    negative = pc.starts_with(text, "-").to_numpy(zero_copy_only=False)
    value = np.where(large, 0, size).astype(np.int64)
    return np.where(negative, -value, value), number, large
