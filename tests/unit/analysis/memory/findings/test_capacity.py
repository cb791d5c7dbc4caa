import re

import pytest

from schema.frames import empty
from tests.support.memory import attempts, block, blocks, constant, failed, memory_findings
from tests.support.numbers_in_text import has_numbers


def findings(*rows, count=1, **columns):
    """Return the findings of one call, by code."""
    found = memory_findings(attempts(count, **columns), blocks(rows), empty("buffer_uses"))
    assert len({finding.code for finding in found}) == len(found)
    return {finding.code: finding for finding in found}


def test_a_map_that_is_right_has_no_findings():
    assert findings(block("a", 0, 2, 0), capacity=64, reported_bytes=64, reported_failed=0) == {}


def test_more_than_the_capacity():
    found = findings(
        block("a", 0, 2, 0), block("b", 0, 2, 64), capacity=96, static_bytes=10, level="L1"
    )
    assert list(found) == ["capacity_exceeded"]
    finding = found["capacity_exceeded"]
    assert (finding.severity, finding.location, finding.count) == ("error", "L1", 1)
    assert re.findall(r"\w+", finding.message)[:5] == ["L1", "needs", "138", "of", "96"]
    assert "143.8 %" in finding.message
    assert has_numbers(finding.message, "10", "`b`", "0x80")


def test_constants_alone_may_be_too_much():
    found = findings(constant(size=100), capacity=96, static_bytes=100, level="L1")
    assert re.findall(r"\w+", found["capacity_exceeded"].message)[:5] == [
        "L1",
        "needs",
        "100",
        "of",
        "96",
    ]


def test_a_level_that_is_nearly_full_is_told_an_attempt_is_not():
    rows = [block("a", 0, 2, 0, 95)]
    assert findings(*rows, capacity=100) == {}
    finding = findings(*rows, capacity=100, level="L1")["level_nearly_full"]
    assert (finding.severity, finding.message, finding.location) == (
        "info",
        "L1 is 95.0 % full",
        "L1",
    )
    assert findings(block("a", 0, 2, 0, 94), capacity=100, level="L1") == {}


@pytest.mark.parametrize(
    ("final", "severity"), [(None, "warning"), ([False, True], "info"), ([True, False], "error")]
)
def test_failed_blocks_are_as_bad_as_the_attempt_is_final(final, severity):
    rows = [failed("x", 0, 1), failed("y", 0, 1), block("a", 0, 1, 0, attempt=1)]
    finding = findings(*rows, count=2, final=final, capacity=1000)["blocks_failed"]
    assert (finding.severity, finding.count, finding.location) == (severity, 2, "attempt 0")
    assert has_numbers(finding.message, "2", "1", "2")
    assert ("final" in finding.message) == (final is not None)
    assert "whatever the allocator" not in finding.message


def test_failed_attempts_that_nobody_could_place_are_counted():
    rows = [failed("x", 0, 1, 99), failed("y", 0, 1, 10, attempt=1)]
    assert "1 of these" in findings(*rows, count=2, capacity=64)["blocks_failed"].message


def test_a_problem_that_nobody_can_solve():
    rows = [block("a", 0, 2, None), block("b", 1, 3, None)]
    finding = findings(*rows, capacity=100, outcome="unsolved")["infeasible"]
    assert (finding.severity, finding.count) == ("error", 1)
    assert has_numbers(finding.message, "128 bytes", "100")
    assert findings(*rows, capacity=128, outcome="unsolved") == {}


def test_a_finish_line_that_disagrees_about_bytes():
    rows = [block("a", 0, 2, 0), block("b", 0, 2, 0, attempt=1)]
    finding = findings(*rows, count=2, reported_bytes=[64, 100])["finish_disagrees"]
    assert (finding.severity, finding.location, finding.count) == ("warning", "attempt 1", 1)
    assert has_numbers(finding.message, "1", "100 bytes", "64")


def test_a_finish_line_that_disagrees_about_failed_blocks():
    finding = findings(block("a", 0, 2, 0), reported_bytes=64, reported_failed=2)[
        "finish_disagrees"
    ]
    assert has_numbers(finding.message, "0", "2", "0")


def test_what_a_tool_reports_of_a_level_is_not_compared():
    assert findings(block("a", 0, 2, 0), reported_bytes=100, level="L2") == {}


def test_sums_that_stop_are_told():
    rows = [block(f"b{rank}", rank, rank + 1, None, 2**61) for rank in range(3)]
    assert findings(*rows) == {}
    rows = [block(f"b{rank}", 0, 1, None, 2**61) for rank in range(9)]
    assert findings(*rows)["numbers_saturated"].count == 1


@pytest.mark.parametrize(
    ("budget", "what"), [(10**6, "fragmentation is"), (0, "fragmentation and overlaps are")]
)
def test_steps_that_are_passed_over_are_told(monkeypatch, budget, what):
    monkeypatch.setattr("analysis.memory.sweep.MIN_ENTRIES", 4)
    monkeypatch.setattr("analysis.memory.sweep._ENTRIES_PER_PART", 0)
    monkeypatch.setattr("analysis.memory.sweep._PAIR_ENTRIES", budget)
    rows = [block(f"b{rank}", rank, 9, 64 * rank) for rank in range(9)]
    finding = findings(*rows, steps=9)["steps_sampled"]
    assert finding.severity == "info"
    assert finding.message.startswith(f"{what} computed at")


def test_a_level_that_is_only_reported_may_need_more_than_there_is():
    found = findings(level="L1", capacity=8000, static_bytes=412, reported_bytes=7936)
    assert list(found) == ["capacity_exceeded"]
    assert re.findall(r"\w+", found["capacity_exceeded"].message)[:5] == [
        "L1",
        "needs",
        "8348",
        "of",
        "8000",
    ]
