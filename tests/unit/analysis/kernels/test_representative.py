import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.kernels.representative import median_and_longest


def series(values):
    return pd.Series(values, dtype="Int64")


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([5], (0, 0)),
        ([9, 1, 5], (2, 0)),
        ([4, 1, 9, 9], (0, 2)),
        ([None, 7, 3], (2, 1)),
        ([7, 7, 7], (1, 0)),
    ],
)
def test_the_lower_median_and_the_first_longest(values, found):
    assert median_and_longest(series(values)) == found


@pytest.mark.parametrize("values", [[], [None]])
def test_without_durations_there_is_none(values):
    assert median_and_longest(series(values)) is None


@given(st.lists(st.one_of(st.none(), st.integers(0, 2**53)), max_size=30))
def test_half_are_at_most_as_long_and_none_is_longer(values):
    known = [value for value in values if value is not None]
    found = median_and_longest(series(values))
    if found:
        median, longest = values[found[0]], values[found[1]]
        assert longest == max(known)
        assert median == np.sort(known)[(len(known) - 1) // 2]
    else:
        assert not known
