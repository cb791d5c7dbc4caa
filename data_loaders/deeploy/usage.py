"""Parse the memory usage report of Deeploy's log: bytes per memory level.

Formats: Deeploy `TilerExtension` and `MemoryLevelDeployer` (capacity and share), `DeeployTypes`
(neither, for networks that are not tiled). The report counts after code generation: static bytes
are the constants of a level with the tables that the generated code adds, which a memory map lacks.
"""

from __future__ import annotations

import re

import pandas as pd

from schema.memory import MAX_BYTES

_TITLE = "Memory Usage Report"
_SIZE = r"([0-9,]{1,24})"
_CAPACITY = rf"(?:{_SIZE} +|N/A +)?"
_ROW = re.compile(
    rf"^\[Deeploy\] +(\S{{1,200}}) +{_CAPACITY}{_SIZE} +\( *{_SIZE} *\+ *{_SIZE} *\)(?: +\(|[ \t]*$)",
    re.MULTILINE,
)
COLUMNS = {"level": "str", "capacity": "Int64", "static": "Int64", "dynamic": "Int64"}
"""Columns of the frame of `usage_report` with their dtypes."""
MAX_LEVELS = 64
"""Rows of a report that are read."""
_MAX_REPORT_CHARS = 100_000


def usage_report(text: str) -> tuple[pd.DataFrame, int]:
    """Parse the last report of a log, and count the numbers that are too large.

    The frame has level, capacity, static and dynamic in bytes, a row per level in the order of the
    report. The capacity is null if the report does not give it; a number that no memory has is null
    as well, and counted. No rows and 0 without a report.
    """
    begin = text.rfind(_TITLE)
    report = text[begin : begin + _MAX_REPORT_CHARS] if begin >= 0 else ""
    rows = []
    too_large = 0
    for match in list(_ROW.finditer(report))[:MAX_LEVELS]:
        level, capacity, _, static, dynamic = match.groups()
        numbers = [_bytes(number) for number in (capacity, static, dynamic)]
        too_large += sum(number is None for number in numbers) - (capacity is None)
        rows.append((level, *numbers))
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype(COLUMNS), too_large


def _bytes(text: str | None) -> int | None:
    """Parse a number of bytes with thousands separators.

    `None` without a text, or for 2**62 and more.
    """
    number = int(text.replace(",", "") or 0) if text is not None else MAX_BYTES
    return number if number < MAX_BYTES else None
