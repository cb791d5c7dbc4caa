"""Frames of thread traces, and what a decoder that fails costs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_loaders.reading.limits import Limits
from data_loaders.tinygrad import thread_traces
from data_loaders.tinygrad.disassembly import add_disassembly
from data_loaders.tinygrad.run import read_run
from data_loaders.tinygrad.traced_waves import add_waves
from samples.tinygrad_writer import Maker
from schema.frames import FRAMES, conform
from tests.support import thread_trace as tt
from tests.support.decoders import replace_decoder
from tests.support.numbers_in_text import numbers_in

BLOB = tt.trace(tt.header(), *tt.counting(0))
NAMES = ("thread_traces", "waves", "wave_instructions")


def reading(*blobs, library=tt.COUNTING):
    """Return what the reader of a capture has of traces of one kernel."""
    maker = Maker("0.14").device("AMD", properties={"gfx_target_version": 110000})
    maker.program("AMD", "r_4", library, 7).range("AMD", "r_4", 0, 1)
    for engine, blob in enumerate(blobs):
        maker.thread_trace("AMD", 7, 0, engine=engine, tag=1, blob=blob)
    return read_run(maker.profile(), None, False)


def answer_to(trace, **changes):
    """Return an answer of one wave with one instruction, and the columns of frames that are changed in it."""
    told = {"trace": [trace], "packets": [9], "waves": [1], "executed": [1], "why": [""]}
    told |= {f"clock_{name}": [None] for name in ("hz", "min_hz", "max_hz")}
    wave = {
        "trace": [trace],
        **{name: [0] for name in ("wave", "array", "unit", "simd", "slot", "start", "end")},
    }
    wave |= {"closed": [True]}
    issue = {
        "trace": [trace],
        "wave": [0],
        "at": [3],
        "pc": [None],
        "kind": ["SALU"],
        "duration": [None],
        "delay": [None],
        "released": [None],
    }
    found = {"thread_traces": told, "waves": wave, "wave_instructions": issue}
    return {name: columns | changes.get(name, {}) for name, columns in found.items()}


def findings(found):
    return [finding for finding in found.findings if finding.code.startswith("thread_traces_")]


def test_a_real_process_answers():
    found = reading(BLOB, b"")
    add_disassembly(found)
    add_waves(found)
    for name in NAMES:
        assert list(found.frames[name].columns) == FRAMES[name].names
        conform(name, found.frames[name])
    traces = found.frames["thread_traces"]
    assert traces["waves"].fillna(-1).tolist() == [1, -1]
    assert traces["executed"].fillna(-1).tolist() == [6, -1]
    assert traces["why"].tolist() == ["", "it is empty"]
    assert found.frames["wave_instructions"]["pc"].tolist() == [0, 4, 8, 4, 8, 12]
    assert findings(found) == []


def test_without_machine_code_instructions_have_no_address():
    found = reading(BLOB, library=None)
    add_waves(found)
    assert found.frames["wave_instructions"]["pc"].isna().all()
    (said,) = findings(found)
    assert said.code == "thread_traces_partial"
    assert numbers_in(said.message) == ["1", "1"]


def test_without_data_no_process_is_started(monkeypatch):
    replace_decoder(monkeypatch, None, "would fail")
    for found in (reading(), reading(b"", b"")):
        add_waves(found)
        assert findings(found) == []
        assert "waves" not in found.frames


def test_a_crash_costs_the_traces_that_were_not_reached(monkeypatch):
    replace_decoder(monkeypatch, [answer_to(0)], "was stopped by SIGSEGV")
    found = reading(BLOB, BLOB, BLOB)
    add_waves(found)
    (said,) = findings(found)
    assert (said.severity, said.code, said.count) == ("warning", "thread_traces_failed", 2)
    assert said.message.endswith("the decoder process was stopped by SIGSEGV")
    assert found.frames["thread_traces"]["waves"].fillna(-1).tolist() == [1, -1, -1]
    assert len(found.frames["waves"]) == 1


def test_a_process_out_of_time_is_said():
    found = reading(BLOB)
    add_waves(found, Limits(clock_s=0.01, clock_s_per_mb=0))
    assert "took more than 0.01 s" in findings(found)[0].message


@pytest.mark.parametrize(
    "answers",
    [
        [{}],
        [answer_to(99)],
        [answer_to(1)],
        [answer_to(0), answer_to(0)],
        [answer_to(0, waves={"slot": ["x"]})],
        [answer_to(0, waves={"start": [2**70]})],
        [answer_to(0, waves={"start": [0, 1]})],
        [answer_to(0, wave_instructions={"trace": [7]})],
        [answer_to(0, wave_instructions={"at": None})],
        [answer_to(0, thread_traces={"packets": ["many"]})],
        [answer_to(0, thread_traces={"packets": [[]]})],
    ],
    ids=[
        "empty",
        "other",
        "no data",
        "twice",
        "text",
        "large",
        "lengths",
        "trace",
        "null",
        "count",
        "list",
    ],
)
def test_what_is_no_answer_is_refused(monkeypatch, answers):
    replace_decoder(monkeypatch, answers)
    found = reading(BLOB, b"")
    add_waves(found)
    assert findings(found)[0].code == "thread_traces_failed"
    assert "waves" not in found.frames
    assert found.frames["thread_traces"]["packets"].isna().all()


def test_traces_beyond_what_is_decoded_are_said(monkeypatch):
    monkeypatch.setattr(thread_traces, "MAX_BYTES", len(BLOB) + 3)
    found = reading(BLOB, BLOB)
    add_waves(found)
    assert found.frames["thread_traces"]["executed"].fillna(-1).tolist() == [6, -1]
    (said,) = findings(found)
    assert said.message.endswith("1 x earlier traces reach the limit of decoded data of a capture")


def test_why_traces_are_not_decoded_is_one_finding(monkeypatch):
    reasons = ["a", "a", "b", "c", "d"]
    replace_decoder(
        monkeypatch, [answer_to(at, thread_traces={"why": [why]}) for at, why in enumerate(reasons)]
    )
    found = reading(*[BLOB] * 5)
    add_waves(found)
    (said,) = findings(found)
    assert said.count == 5
    assert numbers_in(said.message) == ["5", "2", "1", "1", "1"]


@pytest.mark.slow
@settings(max_examples=5)
@given(st.lists(st.binary(min_size=1, max_size=3000), min_size=1, max_size=4))
def test_any_bytes_make_frames_of_the_schema(blobs):
    found = reading(*(BLOB[:8] + blob for blob in blobs))
    add_disassembly(found)
    add_waves(found)
    for name in NAMES:
        if name in found.frames:
            conform(name, found.frames[name])
    assert [finding for finding in findings(found) if finding.severity == "warning"] == []
    assert found.frames["thread_traces"]["packets"].notna().all()
