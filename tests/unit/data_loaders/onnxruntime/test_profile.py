"""Profiles of ONNX Runtime: kernels, runs, memory, and what is broken in a file."""

import gzip
import json

import pytest

from data_loaders.onnxruntime.profile import OnnxRuntimeLoader
from data_loaders.protocol import LoadError
from services.run.breakdown import breakdown
from services.run.device_frames import device_times
from tests.support.finding_codes import codes, only_finding

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
        assert (row["op"], row["metadata"], row["iteration"], row["run"]) == ("Gemm", "Gemm", 0, 1)

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


class TestDoubtfulNodes:
    """Nodes with a duration that contradicts the spans around them."""

    def test_a_node_that_outlasts_its_run_has_no_duration(self, tmp_path):
        entries = [model_run(0, 50), kernel("a", 10, 5), kernel("b", 20, 90), model_run(60, 50)]
        run = load(tmp_path, entries)
        found = only_finding(run, "nodes_overrun")
        assert (found.count, "b at 20000 ns" in found.location) == (1, True)
        kernels = run.frames["kernels"].set_index("name")
        assert kernels["duration"].isna().to_dict() == {"a": False, "b": True}
        assert kernels["start"]["b"] == 20_000
        assert run.frames["tracks"]["last"].max() == 110_000
        assert run.frames["operators"]["self_cpu"].tolist() == [5_000]
        assert run.frames["operators"]["calls"].tolist() == [2]

    def test_a_node_around_the_begin_of_its_run_has_no_duration(self, tmp_path):
        run = load(tmp_path, [kernel("a", 10, 30), model_run(20, 50), kernel("b", 45, 5)])
        assert only_finding(run, "nodes_overrun").count == 1
        assert run.frames["kernels"]["duration"].isna().tolist() == [True, False]

    def test_rounding_and_nodes_outside_of_all_runs_are_no_contradiction(self, tmp_path):
        entries = [model_run(0, 50), kernel("a", 40, 12), kernel("later", 200, 90)]
        run = load(tmp_path, entries)
        assert "nodes_overrun" not in codes(run)
        assert run.frames["kernels"]["duration"].tolist() == [12_000, 90_000]

    def test_a_node_without_a_body_contains_no_other(self, tmp_path):
        nodes = [kernel("long", 5, 40), kernel("next", 10, 5), kernel("last", 48, 1)]
        run = load(tmp_path, [model_run(0, 50), *nodes])
        assert only_finding(run, "nodes_overrun").count == 1
        assert run.frames["operators"]["self_cpu"].tolist() == [6_000]
        unnamed = [node | {"args": {}} for node in nodes]
        assert "nodes_overrun" not in codes(load(tmp_path, [model_run(0, 50), *unnamed]))

    def test_a_node_in_a_body_ends_with_it(self, tmp_path):
        loop = kernel("loop", 5, 20, op_name="Loop")
        run = load(tmp_path, [model_run(0, 50), loop, kernel("in", 10, 5), kernel("out", 20, 9)])
        assert only_finding(run, "nodes_overrun").count == 1
        kernels = run.frames["kernels"].set_index("name")
        assert kernels["duration"].isna().to_dict() == {"loop": False, "in": False, "out": True}
        assert kernels["duration"]["loop"] == 15_000

    def test_nodes_of_several_threads_may_overlap(self, tmp_path):
        run = load(tmp_path, [model_run(0, 50), kernel("a", 5, 40), kernel("b", 10, 5, tid=2)])
        assert "nodes_overrun" not in codes(run)


def device_kernel(name, ts, dur, operator="Gemm", **said):
    arguments = {"op_name": operator, "stream": "13"} | said
    return span(name, ts, dur, -1, cat="Kernel", args=arguments) | {"pid": -1}


