import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory import sweep as memory_sweep
from analysis.memory.attempts import with_numbers
from analysis.memory.lives import MAX_SUM
from tests.support.memory import attempts, block, blocks, constant, failed, numbered


def numbers(*rows, **columns):
    """Return the row of numbers of one attempt."""
    return numbered(rows, **columns)[0].iloc[0]


def test_an_attempt_that_is_packed_tightly():
    row = numbers(block("a", 0, 2, 0, 64), block("b", 1, 3, 64, 32), capacity=192)
    assert dict(row[["blocks", "failed", "live_peak", "peak_step", "requested_peak"]]) == {
        "blocks": 2,
        "failed": 0,
        "live_peak": 96,
        "peak_step": 1,
        "requested_peak": 96,
    }
    assert (row["extent"], row["bound"], row["waste"], row["utilization"]) == (96, 96, 0, 0.5)


def test_a_hole_is_waste_and_fragmentation():
    row = numbers(block("a", 0, 2, 0, 64), block("b", 0, 2, 96, 32), capacity=160)
    assert (row["extent"], row["bound"], row["waste"]) == (128, 96, 32)
    assert row["fragmentation"] == 0.5


def test_without_a_capacity_there_is_no_use_of_it_and_the_extent_ends_the_memory():
    row = numbers(block("a", 0, 2, 0, 64), block("b", 0, 1, 96, 32), block("c", 1, 2, 64, 64))
    assert np.isnan(row["utilization"])
    assert row["fragmentation"] == 0


def test_constants_take_their_part_of_the_capacity():
    row = numbers(constant(size=64), block("a", 0, 2, 0, 64), capacity=256, static_bytes=64)
    assert (row["blocks"], row["extent"], row["live_peak"], row["utilization"]) == (1, 64, 64, 0.5)


def test_failed_blocks_are_asked_for_but_not_alive():
    row = numbers(block("a", 0, 2, 0, 64), failed("b", 1, 3, 32))
    assert (row["failed"], row["live_peak"], row["requested_peak"], row["bound"]) == (1, 64, 96, 96)
    assert row["extent"] == 64
    assert row.isna()["waste"]


def test_where_all_failed_nothing_is_in_use():
    row = numbers(failed("b", 1, 3, 32))
    assert (row["extent"], row["live_peak"], row["requested_peak"]) == (0, 0, 32)
    assert row.isna()["peak_step"]
    assert row.isna()["waste"]


def test_a_problem_has_a_bound_and_no_extent():
    row = numbers(
        block("a", 0, 2, None, 64), block("b", 1, 3, None, 32), capacity=64, outcome="unsolved"
    )
    assert (row["live_peak"], row["bound"]) == (96, 96)
    assert row.isna()[["extent", "waste", "utilization", "fragmentation"]].all()


def test_an_attempt_without_blocks():
    row = numbers(capacity=64)
    assert (row["blocks"], row["extent"], row["bound"], row["waste"], row["utilization"]) == (
        0,
        0,
        0,
        0,
        0.0,
    )
    assert row.isna()["peak_step"]


def test_no_attempts():
    assert not len(with_numbers(attempts(0), blocks([])))


def test_blocks_of_attempts_that_are_not_asked_for_are_left_out():
    frame = blocks([block("a", 0, 1, 0), block("b", 0, 1, 0, attempt=7)])
    assert with_numbers(attempts(1), frame)["blocks"].tolist() == [1]


def test_every_attempt_has_its_own_numbers_in_any_order():
    frame = blocks(
        [
            block("a", 0, 1, 0, 8),
            block("b", 0, 1, 0, 16, attempt=1),
            block("c", 2, 3, 16, 4, attempt=1),
        ]
    )
    made = with_numbers(attempts(2, attempt=[1, 0]), frame)
    assert made["extent"].tolist() == [20, 8]
    assert made["blocks"].tolist() == [2, 1]


def test_wraps_and_holds_count_once_over_all_their_steps():
    row = numbers(
        block("h", 1, 2, 0, 8, hold=True),
        block("w", 3, 1, 8, 8, wraps=True),
        block("x", 1, 3, 8, 8),
        steps=4,
    )
    assert (row["live_peak"], row["bound"], row["extent"]) == (16, 16, 16)


def test_an_alias_is_part_of_its_target_and_prolongs_it():
    rows = [
        block("a", 0, 2, 0, 64),
        block("view", 1, 4, 0, 64, status="shared", alias_of=0),
        block("c", 2, 4, 64, 32),
    ]
    row = numbers(*rows)
    assert (row["live_peak"], row["bound"], row["extent"], row["waste"]) == (128, 96, 96, 0)


def test_aliases_of_aliases_share_one_storage():
    rows = [
        block("a", 0, 2, 0, 64),
        block("v", 1, 3, 64, 64, alias_of=0),
        block("vv", 2, 4, 128, 64, alias_of=1),
    ]
    assert numbers(*rows)["bound"] == 64


@pytest.mark.parametrize("circle", [[1, 0], [1, 2, 0], [0]])
def test_aliases_in_a_circle_are_blocks_of_their_own(circle):
    rows = [
        block(f"b{rank}", 0, 2, 64 * rank, 64, alias_of=target)
        for rank, target in enumerate(circle)
    ]
    assert numbers(*rows)["bound"] == 64 * len(circle)


def test_of_blocks_of_one_rank_the_first_is_meant():
    rows = [
        block("a", 0, 1, 0, block=0),
        block("b", 1, 2, 0, block=0),
        block("v", 0, 2, 64, block=1, alias_of=0),
    ]
    assert numbers(*rows)["bound"] == 128


