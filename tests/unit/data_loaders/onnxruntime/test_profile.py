"""Profiles of ONNX Runtime: kernels, runs, memory, and what is broken in a file."""

import gzip
import json

import pytest

from data_loaders.onnxruntime.profile import OnnxRuntimeLoader
from data_loaders.protocol import LoadError

LOADER = OnnxRuntimeLoader()
SAID = {
    "op_name": "Gemm",
    "provider": "CPUExecutionProvider",
    "output_size": "40",
    "parameter_size": "50",
    "activation_size": "10",
}


def span(name, ts, dur, tid=1, *, cat="Node", args=None):
    return {
        "cat": cat,
        "pid": 7,
        "tid": tid,
        "dur": dur,
        "ts": ts,
        "ph": "X",
        "name": name,
        "args": args or {},
    }


def kernel(name, ts, dur, tid=1, **said):
    return span(f"{name}_kernel_time", ts, dur, tid, args=SAID | said)


def model_run(ts, dur, tid=1):
    return span("model_run", ts, dur, tid, cat="Session")


def load(tmp_path, entries, text=None):
    path = tmp_path / "onnxruntime_profile.json"
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    path.write_text(f"[\n{lines}\n]\n" if text is None else text)
    return LOADER.load(path, {})


def codes(run):
    return [finding.code for finding in run.diagnostics]


class TestKernels:
    def test_times_are_nanoseconds_and_bytes_add_up(self, tmp_path):
        run = load(tmp_path, [kernel('mm "0"', 10, 4, mem_bytes_in_use="5"), model_run(9, 6)])
        (row,) = run.frames["kernels"].to_dict("records")
        assert (row["name"], row["start"], row["end"], row["duration"]) == (
            'mm "0"',
            10_000,
            14_000,
            4_000,
        )
        assert (row["memory_bytes"], row["memory_rate"]) == (100, pytest.approx(100 / 4e-6))
        assert (row["metadata"], row["iteration"], row["run"]) == ("Gemm", 0, 1)

    def test_a_kernel_without_duration_has_no_rate_and_one_without_sizes_no_bytes(self, tmp_path):
        run = load(tmp_path, [kernel("a", 1, 0), kernel("b", 2, 3, output_size="many")])
        kernels = run.frames["kernels"]
        assert kernels["memory_rate"].isna().tolist() == [True, True]
        assert kernels["memory_bytes"].isna().tolist() == [False, True]

    def test_waits_of_older_releases_are_no_kernels(self, tmp_path):
        names = ("a_fence_before", "a_kernel_time", "a_fence_after")
        run = load(tmp_path, [span(name, rank, 1, args=SAID) for rank, name in enumerate(names)])
        assert run.frames["kernels"]["name"].tolist() == ["a"]

    def test_a_provider_is_a_track_and_with_several_threads_each_is_one(self, tmp_path):
        entries = [
            kernel("a", 1, 1),
            kernel("b", 2, 1, tid=2),
            kernel("c", 3, 1, provider="CUDAExecutionProvider"),
        ]
        assert set(load(tmp_path, entries).frames["kernels"]["track"]) == {
            "CPUExecutionProvider thread 1",
            "CPUExecutionProvider thread 2",
            "CUDAExecutionProvider",
        }


