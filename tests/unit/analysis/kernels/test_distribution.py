import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from analysis.kernels.distribution import (
    QUANTILE_NAMES,
    bin_edges,
    ecdf,
    group_quantiles,
    histogram,
    summary,
)

durations = st.lists(st.integers(0, 10**9), min_size=1, max_size=200)


@given(durations)
def test_every_duration_is_in_one_bin(values: list[int]) -> None:
    edges = bin_edges(values)
    assert 2 <= len(edges) <= 61
    assert histogram(values, edges).sum() == len(values)


def test_bins_are_round_and_half_open() -> None:
    edges = bin_edges([100, 100, 100, 104], most=5)
    assert np.diff(edges).tolist() == [2, 2, 2]
    assert histogram([100, 104], np.array([100, 104, 108])).tolist() == [1, 1]


def test_durations_of_different_kernels_fill_more_than_two_bins() -> None:
    # The rule of Freedman and Diaconis gives a width of 50, so two bins for all five kernels.
    kernels = np.repeat([55.0, 57.0, 82.0, 107.0, 149.0], 4)
    assert len(bin_edges(kernels)) - 1 >= 10
    assert len(bin_edges([100.0, 108.0])) - 1 <= 3


def test_bins_of_nothing() -> None:
    assert bin_edges([]).tolist() == [0, 1]
    assert histogram([], bin_edges([])).tolist() == [0]


@given(durations)
def test_the_distribution_function_rises_to_one(values: list[int]) -> None:
    x, y = ecdf(values, points=20)
    assert len(x) <= 20
    assert y[-1] == 1
    assert (np.diff(y) > 0).all()
    assert (x[0], x[-1]) == (min(values), max(values))
    assert y[0] == np.mean(np.array(values) <= x[0])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1000)), min_size=1, max_size=80))
def test_quantiles_per_group_equal_numpys(rows: list[tuple[str, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["kind", "duration"])
    table = group_quantiles(frame, "kind").set_index("kind")
    for kind, part in frame.groupby("kind")["duration"]:
        expected = np.quantile(part, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
        assert np.allclose(table.loc[kind, list(QUANTILE_NAMES)].to_numpy(dtype=float), expected)
        assert table.loc[kind, "n"] == len(part)


def test_groups_without_durations_are_absent() -> None:
    frame = pd.DataFrame({"kind": ["a"], "duration": pd.array([None], dtype="Int64")})
    assert len(group_quantiles(frame, "kind")) == 0


def test_the_summary_ignores_lost_durations() -> None:
    numbers = summary(pd.Series([1, 3, None], dtype="Int64"))
    assert (numbers.n, numbers.total, numbers.median) == (2, 4, 2.0)
    assert summary(pd.Series([], dtype="Int64")).median is None
