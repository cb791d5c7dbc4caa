"""Buffers of tinygrad captures, and who uses them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.match import last_before
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_objects import DType, PtrDType
from samples.tinygrad_writer import GENERATIONS, Maker


def read(maker):
    return read_run(maker.profile(), None, False)


def blocks(maker):
    """Return (level, name, size, start, end) of the buffers, times in us."""
    frame = read(maker).frames["allocations"]
    times = (frame["start"] // 1000).tolist(), (frame["end"] // 1000).tolist()
    return list(zip(frame["level"], frame["name"], frame["size"].tolist(), *times, strict=True))


def uses(maker):
    """Return (buffer, tinygrad's number of the launch, access) by buffer and time."""
    frames = read(maker).frames
    named = frames["allocations"].set_index(["attempt", "block"])["name"]
    number = frames["launches"]["number"]
    rows = frames["buffer_uses"][["attempt", "block", "kernel", "access"]].itertuples(index=False)
    return [
        (named.loc[attempt, block], int(number[kernel]), access)
        for attempt, block, kernel, access in rows
    ]


def codes(maker):
    return {finding.code: finding.count for finding in read(maker).findings}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_sizes_are_bytes_whether_the_type_says_bytes_or_bits(generation):
    maker = (
        Maker(generation)
        .alloc("CPU", 1, 10, 0)
        .alloc("CPU", 2, 10, 1, "half")
        .alloc("CPU", 3, 10, 2, "unsigned char")
    )
    assert [size for _, _, size, _, _ in blocks(maker)] == [40, 20, 10]
    assert read(maker).frames["allocations"]["dtype"].tolist() == ["float", "half", "unsigned char"]


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        (DType(12, 2, "__bf16", None, 1, None), 2),
        (DType(12, 16, "__bf16", None, 1, None), 2),
        (DType(0, 1, "bool", "?", 1, None), 1),
        (DType(0, 1, "bool", "?"), 1),
        (DType(13, 128, "float4", None), 16),
        (DType(13, -4, "odd", None), 0),
        (DType(13, 2**40, "odd", None), 0),
        (DType(), 0),
        (PtrDType(13, 4, "float", "f", 1, None, None, None, 1, 10), 4),
    ],
)
def test_types_of_which_little_is_known(dtype, size):
    maker = Maker("2025").point("CPU", "alloc", 1, {"dtype": dtype, "sz": 1}, 0)
    assert [block[2] for block in blocks(maker)] == [size]


def test_devices_are_levels_in_the_viewers_order_and_buffers_come_by_time():
    maker = (
        Maker()
        .alloc("NPY", 5, 1, 3)
        .alloc("CPU:1", 2, 1, 9)
        .alloc("CPU", 4, 1, 8)
        .alloc("CPU", 3, 1, 7)
    )
    frames = read(maker).frames
    assert frames["attempts"][["attempt", "level"]].to_numpy().tolist() == [
        [0, "CPU"],
        [1, "CPU:1"],
        [2, "NPY"],
    ]
    assert frames["attempts"]["steps"].tolist() == [6001] * 3
    assert frames["allocations"][["attempt", "block", "name"]].to_numpy().tolist() == [
        [0, 0, "buffer 3"],
        [0, 1, "buffer 4"],
        [1, 0, "buffer 2"],
        [2, 0, "buffer 5"],
    ]
    assert set(frames["allocations"]["status"]) == {"unplaced"}
    assert frames["allocations"]["address"].isna().all()


def test_a_buffer_lives_until_it_is_freed_or_to_the_end():
    maker = (
        Maker()
        .alloc("CPU", 1, 1, 10)
        .alloc("CPU", 2, 1, 20)
        .free("CPU", 1, 30)
        .range("CPU", "k", 5, 70)
    )
    assert blocks(maker) == [("CPU", "buffer 1", 4, 5, 25), ("CPU", "buffer 2", 4, 15, 65)]


