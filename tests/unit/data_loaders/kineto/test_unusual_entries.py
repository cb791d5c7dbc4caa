"""Entries of other devices and tools: unknown categories, counters, bare words, refusals."""

import json

import pytest

from data_loaders.kineto import counters
from data_loaders.kineto.trace import KinetoLoader
from data_loaders.protocol import KnownFile
from tests.support.finding_codes import only_finding
from tests.support.kineto_trace import call, kernel, load_trace, span

LOADER = KinetoLoader()


def labelled(pid, label):
    return {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}}


def counter(name, ts, pid=0, **args):
    return {"ph": "C", "name": name, "pid": pid, "ts": ts, "args": args}


def samples(run):
    frame = run.frames["counters"]
    return [*zip(frame["name"], frame["start"].tolist(), frame["value"].tolist(), strict=True)]


class TestUnknownCategories:
    def test_spans_on_a_labelled_device_are_executions(self, tmp_path):
        entries = [
            labelled(0, "GPU 0"),
            labelled(9, "CPU"),
            span("mystery", "m", 10, 5, (0, 7)),
            span("mystery", "on the host", 10, 5, (9, 9)),
        ]
        run = load_trace(tmp_path, entries)
        assert run.frames["kernels"]["name"].tolist() == ["m"]
        assert run.frames["tracks"]["kind"].tolist() == ["device", "user"]

    def test_others_are_counted_by_category(self, tmp_path):
        entries = [kernel("k", 0, 1, 1), call(0, 1)]
        entries += [span("odd", "a", at, 1, (1, 1)) for at in (1, 2, 3)]
        entries.append({**span("", "b", 5, 1), "cat": None})
        found = [
            (one.severity, one.count, "odd" in one.message)
            for one in load_trace(tmp_path, entries).diagnostics
            if one.code == "category_unknown"
        ]
        assert found == [("info", 3, True), ("info", 1, False)]

    def test_ranges_and_events_of_cuda_are_no_executions(self, tmp_path):
        entries = [kernel("k", 0, 1), kernel("e", 5, 1, cat="cuda_event")]
        run = load_trace(tmp_path, entries)
        assert run.frames["kernels"]["name"].tolist() == ["k"]
        assert {one.code for one in run.diagnostics} == {"launch_unknown"}


class TestCounters:
    def test_counters_are_read_by_name_and_process(self, tmp_path):
        entries = [
            kernel("k", 100, 10),
            labelled(0, "GPU 0"),
            counter("busy", 120, value=55.5),
            counter("busy", 130, value="60.25"),
            counter("busy", 140, pid=1, value=7),
            counter("bytes", 150, read=1, written=2),
        ]
        run = load_trace(tmp_path, entries)
        assert samples(run) == [
            ("busy", 20_000, 55.5),
            ("busy", 30_000, 60.25),
            ("busy", 40_000, 7.0),
            ("bytes read", 50_000, 1.0),
            ("bytes written", 50_000, 2.0),
        ]
        assert run.frames["counters"]["track"].tolist()[2:4] == ["process 1", "GPU 0"]

    def test_metrics_of_ranges_are_counters(self, tmp_path):
        metrics = {"smsp__inst_executed.sum": 1234.0, "dram__bytes.sum": 99}
        entries = [kernel("k", 0, 10), span("cuda_profiler_range", "k", 0, 10, (0, 0), **metrics)]
        assert samples(load_trace(tmp_path, entries)) == [
            ("dram__bytes.sum", 0, 99.0),
            ("smsp__inst_executed.sum", 0, 1234.0),
        ]

    @pytest.mark.parametrize(
        "entry",
        [counter("a", 1), counter("a", None, x=1), counter(7, 1, x=1), counter("a", 1, x=True)],
    )
    def test_a_counter_without_numbers_is_skipped(self, tmp_path, entry):
        run = load_trace(tmp_path, [kernel("k", 0, 1), entry])
        assert "counters" not in run.frames
        assert "entries_skipped" in {one.code for one in run.diagnostics}

    def test_the_number_of_counters_is_bounded(self, tmp_path, monkeypatch):
        monkeypatch.setattr(counters, "MAX_COUNTERS", 3)
        entries = [kernel("k", 0, 1), *(counter(f"c{number}", 1, x=1) for number in range(5))]
        run = load_trace(tmp_path, entries)
        assert len(samples(run)) == 3
        skipped = only_finding(run, "entries_skipped")
        assert skipped.count == 2


