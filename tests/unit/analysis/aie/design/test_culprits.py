"""Which tile a wait comes from: holders that starve, cascades, and waits that accuse no tile."""

import pytest

from analysis.aie.design.join import DesignJoin
from tests.support.design_trace import capture_of, design_of

A, B, C = "core 2,0", "core 3,0", "core 4,0"
ACQUIRE, RELEASE = "INSTR_LOCK_ACQUIRE_REQ", "INSTR_LOCK_RELEASE_REQ"
MUTEX = """
aie.device(npu1_1col) {
  %s = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %buf = aie.buffer(%a) {address = 4096 : i32, sym_name = "in0"} : memref<64xi32>
  %m = aie.lock(%a, 0) {init = 1 : i32, sym_name = "mutex"}
  %free = aie.lock(%a, 1) {init = 1 : i32, sym_name = "free"}
  %full = aie.lock(%a, 2) {init = 0 : i32, sym_name = "full"}
  aie.flow(%s, DMA : 0, %a, DMA : 0)
  aie.core(%a) {
    %z = arith.constant 0 : index
    %o = arith.constant 1 : index
    %n = arith.constant 99 : index
    scf.for %i = %z to %n step %o {
      aie.use_lock(%m, AcquireGreaterEqual, 1)
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.use_lock(%free, Release, 1)
      aie.use_lock(%m, Release, 1)
    }
    aie.end
  }
  aie.core(%b) {
    %z = arith.constant 0 : index
    %o = arith.constant 1 : index
    %n = arith.constant 99 : index
    scf.for %i = %z to %n step %o {
      aie.use_lock(%m, AcquireGreaterEqual, 1)
      aie.use_lock(%m, Release, 1)
    }
    aie.end
  }
  aie.mem(%a) {
    %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
  ^bb1:
    aie.use_lock(%free, AcquireGreaterEqual, 1)
    aie.dma_bd(%buf : memref<64xi32>, 0, 64)
    aie.use_lock(%full, Release, 1)
    aie.next_bd ^bb1
  ^bb2:
    aie.end
  }
}
"""
CASCADE = """
aie.device(npu1_1col) {
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  %c = aie.tile(0, 4)
  %l = aie.lock(%a, 0) {init = 0 : i32, sym_name = "ready"}
  aie.cascade_flow(%c, %b)
  aie.core(%a) {
    aie.use_lock(%l, AcquireGreaterEqual, 1)
    aie.use_lock(%l, AcquireGreaterEqual, 1)
    aie.end
  }
  aie.core(%b) {
    aie.use_lock(%l, Release, 1)
    aie.use_lock(%l, Release, 1)
    aie.end
  }
  aie.core(%c) {
    aie.end
  }
}
"""


def rounds(letters, length, wait_at, wait, count=4):
    """Return the events of a core: per round a request per letter, `length` cycles in all.

    The request of rank `wait_at` stalls for `wait` cycles, any other request for a cycle.
    """
    events = {name: [] for name in (ACQUIRE, RELEASE, "LOCK_STALL")}
    for turn in range(count):
        now = 10 + turn * length
        for rank, letter in enumerate(letters):
            events[ACQUIRE if letter == "A" else RELEASE].append((now, now + 1))
            stall = wait if rank == wait_at else 1
            events["LOCK_STALL"].append((now + 2, now + 2 + stall))
            now += stall + 10
    return events


def culprit_of(design, units, core):
    return DesignJoin(design_of(design), *capture_of(units)).locks(core).blame


def test_a_core_does_not_wait_for_its_own_release_and_a_starved_holder_is_not_late():
    units = {A: rounds("AARR", 1000, 1, 900), B: rounds("AR", 1000, 0, 930)}
    blame = culprit_of(MUTEX, units, B)
    assert blame.request.lock == "mutex"
    assert (blame.culprit.tile, blame.culprit.what) == ("shim 0,0", "transfer")
    assert blame.culprit.chain == (A,)


def cascade_units(cascade, busy):
    waits = rounds("AA", 1000, 0, 450, count=1)
    waits |= {"LOCK_STALL": [(12, 462), (480, 930)], ACQUIRE: [(10, 11), (478, 479)]}
    kernel = {"INSTR_EVENT_0": [(5, 6)], "INSTR_EVENT_1": [(990, 991)]}
    return {
        A: waits,
        B: {**kernel, "CASCADE_STALL": cascade},
        C: kernel if busy else {"LOCK_STALL": [(5, 990)]},
    }


@pytest.mark.parametrize(
    ("cascade", "late", "chain"), [([(10, 950)], C, (B,)), ([], B, ()), ([(10, 100)], B, ())]
)
def test_a_core_that_waits_for_the_cascade_in_a_kernel_is_not_late(cascade, late, chain):
    blame = culprit_of(CASCADE, cascade_units(cascade, busy=True), A)
    assert (blame.culprit.tile, blame.culprit.what) == (late, "kernels")
    assert blame.culprit.chain == chain


def test_short_waits_accuse_no_tile():
    units = {A: rounds("AARR", 1000, 1, 20), B: rounds("AR", 1000, 0, 1)}
    blame = culprit_of(MUTEX, units, A)
    assert blame.culprit is None
    assert 0 < blame.time_share < 0.05


@pytest.mark.parametrize(("kernel", "accused"), [(5, True), (930, False)])
def test_a_wait_before_the_first_kernel_accuses_no_tile(kernel, accused):
    units = {A: rounds("AARR", 1000, 1, 900, count=1)}
    units[A] |= {"INSTR_EVENT_0": [(kernel, kernel + 1)], "INSTR_EVENT_1": [(960, 961)]}
    assert (culprit_of(MUTEX, units, A).culprit is not None) is accused


def test_a_lock_with_a_single_buffer_has_depth_1_in_the_sentence():
    units = {A: rounds("AARR", 1000, 1, 900)}
    join = DesignJoin(design_of(MUTEX), *capture_of(units))
    joined = join.locks(A)
    assert joined.depth == 1
    assert "depth 1" in join.lock_sentence(joined)
    two = MUTEX.replace(
        "    aie.next_bd ^bb1\n  ^bb2:",
        "    aie.next_bd ^bb3\n  ^bb3:\n    aie.use_lock(%free, AcquireGreaterEqual, 1)\n"
        "    aie.dma_bd(%other : memref<64xi32>, 0, 64)\n    aie.use_lock(%full, Release, 1)\n"
        "    aie.next_bd ^bb1\n  ^bb2:",
    ).replace(
        "  %m =",
        '  %other = aie.buffer(%a) {address = 8192 : i32, sym_name = "in1"} : memref<64xi32>\n  %m =',
    )
    join = DesignJoin(design_of(two), *capture_of(units))
    assert join.locks(A).depth == 2
    assert "depth" not in join.lock_sentence(join.locks(A))