def test_a_number_is_given_out_again():
    maker = Maker().alloc("CPU", 1, 1, 0).free("CPU", 1, 5).alloc("CPU", 1, 2, 5).free("CPU", 1, 9)
    assert blocks(maker) == [("CPU", "buffer 1", 4, 0, 5), ("CPU", "buffer 1", 8, 5, 9)]


def test_a_number_that_is_given_out_twice_ends_the_first_buffer():
    maker = Maker().alloc("CPU", 1, 10, 10).alloc("CPU", 1, 20, 20).free("CPU", 1, 30)
    assert blocks(maker) == [("CPU", "buffer 1", 40, 0, 10), ("CPU", "buffer 1", 80, 10, 20)]
    assert codes(maker)["buffer_twice"] == 1


def test_a_free_without_an_allocation_is_counted():
    maker = Maker().free("CPU", 1, 1).alloc("CPU", 2, 1, 2).free("CPU", 2, 3).free("CPU", 2, 4)
    assert len(blocks(maker)) == 1
    assert codes(maker)["free_without_alloc"] == 2


def test_a_buffer_of_no_time_lives_for_a_moment():
    frame = read(Maker().alloc("CPU", 1, 1, 5).free("CPU", 1, 5)).frames["allocations"]
    assert (frame["end"] > frame["start"]).all()


def test_more_elements_than_the_viewer_counts_are_clamped():
    maker = Maker().alloc("CPU", 1, 5 * 10**15, 0)
    assert blocks(maker)[0][2] == 4 * 10**12
    assert codes(maker)["buffer_clamped"] == 1


def test_more_bytes_than_any_machine_has_are_refused():
    wide = DType(13, 8 * 2**16, "wide", None)
    maker = Maker("0.14")
    for key in range(100):
        maker.point("CPU", "alloc", key, {"dtype": wide, "sz": 10**12}, key)
    with pytest.raises(LoadError, match="limit of a machine"):
        read(maker)


