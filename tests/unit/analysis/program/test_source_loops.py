"""Loops of source texts, and which of them are those of the machine code."""

import pytest

from analysis.program.loop_pairs import LoopPairs, nested_loops, pair_loops
from analysis.program.source_loops import MAX_CHARACTERS, source_loops

NEST = """void r_8(float* a) {
  for (int i = 0; i < 8; i++) {
    float acc = 0.0f; // for (a comment) {
    for (int j = 0; j < f(4); j++) {
      acc += a[j];
    }
    a[i] = acc;
  }
  while (a[0] > 1.0f) { a[0] -= 1.0f; }
}"""
LLVM = """define void @r(ptr %a) {
  br label %loop_entry_0
loop_entry_0:
  br label %loop_latch_0
loop_latch_0:
  %c = icmp ult i32 %i, 8
  br i1 %c, label %loop_body_0, label %loop_exit_0
loop_body_0:
  br label %loop_latch_0
loop_exit_0:
  ret void
}"""
PTX = """.visible .entry r() {
$loop:
  add.u32 %r1, %r1, 1;
  @%p bra $loop;
  ret;
}"""


def spans(loops):
    return [(min(loop.parts), max(loop.parts), spans(loop.inside)) for loop in loops]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (NEST, [(2, 8, [(4, 6, [])]), (9, 9, [])]),
        ("for (;;)\n  a[0] = 1;\nb;", [(1, 2, [])]),
        ("do {\n  a;\n} while (b);", [(1, 3, [])]),
        ('char* s = "for (a) {"; /* for (b) {\n */ c;', []),
        ("", []),
        ("}}} for ( {{{ (", []),
        (LLVM, [(5, 9, [])]),
        (PTX, [(2, 4, [])]),
    ],
)
def test_loops_are_found_with_their_lines(source, found):
    assert spans(source_loops(source)) == found


def test_text_that_is_too_long_has_none():
    assert source_loops("for (;;) {}" * MAX_CHARACTERS) == []


def loops(*sets):
    return nested_loops(map(frozenset, sets))


def test_loops_that_nest_alike_are_the_same():
    same = pair_loops(loops(range(2, 9), range(4, 7)), loops({1, 2, 3}, {2}))
    assert [same.find_by_line(line) for line in (1, 2, 5, 8)] == [None, 1, 2, 1]
    assert [same.of_block(block) for block in (0, 1, 2, 3)] == [None, 1, 2, 1]


def test_where_an_inner_loop_was_split_the_outer_one_is_certain():
    same = pair_loops(loops(range(2, 9), range(4, 7)), loops({1, 2, 3}, {2}, {3}))
    assert (len(same.matched), same.source, same.machine) == (1, 1, 2)


def test_as_many_loops_beside_each_other_that_nest_otherwise_are_not_paired():
    assert pair_loops(loops({1, 2}, {2}, {5}), loops({1}, {3, 4}, {4})).matched == []


def test_without_loops_nothing_is_paired():
    assert pair_loops([], loops({1})) == LoopPairs([], 0, 1)