def test_an_alias_of_nothing_is_a_block_of_its_own():
    assert numbers(block("a", 0, 2, 0, 64, alias_of=99))["bound"] == 64


def test_an_alias_without_an_address_is_not_missing():
    row = numbers(
        block("a", 0, 2, 0, 64), block("v", 1, 3, None, 64, status="unplaced", alias_of=0)
    )
    assert (row["bound"], row["waste"]) == (64, 0)


def test_aliases_of_another_inner_step_share_nothing():
    rows = [
        block("a", 0, 1, 0, 64, plan="inner"),
        block("b", 1, 2, 0, 32, plan="inner", alias_of=0),
    ]
    assert numbers(*rows, steps=2)["bound"] == 64


def test_a_tensor_of_an_outer_plan_needs_its_own_bytes_only():
    rows = [
        block("a", 0, 2, 0, 256, plan="outer", tensor_bytes=64),
        block("b", 0, 2, 256, 64, plan="outer"),
    ]
    row = numbers(*rows)
    assert (row["live_peak"], row["bound"], row["waste"]) == (320, 128, 192)


def test_an_output_takes_over_its_operands_bytes_in_the_step_that_they_share():
    row = numbers(block("conv", 0, 3, 0, 64), block("relu", 2, 5, 0, 64))
    assert (row["live_peak"], row["bound"], row["extent"], row["waste"]) == (128, 64, 64, 0)


def test_an_output_that_wraps_takes_over_too():
    row = numbers(block("conv", 1, 3, 0, 64), block("relu", 2, 1, 0, 64, wraps=True), steps=4)
    assert (row["bound"], row["waste"]) == (64, 0)


@pytest.mark.parametrize(
    "other",
    [
        block("x", 1, 5, 0, 64),
        block("x", 2, 5, 0, 64, kind="weight"),
        block("x", 2, 5, 32, 64),
        block("x", 2, 2, 0, 64, wraps=True),
    ],
)
def test_what_shares_more_than_a_step_or_is_no_activation_takes_over_nothing(other):
    row = numbers(block("conv", 0, 3, 0, 64), other, steps=5)
    assert row["bound"] == 128
    assert row.isna()["waste"]


def test_sums_beyond_int64_stop_there():
    row = numbers(*(block(f"b{rank}", 0, 2, 0, 2**61) for rank in range(9)))
    assert (row["live_peak"], row["requested_peak"], row["bound"], row["extent"]) == (
        MAX_SUM,
        MAX_SUM,
        MAX_SUM,
        2**61,
    )


def test_a_size_of_nothing_changes_nothing():
    row = numbers(block("a", 0, 2, 0, 64), block("nothing", 0, 2, 96, 0), capacity=128)
    assert (row["extent"], row["fragmentation"], row["live_peak"]) == (96, 0, 64)


def test_numbers_do_not_depend_on_how_much_is_looked_at(monkeypatch):
    rows = [block(f"b{rank}", rank, 20, 8 * rank, 8) for rank in range(10)]
    whole = numbers(*rows)
    monkeypatch.setattr(memory_sweep, "MIN_ENTRIES", 4)
    monkeypatch.setattr(memory_sweep, "_ENTRIES_PER_PART", 0)
    sampled = numbers(*rows)
    names = [name for name in whole.index if name != "fragmentation"]
    assert whole[names].astype(str).tolist() == sampled[names].astype(str).tolist()


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(1, 50)), min_size=1, max_size=12
    )
)
def test_no_packing_beats_the_bound(rows):
    """Put each block on top of all that live with it: never lower than the bound, which is reached without gaps."""
    placed = []
    for rank, (start, length, size) in enumerate(rows):
        with_it = [r for r in placed if r["start"] < start + length and start < r["end"]]
        address = max((r["address"] + r["size"] for r in with_it), default=0)
        placed.append(block(f"b{rank}", start, start + length, address, size, kind="buffer"))
    row = numbers(*placed)
    assert row["bound"] <= row["extent"]
    assert row["bound"] == row["live_peak"]
    assert row["waste"] == row["extent"] - row["bound"]


def test_steps_and_sizes_below_zero_count_as_nothing():
    frame = blocks(
        [block("a", -5, 2, 0, 8), block("b", 0, 2, 8, -4), block("c", 0, 1, 0, 16, attempt=1)]
    )
    made = with_numbers(attempts(2), frame)
    assert made["live_peak"].tolist() == [8, 16]
    assert made["peak_step"].tolist() == [0, 0]


def test_a_level_without_blocks_has_the_bytes_that_its_tool_reports():
    made, _ = numbered(
        [block("a", 0, 1, 0, 64)], 2, capacity=100, static_bytes=[0, 12], level=["L2", "L1"]
    )
    assert made["extent"].tolist() == [64, 0]
    made, _ = numbered(
        [block("a", 0, 1, 0, 64)],
        2,
        capacity=100,
        static_bytes=[0, 12],
        level=["L2", "L1"],
        reported_bytes=[10, 96],
    )
    row = made.iloc[1]
    assert (row["extent"], row["utilization"]) == (96, 1.08)
    assert row[["live_peak", "requested_peak", "bound", "waste"]].isna().all()
    assert made.iloc[0]["extent"] == 64, "blocks say more than a report"


def test_an_attempt_without_blocks_is_empty_whatever_its_tool_reports():
    made, _ = numbered([], 1, capacity=100, reported_bytes=[96])
    assert made["extent"].tolist() == [0]
