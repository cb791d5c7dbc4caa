"""The process that disassembles: what it is asked, and what it leaves."""

import base64

import pytest

from data_loaders.reading.isolated import KilledError, run_isolated
from data_loaders.reading.limits import Limits
from data_loaders.tinygrad.machine import child, exchange
from data_loaders.tinygrad.machine.exchange import Binary, read_results, write_tasks
from tests.support.machine_code import AMD, LOOP, RET, S_NOP, X86_64, elf, words
from tests.support.numbers_in_text import without_numbers

MODULE = "data_loaders.tinygrad.machine.child"
LARGE = elf(AMD, words(*[S_NOP] * 50_000))
"""Takes two seconds to decode."""


def binary(program, code, kind="raw", architecture=""):
    return Binary(program, kind, architecture, base64.b64encode(code).decode())


@pytest.mark.usefixtures("without_limits")
class TestAnswers:
    def test_every_binary_has_one(self, tmp_path):
        write_tasks(
            tmp_path, [binary(3, LOOP), binary(8, elf(X86_64, RET), "elf"), binary(9, b"", "ptx")]
        )
        assert child.main([str(tmp_path), Limits().text()]) == 0
        loop, ret, text = read_results(tmp_path)
        assert loop["disassembly"]["program"] == [3] * 5
        assert loop["disassembly"]["pc"] == [0, 2, 4, 7, 9]
        assert loop["basic_blocks"]["start"] == [0, 2, 9]
        assert loop["block_edges"]["kind"] == ["always", "taken", "not taken"]
        assert ret["machine_code"]["architecture"] == ["x86-64"]
        assert without_numbers(*text["machine_code"]["why"])

    def test_a_capture_has_no_more_instructions_than_a_limit(self, tmp_path, monkeypatch):
        monkeypatch.setattr(child, "MAX_CAPTURE_INSTRUCTIONS", 6)
        write_tasks(tmp_path, [binary(place, LOOP) for place in range(3)])
        child.main([str(tmp_path), Limits().text()])
        assert [answer["machine_code"]["instructions"] for answer in read_results(tmp_path)] == [
            [5],
            [1],
            [0],
        ]

    def test_no_more_is_read_than_a_limit(self, tmp_path, monkeypatch):
        write_tasks(tmp_path, [binary(place, LOOP) for place in range(3)])
        child.main([str(tmp_path), Limits().text()])
        monkeypatch.setattr(exchange, "MAX_RESULT_BYTES", 1000)
        assert len(read_results(tmp_path)) < 3


def test_a_process_that_takes_too_long_leaves_what_it_has(tmp_path):
    binaries = [binary(0, LOOP), *(binary(place, LARGE, "elf", "gfx1100") for place in range(1, 4))]
    write_tasks(tmp_path, binaries)
    limits = Limits(memory_mb=500, processor_s=0, processor_s_per_mb=0)
    with pytest.raises(KilledError, match="processor time"):
        run_isolated(MODULE, [str(tmp_path), limits.text()], 60)
    assert read_results(tmp_path)[0]["machine_code"]["instructions"] == [5]


def test_without_an_answer_there_is_none(tmp_path):
    assert read_results(tmp_path) == []