class TestBareWords:
    @pytest.mark.parametrize("count", [1, 2, 50])
    @pytest.mark.parametrize("word", ["inf", "-nan", "NaN", "-nan(ind)"])
    def test_they_cost_their_argument_alone(self, tmp_path, count, word):
        entries = [
            kernel(f"k: inf {number}", 10 * number, 4, **{"est. achieved occupancy %": "@"})
            for number in range(count)
        ]
        text = json.dumps({"schemaVersion": 1, "traceEvents": entries}).replace('"@"', word)
        path = tmp_path / "a.json"
        path.write_text(text)
        run = LOADER.load(path, {})
        kernels = run.frames["kernels"]
        assert kernels["name"].astype(str).tolist() == [f"k: inf {at}" for at in range(count)]
        assert kernels["duration"].sum() == 4000 * count
        assert kernels["occupancy"].isna().all()
        assert {one.code for one in run.diagnostics} == {"launch_unknown"}

    def test_a_time_that_is_no_number_skips_its_entry(self, tmp_path):
        entries = [kernel("k", 0, 4), {**kernel("bad", 10, 4), "dur": "@"}, kernel("l", 20, 4)]
        path = tmp_path / "a.json"
        path.write_text(json.dumps({"traceEvents": entries}).replace('"@"', "inf"))
        run = LOADER.load(path, {})
        assert run.frames["kernels"]["name"].tolist() == ["k", "l"]


class TestSniff:
    def reason(self, tmp_path, entries):
        path = tmp_path / "trace_view.json"
        path.write_text(json.dumps(entries))
        return LOADER.sniff(path, path.read_bytes())

    def test_text_times_of_ascend_are_read(self, tmp_path):
        def task(ts, **more):
            args = {"Task Type": "AI_CORE"}
            return {"name": "MatMul", "pid": 8, "tid": 3, "ts": ts, "ph": "X", "args": args} | more

        entries = [task("1699529623106750.400", dur=20.5), task("1699529623106790", dur="1.25")]
        assert self.reason(tmp_path, entries) is None
        hardware = {
            "ph": "M",
            "name": "process_name",
            "pid": 8,
            "args": {"name": "Ascend Hardware"},
        }
        assert self.reason(tmp_path, [hardware]) is None
        path = tmp_path / "trace_view.json"
        path.write_text(json.dumps([hardware, *entries]))
        kernels = LOADER.load(path, {}).frames["kernels"]
        assert kernels[["start", "duration"]].to_numpy().tolist() == [[0, 20_500], [39_600, 1250]]

    @pytest.mark.parametrize(
        ("pid", "tool"), [("CPU functions", "autograd"), ("CUDA functions", "autograd")]
    )
    def test_legacy_traces_of_autograd_are_named(self, tmp_path, pid, tool):
        entry = {"name": "add", "ph": "X", "ts": 1, "dur": 2, "tid": 1, "pid": pid, "args": {}}
        reason = self.reason(tmp_path, [entry])
        assert isinstance(reason, KnownFile)
        assert tool in reason

    def test_traces_of_tensorflow_are_named(self, tmp_path):
        named = {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}}
        reason = self.reason(tmp_path, {"traceEvents": [named]})
        assert isinstance(reason, KnownFile)
        assert "TensorFlow" in reason

    def test_times_as_numbers_without_categories_are_of_no_known_tool(self, tmp_path):
        entry = {"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
        reason = self.reason(tmp_path, [entry])
        assert reason
        assert not isinstance(reason, KnownFile)
