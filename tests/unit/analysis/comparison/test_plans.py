"""Memory plans against each other."""

import pytest

from analysis.comparison.plan import Plan
from analysis.comparison.plan_causes import plan_causes
from analysis.comparison.plans import attempt_pairs, block_rows, changed_blocks, nearest, plan_rows
from analysis.memory.headline import memory_headline
from tests.support.memory import block, numbered

A, B, C = (
    block("a", 0, 2, address=0, size=64),
    block("b", 1, 3, address=64, size=32),
    block("c", 3, 4, address=0, size=8),
)


def plan(*rows, count=1, **attempts):
    made, allocations = numbered(rows, count, **({"capacity": 1024} | attempts))
    return Plan("0" * 12, memory_headline(made), made, allocations)


def verdicts(base, new):
    return {(row.metric.name, row.key): row.judged.verdict for row in plan_rows(base, new, {})}


def test_a_plan_is_exactly_like_itself():
    one = plan(A, B, C)
    assert set(verdicts(one, one).values()) == {"unchanged"}
    assert block_rows(changed_blocks(one, one)) == []
    assert plan_causes(one, one) == []


@pytest.mark.slow
def test_a_grown_block_is_made_responsible_for_the_peak():
    base, new = plan(A, B, C), plan(A, B | {"size": 48}, C | {"size": 16})
    found = verdicts(base, new)
    assert found["peak_memory", ""] == "regressed"
    assert found["memory_bound", ""] == "changed"
    assert [(cause.what, cause.where, cause.amount) for cause in plan_causes(base, new)] == [
        ("grown", "b", 16)
    ]
    changed = block_rows(changed_blocks(base, new))
    assert [(row["name_new"], row["change"]) for row in changed] == [
        ("b", ["grown"]),
        ("c", ["grown"]),
    ]
    back = plan_causes(new, base)
    assert [(cause.what, cause.where, cause.amount) for cause in back] == [("shrunk", "b", -16)]


@pytest.mark.slow
def test_a_block_that_lives_longer_needs_its_bytes_where_the_peak_is():
    base, new = plan(A, B, C), plan(A, B | {"end": 4}, C | {"address": 96})
    assert [(cause.what, cause.where, cause.amount) for cause in plan_causes(base, new)] == [
        ("unused", "", 8)
    ]
    late = plan(A, B, C | {"start": 1, "address": 96})
    assert [(cause.what, cause.where, cause.amount) for cause in plan_causes(base, late)] == [
        ("longer", "c", 8)
    ]


def test_without_addresses_the_bound_is_compared():
    problem = plan(*(row | {"address": None, "status": "unplaced"} for row in (A, B, C)))
    found = {row.metric.name: row for row in plan_rows(plan(A, B, C), problem, {})}
    assert found["peak_memory"].judged.verdict == "incomparable"
    assert "addresses" in found["peak_memory"].judged.reason
    assert found["memory_bound"].judged.verdict == "unchanged"


def test_another_capacity_is_told_and_gates_nothing():
    found = {row.metric.name: row for row in plan_rows(plan(A), plan(A, capacity=512), {})}
    assert "capacity" in found["capacity_use"].judged.reason
    assert found["peak_memory"].judged.verdict == "unchanged"


@pytest.mark.slow
def test_levels_belong_together_by_name():
    base = plan(A, B | {"attempt": 1}, count=2, level=["L1", "L2"])
    new = plan(A, B | {"attempt": 1, "size": 64}, count=2, level=["L1", "L2"])
    found = verdicts(base, new)
    assert (found["extent", "L1"], found["extent", "L2"]) == ("unchanged", "regressed")
    assert {cause.metric for cause in plan_causes(base, new)} <= {"extent", "peak_memory"}


def test_attempts_belong_together_by_order_else_the_final_ones():
    two = plan(A, A | {"attempt": 1}, count=2, final=[False, True])
    three = plan(A, A | {"attempt": 1}, A | {"attempt": 2}, count=3, final=[False, False, True])
    assert attempt_pairs(two, two) == [("0", 0, 0), ("1", 1, 1)]
    assert attempt_pairs(two, three) == [("final", 1, 2)]


@pytest.mark.parametrize("sizes", [(64, 96), (96, 64)])
def test_a_size_that_a_baseline_had_is_no_change(sizes):
    base = [plan(A | {"size": size}) for size in sizes]
    one, other = nearest(base, [plan(A)])
    assert verdicts(one, other)["peak_memory", ""] == "unchanged"


def test_a_users_threshold_allows_so_much():
    rows = plan_rows(plan(A), plan(A | {"size": 66}), {"peak_memory": 0.05})
    assert rows[0].judged.verdict == "unchanged"


@pytest.mark.slow
def test_of_many_attempts_those_that_differ_most_are_told_about():
    count = 20
    rows = [A | {"attempt": rank, "name": f"a{rank}"} for rank in range(count)]
    grown = [row | {"size": 64 + row["attempt"]} for row in rows]
    causes = plan_causes(plan(*rows, count=count), plan(*grown, count=count))
    assert [cause.where for cause in causes] == [f"a{rank}" for rank in range(19, 11, -1)]


def test_blocks_that_wrap_instead_are_alive_elsewhere():
    base = plan(A, B, C)
    causes = plan_causes(base, plan(A, B, C | {"wraps": True, "start": 3, "end": 2, "address": 96}))
    assert [(cause.where, cause.amount) for cause in causes] == [("c", 8)]


def verdict_of_peak(base_bytes, new_bytes, thresholds=None, **attempts):
    base, new = (
        plan(A | {"size": size}, capacity=1 << 20, **attempts) for size in (base_bytes, new_bytes)
    )
    found = {row.metric.name: row.judged.verdict for row in plan_rows(base, new, thresholds or {})}
    return found["peak_memory"]


@pytest.mark.slow
def test_half_a_per_cent_or_one_alignment_unit_of_bytes_is_no_change():
    assert verdict_of_peak(63_732, 63_734) == "unchanged"
    assert verdict_of_peak(63_732, 63_732 + 400) == "regressed"
    assert verdict_of_peak(1_000, 1_064, align_bytes=64) == "unchanged"
    assert verdict_of_peak(1_000, 1_065, align_bytes=64) == "regressed"


def test_a_given_threshold_takes_the_place_of_both():
    assert verdict_of_peak(63_732, 63_734, {"peak_memory": 0.0}, align_bytes=64) == "regressed"
    assert verdict_of_peak(1_000, 1_065, {"peak_memory": 0.1}) == "unchanged"
