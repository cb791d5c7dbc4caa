import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.memory import sweep as memory_sweep
from schema.frames import empty
from tests.support.memory import attempts, block, blocks, constant, failed, length, memory_findings
from tests.support.numbers_in_text import has_numbers


def overlaps(*rows, count=1, **columns):
    """Return the finding about overlapping blocks, None where there is none."""
    frame = attempts(count, **({"steps": length(rows)} | columns))
    found = [
        f for f in memory_findings(frame, blocks(rows), empty("buffer_uses")) if "overlap" in f.code
    ]
    return found[0] if found else None


def test_the_worst_pair_is_named_with_bytes_address_and_step():
    rows = [block("a", 0, 4, 0, 64), block("b", 2, 5, 48, 64), block("c", 3, 4, 111, 8)]
    found = overlaps(*rows, level="L2")
    assert (found.severity, found.code, found.count, found.location) == (
        "error",
        "block_overlap",
        2,
        "L2",
    )
    assert has_numbers(found.message, "`a`", "`b`", "16 bytes", "0x30", "2")


@pytest.mark.parametrize(
    "other",
    [
        block("later", 2, 4, 0),
        block("above", 0, 2, 64),
        block("elsewhere", 0, 2, 0, attempt=1),
        block("empty", 0, 2, 32, 0),
        block("waiting", 0, 2, None),
        failed("failed", 0, 2),
        constant("constant"),
        block("alias", 0, 2, 0, status="shared", alias_of=0),
        block("alias", 1, 3, 16, 8, alias_of=0),
        block("alias of who knows", 0, 2, 0, status="shared"),
        block("output", 1, 3, 0),
        block("in a gap", 0, 4, 0, gaps="0-2", kind="buffer"),
    ],
)
def test_what_shares_bytes_by_intent_or_not_at_all_is_no_overlap(other):
    assert overlaps(block("a", 0, 2, 0), other, count=2) is None


@pytest.mark.parametrize(
    "other",
    [
        block("inside", 0, 2, 16, 8),
        block("output of two steps", 0, 3, 0),
        block("weight", 1, 3, 0, kind="weight"),
        block("hold", 0, 0, 32, hold=True),
        block("wrap", 3, 1, 32, wraps=True),
        block("phantom", 0, 2, 32, alias_of=9),
    ],
)
def test_what_lies_in_anothers_bytes_is(other):
    assert overlaps(block("a", 0, 2, 0), other, steps=4) is not None


def test_whoever_overlaps_an_alias_overlaps_its_target():
    rows = [
        block("a", 0, 4, 0),
        block("view", 1, 4, 0, status="shared", alias_of=0),
        block("x", 2, 3, 32),
    ]
    found = overlaps(*rows)
    assert found.count == 1
    assert "`view`" not in found.message


def test_inner_steps_are_arenas_of_their_own():
    inner = [block("a", 0, 2, 0, plan="inner"), block("b", 1, 2, 0, plan="inner")]
    assert overlaps(*inner, block("outer", 0, 2, 0, plan="outer", kind="variable")) is None
    assert overlaps(*inner, block("c", 1, 3, 32, plan="inner", kind="variable")) is not None


def test_an_attempt_that_holds_a_tensor_twice_is_a_mixed_log():
    rows = [
        block("a", 0, 2, 0),
        block("a", 1, 3, 32),
        block("b", 0, 2, 0, attempt=1),
        block("c", 0, 2, 0, attempt=1),
    ]
    frame = attempts(2, steps=4)
    found = memory_findings(frame, blocks(rows), empty("buffer_uses"))
    assert [(f.severity, f.code, f.count, f.location) for f in found] == [
        ("warning", "attempts_mixed", 1, "attempt 0")
    ]
    assert "OMP_NUM_THREADS=1" in found[0].message


def test_buffers_of_one_name_are_no_mixed_log():
    rows = [block("a", 0, 2, 0, kind="buffer"), block("a", 1, 3, 32, kind="buffer")]
    assert overlaps(*rows).code == "block_overlap"


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.integers(1, 5), st.integers(0, 90), st.integers(1, 20)),
        max_size=10,
    )
)
def test_there_is_a_finding_where_two_blocks_overlap_and_only_there(rows):
    made = [block(f"b{n}", s, s + d, a, z, kind="buffer") for n, (s, d, a, z) in enumerate(rows)]
    truth = any(
        max(one["start"], other["start"]) < min(one["end"], other["end"])
        and max(one["address"], other["address"])
        < min(one["address"] + one["size"], other["address"] + other["size"])
        for rank, one in enumerate(made)
        for other in made[:rank]
    )
    assert (overlaps(*made) is not None) == truth
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_sweep, "MIN_ENTRIES", 1)
        patch.setattr(memory_sweep, "_ENTRIES_PER_PART", 0)
        assert (overlaps(*made) is not None) == truth


def test_a_phantom_has_bytes_that_others_can_overlap():
    rows = [
        block("a", 0, 4, 0),
        block("view", 1, 4, 64, status="shared", alias_of=0),
        block("x", 2, 3, 96),
    ]
    assert "`view` and `x`" in overlaps(*rows).message


def test_tensors_of_one_name_in_a_memory_level_are_no_mixed_log():
    rows = [block("a", 0, 2, 0, level="DDR"), block("a", 1, 4, 32, level="DDR")]
    assert overlaps(*rows, level="DDR").code == "block_overlap"
