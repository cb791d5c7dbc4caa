"""Advice on a peak: planted late frees are found, clean plans have none, and gains are what they say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.allocators.packing import PACKERS
from analysis.allocators.placement import Question
from analysis.allocators.problem import build_problem
from analysis.allocators.strategies import STRATEGIES
from analysis.memory.least_peak import least_peak
from analysis.memory.step_order import precedence
from analysis.peak.advice import ALLOCATOR, FAILED, NO_USES, REORDER, TOO_LARGE, advise
from analysis.peak.changes import FREE, MOVE
from analysis.peak.parts import peak_parts
from analysis.peak.replay import MAX_PARTS, SETTLE, Replay
from schema.frames import empty
from tests.support.memory import amap, block, failed, uses
from tests.support.peak_maps import DEVICE, STEPS, drawn_plan

PLANTED = [*range(100, 130)]
CLEAN = [*range(200, 220)]
NO_KERNELS = empty("kernels")


def advised(shown, allowed=None):
    return advise(shown, Replay(shown), peak_parts(shown), NO_KERNELS, allowed)


def of_kind(found, kind):
    return [one for one in found.advice if one.kind == kind]


def alive_peak(blocks):
    """Return the most bytes alive, counted step by step."""
    alive = np.zeros(STEPS, dtype=int)
    for start, end, size in zip(blocks["start"], blocks["end"], blocks["size"], strict=True):
        alive[start:end] += size
    return int(alive.max())


@pytest.mark.quick_every(10)
@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("seed", PLANTED)
def test_a_planted_late_free_is_found_and_gains_what_it_says(seed, placed):
    plan = drawn_plan(seed, late=True, placed=placed)
    found = of_kind(advised(plan.shown), FREE)
    single = [one for one in found if len(one.freed) == 1]
    assert [one.freed[0].row for one in single] == [plan.planted]
    (advice,) = single
    assert (advice.freed[0].begin, advice.freed[0].end) == (plan.last_use + 1, STEPS)
    ends = plan.shown.blocks["end"].to_numpy(copy=True)
    ends[plan.planted] = plan.last_use + 1
    freed = plan.shown.blocks.assign(end=ends)
    base = Replay(plan.shown).base.peak
    assert advice.gain == base - advice.peak > 0
    if not placed:
        assert (base, advice.peak) == (alive_peak(plan.shown.blocks), alive_peak(freed))
    elif advice.strategy != SETTLE:
        problem = build_problem(replace(plan.shown, blocks=freed))
        placement = STRATEGIES[advice.strategy].allocate(problem, Question(), None)
        assert placement.extent == advice.peak


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("seed", CLEAN)
def test_a_clean_plan_has_nothing_to_free_earlier(seed, placed):
    assert not of_kind(advised(drawn_plan(seed, placed=placed).shown), FREE)


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("seed", [*PLANTED[:6], *CLEAN[:6]])
def test_advice_gains_bytes_and_is_in_order(seed):
    found = advised(drawn_plan(seed, late=seed in PLANTED).shown).advice
    gains = [one.gain for one in found]
    assert gains == sorted(gains, reverse=True)
    assert all(gain > 0 for gain in gains)


def test_frees_that_only_gain_together_are_one_piece_of_advice():
    rows = [block("x", 0, 2, 0, 40), block("first", 1, 2, 40, 100)]
    rows += [block("y", 3, 5, 0, 40), block("second", 4, 5, 40, 100)]
    used = [(0, 0, 0, "r"), (0, 1, 1, "r"), (0, 2, 3, "r"), (0, 3, 4, "r")]
    (together,) = of_kind(advised(amap(rows, uses=uses(used))), FREE)
    assert {one.row for one in together.freed} == {0, 2}
    assert (together.gain, together.peak) == (40, 100)


def test_a_free_that_another_makes_needless_is_left_out():
    # `slow` is freed late while `late` is alive: the free of `late` is enough for the lowest peak.
    rows = [block("late", 0, 9, 0, 300), block("slow", 2, 5, 300, 100), block("x", 4, 6, 400, 100)]
    rows.append(block("peak", 7, 8, 300, 250))
    used = [(0, 0, 0, "w"), (0, 0, 1, "r"), (0, 1, 2, "w"), (0, 1, 3, "r"), (0, 2, 4, "w")]
    used += [(0, 2, 5, "r"), (0, 3, 7, "w")]
    shown = replace(amap(rows, uses=uses(used), length=10), facts=DEVICE)
    (found,) = of_kind(advised(shown), FREE)
    assert [one.row for one in found.freed] == [0]
    assert (found.gain, found.peak) == (250, 300)


def test_an_idle_block_is_moved_out_over_the_peak():
    rows = [block("kept", 0, 6, 0, 64), block("small", 0, 6, 64, 32), block("big", 2, 4, 96, 200)]
    used = [(0, 0, 0, "w"), (0, 0, 5, "r"), (0, 1, 0, "w"), (0, 1, 5, "r"), (0, 2, 2, "w")]
    used += [(0, 2, 3, "r"), (0, 0, 1, "r"), (0, 1, 1, "r")]
    moves = of_kind(advised(amap(rows, uses=uses(used), length=7)), MOVE)
    assert [one.freed[0].row for one in moves] == [0, 1]
    assert (moves[0].freed[0].begin, moves[0].freed[0].end) == (2, 5)
    assert [(one.gain, one.moved) for one in moves] == [(64, 128), (32, 64)]


@pytest.mark.parametrize(
    ("given", "freed"),
    [({}, [0]), ({"end": 5}, []), ({"role": "output"}, []), ({"hold": True}, [])],
)
def test_results_and_interfaces_are_not_freed(given, freed):
    rows = [block("result", 0, 4, 0, 64) | given, block("later", 2, 4, 128, 64)]
    used = [(0, 0, 0, "w"), (0, 1, 2, "w"), (0, 1, 3, "r")]
    found = of_kind(advised(amap(rows, uses=uses(used), length=5)), FREE)
    assert [one.freed[0].row for one in found] == freed


@pytest.mark.parametrize(("end", "freed"), [(STEPS, 1), (STEPS + 1, 0)])
def test_a_buffer_that_a_recording_does_not_see_freed_is_not_advised(end, freed):
    plan = drawn_plan(7, late=True, placed=False)
    ends = plan.shown.blocks["end"].to_numpy(copy=True)
    ends[plan.planted] = end
    shown = replace(plan.shown, blocks=plan.shown.blocks.assign(end=ends))
    assert len(of_kind(advised(shown), FREE)) == freed


def test_another_allocator_gains_what_the_lab_places():
    rows = [block("a", 0, 2, 0, 64), block("b", 1, 3, 128, 64), block("c", 2, 4, 256, 64)]
    (advice,) = of_kind(advised(amap(rows)), ALLOCATOR)
    assert (advice.gain, advice.peak, advice.strategy) == (192, 128, "best_fit")
    assert advice.strategy in PACKERS


def test_another_order_gains_what_the_reordered_plan_needs():
    rows = [block("a", 0, 4, 0, 100), block("b", 1, 4, 100, 100), block("c", 2, 3, 200, 10)]
    rows += [block("d", 3, 4, 210, 10)]
    used = [(0, 0, 0, "w"), (0, 1, 1, "w"), (0, 0, 2, "r"), (0, 2, 2, "w"), (0, 1, 3, "r")]
    used += [(0, 3, 3, "w")]
    shown = amap(
        [rows[0] | {"end": 3}, rows[1], rows[2] | {"end": 4}, rows[3]], uses=uses(used), length=4
    )
    allowed = precedence(shown.blocks, shown.uses, 4)
    (advice,) = of_kind(advised(shown, allowed), REORDER)
    assert advice.order == least_peak(shown, allowed)
    assert advice.gain == 210 - advice.peak == 100


def test_a_file_without_uses_says_so():
    assert NO_USES in advised(amap([block("a", 0, 1, 0, 64)])).lacking


def test_a_map_with_failed_blocks_has_no_advice():
    found = advised(amap([block("a", 0, 2, 0, 64), failed("b", 0, 2)]))
    assert found.advice == ()
    assert FAILED in found.lacking


def test_a_map_with_too_many_lifetimes_is_not_placed_again():
    rows = [block(f"t{at}", at, at + 1, 0, 64) for at in range(MAX_PARTS + 1)]
    found = advised(amap(rows))
    assert (found.advice, found.lacking) == ((), (TOO_LARGE,))


@pytest.mark.slow
def test_buffers_of_a_device_are_counted_however_many_there_are():
    count = 100_000
    start = np.arange(count) * 10
    blocks = pd.DataFrame({"start": start, "end": start + 25, "size": 64 + start % 7})
    shown = drawn_plan(1, late=True, placed=False).shown
    rows = shown.blocks.iloc[np.zeros(count, dtype=int)].reset_index(drop=True)
    rows = rows.assign(block=np.arange(count), **blocks)
    last = pd.DataFrame({"block": np.arange(count), "kernel": start, "start": start + 5})
    used = uses([(0, 0, 0, "r")]).iloc[np.zeros(count, dtype=int)].reset_index(drop=True)
    used = used.assign(**last)
    attempt = dict(shown.attempt) | {"steps": count * 10 + 25}
    large = replace(shown, attempt=attempt, blocks=rows, uses=used)
    found = of_kind(advised(large), FREE)
    assert found
    assert found[0].peak == int(blocks["size"].max())
