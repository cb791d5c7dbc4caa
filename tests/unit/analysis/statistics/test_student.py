"""Student's t against scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.student import quantile, two_sided_p

degrees = st.floats(1, 500)


@given(st.floats(-40, 40), degrees)
def test_the_tail_is_that_of_scipy(t, df):
    assert two_sided_p(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-9, abs=1e-300)


@given(st.floats(0.55, 0.9999), degrees)
def test_the_quantile_is_that_of_scipy(share, df):
    assert quantile(share, df) == pytest.approx(stats.t.ppf(share, df), rel=1e-9)


def test_nothing_is_as_likely_as_it_gets_and_far_off_is_impossible():
    assert two_sided_p(0.0, 3) == 1.0
    assert two_sided_p(1e200, 50) < 1e-300
    assert two_sided_p(1e-160, 50) == 1.0
