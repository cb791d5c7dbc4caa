"""Basic blocks of instructions, whatever they are."""

from hypothesis import given
from hypothesis import strategies as st

from data_loaders.tinygrad.machine.blocks import BasicBlock, Edge, basic_blocks
from data_loaders.tinygrad.machine.instruction import BRANCH, END, JUMP, NEXT, Instruction


def program(*rows):
    """Return instructions of four bytes from (flow, target), one after the other."""
    return [
        Instruction(4 * place, 4, "op", flow, target) for place, (flow, target) in enumerate(rows)
    ]


def test_no_instructions_are_no_blocks():
    assert basic_blocks([]) == ([], [])


def test_a_program_without_jumps_is_one_block():
    instructions = program((NEXT, None), (NEXT, None), (END, None))
    assert basic_blocks(instructions) == ([BasicBlock(0, 12)], [])


def test_a_loop_is_a_block_that_leads_to_itself():
    blocks, edges = basic_blocks(program((NEXT, None), (NEXT, None), (BRANCH, 4), (END, None)))
    assert blocks == [BasicBlock(0, 4), BasicBlock(4, 12), BasicBlock(12, 16)]
    assert edges == [Edge(0, 1, "always"), Edge(1, 1, "taken"), Edge(1, 2, "not taken")]


def test_a_jump_leads_to_its_target_alone():
    blocks, edges = basic_blocks(program((JUMP, 8), (NEXT, None), (END, None)))
    assert [block.start for block in blocks] == [0, 4, 8]
    assert edges == [Edge(0, 2, "always"), Edge(1, 2, "always")]


def test_jumps_to_unknown_places_lead_nowhere():
    blocks, edges = basic_blocks(program((BRANCH, 2), (JUMP, None), (BRANCH, 400)))
    assert len(blocks) == 3
    assert edges == [Edge(0, 1, "not taken")]


def test_what_follows_an_end_is_a_block_of_its_own_and_padding_is_not():
    padding = Instruction(4, 4, "pad", padding=True)
    assert [block.start for block in basic_blocks(program((END, None), (NEXT, None)))[0]] == [0, 4]
    assert basic_blocks([*program((END, None)), padding]) == ([BasicBlock(0, 8)], [])


def test_a_gap_parts_blocks():
    one, two = program((NEXT, None), (END, None))
    instructions = [one, two._replace(pc=100)]
    assert basic_blocks(instructions) == ([BasicBlock(0, 4), BasicBlock(100, 104)], [])


@st.composite
def any_program(draw):
    found, at = [], 0
    for _ in range(draw(st.integers(0, 30))):
        at += draw(st.sampled_from([0, 0, 0, 3]))
        size = draw(st.integers(1, 8))
        flow, target = (
            draw(st.sampled_from([NEXT, NEXT, JUMP, BRANCH, END])),
            draw(st.integers(-5, 120)),
        )
        found.append(Instruction(at, size, "op", flow, target, padding=draw(st.booleans())))
        at += size
    return found


@given(any_program())
def test_blocks_hold_every_instruction_once_and_edges_lead_to_blocks(instructions):
    blocks, edges = basic_blocks(instructions)
    for found in instructions:
        assert sum(block.start <= found.pc < block.end for block in blocks) == 1
    starts = {found.pc for found in instructions}
    assert {block.start for block in blocks} <= starts
    assert all(0 <= edge.source < len(blocks) and 0 <= edge.target < len(blocks) for edge in edges)
    assert all(sum(edge.source == place for edge in edges) <= 2 for place in range(len(blocks)))
