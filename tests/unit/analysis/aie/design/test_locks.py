"""Which lock a core waits for, who is late, and what the trace does not tell."""

import pytest

from analysis.aie.design.join import DesignJoin
from analysis.aie.design.sentences import lock_sentence
from samples.aie_design import design_lines
from tests.support.design_trace import capture_of, design_of

DESIGN = design_of("\n".join(design_lines()))
FIRST, SECOND = "core 2,0", "core 3,0"
ACQUIRE, RELEASE = "INSTR_LOCK_ACQUIRE_REQ", "INSTR_LOCK_RELEASE_REQ"


def core_trace(rounds, wait_at, wait, kernel=100):
    """Simulate a core of the sample: acquire input and output, run, release both, again and again.

    It waits `wait` cycles at its acquire `wait_at` of each round, one cycle at any other request.
    The trace begins within the first acquire, as those of hardware do.
    """
    events = {
        name: [] for name in (ACQUIRE, RELEASE, "LOCK_STALL", "INSTR_EVENT_0", "INSTR_EVENT_1")
    }
    now = 5
    for turn in range(rounds):
        for rank in range(4):
            if rank == 2:
                events["INSTR_EVENT_0"].append((now, now + 1))
                events["INSTR_EVENT_1"].append((now + kernel, now + kernel + 1))
                now += kernel + 4
            if turn or rank:
                name = ACQUIRE if rank < 2 else RELEASE
                events[name].append((now, now + 1))
                now += 3
            stall = wait if rank == wait_at else 1
            events["LOCK_STALL"].append((now, now + stall))
            now += stall + 10
    return events


def join(**units):
    named = {name.replace("_", " ", 1).replace("_", ","): trace for name, trace in units.items()}
    return DesignJoin(DESIGN, *capture_of(named))


def waits(joined):
    return {wait.request.lock: wait.cycles for wait in joined.by_lock}


def test_requests_in_the_order_of_the_program_tell_the_locks_apart():
    locks = join(core_2_0=core_trace(4, 1, 500)).locks(FIRST)
    assert locks.waits.evidence == "order"
    assert waits(locks) == {"in_cons_cons_lock": 4, "mid_prod_lock": 2000}
    assert locks.waits.release_cycles == 8
    assert locks.waits.unknown_cycles == 0
    assert locks.by_lock[0].released_by == ("core 2,0 MM2S 0",)
    assert [port.tile for port in locks.by_lock[0].feeds] == [SECOND]


def test_the_stall_before_the_first_request_touches_the_edge():
    locks = join(core_2_0=core_trace(1, 0, 900)).locks(FIRST)
    assert waits(locks) == {"in_cons_cons_lock": 900, "mid_prod_lock": 1}
    assert locks.blame.request is None or locks.blame.request.lock == "mid_prod_lock"


def test_a_far_core_in_its_kernels_is_late():
    late = core_trace(5, 1, 1, kernel=600)
    blame = join(core_2_0=core_trace(5, 1, 500), core_3_0=late).locks(FIRST).blame
    assert (blame.culprit.tile, blame.culprit.what) == (SECOND, "kernels")
    assert blame.request.lock == "mid_prod_lock"


def test_a_far_core_that_waits_itself_passes_the_blame_on():
    waiting = core_trace(5, 1, 500, kernel=10)
    joined = join(core_2_0=core_trace(5, 1, 500, kernel=10), core_3_0=waiting)
    blame = joined.locks(FIRST).blame
    assert (blame.culprit.tile, blame.culprit.what) == ("shim 0,0", "transfer")
    assert blame.culprit.chain == (SECOND,)


def test_a_shim_is_late_by_its_transfer():
    blame = join(core_2_0=core_trace(5, 0, 500)).locks(FIRST).blame
    assert (blame.culprit.tile, blame.culprit.what) == ("shim 0,0", "transfer")
    assert blame.request.lock == "in_cons_cons_lock"


