"""Control flow as columns: boxes of instructions, edges with their ways, jumps back aside."""

import pandas as pd
import pytest

from analysis.program import flow
from analysis.program.block_loops import Loops, block_loops, same_loops
from analysis.program.flow import BOX_LINES, Code, flow_columns
from tests.support.numbers_in_text import has_numbers, numbers_in

SOURCE = "void f(float* a) {\n  for (int i = 0; i < 4; i++) {\n    *(a+i) = 1.0f;\n  }\n}"
EDGES = pd.DataFrame(
    {
        "source": [0, 1, 1, 2],
        "target": [1, 1, 2, 3],
        "kind": ["always", "taken", "not taken", "always"],
    }
)


def instructions(*texts):
    return pd.DataFrame({"pc": range(0, 4 * len(texts), 4), "text": texts})


def code(
    texts=("mov a, b", "add a, 1", "jl 0x4", "nop", "nop", "ret"),
    starts=(0, 4, 12, 20),
    edges=EDGES,
    issued=None,
):
    ends = [*starts[1:], 4 * len(texts)]
    blocks = pd.DataFrame({"block": range(len(starts)), "start": starts, "end": ends})
    return Code(instructions(*texts), blocks, edges, issued or {})


def box(columns, block):
    at = columns["names"].index(block)
    return columns["label"][at].split("\n"), columns["cards"][at], columns["pcs"][at]


def test_a_box_has_its_name_and_its_instructions():
    lines, cards, pcs = box(flow_columns(code(), Loops()), 1)
    assert lines == ["block 1", "add a, 1", "jl 0x4"]
    assert pcs == [4, 4, 8]
    assert "0x4 – 0xc" in cards[0]
    assert cards[1].split("\n") == ["add a, 1", "0x4"]


def test_equal_neighbours_are_one_line_with_their_number():
    lines, cards, _ = box(flow_columns(code(), Loops()), 2)
    assert lines[1:] == ["nop x 2"]
    assert has_numbers(cards[1], "0xc", "0x10", "2")


def test_many_of_one_operation_are_one_line_and_their_card_has_the_first():
    texts = [*(f"load r{number}" for number in range(5)), "ret"]
    columns = flow_columns(code(texts, (0,), EDGES.head(0)), Loops())
    lines, cards, _ = box(columns, 0)
    assert lines[1:] == ["load … x 5", "ret"]
    assert cards[1].split("\n")[:5] == ["load r0", "load r1", "load r2", "load r3", "…"]


def test_a_long_block_keeps_the_instruction_that_leaves_it():
    texts = [f"op{number} a" for number in range(60)] + ["ret"]
    columns = flow_columns(code(texts, (0,), EDGES.head(0)), Loops())
    lines = box(columns, 0)[0]
    assert len(lines) == BOX_LINES
    shown = BOX_LINES - 3
    assert lines[-2:] == [f"… {len(texts) - shown - 1} more lines", "ret"]


def test_edges_have_their_ways_and_a_jump_back_takes_no_layer():
    columns = flow_columns(code(), Loops())
    edges = [tuple(columns["edges"][at : at + 3]) for at in range(0, len(columns["edges"]), 4)]
    names = columns["names"]
    told = {(names[a], names[b], columns["ways"][way]) for a, b, way in edges}
    assert told == {(0, 1, ""), (1, 1, "taken"), (1, 2, "not taken"), (2, 3, "")}
    assert columns["slots"]["layers"] == [1, 1, 1, 1]
    assert columns["root"] == 0


def test_shares_of_issues_are_told_of_blocks_and_instructions():
    columns = flow_columns(code(issued={4: 3, 8: 3, 20: 2}), Loops(frozenset({1}), frozenset({1})))
    lines, cards, _ = box(columns, 1)
    assert numbers_in(lines[0]) == ["1", "75.0 %"]
    assert numbers_in(cards[1])[-3:] == ["3", "8", "37.5 %"]
    assert "issues" not in box(columns, 0)[0][0]


def test_loops_of_the_source_text_have_its_colours_and_others_are_lit():
    given = code()
    loops = block_loops(SOURCE, given.blocks, given.edges, pd.Series(dtype="int64"))
    columns = flow_columns(given, loops)
    kinds = {
        name: columns["kinds"][kind]
        for name, kind in zip(columns["names"], columns["kind"], strict=True)
    }
    assert kinds == {0: "block", 1: "loop 1", 2: "block", 3: "block"}
    columns = flow_columns(
        given, block_loops("", given.blocks, given.edges, pd.Series(dtype="int64"))
    )
    assert "innermost loop" in columns["kinds"]


def test_blocks_are_bounded(monkeypatch):
    monkeypatch.setattr(flow, "MAX_BLOCKS", 2)
    columns = flow_columns(code(), Loops())
    assert sorted(columns["names"]) == [0, 1]
    assert columns["total"] == 4
    assert columns["around"]


@pytest.mark.parametrize("text", ["", "x" * 500])
def test_any_text_fits_its_box(text):
    columns = flow_columns(code((text,), (0,), EDGES.head(0)), Loops())
    assert max(map(len, box(columns, 0)[0])) <= flow.BOX_WIDTH


def test_loops_in_loops_of_a_hostile_program_are_bounded_and_not_claimed():
    count = 1_200
    edges = [(at, at + 1, "always") for at in range(count - 1)]
    edges += [(count - 1 - at, at, "taken") for at in range(count // 2)]
    frame = pd.DataFrame(edges, columns=["source", "target", "kind"])
    given = code(["nop"] * count, tuple(range(0, 4 * count, 4)), frame)
    loops = block_loops("", given.blocks, given.edges, pd.Series(dtype="int64"))
    assert not loops.is_known
    assert not loops.innermost
    assert len(flow_columns(given, loops)["names"]) == count


def test_loops_nest_no_deeper_than_walks_over_them_go():
    blocks = pd.DataFrame({"block": range(400)})
    back = [(399 - at, at) for at in range(199)]
    edges = pd.DataFrame(
        [*((at, at + 1) for at in range(399)), *back], columns=["source", "target"]
    )
    source = "for (;;) {\n" * 180 + "}\n" * 180
    assert same_loops(source, blocks, edges).machine >= 1
