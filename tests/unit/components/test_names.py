import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.names import MAX_TAIL, MIN_TAIL, short_names, tail_lengths


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a", "b"], ["a", "b"]),
        (
            ["single_col · gemm 128x256x128 · 4x1", "single_col · gemm 128x256x128 · 2x1", "other"],
            ["…4x1", "…2x1", "other"],
        ),
        (
            ["single_col · gemm 128x128x128 · 4x1", "single_col · gemm 64x64x64 · 1x1"],
            ["…128x128x128 · 4x1", "…64x64x64 · 1x1"],
        ),
        (["npu2 · gemm 256x256x256 · 4x4 bf16"], ["npu2 · gemm 256…4x4 bf16"]),
        (["abcdefghijklmnopqrstuvwxyz1", "abcdefghijklmnopqrstuvwxyz2"], None),
        ([], []),
    ],
)
def test_a_common_prefix_goes_and_the_tail_stays(names, shown):
    found = short_names(names)
    assert len(set(found)) == len(names)
    assert shown is None or found == shown


@given(st.lists(st.text("ab_· x1", max_size=60), max_size=8), st.integers(10, 30))
def test_every_name_fits_and_short_ones_stay(names, limit):
    for name, shown in zip(names, short_names(names, limit), strict=True):
        assert len(shown) <= limit
        assert shown == name or len(name) > limit


@given(st.lists(st.integers(0, 999), unique=True, min_size=2, max_size=8))
def test_names_that_differ_at_their_end_still_do(numbers):
    names = [f"a_long_common_prefix of everything {number}" for number in numbers]
    assert len(set(short_names(names))) == len(names)


@pytest.mark.parametrize(
    ("names", "tails"),
    [
        (["trace of a model that is long, 1", "trace of a model that is long, 2"], [12, 12]),
        (
            ["npu2 · gemm 128x256x128 · 2x2", "npu2 · gemm 256x64x128 · 2x2"],
            [len("128x256x128 · 2x2"), len("256x64x128 · 2x2")],
        ),
        (["short", "other"], [5, 5]),
        (["conv3_mesh_of_a_very_long_name_with_an_end"], [12]),
        ([], []),
    ],
)
def test_the_tail_of_a_name_begins_where_names_differ(names, tails):
    assert tail_lengths(names) == tails


@given(st.lists(st.text("ab_· x1", max_size=60), max_size=8))
def test_a_tail_is_part_of_its_name_and_fits_into_a_narrow_column(names):
    for name, tail in zip(names, tail_lengths(names), strict=True):
        assert min(len(name), MIN_TAIL) <= tail <= min(len(name), MAX_TAIL)
