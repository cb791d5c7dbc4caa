"""Records of a sweep of IRON (`records.jsonl`): predicted and measured latency of candidates."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from analysis.aie.model.sweep import compare_records
from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.reading.json_values import DamagedValueError, read_value

MAX_RECORDS = 100_000
"""Most records of a sweep."""
_MAX_LINE_BYTES = 1 << 20


def records_mapping(path: Path) -> dict[str, Any]:
    """Compare the records of a file; JSON types.

    Raises ValueError if the file cannot be read, or a line is not a JSON object.
    """
    records: list[Mapping[str, Any]] = []
    try:
        with open_content(path) as stream:
            lines = iter(lambda: stream.readline(_MAX_LINE_BYTES + 1), b"")
            for number, line in enumerate(islice(lines, MAX_RECORDS + 1), start=1):
                if len(line) > _MAX_LINE_BYTES or number > MAX_RECORDS:
                    raise ValueError(
                        f"{path}, line {number}: at most {MAX_RECORDS} lines of {_MAX_LINE_BYTES} bytes are read"
                    )
                if line.strip():
                    records.append(_parse(line, f"{path}, line {number}"))
    except LoadError as error:
        raise ValueError(str(error)) from error
    return compare_records(records)


def _parse(line: bytes, place: str) -> Mapping[str, Any]:
    text = line.decode("utf-8", "replace").strip()
    try:
        value, end = read_value(text, 0)
    except DamagedValueError as error:
        raise ValueError(f"{place}: not valid JSON") from error
    if not isinstance(value, dict) or text[end:].strip():
        raise ValueError(f"{place}: not a JSON object")
    return value
