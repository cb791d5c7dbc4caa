"""Medians and quantiles of groups are those of pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.grouped import GroupedValues

values = st.floats(0, 1e9) | st.integers(0, 50).map(float)
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), values), min_size=1, max_size=60)


@given(rows)
def test_groups_of_two_keys_are_those_of_pandas(drawn):
    first, second, numbers = map(np.array, zip(*drawn, strict=True))
    groups = GroupedValues.of(numbers, first, second)
    expected = pd.Series(numbers).groupby([first, second])
    keys = [*zip(first[groups.places].tolist(), second[groups.places].tolist(), strict=True)]
    assert keys == expected.median().index.tolist()
    assert groups.medians().tolist() == expected.median().tolist()
    for share in (0.0, 0.5, 0.95, 1.0):
        assert groups.quantiles(share).tolist() == pytest.approx(
            expected.quantile(share).tolist(), rel=1e-15
        )


def test_no_values_are_no_groups():
    groups = GroupedValues.of(np.empty(0), np.empty(0, np.int64))
    assert not len(groups.count)
    assert not len(groups.medians()) and not len(groups.quantiles(0.95))
