"""Traces of torch.profiler: streams, launches, steps, memory, times without loss, and what is broken in a file."""

import json
from decimal import Decimal

import pytest

from data_loaders.kineto.trace import KinetoLoader
from data_loaders.protocol import LoadError
from tests.support.finding_codes import codes
from tests.support.kineto_trace import call, kernel, span, step

LOADER = KinetoLoader()


def load(tmp_path, entries, **header):
    path = tmp_path / "a.pt.trace.json"
    listed = ",\n".join(json.dumps(one).replace('"@', "").replace('@"', "") for one in entries)
    around = json.dumps({"schemaVersion": 1} | header)[:-1]
    path.write_text(f'{around}, "traceEvents": [\n{listed}\n]}}')
    return LOADER.load(path, {})


class TestTimes:
    def test_nanoseconds_survive_in_the_clock_of_1970(self, tmp_path):
        base = Decimal(1_700_000_000_000_000)
        entries = [
            kernel("k", f"@{base + Decimal('0.125')}@", "@0.750@", 1),
            kernel("k", f"@{base + Decimal('2.001')}@", "@1.001@", 2),
        ]
        kernels = load(tmp_path, entries).frames["kernels"]
        assert kernels[["start", "duration"]].to_numpy().tolist() == [[0, 750], [1876, 1001]]

    def test_the_base_tells_when_it_was_taken(self, tmp_path):
        run = load(tmp_path, [kernel("k", 0, 1)], baseTimeNanoseconds=1_700_000_000_000_000_000)
        assert str(run.metadata["taken_at"]).startswith("2023-11-14")


class TestKernels:
    def test_a_stream_of_a_device_is_a_track_and_ranks_follow_time(self, tmp_path):
        entries = [
            kernel("b", 5, 1),
            kernel("a", 1, 1),
            kernel("c", 2, 1, stream=20),
            kernel("d", 3, 1, device=1),
        ]
        kernels = load(tmp_path, entries).frames["kernels"]
        assert kernels["track"].nunique() == 3
        assert kernels.loc[
            kernels["name"].isin(["a", "b"]), ["name", "kernel"]
        ].to_numpy().tolist() == [["a", 0], ["b", 1]]

    def test_copies_say_their_bytes(self, tmp_path):
        copy = span(
            "gpu_memcpy",
            "Memcpy HtoD",
            1,
            2,
            (0, 20),
            device=0,
            stream=20,
            correlation=4,
            bytes=4000,
        )
        (row,) = load(tmp_path, [copy]).frames["kernels"].to_dict("records")
        assert (row["copy"], row["copied_bytes"], row["memory_rate"]) == (
            True,
            4000,
            pytest.approx(2e9),
        )

    def test_annotations_on_a_stream_are_no_kernels(self, tmp_path):
        mirrored = span("gpu_user_annotation", "forward", 1, 8, (0, 7), device=0, stream=7)
        run = load(tmp_path, [kernel("k", 2, 1), mirrored])
        assert run.frames["kernels"]["name"].tolist() == ["k"]
        assert "forward" in set(run.frames["events"]["name"])

    def test_the_device_is_the_hardware_and_the_rank_part_of_the_name(self, tmp_path):
        header = {"deviceProperties": [{"id": 0, "name": "H100"}], "distributedInfo": {"rank": 3}}
        run = load(tmp_path, [kernel("k", 1, 1)], **header)
        assert run.metadata["hwid"] == "H100" and str(run.metadata["name"]).endswith("rank 3")


class TestLaunches:
    def test_a_kernel_belongs_to_the_step_of_its_launch(self, tmp_path):
        entries = [
            step(4, 0, 10),
            call(9, 1),
            step(5, 10, 10),
            call(11, 2),
            kernel("late", 15, 1, 1),
            kernel("b", 17, 1, 2),
        ]
        run = load(tmp_path, entries)
        assert run.frames["kernels"]["iteration"].tolist() == [4, 5]
        assert run.frames["kernels"]["launch"].tolist() == [0, 1]
        assert run.frames["markers"]["name"].tolist()[:2] == ["ProfilerStep#4", "ProfilerStep#5"]

    def test_number_0_is_nobodys(self, tmp_path):
        run = load(tmp_path, [call(1, 0), kernel("k", 2, 1, 0)])
        assert run.frames["kernels"]["launch"].isna().all()
        assert "launch_unknown" in codes(run)

    def test_a_graph_launches_all_of_its_kernels(self, tmp_path):
        run = load(
            tmp_path,
            [call(1, 9, name="cudaGraphLaunch"), kernel("a", 2, 1, 9), kernel("b", 4, 1, 9)],
        )
        assert run.frames["kernels"][["launch", "batched"]].to_numpy().tolist() == [
            [0, True],
            [0, True],
        ]
        assert len(run.frames["launches"]) == 1


def test_memory_is_a_counter_for_each_allocator(tmp_path):
    def sample(at, kind, number, allocated):
        args = {
            "Device Type": kind,
            "Device Id": number,
            "Total Allocated": allocated,
            "Total Reserved": 4096,
            "Bytes": 1,
        }
        return {
            "ph": "i",
            "cat": "cpu_instant_event",
            "name": "[memory]",
            "pid": 1,
            "tid": 1,
            "ts": at,
            "args": args,
        }

    run = load(
        tmp_path,
        [kernel("k", 1, 1), sample(2, 1, 0, 100), sample(3, 1, 0, 300), sample(4, 0, -1, 7)],
    )
    found = run.frames["counters"].groupby("name", observed=True)["value"].max().to_dict()
    assert (
        found["cuda:0 allocated"] == 300
        and found["cpu allocated"] == 7
        and found["cuda:0 reserved"] == 4096
    )


class TestBroken:
    @pytest.mark.parametrize(
        "entry",
        [
            span("kernel", "k", 10**18, 1),
            {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1},
            {"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
            {"ph": "B", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1},
            span("cpu_op", "a", "soon", 1),
        ],
    )
    def test_what_cannot_be_read_is_counted_and_costs_itself(self, tmp_path, entry):
        run = load(tmp_path, [kernel("good", 1, 1), entry])
        assert run.frames["kernels"]["name"].tolist() == ["good"]
        assert "entries_skipped" in codes(run)

    def test_a_cut_file_is_read_up_to_the_cut(self, tmp_path):
        path = tmp_path / "cut.json"
        path.write_text(
            '{"schemaVersion": 1, "traceEvents": [\n'
            + json.dumps(kernel("k", 1, 1))
            + ',\n{"ph": "X", "na'
        )
        run = LOADER.load(path, {})
        assert len(run.frames["kernels"]) == 1 and "file_cut" in codes(run)

    @pytest.mark.parametrize(
        "entries", [[], [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "x"}}]]
    )
    def test_without_a_span_it_is_no_profile(self, tmp_path, entries):
        with pytest.raises(LoadError, match="no spans"):
            load(tmp_path, entries)
