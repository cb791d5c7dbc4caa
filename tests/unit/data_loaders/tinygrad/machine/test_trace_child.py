"""The process that decodes thread traces: what it is asked, and what it leaves."""

import base64

import pytest

from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.limits import Limits
from data_loaders.tinygrad.machine import trace_child
from data_loaders.tinygrad.machine.exchange import Binary, Trace, read_results, write_tasks
from tests.support import thread_trace as tt
from tests.support.numbers_in_text import numbers_in, without_numbers

MODULE = "data_loaders.tinygrad.machine.trace_child"
BLOB = tt.trace(tt.header(), *tt.counting(0))
BINARY = Binary(7, "elf", "gfx1100", base64.b64encode(tt.COUNTING).decode())


def trace(number, blob=BLOB, program=7):
    return Trace(number, program, base64.b64encode(blob).decode())


def answers(folder, traces):
    write_tasks(folder, [BINARY], traces)
    assert trace_child.main([str(folder), Limits().text()]) == 0
    return read_results(folder)


@pytest.mark.usefixtures("without_limits")
class TestAnswers:
    def test_every_trace_has_one(self, tmp_path):
        known, other, none = answers(
            tmp_path, [trace(3), trace(4, program=None), trace(5, program=99)]
        )
        assert known["thread_traces"]["trace"] == [3]
        assert known["thread_traces"]["executed"] == [6]
        assert known["waves"]["wave"] == [0]
        assert known["waves"]["closed"] == [True]
        assert known["wave_instructions"]["pc"] == [0, 4, 8, 4, 8, 12]
        assert other["wave_instructions"]["pc"] == none["wave_instructions"]["pc"] == [None] * 6

    def test_a_capture_has_no_more_packets_than_a_limit(self, tmp_path, monkeypatch):
        monkeypatch.setattr(trace_child, "MAX_CAPTURE_PACKETS", 5)
        first, second = answers(tmp_path, [trace(0), trace(1)])
        assert numbers_in(*first["thread_traces"]["why"]) == ["5"]
        assert second["thread_traces"]["packets"] == [0]
        assert without_numbers(*second["thread_traces"]["why"])

    def test_a_capture_has_no_more_rows_than_a_limit(self, tmp_path, monkeypatch):
        monkeypatch.setattr(trace_child, "MAX_CAPTURE_ROWS", 9)
        told = [
            answer["thread_traces"] for answer in answers(tmp_path, [trace(0), trace(1), trace(2)])
        ]
        assert [counts["waves"] + counts["executed"] for counts in told] == [[1, 6], [1, 1], [0, 0]]


def test_a_process_that_takes_too_long_leaves_what_it_has(tmp_path):
    traces = [trace(0), *(trace(number, BLOB[:8] + bytes(2**20)) for number in range(1, 9))]
    write_tasks(tmp_path, [BINARY], traces)
    with pytest.raises(KilledError, match="processor time"):
        run_isolated(MODULE, [str(tmp_path), Limits(500, 0, 0).text()], 60)
    assert read_results(tmp_path)[0]["thread_traces"]["executed"] == [6]
