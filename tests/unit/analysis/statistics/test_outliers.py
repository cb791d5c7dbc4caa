import numpy as np

from analysis.statistics.outliers import find_outliers


def test_a_sample_far_off_is_odd_and_a_small_step_is_not():
    steady = np.array([0.0, 0.001, -0.001, 0.0, 0.001, 0.0, -0.001, 0.0, 0.001])
    assert find_outliers(np.append(steady, 0.5)).tolist() == [9]
    assert find_outliers(np.append(steady, 0.02)).tolist() == []


def test_more_than_one_in_five_are_no_exceptions():
    assert find_outliers(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0])).tolist() == []
    assert find_outliers(np.zeros(0)).tolist() == []