class TestDevices:
    ENTRIES = (
        model_run(0, 400),
        kernel("gemm", 10, 25),
        span("cudaLaunchKernel", 20, 5, -1, cat="Api"),
        device_kernel("GemmKernel", 60, 40, grid_x="4", grid_y="8", grid_z="1", block_x="128"),
        device_kernel("Memcpy HtoD", 110, 12, operator="MemcpyFromHost"),
        device_kernel("ncclAllReduce", 130, 7, operator="AllReduce"),
    )

    def test_kernels_are_what_ran_on_the_device_and_nodes_are_events_of_the_host(self, tmp_path):
        run = load(tmp_path, self.ENTRIES)
        kernels = run.frames["kernels"]
        assert kernels[["name", "duration", "class", "copy", "op"]].to_numpy().tolist() == [
            ["GemmKernel", 40_000, "compute", False, "Gemm"],
            ["Memcpy HtoD", 12_000, "copy", True, "MemcpyFromHost"],
            ["ncclAllReduce", 7_000, "communication", False, "AllReduce"],
        ]
        assert kernels["iteration"].tolist() == [0, 0, 0]
        assert set(run.frames["events"]["name"]) == {"model_run", "gemm", "cudaLaunchKernel"}
        assert "entries_skipped" not in codes(run)

    def test_rows_of_the_device_come_first_and_have_its_stream(self, tmp_path):
        tracks = load(tmp_path, self.ENTRIES).frames["tracks"]
        assert tracks["kind"].tolist() == ["device", "annotation", "user", "user"]
        assert tracks[["pid", "tid"]].iloc[0].tolist() == ["device", "13"]

    def test_a_device_without_a_number_has_the_name_of_the_only_one(self, tmp_path):
        entries = [kernel("gemm", 1, 2), device_kernel("k", 5, 2) | {"pid": None, "tid": None}]
        row = load(tmp_path, entries).frames["tracks"].iloc[0]
        assert (row["kind"], row["pid"], row["tid"]) == ("device", "device", "13")

    @pytest.mark.slow
    def test_frames_name_devices_as_the_timeline_does(self, tmp_path):
        entries = [*self.ENTRIES, device_kernel("k", 150, 2) | {"pid": 7}]
        frames = load(tmp_path, entries).frames
        tracks = frames["tracks"]
        devices = tracks[tracks["kind"] == "device"]
        assert devices["pid"].tolist() == ["device -1", "device 7"]
        rows = zip(devices["track"].astype("str"), devices["pid"], strict=True)
        assert all(track == f"{device} stream 13" for track, device in rows)
        times = device_times(breakdown(frames))
        assert times["device"].drop_duplicates().tolist() == ["device -1", "device 7"]

    def test_the_grid_is_known_if_all_of_its_numbers_are(self, tmp_path):
        kernels = load(tmp_path, self.ENTRIES).frames["kernels"]
        assert kernels["grid"].astype("object").where(kernels["grid"].notna(), None).tolist() == [
            "4,8,1",
            None,
            None,
        ]
        assert kernels["block"].isna().all()

    @pytest.mark.slow
    def test_entries_of_another_layout_have_the_same_columns(self, tmp_path):
        entries = list(self.ENTRIES)
        plain = load(tmp_path, entries).frames["kernels"]
        # a number in place of a text: the block is read value by value
        entries[3] = device_kernel("GemmKernel", 60, 40, stream=13, grid_x=4, grid_y=8, grid_z=1)
        assert load(tmp_path, entries).frames["kernels"].equals(plain)


