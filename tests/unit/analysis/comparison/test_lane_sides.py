"""Devices, streams and threads that only one of two profiles has."""

from analysis.comparison.lane_sides import lanes_of_one_side
from tests.support.profiles import tracks


def test_threads_match_by_name_and_order_and_streams_by_name():
    base = tracks("thread 7 (python)", "thread 9 (python)", "cuda 0 stream 7")
    new = tracks("thread 312 (python)", "cuda 0 stream 7", "cuda 0 stream 20", "cuda 1 stream 7")
    assert lanes_of_one_side(base, new) == (
        ["thread 9 (python)"],
        ["cuda 0 stream 20", "cuda 1 stream 7"],
    )
    assert lanes_of_one_side(base, base) == ([], [])
