"""Source text beside machine code: loops and heat."""

import pandas as pd
import pytest

from analysis.program.loop_pairs import LoopPairs
from components.kernels.source_text import source_text
from components.program.code_pair import code_pair, loops_words
from components.program.disassembly import Loops, disassembly
from tests.support.components import every, words

SOURCE = "void f() {\n  for (;;) {\n    a = 1;\n  }\n}"
BLOCKS = pd.DataFrame({"block": [0, 1], "start": [0, 4], "end": [4, 12]})
CODE = pd.DataFrame(
    {
        "pc": [0, 4, 8],
        "text": ["nop", "add", "jmp"],
        "target": pd.array([None, None, 4], dtype="Int64"),
        "symbol": "",
    }
)


def marked(component, name):
    return [
        words(span)
        for span in every(component, "Span")
        if f"ts-{name}" in (span.className or "").split()
    ]


def test_the_lines_of_a_loop_are_marked_and_the_text_is_whole():
    made = source_text(SOURCE, "CPU", None, lambda line: 1 if 2 <= line <= 4 else None)
    (code,) = every(made, "Code")
    assert words(code) == SOURCE
    assert marked(code, "loop-1") == ["  for (;;) {\n    a = 1;\n  }\n"]


def test_blocks_have_the_number_of_their_loop_and_lines_their_share_of_issues():
    made = disassembly(CODE, BLOCKS, Loops(frozenset({1}), frozenset(), {1: 2}), {4: 3, 8: 1})
    (block,) = marked(made, "loop-2")
    assert "loop 2" in block
    assert [text.split()[0] for text in marked(made, "heat")] == ["75.0", "25.0"]


def test_without_traces_no_line_has_heat():
    assert marked(disassembly(CODE, BLOCKS, Loops()), "heat") == []


def test_both_sides_are_beside_each_other():
    assert (
        len(code_pair(source_text(SOURCE, "CPU"), disassembly(CODE, BLOCKS, Loops())).children) == 2
    )


@pytest.mark.parametrize(
    ("matched", "source", "machine"), [(0, 0, 0), (1, 1, 1), (0, 1, 0), (1, 1, 3), (2, 2, 2)]
)
def test_what_is_matched_is_said(matched, source, machine):
    pair = frozenset({1}), frozenset({1})
    said = loops_words(LoopPairs([pair] * matched, source, machine))
    assert bool(said) == bool(source or machine)
    assert ("unrolled" in said) == (source != machine)
