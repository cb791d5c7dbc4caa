"""Named numbers of a run as metrics: their keys, values and samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schema.array_types import Floats
from schema.frames import Frames
from schema.result_metrics import result_key
from schema.results import MAX_RESULTS


def result_keys(results: pd.DataFrame) -> list[str]:
    """Build the key of each row of frame `results`, in their order."""
    columns = (results[name] for name in ("name", "unit", "direction"))
    texts = (column.astype("str").where(column.notna(), "").tolist() for column in columns)
    return [result_key(name, unit, direction) for name, unit, direction in zip(*texts, strict=True)]


def result_numbers(frames: Frames) -> dict[str, float | None]:
    """Map the keys of the named numbers of a run to their values, in the order of the file, and
    `named_numbers` to their count. Empty for a run without frame `results`.

    Values that are not finite are left out, as well as all rows beyond 10,000 (MAX_RESULTS) of a
    plugin that returns more.
    """
    if "results" not in frames or frames["results"].empty:
        return {}
    results = frames["results"].head(MAX_RESULTS)
    values = results["value"].to_numpy(np.float64)
    numbers: dict[str, float | None] = {
        key: float(value)
        for key, value in zip(result_keys(results), values.tolist(), strict=True)
        if np.isfinite(value)
    }
    return numbers | {"named_numbers": float(len(numbers))}


@dataclass(frozen=True)
class NamedNumbers:
    """The named numbers of a run: value by key, and samples by key.

    `counts` maps keys to the number of samples that a value rests on, if it is known.
    """

    run_id: str
    values: Mapping[str, float]
    samples: Mapping[str, Floats]
    counts: Mapping[str, int]


def named_numbers(run_id: str, results: pd.DataFrame, samples: pd.DataFrame) -> NamedNumbers:
    """Build the named numbers of a run from its frames `results` and `result_samples`."""
    results = results.head(MAX_RESULTS)
    keys = result_keys(results)
    values = results["value"].to_numpy(np.float64)
    finite = np.isfinite(values)
    key_by_result = dict(zip(results["result"].tolist(), keys, strict=True))
    owners = samples["result"].to_numpy(np.int64)
    measured = samples["value"].to_numpy(np.float64)
    bounds = np.flatnonzero(np.diff(owners)) + 1
    groups = zip(np.split(owners, bounds), np.split(measured, bounds), strict=True)
    counted = results["samples"].astype("Int64")
    return NamedNumbers(
        run_id,
        {key: float(values[place]) for place, key in enumerate(keys) if finite[place]},
        {
            key_by_result[int(own[0])]: values_of_one
            for own, values_of_one in groups
            if len(own) and int(own[0]) in key_by_result
        },
        {
            key: int(count)
            for key, count in zip(keys, counted.tolist(), strict=True)
            if not pd.isna(count)
        },
    )
