import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory import entries as memory_entries
from analysis.memory import sweep as memory_sweep
from analysis.memory.attempts import with_numbers
from analysis.memory.lives import MAX_SUM, lives
from analysis.memory.occupancy import occupancy
from schema.frames import FRAMES
from tests.support.memory import attempts, block, blocks, constant, failed

STEPS, CAPACITY, BANKS, BANK_BYTES = 6, 64, 4, 16
TOTALS = ("live_bytes", "requested_bytes", "union_bytes", "high_water", "blocks")


def made(rows, count=1, **columns):
    """Return occupancy of rows, indexed by (attempt, step, bank)."""
    frame = occupancy(blocks(rows), attempts(count, **({"steps": STEPS} | columns)))
    return frame


def totals(frame, attempt=0):
    """Return the rows of all banks of an attempt."""
    return frame[frame["bank"].isna() & (frame["attempt"] == attempt)].set_index("step")


@st.composite
def some_rows(draw):
    """Return blocks of two attempts: plain ones, wraps, holds, failed ones."""
    rows = []
    for rank in range(draw(st.integers(0, 8))):
        start, end = draw(st.integers(0, STEPS - 1)), draw(st.integers(1, STEPS))
        wraps = end <= start
        more = {"wraps": wraps, "hold": draw(st.booleans()), "attempt": draw(st.integers(0, 1))}
        size = draw(st.integers(0, 40))
        if draw(st.booleans()):
            rows.append(block(f"b{rank}", start, end, draw(st.integers(0, 60)), size, **more))
        else:
            rows.append(failed(f"b{rank}", start, end, size, **more))
    return rows


def alive_at(row, step):
    if row["hold"]:
        return True
    if row["wraps"]:
        return step >= row["start"] or step < row["end"]
    return row["start"] <= step < row["end"]


def bytes_of(rows):
    used = np.zeros(128, dtype=bool)
    for row in rows:
        used[row["address"] : row["address"] + row["size"]] = True
    return used


@pytest.mark.slow
@given(some_rows())
def test_every_step_is_what_counting_tells(rows):
    frame = made(rows, 2)
    for attempt in (0, 1):
        shown = totals(frame, attempt)
        assert shown.index.tolist() == list(range(STEPS))
        for step, seen in shown.iterrows():
            here = [row for row in rows if row["attempt"] == attempt and alive_at(row, step)]
            placed = [row for row in here if row["address"] is not None]
            assert seen["requested_bytes"] == sum(row["size"] for row in here)
            assert seen["live_bytes"] == sum(row["size"] for row in placed)
            assert seen["blocks"] == len(placed)
            assert seen["union_bytes"] == bytes_of(placed).sum()
            assert seen["high_water"] == max(
                (r["address"] + r["size"] for r in placed if r["size"]), default=0
            )


@pytest.mark.slow
@given(some_rows())
def test_every_bank_is_what_counting_tells(rows):
    frame = made(rows, 2, capacity=CAPACITY, banks=BANKS, bank_bytes=BANK_BYTES)
    shown = frame[frame["bank"].notna()].set_index(["attempt", "step", "bank"])
    for attempt in (0, 1):
        for step in range(STEPS):
            here = [
                row
                for row in rows
                if row["attempt"] == attempt and alive_at(row, step) and row["address"] is not None
            ]
            for bank in range(BANKS):
                low, high = bank * BANK_BYTES, (bank + 1) * BANK_BYTES
                parts = [min(r["address"] + r["size"], high) - max(r["address"], low) for r in here]
                inside = [part for part in parts if part > 0]
                if not inside:
                    assert (attempt, step, bank) not in shown.index
                    continue
                seen = shown.loc[(attempt, step, bank)]
                used = bytes_of(here)[low:high]
                assert seen["live_bytes"] == seen["requested_bytes"] == sum(inside)
                assert seen["blocks"] == len(inside)
                assert seen["union_bytes"] == used.sum()
                assert seen["high_water"] == low + np.flatnonzero(used).max() + 1
                assert shown.loc[(attempt, step, bank), "fragmentation"] == pytest.approx(
                    fragmentation(used), nan_ok=True
                )


def fragmentation(used):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], ~used, [0]]).astype(int)))
    gaps = edges[1::2] - edges[::2]
    return 1 - gaps.max() / gaps.sum() if len(gaps) else np.nan