class TestRuns:
    def test_kernels_belong_to_the_run_that_they_began_in(self, tmp_path):
        entries = [
            model_run(10, 10),
            kernel("a", 11, 2),
            model_run(30, 10),
            kernel("a", 39, 5),
            kernel("a", 25, 1),
        ]
        run = load(tmp_path, entries)
        assert run.frames["kernels"]["iteration"].fillna(-1).tolist() == [0, -1, 1]
        assert run.frames["markers"]["name"].tolist() == [
            "model_run 0",
            "model_run 1",
            "end of the last run",
        ]
        assert "run_unknown" in codes(run)

    def test_of_runs_that_overlap_a_thread_has_its_own(self, tmp_path):
        entries = [
            *(model_run(0, 100, tid=1), model_run(50, 100, tid=2)),
            *(kernel("a", 60, 1, tid=1), kernel("b", 60, 1, tid=2)),
            *(
                kernel("pool early", 20, 1, tid=9),
                kernel("pool", 70, 1, tid=9),
                kernel("pool late", 120, 1, tid=9),
            ),
        ]
        kernels = load(tmp_path, entries).frames["kernels"].set_index("name")["iteration"]
        assert [kernels["a"], kernels["b"], kernels["pool early"], kernels["pool late"]] == [
            0,
            1,
            0,
            1,
        ]
        assert kernels.isna()["pool"]

    def test_a_session_that_ran_nothing_is_a_run_that_says_so(self, tmp_path):
        run = load(tmp_path, [span("session_initialization", 1, 5, cat="Session")])
        assert codes(run) == ["no_nodes"]
        assert len(run.frames["events"]) == 1


def test_memory_is_sampled_where_a_kernel_ends(tmp_path):
    entries = [kernel("a", 1, 2, mem_bytes_in_use="30", mem_in_use_peak="40", mem_arena_held="64")]
    counters = load(tmp_path, entries).frames["counters"].set_index("name")
    assert counters["value"].to_dict() == {
        "memory in use": 30,
        "memory in use, highest": 40,
        "arena held": 64,
    }
    assert set(counters["start"]) == {3_000}


class TestBroken:
    def test_a_cut_file_is_read_up_to_the_cut(self, tmp_path):
        text = "[\n" + json.dumps(kernel("a", 1, 1)) + ',\n{"cat" : "Node","pid" :1,"ti'
        run = load(tmp_path, [], text)
        assert len(run.frames["kernels"]) == 1 and "file_cut" in codes(run)

    @pytest.mark.parametrize(
        "entry",
        [
            {"ph": "B", "cat": "Node", "name": "a_kernel_time", "ts": 1},
            kernel("a", "1", 1) | {"ts": "x"},
            kernel("a", 1, -5),
            kernel("a", 1, 1) | {"name": None},
            {"cat": "Node", "ph": "X", "name": "a_kernel_time", "ts": 1.5, "dur": 1},
            kernel("a", 2**62, 1),
            span("a_kernel_time", 1, 1, cat="Kernel"),
        ],
    )
    def test_entries_that_cannot_be_read_are_counted(self, tmp_path, entry):
        run = load(tmp_path, [kernel("good", 1, 1), entry])
        assert run.frames["kernels"]["name"].tolist() == ["good"]
        assert "entries_skipped" in codes(run)

    @pytest.mark.parametrize(
        "text", ["{}", "[]", '[{"cat": "kernel"}]', "", "[[[[", '[{"cat": "Other", "ph": "X"}]']
    )
    def test_what_is_no_profile_is_refused_in_a_sentence(self, tmp_path, text):
        with pytest.raises(LoadError, match=r"onnxruntime_profile\.json"):
            load(tmp_path, [], text)


def test_other_traces_are_left_to_their_readers(tmp_path):
    heads = [
        b'[{"ph":"B","ts":1}]',
        b'{"traceEvents":[{"cat":"cpu_op","ph":"X"}]}',
        b"\x80\x04",
        b"a,b\n",
    ]
    assert all(LOADER.sniff(tmp_path, head) for head in heads)
    assert LOADER.sniff(tmp_path, b'[\n{"cat" : "Session","pid" :1}') is None


def test_gzip_and_plain_read_alike(tmp_path):
    entries = [kernel("a", 1, 2), model_run(0, 4)]
    plain = load(tmp_path, entries)
    packed = tmp_path / "packed.json.gz"
    packed.write_bytes(gzip.compress((tmp_path / "onnxruntime_profile.json").read_bytes()))
    assert LOADER.load(packed, {}).frames["kernels"].equals(plain.frames["kernels"])
