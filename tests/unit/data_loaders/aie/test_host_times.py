"""Wall-clock times that a host program printed, next to a trace."""

import gzip
import json

import pytest

from data_loaders.aie.host_times import find_host_log
from data_loaders.aie.raw import AieWordsLoader
from data_loaders.aie.trace import AieTraceLoader
from ingest.files import ingest
from samples.trace_words import trace_words

TIMES = "Verify time: 0 s.\n\nAvg NPU matmul time: 123.4us.\nAvg NPU gflops: 812.4\n\nMin NPU matmul time: 121us.\n"
JSON = json.dumps(
    [
        {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "core_trace for tile2,0"}},
        {"name": "INSTR_VECTOR", "ph": "B", "ts": 1, "pid": 0, "tid": 0},
        {"name": "INSTR_VECTOR", "ph": "E", "ts": 5, "pid": 0, "tid": 0},
    ]
)
WORDS = "".join(
    f"{word:08x}\n"
    for word in trace_words({("core", 2, 0): bytes([0xF0, *bytes(7)]) + b"\x09\x1f"})
)


@pytest.mark.parametrize(
    ("loader", "file", "content"),
    [(AieTraceLoader(), "trace.json", JSON), (AieWordsLoader(), "trace.txt", WORDS)],
)
def test_times_are_numbers_of_the_run(tmp_path, loader, file, content):
    path = tmp_path / file
    path.write_text(content)
    (tmp_path / "run_trace.log").write_text(TIMES)
    companions = loader.bundle(path).companions
    run = loader.load(path, {}, None, companions)
    assert [companion.name for companion in companions] == ["run_trace.log"]
    assert {key: value for key, value in run.metadata.items() if key.startswith("wall_clock")} == {
        "wall_clock_us": 123.4,
        "wall_clock_min_us": 121.0,
    }
    (finding,) = [finding for finding in run.diagnostics if finding.code == "wall_clock"]
    assert "123.4 us" in finding.message


def test_times_reach_the_frame_of_the_run(repository, tmp_path):
    folder = tmp_path / "traced"
    folder.mkdir()
    (folder / "trace.json").write_text(JSON)
    (folder / "run_trace.log").write_text(TIMES)
    answer = ingest(repository, [folder], {})
    row = repository.run(answer.runs[0].run_id).iloc[0]
    assert row["wall_clock_us"] == 123.4
    assert [skipped.along for skipped in answer.skipped] == [True]


def test_other_logs_are_no_companions(tmp_path):
    log = tmp_path / "run_trace.log"
    assert find_host_log(tmp_path) == ()
    log.write_text("PASS!\n")
    assert find_host_log(tmp_path) == ()
    log.write_bytes(gzip.compress(TIMES.encode())[:12])
    assert find_host_log(tmp_path) == ()
    log.write_bytes(gzip.compress(TIMES.encode()))
    assert find_host_log(tmp_path) == (log,)
