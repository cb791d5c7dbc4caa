"""Reader of Tilescope's own CSV of results: a header with `name` and `value`, a row per measurement.

Further columns, each optional and in any order: `unit`, `direction` (less or more), and, with one
value for the whole file, `hwid`, `commit`, `branch`, `taken_at`, `tags`, `M`, `K`, `N`. Rows of one
name, unit and direction are repeated measurements of one number.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.results.content import read_text
from data_loaders.results.facts import FileFacts
from data_loaders.results.numbers import NumberCollector
from data_loaders.results.units import parse_direction
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.run_settings import SettingError, parse_setting

REQUIRED = ("name", "value")
_OF_FILE = ("hwid", "commit", "branch", "taken_at", "tags", "M", "K", "N")
COLUMNS = (*REQUIRED, "unit", "direction", *_OF_FILE)
_LINE = re.compile(rb"\A(?:\xef\xbb\xbf)?([^\r\n]{0,1000})")
_MAX_QUOTED = 40


def is_csv_table(head: bytes) -> bool:
    """Whether the first line has the columns `name` and `value` and only columns of COLUMNS."""
    match = _LINE.match(head)
    line = match[1].decode("utf-8", "replace") if match else ""
    return _columns(line) is not None


def _columns(line: str) -> list[str] | None:
    """Return the columns of a header in their order; None if it is of another format."""
    try:
        names = [name.strip() for name in next(csv.reader([line]), [])]
    except csv.Error:
        return None
    is_header = {*REQUIRED} <= {*names} <= {*COLUMNS} and len({*names}) == len(names)
    return names if is_header else None


def read_csv_table(path: Path, numbers: NumberCollector) -> FileFacts:
    """Read the rows of a table; rows without name or number are counted and left out.

    Raises LoadError with the line if a column with one value for the whole file has two values, or
    an invalid value.
    """
    text = read_text(path)
    lines = text.splitlines()
    names = _columns(lines[0]) if lines else None
    if names is None:
        raise LoadError(f"{path}: its first line is not a header with the columns name and value")
    facts = FileFacts("results")
    given: dict[str, tuple[str, int]] = {}
    for number, row in _rows(lines, names, numbers):
        _note_facts(path, row, number, given)
        direction = parse_direction(row.get("direction", ""))
        if direction is None:
            word = row["direction"][:_MAX_QUOTED]
            numbers.skip(f"direction {word!r} is neither less nor more", f"line {number}")
            continue
        numbers.add(
            row["name"], [row["value"]], row.get("unit", ""), direction, place=f"line {number}"
        )
    facts.metadata = {
        name: _parse(path, name, value, line) for name, (value, line) in given.items()
    }
    if text and not text.endswith(("\n", "\r")):
        words = "the last line has no line break: the file may be cut there"
        facts.findings.append(Diagnostic("info", "file_cut", words, path.name))
    return facts


def _rows(
    lines: Sequence[str], names: Sequence[str], numbers: NumberCollector
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of the last line and the cells of each row; rows of another length are left
    out.
    """
    reader = csv.reader(lines)
    next(reader, None)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error:
            # A cell above the limit of Python's csv module, or a NUL.
            numbers.skip("it is not a row of a CSV file", f"line {reader.line_num}")
            continue
        if cells is None:
            return
        if len(cells) == len(names):
            stripped = (cell.strip() for cell in cells)
            yield reader.line_num, dict(zip(names, stripped, strict=True))
        elif cells:
            numbers.skip(
                f"a row does not have {plural(len(names), 'cell')}", f"line {reader.line_num}"
            )


def _note_facts(
    path: Path, row: Mapping[str, str], number: int, given: dict[str, tuple[str, int]]
) -> None:
    """Note the values of the columns of the file; an empty cell repeats the value before."""
    for name in _OF_FILE:
        value = row.get(name, "")
        if not value:
            continue
        before, line = given.setdefault(name, (value, number))
        if value != before:
            raise LoadError(
                f"{path}: line {number}: {name} {value[:_MAX_QUOTED]!r} differs from {before[:_MAX_QUOTED]!r} in line "
                f"{line}; a file has the results of one run"
            )


def _parse(path: Path, name: str, text: str, line: int) -> object:
    try:
        return parse_setting(name, text)
    except SettingError as error:
        raise LoadError(f"{path}: line {line}: {error}") from error
