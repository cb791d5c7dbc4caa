"""The order in which a core's program requests its locks."""

import random

import pytest

from analysis.aie.design import program
from analysis.aie.design.program import follow
from data_loaders.aie_design.reader import read_design_text
from samples.aie_design import design_lines
from tests.support.design_trace import design_of

HEAD = """aie.device(npu1) {{
  %t = aie.tile(0, 2)
  %a = aie.lock(%t, 0) {{sym_name = "a"}}
  %b = aie.lock(%t, 1) {{sym_name = "b"}}
  %core = aie.core(%t) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    {body}
    aie.end
  }}
}}"""
TAKE_A = "aie.use_lock(%a, AcquireGreaterEqual, 1)"
GIVE_B = "aie.use_lock(%b, Release, 1)"
LOOP = "scf.for %i = %c0 to %c2 step %c1 {{ {0} }}"


def requests(body, count=50):
    frame = design_of(HEAD.format(body=body))["design_programs"]
    if frame.empty:
        return ""
    found = follow(frame, count)
    return "".join(one.lock.upper() if one.is_acquire else one.lock for one in found)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (TAKE_A + GIVE_B, "Ab"),
        (LOOP.format(TAKE_A + GIVE_B), "AbAb"),
        (LOOP.format(TAKE_A + LOOP.format(GIVE_B).replace("%i", "%j")) + TAKE_A, "AbbAbbA"),
        (f"affine.for %i = 0 to 3 {{ {TAKE_A} }}", "AAA"),
        (f"scf.if %x {{ func.call @f() }} {TAKE_A}", "A"),
        (f"{TAKE_A} scf.if %x {{ {GIVE_B} }} {TAKE_A}", "A"),
        (f"{TAKE_A} scf.for %i = %c0 to %n step %c1 {{ {GIVE_B} }}", "A"),
        (f"scf.execute_region {{ {TAKE_A} }} {GIVE_B}", "Ab"),
        ("func.call @f()", ""),
    ],
)
def test_structured_loops_are_followed_by_their_constants(body, expected):
    assert requests(body) == expected


def test_branches_between_blocks_are_followed_by_their_constants():
    body = f"""
        cf.br ^head(%c0 : index)
      ^head(%0: index):
        %1 = arith.cmpi slt, %0, %c2 : index
        cf.cond_br %1, ^body, ^end
      ^body:
        {TAKE_A} {GIVE_B}
        %2 = arith.addi %0, %c1 : index
        cf.br ^head(%2 : index)
      ^end:
        {TAKE_A}
    """
    assert requests(body) == "AbAbA"


def test_a_program_without_end_gives_as_many_requests_as_are_wanted():
    loop = f"cf.br ^a ^a: {TAKE_A} {GIVE_B} cf.br ^a"
    assert requests(loop, 5) == "AbAbA"


def test_a_loop_without_requests_ends_at_the_limit_of_steps(monkeypatch):
    monkeypatch.setattr(program, "MAX_STEPS", 100)
    assert requests(f"{TAKE_A} cf.br ^a ^a: cf.br ^a") == "A"


def test_a_fifo_is_a_lock_of_its_own():
    text = """aie.device(npu1) { %t = aie.tile(0, 2) %u = aie.tile(0, 3)
      aie.objectfifo @f(%t, {%u}, 2 : i32) : !aie.objectfifo<memref<4xi8>>
      aie.core(%u) { %0 = aie.objectfifo.acquire @f(Consume, 1) aie.objectfifo.release @f(Consume, 1)
      aie.end } }"""
    found = follow(design_of(text)["design_programs"], 9)
    assert [(one.is_acquire, one.lock, one.lock_tile, one.detail) for one in found] == [
        (True, "f", "", "Consume"),
        (False, "f", "", "Consume"),
    ]


@pytest.mark.slow
def test_damaged_programs_are_followed_to_some_end():
    lines = list(design_lines())
    draw = random.Random(7)  # noqa: S311 - which lines are damaged
    followed = 0
    for _ in range(300):
        mutant = list(lines)
        place = draw.randrange(len(lines))
        line = mutant[place]
        begin = draw.randrange(len(line) + 1)
        mutant[place] = (
            line[:begin] + draw.choice(("", "%x", "^", ",", "0 to", "}")) + line[begin + 3 :]
        )
        text = "\n".join(mutant)
        if not read_design_text(text).devices:
            continue
        frame = design_of(text)["design_programs"]
        for _, rows in frame.groupby("tile"):
            follow(rows, 40)
            followed += 1
    assert followed > 300
