import gzip
import json
import re

import pytest

from data_loaders.aie.trace import AieTraceLoader
from data_loaders.protocol import LoadError
from data_loaders.registry import NoLoaderError, choose
from tests.support.aie_trace import trace_text
from tests.support.finding_codes import only_finding
from tests.support.gemm_trace import Core, entries, load


def test_d13_a_cut_file_is_a_run_that_says_where_it_ends():
    text = json.dumps(entries(Core().run(2)))
    run = load(text[:-200])
    assert only_finding(run, "file_cut").severity == "warning"
    assert only_finding(run, "file_cut").location.startswith("trace.json, byte ")
    assert len(run.frames["events"]) > 10


@pytest.mark.parametrize("packed", [False, True])
def test_the_byte_of_a_cut_is_in_the_sentence_and_counted_uncompressed(tmp_path, packed):
    text = json.dumps(entries(Core().run(2)))[:-200].encode()
    path = tmp_path / "trace.json"
    path.write_bytes(gzip.compress(text) if packed else text)
    message = only_finding(AieTraceLoader().load(path, {}), "file_cut").message
    assert re.findall(r"byte (\d+)", message) == [str(len(text))]
    assert ("uncompressed" in message) == packed


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[1]",
        '{"traceEvents": []}',
        '[{"ph": "X"}]',
        '[{"ph": "M", "name": "thread_name", "pid": 1}]',
    ],
)
def test_a_file_without_begins_ends_or_units_is_no_run(text):
    with pytest.raises(LoadError, match=r"^\S*trace\.json: .*entries"):
        load(text)


def test_d13_a_file_of_another_kind_is_refused_in_a_sentence():
    with pytest.raises(LoadError, match=r"trace\.json: .*JSON array"):
        load('{"nodes": [1]}')


PLACE = "outputs/npu2-gemm_64_32_16-2_row_1_col/traces/trace_mm_64_32_16.json"


def test_settings_and_name_come_from_the_place_and_the_index_beside(tmp_path):
    path = tmp_path / PLACE
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(entries(Core().run(1))))
    (path.parent / "index.json").write_text('{"warmup": 3}')
    loader = AieTraceLoader()
    told = loader.load(path, {"m": "8"}, companions=loader.bundle(path).companions).metadata
    assert told["name"] == "npu2 · gemm 64x32x16 · 2x1"
    assert (told["M"], told["warmup"], told["m"], told["time_unit"]) == (64, 3, 8, "cycles")


def test_an_upload_is_named_by_its_origin_and_never_by_what_lies_beside_its_copy(tmp_path):
    path = tmp_path / "upload"
    path.write_bytes(gzip.compress(json.dumps(entries(Core().run(1))).encode()))
    (tmp_path / "index.json").write_text('{"warmup": 3}')
    loader = AieTraceLoader()
    assert loader.load(path, {}, PLACE + ".gz").metadata["hwid"] == "npu2"
    assert "warmup" not in loader.load(path, {}, PLACE).metadata
    assert loader.load(path, {}, "C:\\traces\\mine.json.gz").metadata["name"] == "mine"


def test_the_users_name_wins_and_a_bad_setting_is_an_error(tmp_path):
    text = json.dumps(entries(Core().run(1)))
    assert load(text, {"name": "mine"}).metadata["name"] == "mine"
    path = tmp_path / "trace.json"
    path.write_text(text)
    # The stem says nothing, and an upload of a single file has no folder.
    assert AieTraceLoader().load(path, {}, "trace.json").metadata["name"] == "trace"
    assert AieTraceLoader().load(path, {}, "conv3/trace.json").metadata["name"] == "conv3"
    with pytest.raises(LoadError, match="clock_hz=slow"):
        load(text, {"clock_hz": "slow"})


@pytest.mark.parametrize(
    ("head", "answer"),
    [
        (json.dumps(entries(Core().run(1)))[:400], None),
        ('{"traceEvents": [{"name":"process_name","args":{"name":"shim_trace for tile0,0"}}', None),
        ('\ufeff [{"name": "Event0", "ph": "B"', None),
        ('[{"name": "LOCK_STALL", "ph": "B"', None),
        ('[{"name": "LOCK_STALL"', "neither an AIE unit"),
        ('[{"name": "compute", "ph": "X", "dur": 4}', "complete (X) events"),
        ('[{"name": "compute", "ph": "B"}', "neither an AIE unit"),
        ('{"nodes": []}', "JSON array"),
        ("; ModuleID", "JSON array"),
    ],
)
def test_sniffing_looks_at_content(tmp_path, head, answer):
    said = AieTraceLoader().sniff(tmp_path / "any", head.encode())
    assert said is None if answer is None else answer in said


HOST_TIMES = "Verify time: 0 s.\n\nAvg NPU matmul time: 123.4us.\nAvg NPU gflops: 812.4\n\nPASS!\n"
SCHEDULE = '[{"name": "Conv", "ph": "X", "ts": 0, "dur": 9, "pid": "Core 0", "tid": "compute", "cat": "compute"}]'


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [("run_trace.log", HOST_TIMES, "wall-clock"), ("scme.json", SCHEDULE, "planned schedule")],
)
def test_by_products_of_a_design_are_refused_by_name(tmp_path, file, content, reason):
    path = tmp_path / file
    path.write_text(content)
    if content == HOST_TIMES:
        # If the folder has no trace, the log is a file of results.
        (tmp_path / "trace.json").write_text(trace_text())
    with pytest.raises(NoLoaderError) as refused:
        choose(path)
    assert reason in str(refused.value)
    assert ";" not in str(refused.value).replace("; run_trace.log", ""), (
        "no other loader's reason is listed"
    )