class TestUses:
    def test_reads_and_writes_in_order(self):
        maker = Maker().alloc("CPU", 1, 1, 1).alloc("CPU", 2, 1, 2)
        maker.launch("CPU", 10, "a", 3, buffers=(1, 2)).launch(
            "CPU", 11, "b", 4, buffers=(1,), roles=((0,), (0,))
        )
        maker.launch("CPU", 12, "c", 5, buffers=(2, 1)).free("CPU", 1, 7).free("CPU", 2, 8)
        assert uses(maker) == [
            ("buffer 1", 10, "w"),
            ("buffer 1", 11, "rw"),
            ("buffer 1", 12, "r"),
            ("buffer 2", 10, "r"),
            ("buffer 2", 12, "w"),
        ]

    def test_buffers_of_other_devices_are_found(self):
        maker = (
            Maker()
            .alloc("PYTHON", 1, 1, 1)
            .alloc("CPU", 2, 1, 2)
            .launch("CPU", 10, "copy", 3, buffers=(2, 1))
        )
        assert uses(maker) == [("buffer 2", 10, "w"), ("buffer 1", 10, "r")]

    def test_kernels_count_by_time(self):
        maker = (
            Maker()
            .alloc("CPU", 1, 1, 0)
            .launch("CPU", 7, "b", 9, buffers=(1,))
            .launch("CPU", 8, "a", 5, buffers=(1,))
        )
        frames = read(maker).frames
        assert frames["launches"][["kernel", "number", "start"]].to_numpy().tolist() == [
            [0, 8, 5000],
            [1, 7, 9000],
        ]
        assert frames["buffer_uses"][["kernel", "start"]].to_numpy().tolist() == [
            [0, 5000],
            [1, 9000],
        ]

    def test_a_number_means_the_buffer_that_had_it_then(self):
        maker = Maker().alloc("CPU", 1, 1, 0).free("CPU", 1, 5).alloc("CPU", 1, 2, 6)
        maker.launch("CPU", 10, "a", 3, buffers=(1,)).launch(
            "CPU", 11, "b", 5, buffers=(1,)
        ).launch("CPU", 12, "c", 7, buffers=(1,))
        frame = read(maker).frames["buffer_uses"]
        assert frame[["block", "kernel"]].to_numpy().tolist() == [[0, 0], [0, 1], [1, 2]]

    def test_numbers_of_nothing_alive_are_counted(self):
        maker = Maker().alloc("CPU", 1, 1, 4).free("CPU", 1, 6)
        maker.launch("CPU", 10, "early", 1, buffers=(1,)).launch("CPU", 11, "late", 9, buffers=(1,))
        maker.launch("CPU", 12, "never", 5, buffers=(99, "x", 1, 2**70))
        assert uses(maker) == [("buffer 1", 12, "r")]
        assert codes(maker)["uses_unmatched"] == 3

    @pytest.mark.slow
    def test_a_launchs_own_buffers_may_come_after_it_since_0_13(self):
        for generation, found in (
            ("0.12", []),
            ("0.13", [("buffer 1", 10, "w")]),
            ("0.14", [("buffer 1", 10, "w")]),
        ):
            maker = Maker(generation).range("TINY", "t", 0, 1).alloc("CPU", 1, 1, 4)
            maker.launch("CPU", 10, "a", 3, buffers=(1,)).launch("CPU", 11, "b", 6)
            assert uses(maker) == found

    def test_but_not_after_the_next_launch(self):
        maker = Maker("0.14").range("TINY", "t", 0, 1).alloc("CPU", 1, 1, 8)
        maker.launch("CPU", 10, "a", 3, buffers=(1,)).launch("CPU", 11, "b", 6, buffers=(1,))
        assert uses(maker) == [("buffer 1", 11, "w")]

    def test_a_number_that_comes_twice_has_its_first_role(self):
        maker = Maker().alloc("CPU", 1, 1, 1).launch("CPU", 10, "a", 3, buffers=(1, 1))
        assert uses(maker) == [("buffer 1", 10, "w")]

    def test_arguments_of_other_kinds_are_no_uses(self):
        maker = Maker().alloc("CPU", 1, 1, 1)
        maker.point("CPU", "exec", 1, {"name": "a", "bufs": "1", "outputs": 3, "inputs": None}, 2)
        assert uses(maker) == []

    def test_without_buffers_every_use_is_unmatched(self):
        maker = Maker().launch("CPU", 10, "a", 3, buffers=(1, 2))
        assert uses(maker) == []
        assert codes(maker)["uses_unmatched"] == 2


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=30),
    st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 10)), max_size=30),
)
def test_the_last_before_is_found(moments, asked):
    known, asks = (np.array(pairs, np.int64).reshape(-1, 2).T for pairs in (moments, asked))
    found = last_before(known[0], known[1], asks[0], asks[1])
    for (group, at), place in zip(asked, found.tolist(), strict=True):
        before = [
            (time, rank) for rank, (of, time) in enumerate(moments) if of == group and time <= at
        ]
        assert place == (max(before)[1] if before else -1)


@pytest.mark.slow
@given(st.data())
def test_lifetimes_of_a_number_never_overlap_and_every_allocation_is_a_block(data):
    maker, at = Maker(), 0
    moments = data.draw(
        st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(0, 2)), max_size=40)
    )
    for comes, key, later in moments:
        at += later
        maker = maker.alloc("CPU", key, 1, at) if comes else maker.free("CPU", key, at)
    maker.range("CPU", "k", 0, 1)
    frame = read(maker).frames["allocations"]
    assert len(frame) == sum(comes for comes, _, _ in moments)
    for _, lives in frame.groupby("name"):
        ordered = lives.sort_values("start", kind="stable")
        assert (ordered["end"].to_numpy()[:-1] <= ordered["start"].to_numpy()[1:] + 1).all()
