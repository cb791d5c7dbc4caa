import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.families import is_significant


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40).map(np.array))
def test_what_holds_is_what_scipy_lets_hold(p):
    adjusted = stats.false_discovery_control(p, method="bh")
    unsure = np.abs(adjusted - 0.05) < 1e-9
    assert ((is_significant(p) == (adjusted <= 0.05)) | unsure).all()


def test_no_tests_hold_nothing():
    assert is_significant(np.zeros(0)).tolist() == []
