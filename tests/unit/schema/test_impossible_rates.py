"""Rates of executions that no hardware reaches."""

import numpy as np
import pandas as pd
import pytest

from schema.frames import complete
from schema.impossible_rates import is_possible, without_impossible_rates


def kernels(*rows):
    """Build frame `kernels` of rows of duration (ns), copied bytes, memory bytes, operations."""
    names = ["duration", "copied_bytes", "memory_bytes", "operations"]
    own = pd.DataFrame(rows, columns=names, dtype="Int64")
    columns = {name: own[name] for name in names}
    seconds = own["duration"].astype("float64") * 1e-9
    moved = own["memory_bytes"].fillna(own["copied_bytes"]).astype("float64")
    count = len(own)
    return complete(
        "kernels",
        columns
        | {
            "track": np.full(count, "cuda 0 stream 7"),
            "kernel": np.arange(count),
            "name": np.full(count, "copy"),
            "start": np.arange(count),
            "end": np.arange(count),
            "kept": True,
            "copy": own["copied_bytes"].notna(),
            "batched": False,
            "memory_rate": (moved / seconds).where(seconds > 0),
            "flops": (own["operations"].astype("float64") / seconds).where(seconds > 0),
        },
    )


@pytest.mark.parametrize(
    ("row", "work", "possible"),
    [
        ((1, 17 * 10**9, None, None), "copied_bytes", False),
        ((1000, 10**8, None, None), "copied_bytes", True),
        ((1000, 10**8 + 1, None, None), "copied_bytes", False),
        ((0, 10**7, None, None), "copied_bytes", True),
        ((0, 10**9, None, None), "copied_bytes", False),
        ((None, 10**18, None, None), "copied_bytes", True),
        ((1000, None, 10**9, None), "memory_bytes", True),
        ((1000, None, 10**9 + 1, None), "memory_bytes", False),
        ((1, None, None, 10**9), "operations", True),
        ((1, None, None, 10**9 + 1), "operations", False),
    ],
)
def test_bounds_are_those_of_the_work(row, work, possible):
    assert is_possible(kernels(row), work).tolist() == [possible]


def test_impossible_rates_are_unknown_and_counted():
    frame = kernels((1, 17 * 10**9, None, None), (10**6, 10**9, None, None), (1, None, 10**9, 8))
    masked, (finding,) = without_impossible_rates(frame)
    assert masked["memory_rate"].isna().tolist() == [True, False, True]
    assert masked["flops"].isna().tolist() == [True, True, False]
    assert masked["copied_bytes"].tolist()[:2] == [17 * 10**9, 10**9]
    assert (finding.code, finding.count) == ("rates_impossible", 1)
    assert "copy on cuda 0 stream 7" in finding.location


def test_possible_rates_stay():
    frame = kernels((10**6, 10**9, None, None))
    same, findings = without_impossible_rates(frame)
    assert same is frame
    assert findings == []
