import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory import step_pairs
from analysis.memory.findings.bank_conflicts import bank_conflicts, count_conflicts
from tests.support.banks import BANK, CHIP, events, shown
from tests.support.memory import amap, block, failed, steps


def found(one, *rows):
    return bank_conflicts(one, events(*rows)).to_numpy().tolist()


OUT = block("out", 1, 3, 0, 50)
OPERAND = block("in", 0, 2, 110, 50)
WEIGHT = block("next", 1, 4, 160, 40, kind="weight")


def test_what_is_computed_and_what_is_loaded_meet_in_a_bank():
    one = shown(block("out", 1, 3, 150, 50), block("w", 1, 4, 120, 20))
    assert found(one, (1, "layer", "out"), (1, "gdma", "w")) == [[1, 1, "out", "w"]]


def test_an_operand_that_is_used_for_the_last_time_counts():
    assert found(shown(OUT, OPERAND, WEIGHT), (1, "layer", "out"), (1, "gdma", "next")) == [
        [1, 1, "in", "next"]
    ]


def test_an_operand_that_lives_on_is_not_known():
    one = shown(OUT, block("in", 0, 4, 110, 50), WEIGHT)
    assert found(one, (1, "layer", "out"), (1, "gdma", "next")) == []


def test_a_step_that_computes_nothing_has_no_operands():
    assert found(shown(OUT, OPERAND, WEIGHT), (1, "gdma", "next")) == []


def test_what_is_stored_in_its_last_step_is_no_operand():
    one = shown(OUT, block("stored", 0, 2, 120, 10), WEIGHT)
    assert found(one, (1, "layer", "out"), (1, "gdma", "next"), (1, "gdma", "stored")) == []


def test_scratch_goes_by_its_operator():
    scratch = block("some other name", 1, 2, 100, 8, kind="operation", op_type="tpu.Conv2D")
    assert found(shown(OUT, scratch, WEIGHT), (1, "layer", "out"), (1, "gdma", "next")) == [
        [1, 1, "tpu.Conv2D", "next"]
    ]


def test_every_shared_bank_has_a_row():
    one = shown(block("out", 1, 3, 50, 300), block("w", 1, 4, 150, 100))
    assert [bank for _, bank, _, _ in found(one, (1, "layer", "out"), (1, "gdma", "w"))] == [1, 2]


def test_another_step_is_no_conflict():
    one = shown(block("out", 1, 3, 0, 50), block("w", 0, 4, 50, 50))
    assert found(one, (1, "layer", "out"), (0, "gdma", "w"), (2, "gdma", "w")) == []


def test_a_wrap_ends_where_its_operator_reads_it():
    one = shown(block("out", 1, 3, 0, 50), block("input", 3, 2, 100, 50, wraps=True), WEIGHT)
    assert found(one, (1, "layer", "out"), (1, "gdma", "next")) == [[1, 1, "input", "next"]]


def test_a_step_without_cycles_leaves_the_time_to_the_next():
    one = amap(
        [block("out", 1, 3, 0, 50), block("w", 1, 4, 50, 50)],
        steps=steps(["", "", ""], begin=[0, 0, 10]),
        length=4,
        **CHIP,
    )
    assert bank_conflicts(one, events((0, "layer", "out"), (0, "gdma", "w")))["step"].tolist() == [
        1
    ]


def test_failed_and_unknown_names_are_passed_over():
    one = shown(OUT, failed("w", 1, 3))
    assert found(one, (1, "layer", "out"), (1, "gdma", "w"), (1, "gdma", "nobody")) == []


@pytest.mark.slow
def test_there_are_none_without_events_or_banks():
    lines = [(1, "layer", "out"), (1, "gdma", "next")]
    for rows in (
        bank_conflicts(shown(OUT, OPERAND, WEIGHT)),
        bank_conflicts(shown(OUT, OPERAND, WEIGHT), events()),
        bank_conflicts(shown(OUT, OPERAND, WEIGHT, banks=None), events(*lines)),
        bank_conflicts(amap([]), events(*lines)),
        bank_conflicts(amap([OUT, OPERAND, WEIGHT], **CHIP), events(*lines)),
    ):
        assert rows.columns.tolist() == ["step", "bank", "compute", "transfer"]
        assert len(rows) == 0


@pytest.mark.slow
def test_a_count_is_known_where_something_is_placed_in_banks():
    lines = events((1, "layer", "out"), (1, "gdma", "w"))
    placed = [block("out", 1, 3, 50, 300), block("w", 1, 4, 150, 100)]
    assert count_conflicts(shown(*placed), lines) == 2
    assert count_conflicts(shown(placed[0], failed("w", 1, 4)), lines) == 0
    assert count_conflicts(shown(failed("out", 1, 3), failed("w", 1, 4)), lines) is None
    assert count_conflicts(shown(*placed), events()) is None
    assert count_conflicts(shown(*placed, banks=None), lines) is None


def test_pairs_are_bounded(monkeypatch):
    monkeypatch.setattr(step_pairs, "MAX_PAIRS", 10)
    names = [f"w{rank}" for rank in range(20)]
    one = shown(*(block(name, 1, 3, 0, 50) for name in names), block("a", 1, 4, 0, 50))
    assert len(found(one, (1, "gdma", "a"), *((1, "layer", name) for name in names))) == 10


placed = st.builds(
    block,
    st.sampled_from("abcd"),
    st.integers(0, 2),
    st.integers(3, 4),
    st.integers(0, 380),
    st.integers(1, 200),
    hold=st.booleans(),
)
lines = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["gdma", "layer"]), st.sampled_from("abcd")),
    min_size=1,
    max_size=8,
)


@pytest.mark.slow
@given(st.lists(placed, max_size=5, unique_by=lambda row: row["name"]), lines)
def test_pairs_touch_the_bank_that_they_are_said_to_share(rows, said):
    rows_by_name = {row["name"]: row for row in rows}
    conflicts = bank_conflicts(shown(*rows), events(*said))
    assert not conflicts.duplicated().any()
    for step, bank, compute, transfer in conflicts.to_numpy().tolist():
        assert compute != transfer
        assert (step, "gdma", transfer) in said
        assert any(lane == "layer" and when == step for when, lane, _ in said)
        for name in (compute, transfer):
            low = rows_by_name[name]["address"]
            touched = np.unique(np.arange(low, low + rows_by_name[name]["size"]) // BANK)
            assert bank in touched
            assert bank < CHIP["banks"]
