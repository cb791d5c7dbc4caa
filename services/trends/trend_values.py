"""Trends of the numbers in a JSON file, judged by the same rules as runs."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from analysis.comparison.series import Development, judge_development

_MAX_BYTES = 256 * 1024 * 1024
"""Maximum bytes of a file."""
_FORM = 'a file has the form {"series": [{"name": "a", "values": [1.5, 2]}]}'


class TrendFileError(ValueError):
    """A file has no valid series of numbers; the message is a sentence for the user."""


@dataclass(frozen=True)
class ValuesTrend:
    """Named numbers in order, and their development."""

    name: str
    values: list[float]
    development: Development


def read_trends(file: Path, polarity: int) -> list[ValuesTrend]:
    """Read the series of a JSON file and judge them, in the order of the file; `polarity` is 1 if
    larger is better, -1 if smaller is, else 0.

    Raises TrendFileError if the file is invalid, and OSError if it cannot be read.
    """
    return [
        ValuesTrend(name, values, judge_development(values, polarity))
        for name, values in _read_series(file)
    ]


def _read_series(file: Path) -> list[tuple[str, list[float]]]:
    if file.stat().st_size > _MAX_BYTES:
        raise TrendFileError(f"{file}: more than {_MAX_BYTES // (1 << 20)} MiB")
    try:
        # Deeply nested JSON raises RecursionError.
        content = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise TrendFileError(f"{file}: no JSON: {error}") from error
    series = content.get("series") if isinstance(content, dict) else None
    if not isinstance(series, list):
        raise TrendFileError(f"{file}: {_FORM}")
    return [_parse_series(file, rank, item) for rank, item in enumerate(series)]


def _parse_series(file: Path, rank: int, record: object) -> tuple[str, list[float]]:
    name, values = (
        (record.get("name"), record.get("values")) if isinstance(record, dict) else (None, None)
    )
    if not isinstance(name, str) or not isinstance(values, list):
        raise TrendFileError(f"{file}: series {rank} has no name or no values: {_FORM}")
    bad = next((at for at, value in enumerate(values) if not _is_number(value)), None)
    if bad is not None:
        raise TrendFileError(f"{file}: value {bad} of series {rank} is not a finite number")
    return name, [float(value) for value in values]


def _is_number(value: object) -> bool:
    # bool is a subclass of int, but `true` is not a number of a series.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        # A whole number of more than 308 digits does not fit into a float.
        return math.isfinite(value)
    except OverflowError:
        return False
