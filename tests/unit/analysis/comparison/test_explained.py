"""The row that a comparison explains, and the parts of its change."""

import pytest

from analysis.comparison.explained import causes_of, explained_row
from analysis.comparison.outcome import deciding, outcome
from analysis.comparison.plan import Plan
from analysis.comparison.plan_causes import plan_causes
from analysis.comparison.plans import changed_blocks, plan_rows
from analysis.memory.headline import memory_headline
from tests.support.memory import block, numbered


def plan(*rows, static=(0, 0)):
    levels = {"level": ["L1", "L3"], "capacity": [256, 1 << 20], "static_bytes": [*static]}
    attempts, allocations = numbered(rows, 2, **levels)
    return Plan("0" * 12, memory_headline(attempts), attempts, allocations)


def blocks(*, grown=0, hole=0, size_of_l1=64, end=4):
    """Blocks of two levels; in L3 `b` is placed above a hole of unused bytes."""
    return (
        block("in", 0, 2, address=0, size=size_of_l1),
        block("a", 0, end, address=0, size=1000, attempt=1),
        block("b", 0, 3, address=1000 + hole, size=500 + grown, attempt=1),
    )


BASE = blocks()
CHANGED = {
    "a block of the outer level": (plan(*BASE), plan(*blocks(grown=300))),
    "an unused hole": (plan(*BASE), plan(*blocks(hole=640))),
    "a block and a hole": (plan(*BASE), plan(*blocks(hole=8000, grown=2))),
    "both levels": (plan(*BASE), plan(*blocks(grown=300, size_of_l1=80))),
    "both levels and constants": (
        plan(*BASE, static=(8, 0)),
        plan(*blocks(grown=30, size_of_l1=200), static=(32, 0)),
    ),
    "constants": (plan(*BASE, static=(8, 0)), plan(*BASE, static=(64, 0))),
    "a hole and a block that ends sooner": (plan(*BASE), plan(*blocks(hole=64, end=1))),
}


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("order", [1, -1], ids=["forth", "back"])
def test_the_parts_of_every_changed_number_sum_to_its_change(name, order):
    base, new = CHANGED[name][::order]
    rows = plan_rows(base, new, {})
    causes = plan_causes(base, new)
    changed = [row for row in rows if row.gates and row.delta]
    assert changed
    for row in changed:
        assert sum(cause.amount for cause in causes_of(row, causes)) == row.delta


@pytest.mark.parametrize("name", CHANGED)
def test_the_explained_row_is_the_row_that_decides(name):
    base, new = CHANGED[name]
    rows = plan_rows(base, new, {})
    verdict, _ = outcome(rows)
    causes = plan_causes(base, new)
    row = explained_row(rows, causes, verdict)
    assert row == deciding(rows, verdict)
    if row.key:
        assert {cause.key for cause in causes_of(row, causes)} == {row.key}


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", CHANGED)
def test_the_word_of_a_block_has_the_sign_of_its_amount(name):
    for base, new in (CHANGED[name], CHANGED[name][::-1]):
        for cause in plan_causes(base, new):
            assert (cause.what, cause.amount > 0) not in [("grown", False), ("shrunk", True)]


def test_without_causes_no_row_is_explained():
    base, new = CHANGED["a block of the outer level"]
    assert explained_row(plan_rows(base, new, {}), [], "regressed") is None


def test_blocks_that_a_side_does_not_list_are_not_gone():
    base = plan(*BASE)
    unlisted = Plan(base.run_id, base.headline, base.attempts, base.allocations.head(0))
    assert not len(changed_blocks(base, unlisted))
    new = Plan(**vars(plan(*blocks(grown=300))) | {"allocations": base.allocations.head(0)})
    assert plan_causes(base, new) == []