@pytest.mark.slow
@given(some_rows())
def test_fragmentation_is_that_of_the_free_ranges_below_the_capacity(rows):
    shown = totals(made(rows, 2, capacity=CAPACITY))
    for step, seen in shown.iterrows():
        here = [
            r for r in rows if r["attempt"] == 0 and alive_at(r, step) and r["address"] is not None
        ]
        assert seen["fragmentation"] == pytest.approx(
            fragmentation(bytes_of(here)[:CAPACITY]), nan_ok=True
        )


def test_the_frame_is_of_the_schema_and_names_the_level():
    frame = made([block("a", 0, 2, 0), block("b", 0, 2, 0, attempt=1)], 2, level=["L2", "L1"])
    assert list(frame.columns) == FRAMES["occupancy"].names
    assert frame.groupby("attempt")["level"].first().astype(str).tolist() == ["L2", "L1"]


def test_no_attempts_no_rows():
    assert not len(occupancy(blocks([]), attempts(0)))


def test_an_attempt_without_blocks_has_rows_that_say_so():
    shown = totals(made([]))
    assert shown.index.tolist() == list(range(STEPS))
    assert shown[list(TOTALS)].to_numpy().sum() == 0


def test_constants_are_not_in_the_arena():
    shown = totals(made([constant(size=40), block("a", 0, 1, 0, 8)], capacity=64, static_bytes=40))
    assert shown["live_bytes"].tolist() == [8, 0, 0, 0, 0, 0]
    assert shown["fragmentation"].tolist() == [0] * STEPS


def test_a_problem_has_no_addresses_but_bytes():
    shown = totals(made([block("a", 0, 3, None, 8), block("b", 1, 3, None, 8)]))
    assert shown["live_bytes"].tolist() == [8, 16, 16, 0, 0, 0]
    assert shown[["union_bytes", "high_water", "fragmentation"]].isna().all(axis=None)


def test_a_block_in_a_gap_is_not_alive():
    shown = totals(made([block("a", 0, 5, None, 8, gaps="1-2 3-4@0:2")]))
    assert shown["live_bytes"].tolist() == [8, 0, 8, 2, 8, 0]


def test_a_shared_block_counts_as_alive_but_covers_nothing_more():
    rows = [block("a", 0, 3, 0, 8), block("view", 1, 3, 0, 8, status="shared", alias_of=0)]
    shown = totals(made(rows))
    assert shown["live_bytes"].tolist() == [8, 16, 16, 0, 0, 0]
    assert shown["union_bytes"].tolist() == [8, 8, 8, 0, 0, 0]


def test_a_block_of_an_inner_plan_lives_in_its_step_alone():
    shown = totals(
        made([block("a", 1, 3, 0, 8, plan="inner"), block("b", 2, 3, 0, 8, plan="inner")])
    )
    assert shown["live_bytes"].tolist() == [0, 8, 8, 0, 0, 0]


def test_what_outlives_the_last_step_is_cut_off():
    shown = totals(made([block("out", 4, STEPS + 1, 0, 8)]))
    assert shown["live_bytes"].tolist() == [0, 0, 0, 0, 8, 8]


def test_a_long_attempt_has_rows_where_something_changes():
    frame = made([block("a", 7, 4_000_000_000, 0, 8), block("b", 9, 12, 8, 8)], steps=4_000_000_001)
    shown = totals(frame)
    assert shown.index.tolist() == [0, 7, 9, 12, 4_000_000_000]
    assert shown["live_bytes"].tolist() == [0, 8, 16, 8, 0]


def test_a_long_attempt_of_many_blocks_has_a_row_per_step():
    rows = [block(f"b{rank}", rank, rank + 1, 0) for rank in range(200)]
    assert len(made(rows, steps=1500)) == 1500


def test_many_long_attempts_stay_bounded(monkeypatch):
    monkeypatch.setattr("analysis.memory.occupancy._MAX_DENSE_ROWS", 1000)
    rows = [block("a", 0, 1000, 0, attempt=rank) for rank in range(3)]
    assert len(made(rows, 3, steps=1000)) == 3


def test_without_a_length_the_last_end_is_it():
    assert (
        totals(
            made([block("a", 2, 9, 0), block("w", 11, 3, 64, wraps=True)], steps=None)
        ).index.max()
        == 11
    )


