"""Runs over time, made by hand: a night each, with a step where one is asked for."""

from __future__ import annotations

from zlib import crc32

from analysis.comparison.series import Band, Point, Series, SeriesKey, changes_of
from schema.metrics import METRICS

METRIC = METRICS["gmacs_mean"]
COMMITS = 3
"""Nights that a commit lasts."""


def levels(*parts: tuple[float, int]) -> list[float]:
    """Return so many numbers close to each level."""
    return [level * (1 + 0.002 * (rank % 3)) for level, count in parts for rank in range(count)]


def date_of(night: int) -> str:
    return f"2026-{1 + night // 28:02d}-{1 + night % 28:02d}T02:00:00+00:00"


def nights(values: list[float], **run: object) -> list[dict[str, object]]:
    """Return the rows of runs, one a night, for `catalogue_of`."""
    hwid, size, tags = run.get("hwid", "npu1"), run.get("M", 64), run.get("tags", "")
    return [
        {
            "run_id": f"{crc32(f'{hwid} {size} {tags}'.encode()):08x}{night:056x}",
            "name": f"{hwid} night {night}",
            "gmacs_mean": value,
            "taken_at": date_of(night),
            "taken_from": "setting",
            "commit": f"{night // COMMITS:040x}"[::-1],
            "created_at": "2026-11-01T10:00:00+00:00",
        }
        | run
        for night, value in enumerate(values)
    ]


def series_of(values: list[float], bands: tuple[Band, ...] = (), polarity: int = 1, **key: object) -> Series:
    """Return the series of numbers, one a night."""
    given = {"source": "aie", "hwid": "npu1", "M": 64, "K": 64, "N": 64, "rows": 4, "cols": 4, "tags": ""} | key
    points = tuple(
        Point(f"{given['hwid']}-{night}", f"night {night}", date_of(night), f"c{night // COMMITS}" * 9, value)
        for night, value in enumerate(values)
    )
    changes, note = changes_of(values, polarity)
    return Series(SeriesKey(**given), points, changes, note, bands)  # type: ignore[arg-type]
