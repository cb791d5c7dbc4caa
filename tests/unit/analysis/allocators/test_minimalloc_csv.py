import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.allocators.minimalloc_csv import minimalloc_csv
from analysis.allocators.packing import pack_map
from analysis.memory.index import MemoryIndex
from data_loaders.minimalloc.run import MinimallocLoader
from schema.frames import empty
from tests.support.memory import amap, block, constant, failed

HEADER = "id,lower,upper,size"


def lines(shown, **more):
    return minimalloc_csv(shown, **more).splitlines()


def loaded(text, path):
    path.write_text(text, newline="")
    frames = MinimallocLoader().load(path, {}).frames
    return MemoryIndex.of(
        frames["attempts"], frames["allocations"], empty("steps"), empty("buffer_uses")
    ).map(0)


def test_a_problem_has_what_every_block_asks_for():
    shown = amap([block("a", 0, 2, 0, 64), failed("b", 1, 3, 32), constant("w")])
    assert lines(shown) == [HEADER, "a,0,2,64", "b,1,3,32"]


def test_a_solution_has_the_offsets_last():
    shown = amap([block("a", 0, 2, 0, 64, alignment=64), block("b", 1, 3, 64, 32, hint=8)])
    assert lines(shown, solution=True) == [
        HEADER + ",alignment,hint,offset",
        "a,0,2,64,64,-1,0",
        "b,1,3,32,1,8,64",
    ]


def test_a_solution_needs_every_address():
    with pytest.raises(ValueError, match=r"^attempt 0 .* 1 of 2 blocks"):
        minimalloc_csv(amap([block("a", address=0), failed("b")]), solution=True)


def test_the_chip_s_alignment_is_every_block_s():
    assert lines(amap([block("a", address=0)], align_bytes=16)) == [
        HEADER + ",alignment",
        "a,0,1,64,16",
    ]


def test_a_hold_block_spans_all_and_a_wrap_has_a_gap():
    shown = amap([block("h", 1, 2, 0, hold=True), block("w", 3, 1, 64, wraps=True)], length=5)
    assert lines(shown) == [HEADER + ",gaps", "h,0,5,64,", "w,0,5,64,1-3"]


def test_constants_before_the_blocks_shift_no_gap():
    shown = amap(
        [
            constant("c"),
            block("never", 1, 1, 0),
            block("w", 3, 1, 0, wraps=True),
            block("b", 0, 4, 64),
        ]
    )
    assert lines(shown) == [HEADER + ",gaps", "w,0,4,64,1-3", "b,0,4,64,"]


def test_a_block_of_an_inner_plan_has_its_one_step():
    shown = amap([block("t", 2, 4, 0, plan="inner")], length=5)
    assert lines(shown) == [HEADER, "t,2,3,64"]


def test_gaps_and_their_windows_come_back():
    shown = amap([block("a", 0, 9, 0, 64, gaps="2-3 5-7@0:16")])
    assert lines(shown)[1] == "a,0,9,64,2-3 5-7@0:16"


def test_an_alias_lengthens_the_life_of_what_it_lies_in():
    shown = amap(
        [
            block("a", 0, 2, 0, 64),
            block("view", 1, 4, 0, 16, status="shared", alias_of=0),
            block("late", 6, 7, 0, 64, status="shared", alias_of=1),
        ]
    )
    assert lines(shown) == [HEADER + ",gaps", "a,0,7,64,4-6"]


def test_names_are_made_safe_and_told_apart():
    shown = amap([block('a,"b"\n c'), block("x"), block("x"), block("x_2"), block("")])
    ids = [line.split(",")[0] for line in lines(shown)[1:]]
    assert ids == ["a_b_c", "x", "x_2", "x_2_3", "block"]
    assert "\r" not in minimalloc_csv(amap([block("a\r\nb")]))


def test_an_id_is_no_formula():
    shown = amap(
        [block(name) for name in ("=1+2", "+a", "-1", "@x", "\t=z", "a=b", "\uff1d1", "\u3000=2")]
    )
    ids = [line.split(",")[0] for line in lines(shown)[1:]]
    assert ids == ["_=1+2", "_+a", "_-1", "_@x", "_=z", "a=b", "_\uff1d1", "_=2"]


def test_what_never_lives_is_left_out():
    assert lines(amap([block("a", 1, 1, 0)], length=3)) == [HEADER]


names = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
lives = st.tuples(st.integers(0, 9), st.integers(1, 9)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)
requests = st.lists(
    st.tuples(names, lives, st.integers(0, 200), st.sampled_from([None, 1, 4, 64]), st.booleans()),
    min_size=1,
    max_size=12,
)


@pytest.mark.slow
@given(requests)
def test_what_is_written_is_read_back(tmp_path_factory, rows):
    made = [
        block(name, start, end, None, size, alignment=alignment, hold=hold)
        for name, (start, end), size, alignment, hold in rows
    ]
    shown = pack_map(amap(made), "best_fit")
    read = loaded(minimalloc_csv(shown, solution=True), tmp_path_factory.mktemp("csv") / "p.csv")
    assert read.attempt["outcome"] == "solved"
    for column in ("size", "address"):
        assert read.blocks[column].tolist() == shown.blocks[column].tolist()
    for number in ("extent", "live_peak", "bound"):
        assert read.whole(number) == shown.whole(number)
    assert read.blocks["name"].is_unique


@pytest.mark.slow
def test_the_problem_of_a_solution_has_no_offsets(tmp_path):
    shown = amap([block("a", 0, 2, 0), block("w", 3, 1, 64, wraps=True)], length=4)
    read = loaded(minimalloc_csv(shown), tmp_path / "p.csv")
    assert read.blocks["address"].isna().all()
    table = pd.read_csv(io.StringIO(minimalloc_csv(shown, solution=True)))
    assert table.columns[-1] == "offset"
    assert table["offset"].tolist() == [0, 64]
