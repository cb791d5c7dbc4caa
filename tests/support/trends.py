"""Hand-made runs over time: one per night, with steps of their level on request."""

from zlib import crc32

import numpy as np

from analysis.comparison.series import Band, Point, Series, SeriesKey, judge_development
from schema.array_types import Floats
from schema.metrics import METRICS

METRIC = METRICS["gmacs_mean"]
COMMITS = 3
"""Number of nights per commit."""


def levels(*parts: tuple[float, int]) -> list[float]:
    """Build `count` numbers close to `level` for each part (level, count), one part after the
    other.
    """
    return [level * (1 + 0.002 * (rank % 3)) for level, count in parts for rank in range(count)]


def noise(seed: int, count: int, correlation: float = 0.0) -> Floats:
    """Draw normal noise of 1 %; each value has this correlation with the value before it."""
    found = 0.01 * np.random.default_rng(seed).standard_normal(count)
    for at in range(1, count):
        found[at] = correlation * found[at - 1] + np.sqrt(1 - correlation**2) * found[at]
    return found


def date_of(night: int) -> str:
    return f"2026-{1 + night // 28:02d}-{1 + night % 28:02d}T02:00:00+00:00"


def nights(values: list[float], **run: object) -> list[dict[str, object]]:
    """Build the rows of runs for `catalogue_of`, one per night."""
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


def series_of(
    values: list[float], bands: tuple[Band, ...] = (), polarity: int = 1, **key: object
) -> Series:
    """Build the judged series of numbers, one per night."""
    given = dict.fromkeys(SeriesKey._fields) | {
        "source": "aie",
        "hwid": "npu1",
        "rows": 4,
        "cols": 4,
        "tags": "",
    }
    given |= {"M": 64, "K": 64, "N": 64} | key
    points = tuple(
        Point(
            f"{given['hwid']}-{night}",
            f"night {night}",
            date_of(night),
            f"c{night // COMMITS}" * 9,
            value,
        )
        for night, value in enumerate(values)
    )
    return Series(SeriesKey(**given), points, judge_development(values, polarity), bands)  # type: ignore[arg-type]
