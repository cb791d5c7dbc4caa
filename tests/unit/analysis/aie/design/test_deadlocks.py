"""Locks that no core or channel can release first, and cores that wait for them at the end."""

import pytest

from analysis.aie.design.deadlocks import Deadlocks
from analysis.aie.design.join import DesignJoin
from analysis.aie.design.model import DesignModel
from samples.aie_design import design_lines
from tests.support.design_trace import capture_of, design_of

SAMPLE = "\n".join(design_lines())
FIRST, SECOND = "core 2,0", "core 3,0"


def with_init(lock, init, text=SAMPLE):
    begin = text.index(f"%{lock} = aie.lock")
    end = text.index("\n", begin)
    line = text[begin:end]
    return text.replace(line, line.replace("init = 2", f"init = {init}"))


def cycle(text, tile, lock):
    frames = design_of(text)
    return Deadlocks(frames, DesignModel(frames).programs).cycle((tile, lock))


@pytest.mark.parametrize("lock", ["in_cons_cons_lock", "in_cons_prod_lock", "mid_cons_lock"])
def test_each_lock_of_a_working_design_can_be_granted(lock):
    assert cycle(SAMPLE, FIRST, lock) == []


def test_a_free_lock_that_begins_at_0_waits_for_its_own_release():
    text = with_init("mid_prod_lock", 0)
    found = cycle(text, FIRST, "mid_prod_lock")
    assert sorted(found) == [(FIRST, "mid_cons_lock"), (FIRST, "mid_prod_lock")]
    assert cycle(text, FIRST, "in_cons_cons_lock") == []


def test_a_core_behind_the_deadlock_waits_for_the_locks_at_its_begin():
    text = with_init("mid_prod_lock", 0)
    found = cycle(text, SECOND, "mid_cons_cons_lock")
    assert sorted(found) == [(FIRST, "mid_cons_lock"), (FIRST, "mid_prod_lock")]


def test_a_release_that_depends_on_data_may_come_first():
    text = with_init("mid_prod_lock", 0).replace(
        "      scf.for %i = %c0 to %last step %c2 {", "      scf.if %unknown {"
    )
    assert cycle(text, FIRST, "mid_prod_lock") == []


@pytest.mark.parametrize(("closed", "count"), [(False, 2), (True, 0)])
def test_only_a_core_that_waits_to_the_end_is_stuck(closed, count):
    events = {
        "INSTR_LOCK_ACQUIRE_REQ": [(10, 11), (20, 21)],
        "INSTR_LOCK_RELEASE_REQ": [],
        "LOCK_STALL": [(12, 13), (22, 900, closed)],
    }
    join = DesignJoin(design_of(with_init("mid_prod_lock", 0)), *capture_of({FIRST: events}))
    joined = join.locks(FIRST)
    assert len(joined.stuck) == count
    assert ("initial value 0" in join.lock_sentence(joined)) is not closed