def test_sums_that_no_int64_holds_stop():
    rows = [block(f"b{rank}", 0, 2, 0, 2**61) for rank in range(9)]
    shown = totals(made(rows))
    assert shown["live_bytes"].tolist()[:3] == [MAX_SUM, MAX_SUM, 0]
    assert shown["union_bytes"].tolist()[:3] == [2**61, 2**61, 0]


def test_large_sums_that_fit_are_exact():
    rows = [block(f"b{rank}", 0, 2, 0, 2**60 + 1) for rank in range(7)]
    assert totals(made(rows))["live_bytes"].tolist()[:3] == [7 * 2**60 + 7, 7 * 2**60 + 7, 0]


def test_a_memory_of_very_many_banks_has_none_shown():
    frame = made([block("a", 0, 1, 0)], capacity=2**20, banks=1000, bank_bytes=1)
    assert frame["bank"].isna().all()


def test_what_lies_beyond_the_last_bank_is_in_none():
    frame = made([block("a", 0, 1, 56, 100)], capacity=64, banks=4, bank_bytes=16)
    assert frame.loc[frame["bank"].notna(), "bank"].tolist() == [3]
    assert frame.loc[frame["bank"].notna(), "live_bytes"].tolist() == [8]


def test_banks_come_a_few_at_a_time_with_the_same_result(monkeypatch):
    rows = [block("a", 0, 3, 3, 50), block("b", 2, 5, 53, 11), block("c", 1, 2, 0, 64, attempt=1)]
    settings = {"capacity": CAPACITY, "banks": BANKS, "bank_bytes": BANK_BYTES}
    whole = made(rows, 2, **settings)
    monkeypatch.setattr("analysis.memory.occupancy._MAX_BANK_CELLS", 1)
    pd.testing.assert_frame_equal(made(rows, 2, **settings), whole)


def test_steps_that_are_not_looked_at_keep_all_but_fragmentation(monkeypatch):
    rows = [block(f"b{rank}", rank, STEPS, 8 * rank, 8) for rank in range(STEPS)]
    whole = totals(made(rows, capacity=64))
    monkeypatch.setattr(memory_sweep, "MIN_ENTRIES", 4)
    monkeypatch.setattr(memory_sweep, "_ENTRIES_PER_PART", 0)
    shown = totals(made(rows, capacity=64))
    pd.testing.assert_frame_equal(shown[list(TOTALS)], whole[list(TOTALS)])
    assert 0 < shown["fragmentation"].notna().sum() < STEPS


def test_the_peak_of_the_rows_is_the_peak_of_the_attempt():
    rows = [block("a", 0, 3, 0, 8), failed("b", 2, 5, 16), block("w", 5, 1, 8, 8, wraps=True)]
    numbers = with_numbers(attempts(1, steps=STEPS), blocks(rows)).iloc[0]
    shown = totals(made(rows))
    assert numbers["live_peak"] == shown["live_bytes"].max()
    assert numbers["peak_step"] == shown["live_bytes"].idxmax()
    assert numbers["requested_peak"] == shown["requested_bytes"].max()


MANY = 100_000


def many_blocks():
    """Return blocks that live a step each, one after the other, and their attempt."""
    rank = np.arange(MANY)
    first = blocks([block("b", 0, 1, 0, 64)])
    many = first.loc[np.zeros(MANY, np.int64)].reset_index(drop=True)
    return many.assign(block=rank, start=rank, end=rank + 1), attempts(1, steps=MANY)


def test_lifetimes_share_the_columns_of_their_blocks():
    frame, owners = many_blocks()
    alive = lives(frame, owners)
    assert np.shares_memory(alive.blocks["size"].to_numpy(), frame["size"].to_numpy())


@pytest.mark.slow
def test_chunks_of_a_sweep_do_not_change_it(monkeypatch):
    frame, owners = many_blocks()
    whole = occupancy(frame, owners)
    monkeypatch.setattr(memory_entries, "_CHUNK", 1000)
    pd.testing.assert_frame_equal(occupancy(frame, owners), whole)


@pytest.mark.slow
def test_memory_of_a_long_frame():
    frame, owners = many_blocks()
    tracemalloc.start()
    result = occupancy(frame, owners)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # With copies of lifetimes and columns it was 6.
    assert peak < 5 * result.memory_usage().sum()
