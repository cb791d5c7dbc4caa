"""The lab's check of proposed moves: planted mistakes are refused."""

import pytest

from analysis.aie.design import join as joins
from analysis.aie.design.join import DesignJoin
from analysis.aie.design.move_check import check_moves
from analysis.aie.design.moves import Move
from samples.aie_design import design_lines
from services.run.design_stalls import stalls_mapping
from tests.support.design_trace import capture_of, design_of

CORE = "core 2,0"
TRACE = {CORE: {"MEMORY_STALL": [(10, 40)]}, "mem 2,0": {"CONFLICT_DM_BANK_1": [(10, 40)]}}


@pytest.fixture(scope="module")
def design():
    return design_of("\n".join(design_lines()))


@pytest.fixture
def join(design):
    return DesignJoin(design, *capture_of(TRACE))


def check(join, *moves, banks=(0,)):
    proposed = [Move(name, CORE, 0, address // 16384, address) for name, address in moves]
    buffers = join.model.tile_buffers(CORE)
    return check_moves(CORE, join.model.tile_map(CORE), buffers, proposed, banks)


def test_the_proposed_moves_part_the_pairs(join):
    joined = join.memory(CORE)
    assert joined.moves
    (checked,) = joined.checks
    traced = {
        (pair.first, pair.second) for pair in joined.stalls.pairs if joined.stalls.is_traced(pair)
    }
    assert (checked.before, checked.after, checked.is_accepted) == (len(traced), 0, True)


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (("in_cons_buff_1", 16384), "overlap"),
        (("in_cons_buff_1", 49153), "32"),
        (("in_cons_buff_1", 65536), "end of the memory"),
        (("in_cons_buff_1", 62464), "end of the memory"),
    ],
)
def test_a_move_that_cannot_be_made_has_a_reason(join, move, words):
    refused = check(join, move)
    assert words in refused.reason
    assert not refused.is_accepted
    assert refused.after == refused.before == 3


def test_a_move_that_parts_nothing_is_refused(join):
    moved = check(join, ("in_cons_buff_1", 9216))
    assert moved.reason == ""
    assert (moved.before, moved.after, moved.is_accepted) == (3, 3, False)


def test_a_part_of_the_pairs_may_be_left(join):
    moved = check(join, ("in_cons_buff_1", 49152))
    assert (moved.before, moved.after, moved.is_accepted) == (3, 1, True)


def test_other_blocks_may_lie_anywhere(design):
    text = "\n".join(design_lines()).replace("address = 16384", "address = 16388")
    join = DesignJoin(design_of(text), *capture_of(TRACE))
    assert join.memory(CORE).checks[0].is_accepted


def test_moves_that_the_lab_refuses_are_not_proposed(design, monkeypatch):
    wrong = [Move("in_cons_buff_1", CORE, 0, 1, 16384)]
    monkeypatch.setattr(joins, "find_moves", lambda *_: wrong)
    tracks, events = capture_of(TRACE)
    stored = {"tracks": tracks, "events": events}
    (stall,) = stalls_mapping(design, stored)["memory_stalls"]
    assert stall["moves"] == []
    assert stall["moves_check"][0]["accepted"] is False
    assert "overlap" in stall["moves_check"][0]["reason"]
    assert "in_cons_buff_1 to bank" not in stall["sentence"]
