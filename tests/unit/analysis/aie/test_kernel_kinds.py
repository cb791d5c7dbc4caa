import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.kernel_kinds import kernel_kinds, readings


def kinds(*durations):
    return kernel_kinds(np.array(durations, dtype=np.int64))


def test_kernels_of_one_kind_are_main():
    found = kinds(*[100, 104, 98] * 5)
    assert set(found.name) == {"main"}
    assert found.kept.all()
    assert found.median == 100


def test_a_clear_kernel_at_a_steady_distance_is_a_kind_of_its_own():
    found = kinds(*[140, 600, 600, 600, 600] * 4)
    assert found.name.tolist() == ["short", "main", "main", "main", "main"] * 4
    assert found.kept.all()
    assert found.median == 600


def test_several_kinds_are_numbered_from_the_main_one_outwards():
    found = kinds(*[20, 140, 600, 600, 600, 600, 600, 600, 2_000] * 4)
    assert sorted(set(found.name)) == ["long", "main", "short", "short 2"]
    assert found.name[:3].tolist() == ["short 2", "short", "main"]


@pytest.mark.parametrize("odd", [30, 20, 301, 5_000])
def test_a_rare_duration_outside_a_third_to_three_medians_is_left_out(odd):
    found = kinds(*[100] * 20, odd, *[100] * 7)
    assert set(found.name) == {"main"}
    assert found.kept.tolist() == [True] * 20 + [False] + [True] * 7
    assert found.median == 100


@pytest.mark.parametrize("odd", [34, 60, 190, 300])
def test_a_rare_duration_inside_is_kept(odd):
    assert kinds(*[100] * 20, odd).kept.all()


def test_one_block_of_slow_kernels_is_a_phase_and_no_kind():
    found = kinds(*[250] * 6, *[100] * 30)
    assert set(found.name) == {"main"}
    assert found.kept.all()


def test_nothing_and_one():
    assert kinds().median is None
    assert kinds(7).median == 7
    assert kinds(0, 0).kept.tolist() == [False, False] or kinds(0, 0).kept.all()


@given(st.lists(st.integers(1, 2_000), min_size=1, max_size=60))
def test_any_durations_have_a_median_of_what_is_kept(durations):
    found = kinds(*durations)
    main = found.kept & (found.name == "main")
    assert main.any()
    assert found.median == np.median(np.array(durations)[main])


@given(st.lists(st.sampled_from([20, 100, 101, 400]), min_size=1, max_size=60))
def test_every_reading_names_and_judges_every_kernel(durations):
    made = list(readings(np.array(durations, dtype=np.int64)))
    assert made[0].name.tolist() == kinds(*durations).name.tolist()
    for reading in made:
        assert len(reading.name) == len(reading.kept) == len(durations)
        assert reading.median == np.median(
            np.array(durations)[reading.kept & (reading.name == "main")]
        )
    counts = [int((reading.name == "main").sum()) for reading in made]
    assert all(count > counts[0] for count in counts[1:])


def test_slow_and_quick_kernels_may_be_the_main_one():
    made = list(readings(np.array([20, 100, 100, 100, 100, 400] * 4, dtype=np.int64)))
    assert [sorted(set(reading.name)) for reading in made] == [
        ["long", "main", "short"],
        ["main", "short"],
        ["long", "main"],
        ["main"],
    ]
    assert made[1].kept.tolist() == [True, True, True, True, True, False] * 4
