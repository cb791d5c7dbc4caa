"""Wall-clock times that a host program printed, next to a trace."""

import gzip
import json

import pytest

from data_loaders.aie.host_times import find_host_log
from data_loaders.aie.raw import AieWordsLoader
from data_loaders.aie.trace import AieTraceLoader
from ingest.files import ingest
from samples.trace_words import trace_words
from tests.support.finding_codes import only_finding

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
    finding = only_finding(run, "wall_clock")
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


def test_the_log_lies_above_the_folder_of_traces_in_the_scripts_repository(repository, tmp_path):
    folder = tmp_path / "single_core-gemm_64_64_64-1_row_1_col"
    (folder / "traces").mkdir(parents=True)
    (folder / "traces" / "trace_mm_64_64_64.json").write_text(JSON)
    (folder / "run_trace.log").write_text(TIMES)
    answer = ingest(repository, [folder], {})
    assert repository.run(answer.runs[0].run_id).iloc[0]["wall_clock_us"] == 123.4
    assert [skipped.along for skipped in answer.skipped] == [True]
    (folder / "traces").rename(folder / "other")
    assert find_host_log(folder / "other") == ()


def test_a_log_with_rates_alone_is_named(tmp_path):
    (tmp_path / "trace.json").write_text(JSON)
    (tmp_path / "run_trace.log").write_text("Avg NPU gflops: 812.4\n")
    loader = AieTraceLoader()
    companions = loader.bundle(tmp_path / "trace.json").companions
    run = loader.load(tmp_path / "trace.json", {}, None, companions)
    assert "wall_clock_us" not in run.metadata
    assert [d.code for d in run.diagnostics if d.location == "run_trace.log"] == ["wall_clock"]
