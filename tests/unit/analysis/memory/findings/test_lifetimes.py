import pytest

from schema.frames import empty
from tests.support.memory import attempts, block, blocks, constant, memory_findings, uses
from tests.support.numbers_in_text import has_numbers

STEPS = 4


def findings(*rows, used=(), **columns):
    """Return the findings about a plan of four steps, by code."""
    asked = uses(used) if used else empty("buffer_uses")
    found = memory_findings(attempts(1, **({"steps": STEPS} | columns)), blocks(rows), asked)
    return {finding.code: finding for finding in found}


def resident(name, start, end, **more):
    return block(name, start, end, 0, kind="variable", plan="outer", **more)


@pytest.mark.parametrize("end", [2, STEPS])
def test_an_output_that_does_not_outlive_the_last_step(end):
    finding = findings(resident("out", 1, end, role="output"), level="L2")["output_dies_early"]
    assert (finding.severity, finding.location, finding.count) == ("error", "L2", 1)
    assert has_numbers(finding.message, "`out`", str(end - 1), "4")


def test_an_input_that_is_not_there_at_the_start():
    finding = findings(resident("in", 1, 3, role="input"), level="L2")["input_starts_late"]
    assert (finding.severity, finding.location, finding.count) == ("error", "L2", 1)
    assert has_numbers(finding.message, "`in`", "1")


@pytest.mark.parametrize(
    "row",
    [
        resident("out", 1, STEPS + 1, role="output"),
        resident("in", 0, 2, role="input"),
        block("tile", 1, 2, 0, plan="inner", role="output"),
        block("tile", 1, 2, 0, plan="inner", role="input"),
        constant(role="input"),
    ],
)
def test_inputs_and_outputs_that_are_there(row):
    assert findings(row) == {}


def test_a_use_of_what_is_not_alive():
    finding = findings(
        resident("x", 0, 2), used=[(0, 0, 1, "r"), (0, 0, 2, "r"), (0, 0, 3, "r")], level="L2"
    )
    assert list(finding) == ["dead_at_use"]
    finding = finding["dead_at_use"]
    assert (finding.severity, finding.location, finding.count) == ("error", "L2", 2)
    assert has_numbers(finding.message, "`x`", "2")


@pytest.mark.parametrize(
    ("row", "step"),
    [
        (resident("x", 1, 3), 2),
        (constant(), 3),
        (block("h", 1, 2, 0, hold=True), 0),
        (block("w", 3, 1, 0, wraps=True), 0),
        (block("w", 3, 1, 0, wraps=True), 3),
        (block("tile", 1, 3, 0, plan="inner"), 1),
    ],
)
def test_uses_of_what_is_alive(row, step):
    assert findings(row, used=[(0, 0, step, "r")]) == {}


def test_a_tile_is_not_alive_in_the_next_step():
    assert "dead_at_use" in findings(block("tile", 1, 3, 0, plan="inner"), used=[(0, 0, 2, "r")])


def test_a_use_of_a_block_that_is_not_listed_is_not_told():
    assert findings(resident("x", 0, 2), used=[(0, 9, 3, "r")]) == {}