def test_a_far_core_that_was_not_traced_is_no_culprit():
    locks = join(core_2_0=core_trace(5, 1, 500)).locks(FIRST)
    assert locks.blame.culprit is None
    assert SECOND in lock_sentence(locks.waits, locks.blame)


def test_requests_that_do_not_fit_the_program_are_no_evidence():
    trace = core_trace(4, 0, 500)
    trace[RELEASE] = trace[RELEASE][1:]
    locks = join(core_2_0=trace).locks(FIRST)
    assert locks.waits.evidence == "design"
    assert locks.waits.unknown_cycles == locks.waits.cycles > 0
    assert locks.by_lock == ()
    assert locks.blame.culprit is None
    assert {one.lock for one in locks.candidates} == {"in_cons_cons_lock", "mid_prod_lock"}


def without_requests(trace):
    return {name: spans for name, spans in trace.items() if name not in (ACQUIRE, RELEASE)}


@pytest.mark.parametrize(
    ("distance", "evidence"), [(0, "release"), (30, "release"), (31, "design")]
)
def test_a_release_near_the_end_of_a_stall_names_its_lock(distance, evidence):
    trace = without_requests(core_trace(5, 0, 500))
    ends = [end for begin, end in trace["LOCK_STALL"] if end - begin > 1]
    finished = [(end - distance, end - distance + 1) for end in ends]
    locks = join(core_2_0=trace, mem_2_0={"DMA_S2MM_0_FINISHED_BD": finished}).locks(FIRST)
    assert locks.waits.evidence == evidence
    assert waits(locks) == ({"in_cons_cons_lock": 2500} if evidence == "release" else {})


def test_two_locks_released_equally_near_leave_a_stall_unknown():
    trace = without_requests(core_trace(5, 0, 500))
    ends = [end for begin, end in trace["LOCK_STALL"] if end - begin > 1]
    memory = {
        "DMA_S2MM_0_FINISHED_BD": [(end, end + 1) for end in ends],
        "DMA_MM2S_0_FINISHED_BD": [(ends[0], ends[0] + 1)],
    }
    locks = join(core_2_0=trace, mem_2_0=memory).locks(FIRST)
    assert waits(locks) == {"in_cons_cons_lock": 2000}
    assert locks.waits.unknown_cycles == locks.waits.cycles - 2000


def test_without_the_event_nothing_is_known():
    locks = join(core_2_0={"INSTR_EVENT_0": [(1, 2)]}).locks(FIRST)
    assert (locks.waits.cycles, locks.waits.evidence, locks.by_lock) == (None, "none", ())


def test_a_traced_event_that_never_occurred_is_no_wait():
    locks = join(core_2_0={"LOCK_STALL": []}).locks(FIRST)
    assert (locks.waits.cycles, locks.waits.evidence) == (0, "design")


FIFO = """aie.device(npu1) { %s = aie.tile(0, 0) %t = aie.tile(0, 2)
  aie.objectfifo @in(%s, {%t}, 2 : i32) : !aie.objectfifo<memref<4xi8>>
  aie.core(%t) { cf.br ^a ^a: %0 = aie.objectfifo.acquire @in(Consume, 1)
    aie.objectfifo.release @in(Consume, 1) cf.br ^a } }"""


def test_the_name_of_a_fifo_stands_for_its_lock():
    requests = [10 + 300 * turn for turn in range(4)]
    trace = {
        ACQUIRE: [(at, at + 1) for at in requests],
        RELEASE: [(at + 250, at + 251) for at in requests],
        "LOCK_STALL": [(at + 3, at + 203) for at in requests],
    }
    joined = DesignJoin(design_of(FIFO), *capture_of({FIRST: trace}))
    locks = joined.locks(FIRST)
    assert waits(locks) == {"in": 800}
    assert locks.by_lock[0].released_by == ("shim 0,0",)
    assert (locks.blame.culprit.tile, locks.blame.culprit.what) == ("shim 0,0", "transfer")
