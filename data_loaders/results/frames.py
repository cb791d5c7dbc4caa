"""Build the frames of named numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np
import pandas as pd

from data_loaders.results.values import NamedNumber, Statistics, scale
from schema.frames import build_frame
from schema.results import MAX_SAMPLES

MAX_SAMPLES_EACH = 10_000
"""Maximum number of samples of a named number that are stored; its statistics are of all."""
_MAX_PLAIN = 1e150
"""Largest sample with a square that is a float."""


def result_frames(numbers: Sequence[NamedNumber]) -> dict[str, pd.DataFrame]:
    """Build frame `results`, and frame `result_samples` if any number has several samples; there is
    at least one number.
    """
    rows = [_row(number) for number in numbers]
    columns: dict[str, object] = {name: [row[name] for row in rows] for name in rows[0]}
    columns |= {"result": np.arange(len(rows), dtype=np.int64)}
    columns["samples"] = pd.array([row["samples"] for row in rows], dtype="Int64")
    frames = {"results": build_frame("results", columns)}
    each = min(MAX_SAMPLES_EACH, MAX_SAMPLES // len(rows))
    kept = [number.samples[:each] if len(number.samples) > 1 else [] for number in numbers]
    if any(kept):
        frames["result_samples"] = _samples_frame(kept)
    return frames


def _row(number: NamedNumber) -> dict[str, object]:
    """Build the row of a number: its value is the median of the samples, else what the file gives."""
    spread = _spread(number)
    values = {
        "minimum": spread.minimum,
        "median": spread.median,
        "maximum": spread.maximum,
        "mean": spread.mean,
        "deviation": spread.deviation,
    }
    statistic = "mean" if spread.median is None else "median"
    value = spread.mean if spread.median is None else spread.median
    if spread.count == 1 and len(number.samples) == 1:
        statistic = "value"
        values = dict.fromkeys(values)
    return {
        "result": 0,
        "name": number.name,
        "value": value,
        "unit": number.unit,
        "direction": number.direction or None,
        "statistic": statistic,
        "samples": spread.count,
        **values,
        "file_unit": number.file_unit,
    }


def _spread(number: NamedNumber) -> Statistics:
    """Compute the statistics of the samples, or convert the file's statistics to the known unit."""
    samples = number.samples
    if not samples:
        given = number.given
        scaled = {
            name: None if value is None else scale(value, number.factor)
            for name, value in vars(given).items()
            if name != "count"
        }
        return Statistics(**scaled, count=given.count)
    values = np.array(samples, np.float64)
    # Numbers up to 2^1024 overflow in their sum and in the squares of their differences.
    factor = 2.0**-600 if np.abs(values).max() > _MAX_PLAIN else 1.0
    values = values * factor
    deviation = float(np.std(values, ddof=1)) if len(samples) > 1 else None
    return Statistics(
        min(samples),
        statistics.median(values.tolist()) / factor,
        max(samples),
        math.fsum(values.tolist()) / len(samples) / factor,
        _finite(deviation, factor),
        len(samples),
    )


def _finite(deviation: float | None, factor: float) -> float | None:
    """Divide a deviation by the factor of its values; `None` if the result is larger than a float."""
    result = None if deviation is None else deviation / factor
    return result if result is None or math.isfinite(result) else None


def _samples_frame(kept: Sequence[Sequence[float]]) -> pd.DataFrame:
    counts = [len(samples) for samples in kept]
    columns = {
        "result": np.repeat(np.arange(len(kept), dtype=np.int64), counts),
        "sample": np.concatenate([np.arange(count, dtype=np.int64) for count in counts]),
        "value": np.concatenate([np.array(samples, np.float64) for samples in kept]),
    }
    return build_frame("result_samples", columns)