class TestNesting:
    # The body begins and ends with its loop, as whole microseconds may: the loop is around it.
    ENTRIES = (
        model_run(0, 100),
        kernel("add", 10, 4, op_name="Add"),
        kernel("mul", 14, 6, op_name="Mul"),
        kernel("loop", 10, 10, op_name="Loop"),
        kernel("only", 30, 5, op_name="Add"),
        kernel("scan", 30, 5, op_name="Scan"),
        kernel("inner", 42, 9, op_name="Loop"),
        kernel("outer", 40, 10, op_name="Loop"),
        kernel("elsewhere", 41, 3, tid=2, op_name="Add"),
    )

    def test_time_of_a_body_counts_once(self, tmp_path):
        kernels = load(tmp_path, self.ENTRIES).frames["kernels"].set_index("name")["duration"]
        assert kernels.to_dict() == {
            **{"add": 4_000, "mul": 6_000, "loop": 0, "only": 5_000, "scan": 0},
            # the inner node ends a microsecond after the outer one
            **{"inner": 9_000, "outer": 2_000, "elsewhere": 3_000},
        }

    def test_a_node_with_others_inside_has_no_bytes_of_its_own(self, tmp_path):
        kernels = load(tmp_path, self.ENTRIES).frames["kernels"].set_index("name")
        known = kernels["memory_bytes"].notna()
        assert not known[["loop", "scan", "outer"]].any()
        assert known[["add", "mul", "only", "inner"]].all()

    @pytest.mark.slow
    def test_operators_have_whole_and_own_time(self, tmp_path):
        operators = load(tmp_path, self.ENTRIES).frames["operators"].set_index("name")
        columns = ["calls", "nodes", "total_cpu", "self_cpu", "self_device", "device_spans"]
        assert operators[columns].T.to_dict("list") == {
            "Add": [3, 3, 12_000, 12_000, 0, 0],
            "Loop": [3, 3, 20_000, 11_000, 0, 0],
            "Mul": [1, 1, 6_000, 6_000, 0, 0],
            "Scan": [1, 1, 5_000, 0, 0, 0],
        }

    @pytest.mark.slow
    def test_a_thousand_nodes_in_each_other_are_summed(self, tmp_path):
        depth = 1000
        entries = [
            kernel(f"n{rank}", rank, 2 * depth - rank, op_name="If") for rank in range(depth)
        ]
        row = load(tmp_path, entries).frames["operators"].iloc[0]
        assert (row["calls"], row["total_cpu"]) == (depth, 2 * depth * 1000)
        assert row["self_cpu"] == 2 * depth * 1000


class TestNames:
    def test_a_node_without_a_name_has_that_of_its_operator(self, tmp_path):
        entries = [
            span("_kernel_time", 1, 2, args={"op_name": "Conv"}),
            span("_kernel_time", 3, 2, args={"op_name": "Relu", "node_index": "4"}),
            span("_kernel_time", 6, 2, args={"op_name": "Relu", "node_index": "4"}),
            span("_kernel_time", 9, 2),
        ]
        run = load(tmp_path, entries)
        assert run.frames["kernels"]["name"].tolist() == ["Conv", "Relu", "Relu", "unknown"]
        nodes = run.frames["operators"].set_index("name")["nodes"]
        assert nodes["Relu"] == 1
        assert nodes.isna()[["Conv", "unknown"]].all()

    @pytest.mark.parametrize(
        "name", ['a"b', "C:\\new\\layer", 'x","y', "two\nlines", "}, {", "ünï", "\ttab"]
    )
    def test_names_are_read_as_onnx_runtime_writes_them(self, tmp_path, name):
        line = (
            '{"cat" : "Node","pid" :1,"tid" :1,"dur" :%d,"ts" :%d,"ph" : "X",'
            '"name" :"%s_kernel_time","args" : {"op_name" : "Gemm"}}'
        )
        spans = [line % (3, 1, name), line % (4, 9, "plain")]
        run = load(tmp_path, [], "[\n" + ",\n".join(spans) + "\n]\n")
        assert run.frames["kernels"]["name"].tolist() == [name, "plain"]
        assert codes(run) == ["no_runs"]


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
            span("a_kernel_time", 1, 1, cat="Other"),
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


@pytest.mark.slow
def test_gzip_and_plain_read_alike(tmp_path):
    entries = [kernel("a", 1, 2), model_run(0, 4)]
    plain = load(tmp_path, entries)
    packed = tmp_path / "packed.json.gz"
    packed.write_bytes(gzip.compress((tmp_path / "onnxruntime_profile.json").read_bytes()))
    assert LOADER.load(packed, {}).frames["kernels"].equals(plain.frames["kernels"])
