import numpy as np

from analysis.statistics.outliers import odd_ones


def test_a_sample_far_off_is_odd_and_a_small_step_is_not():
    steady = np.array([0.0, 0.001, -0.001, 0.0, 0.001, 0.0, -0.001, 0.0, 0.001])
    assert odd_ones(np.append(steady, 0.5)).tolist() == [9]
    assert odd_ones(np.append(steady, 0.02)).tolist() == []


def test_more_than_one_in_five_are_no_exceptions():
    assert odd_ones(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0])).tolist() == []
    assert odd_ones(np.zeros(0)).tolist() == []
