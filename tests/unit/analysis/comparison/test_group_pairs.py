"""Logs at other layer groups say nothing about each other."""

from analysis.comparison.group_pairs import unpaired_reason
from analysis.comparison.plan import Plan
from analysis.comparison.plans import attempt_pairs, plan_rows
from analysis.memory.headline import memory_headline
from tests.support.memory import block, numbered


def plan(*names, size=64, **attempts):
    rows = [block(name, 0, 2, address=1000 * rank, size=size) for rank, name in enumerate(names)]
    made, allocations = numbered(rows, 1, **({"capacity": 8192} | attempts))
    return Plan("0" * 12, memory_headline(made), made, allocations)


def test_groups_without_a_tensor_in_common_are_incomparable_and_the_reason_names_both():
    base, new = plan("conv1", "conv2"), plan("fc1", "fc2", size=32)
    reason = unpaired_reason(base, new)
    assert "conv1" in reason
    assert "fc1" in reason
    assert attempt_pairs(base, new) == []
    rows = plan_rows(base, new, {})
    assert {row.judged.verdict for row in rows} == {"incomparable"}
    assert all(row.judged.reason == reason for row in rows)


def test_groups_with_most_tensors_in_common_are_one():
    assert unpaired_reason(plan("a", "b", "c"), plan("a", "b", "d")) == ""
    assert unpaired_reason(plan("a", "b", "c"), plan("a", "x", "y"))


def test_levels_and_problems_belong_together_by_other_means():
    assert unpaired_reason(plan("a", level="L1"), plan("b", level="L1")) == ""
    assert unpaired_reason(plan("a", outcome="solved"), plan("b", outcome="solved")) == ""
