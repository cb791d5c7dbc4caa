"""Which buffers share a bank that stalls, and the moves that part them."""

from itertools import pairwise

import pytest

from analysis.aie.design import model
from analysis.aie.design.join import DesignJoin
from analysis.aie.design.memory_pairs import find_pairs
from analysis.aie.design.sentences import memory_sentence
from tests.support.design_trace import capture_of, design_of

CORE = "core 2,0"


def design(*buffers, users=()):
    """Return a design of one core with buffers (name, address, bytes); `users` names those that a
    DMA channel fills; the core uses all others.
    """
    lines = ["%t = aie.tile(0, 2)"]
    lines += [
        f'%{name} = aie.buffer(%t) {{address = {address} : i32, sym_name = "{name}"}} : memref<{size}xi8>'
        for name, address, size in buffers
    ]
    named = ", ".join(f"%{name}" for name, _, _ in buffers if name not in users)
    lines.append(f"%program = aie.core(%t) {{ func.call @f({named}) : () -> () aie.end }}")
    blocks = " ".join(
        f"^b{rank}: aie.dma_bd(%{name} : memref<1xi8>) aie.next_bd ^b{rank + 1}"
        for rank, name in enumerate(users)
    )
    end = f"^b{len(users)}: aie.end"
    lines.append(
        f"%memory = aie.mem(%t) {{ %0 = aie.dma_start(S2MM, 0, ^b0, ^e) {blocks} {end} ^e: aie.end }}"
    )
    return design_of("aie.device(npu1) { " + "\n".join(lines) + " }")


def joined(frames, stall=100, **memory):
    """Join a core that stalls; `memory` are conflicts by physical bank of its memory's unit."""
    units = {
        CORE: {"MEMORY_STALL": [(10, 10 + stall)] if stall else []},
        "mem 2,0": {f"CONFLICT_DM_BANK_{bank[1:]}": spans for bank, spans in memory.items()},
    }
    return DesignJoin(frames, *capture_of(units))


SHARED = (("a", 16384, 4096), ("b", 20480, 4096), ("c", 32768, 4096))


def pairs(frames):
    return {
        (pair.bank, pair.first, pair.second) for pair in joined(frames).memory(CORE).stalls.pairs
    }


def test_pairs_share_a_bank_and_have_a_user_each():
    assert pairs(design(*SHARED, users=("b",))) == {(1, "a", "b")}


def test_a_buffer_across_a_border_is_in_both_banks():
    frames = design(("a", 16384 - 512, 1024), ("b", 16384 + 1024, 1024), ("c", 2048, 64))
    assert pairs(frames) == {(0, "(stack)", "a"), (0, "(stack)", "c"), (0, "a", "c"), (1, "a", "b")}


def test_two_buffers_of_channels_are_no_pair_of_the_core():
    assert pairs(design(*SHARED, users=("a", "b"))) == set()


@pytest.mark.parametrize(("physical", "bank"), [("_2", 1), ("_3", 1), ("_4", 2), ("_7", 3)])
def test_two_physical_banks_are_one_of_the_compiler(physical, bank):
    stalls = joined(design(*SHARED), **{physical: [(1, 2)]}).memory(CORE).stalls
    assert stalls.evidence == "traced"
    assert stalls.conflicts == {CORE: (bank,)}
    assert [stalls.is_traced(pair) for pair in stalls.pairs] == [bank == 1]


def test_a_core_that_did_not_stall_is_told_by_the_design_alone():
    memory = joined(design(*SHARED), stall=0, _2=[(1, 2)]).memory(CORE)
    assert (memory.stalls.evidence, memory.stalls.cycles, memory.moves) == ("design", 0, ())


def test_without_traced_conflicts_no_pair_is_named_as_the_cause():
    memory = joined(design(*SHARED)).memory(CORE)
    assert memory.stalls.evidence == "design"
    assert not any(memory.stalls.is_traced(pair) for pair in memory.stalls.pairs)
    assert "does not tell" in memory_sentence(memory.stalls, memory.moves)


def moved(frames, moves):
    """Return the buffers of the core with the moves applied."""
    buffers = [dict(one) for one in model.DesignModel(frames).tile_buffers(CORE)]
    for move in moves:
        (one,) = [one for one in buffers if one["name"] == move.buffer]
        end = move.address + one["bytes"] - 1
        one |= {"address": move.address, "first_bank": move.to_bank, "last_bank": end // 16384}
    return buffers


def assert_valid(buffers):
    spans = sorted((one["address"], one["address"] + one["bytes"]) for one in buffers)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    assert spans[-1][1] <= 65536


def test_the_smallest_move_parts_a_pair():
    frames = design(("a", 16384, 4096), ("b", 20480, 1024), ("c", 32768, 4096))
    memory = joined(frames, _2=[(1, 2)]).memory(CORE)
    (move,) = memory.moves
    assert (move.buffer, move.from_bank, move.to_bank) == ("b", 1, 3)
    assert move.address % 32 == 0
    after = moved(frames, memory.moves)
    assert_valid(after)
    assert not list(find_pairs(after, CORE))


def test_the_stack_is_never_moved():
    frames = design(("a", 1024, 4096), ("b", 16384, 16384), ("c", 32768, 16384))
    memory = joined(frames, _0=[(1, 2)]).memory(CORE)
    assert [move.buffer for move in memory.moves] == ["a"]
    assert memory.moves[0].to_bank == 3


def test_a_move_that_does_not_fit_is_not_proposed():
    frames = design(
        ("a", 1024, 14000), ("b", 16384, 16384), ("c", 32768, 16384), ("d", 49152, 16000)
    )
    assert joined(frames, _0=[(1, 2)]).memory(CORE).moves == ()


def test_many_buffers_are_moved_one_by_one():
    frames = design(*[(f"b{rank}", 16384 + 1024 * rank, 1000) for rank in range(12)])
    memory = joined(frames, _2=[(1, 2)]).memory(CORE)
    after = moved(frames, memory.moves)
    assert_valid(after)
    assert len(list(find_pairs(after, CORE))) < len(memory.stalls.pairs)


def test_a_memory_of_too_many_buffers_is_refused(monkeypatch):
    monkeypatch.setattr(model, "MAX_BUFFERS", 2)
    with pytest.raises(ValueError, match="more than 2 buffers"):
        joined(design(*SHARED)).memory(CORE)


def test_the_bank_with_most_cycles_of_conflicts_comes_first():
    cycles = {"CONFLICT_DM_BANK_1": [(10, 12)], "CONFLICT_DM_BANK_6": [(30, 50)]}
    units = {CORE: {"MEMORY_STALL": [(10, 50)]}, "mem 2,0": cycles}
    frames = design(("one", 4096, 64), ("two", 4200, 64))
    stalls = DesignJoin(frames, *capture_of(units)).memory(CORE).stalls
    assert stalls.conflicts == {CORE: (3, 0)}
