import numpy as np

from analysis.kernels.first_runs import first_runs
from tests.support.profiles import kernels, run


def test_the_slowest_start_comes_first():
    runs = [run("a", 100 * n, duration) for n, duration in enumerate([15, 10, 10, 12])]
    runs += [run("b", 1000 + 100 * n, duration) for n, duration in enumerate([90, 20])]
    frame = kernels(*runs)
    found = first_runs(frame)
    assert found["name"].tolist() == ["b", "a"]
    assert found["first"].tolist() == [90, 15]
    assert found["steady"].tolist() == [20, 10]
    assert found["ratio"].tolist() == [4.5, 1.5]
    assert found["later"].tolist() == [1, 3]
    assert frame["duration"].iloc[found["row"].tolist()].tolist() == [90, 15]


def test_tracks_are_told_apart():
    runs = [
        run(track=track, start=start, duration=d)
        for track, start, d in [("A", 0, 9), ("A", 50, 3), ("B", 0, 5), ("B", 50, 5)]
    ]
    found = first_runs(kernels(*runs))
    assert list(zip(found["track"], found["first"], found["steady"], strict=True)) == [
        ("A", 9, 3),
        ("B", 5, 5),
    ]


def test_a_kernel_needs_its_first_run_and_a_later_one():
    frame = kernels(run("once"), run("often", 50), run("often", 100), run("often", 150))
    assert first_runs(frame)["name"].tolist() == ["often"]
    assert not len(first_runs(frame[frame["run"] > 1]))
    assert not len(first_runs(frame.head(0)))


def test_no_time_has_no_ratio():
    found = first_runs(kernels(run(duration=5), run(start=20, duration=0)))
    assert np.isnan(found["ratio"].iloc[0])
