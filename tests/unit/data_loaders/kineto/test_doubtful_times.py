"""Times that cannot be right: launches without kernels, early kernels, overruns, repeats, far entries."""

import pytest

from analysis.kernels.headline import profile_headline
from services.run.breakdown import breakdown
from tests.support.finding_codes import code_set, only_finding
from tests.support.kineto_trace import call, kernel, load_trace, operator, span, step

US = 1000
"""Nanoseconds of a microsecond."""
DAYS_US = 86_400 * 10**6
"""Microseconds of a day."""


def launched(count, begin=1000, every=100, duration=40):
    """Return a step of `count` launches, each with a kernel 20 us later."""
    entries = [step(1, begin, count * every)]
    for number in range(count):
        at = begin + 10 + every * number
        entries += [call(at, number + 1), kernel("gemm", at + 20, duration, number + 1)]
    return entries


def test_good_times_have_no_finding(tmp_path):
    assert code_set(load_trace(tmp_path, launched(5))) == set()


class TestLaunches:
    def test_launches_without_kernels_are_counted(self, tmp_path):
        lost = [call(2000 + at, 100 + at) for at in range(4)]
        found = only_finding(load_trace(tmp_path, launched(5) + lost), "kernels_missing")
        assert (found.severity, found.count) == ("warning", 4)
        assert "4 of 9" in found.message
        assert found.location.endswith(f"at {1000 * US} ns")

    def test_launches_of_a_captured_graph_start_nothing(self, tmp_path):
        captured = [
            call(2000, 0, name="cudaStreamBeginCapture"),
            call(2010, 70),
            call(2020, 0, name="cudaStreamEndCapture_v10000"),
        ]
        assert code_set(load_trace(tmp_path, launched(5) + captured)) == set()
        lost = load_trace(tmp_path, [*launched(5), *captured, call(2030, 71)])
        assert only_finding(lost, "kernels_missing").count == 1


class TestEarly:
    def test_executions_before_their_launch_have_no_times(self, tmp_path):
        good = load_trace(tmp_path, launched(10, begin=10**6)).frames
        entries = launched(10, begin=10**6)
        for entry in entries[2:8:2]:  # the first three kernels
            entry["ts"] -= 999_000
        run = load_trace(tmp_path, entries)
        found = only_finding(run, "early_executions")
        assert found.count == 3
        assert "gemm on cuda 0 stream 7" in found.location
        kernels = run.frames["kernels"]
        assert kernels["start"].isna().sum() == kernels["duration"].isna().sum() == 3
        assert kernels["launch"].notna().all()
        numbers = profile_headline(run.frames)
        assert (numbers["kernels"], numbers["kernel_time"]) == (10, 7 * 40 * US)
        assert numbers["busy_share"] == pytest.approx(0.7 * profile_headline(good)["busy_share"])
        assert run.frames["tracks"]["last"].max() <= 1_100 * US

    def test_a_begin_within_the_error_of_clocks_stays(self, tmp_path):
        entries = launched(5)
        entries[2]["ts"] -= 60
        run = load_trace(tmp_path, entries)
        assert "early_executions" not in code_set(run)
        assert run.frames["kernels"]["start"].notna().all()

    def test_clocks_that_differ_compare_no_device_with_steps(self, tmp_path):
        entries = launched(5, begin=10**6)
        for entry in entries:
            if entry["cat"] == "kernel":
                entry["ts"] -= 5000
        run = load_trace(tmp_path, entries)
        assert only_finding(run, "early_executions").count == 5
        result = breakdown(run.frames)
        assert result.devices[0].counted is None
        assert result.devices[0].window.busy == 5 * 40 * US
        assert result.idle[0].reasons["unknown"] == result.idle[0].idle
        share = profile_headline(run.frames)["busy_share"]
        assert share == result.devices[0].window.share("busy")


class TestOverruns:
    def test_a_duration_beyond_the_next_execution_is_unknown(self, tmp_path):
        entries = launched(6)
        entries[4]["dur"] = 1_600_000
        run = load_trace(tmp_path, entries)
        found = only_finding(run, "overruns")
        assert found.count == 1
        kernels = run.frames["kernels"]
        assert kernels["duration"].isna().tolist() == [False, True, False, False, False, False]
        assert kernels["start"].notna().all()
        assert profile_headline(run.frames)["kernel_time"] == 5 * 40 * US
        assert run.frames["tracks"]["last"].max() < 1_000 * US

    def test_an_early_begin_of_the_next_is_no_overrun(self, tmp_path):
        entries = launched(3, every=38)
        assert code_set(load_trace(tmp_path, entries)) == set()

    def test_an_execution_may_begin_long_before_the_end_of_the_one_it_waits_for(self, tmp_path):
        entries = launched(3, every=500)
        entries[2]["dur"] = entries[4]["dur"] = 500 + 300
        entries[6]["dur"] = 300 + 1
        assert code_set(load_trace(tmp_path / "waits", entries)) == set()
        entries[6]["dur"] = 299
        assert only_finding(load_trace(tmp_path / "outlasts", entries), "overruns").count == 1

    def test_of_two_executions_with_the_same_times_one_counts(self, tmp_path):
        entries = launched(4)
        entries[4]["ts"] = entries[2]["ts"]
        run = load_trace(tmp_path, [*entries, step(2, 1400, 1)])
        assert only_finding(run, "overruns").count == 1
        assert profile_headline(run.frames)["kernel_time"] == 3 * 40 * US

    def test_the_longer_of_two_that_begin_together_overruns(self, tmp_path):
        entries = launched(4)
        entries[4] |= {"ts": entries[2]["ts"], "dur": 30}
        kernels = load_trace(tmp_path, entries).frames["kernels"]
        assert sorted(kernels["duration"].dropna()) == [30 * US, 40 * US, 40 * US]

    def test_a_later_execution_than_the_next_shows_an_overrun(self, tmp_path):
        entries = launched(4)
        for place, duration in ((2, 210), (4, 115), (6, 5)):
            entries[place]["dur"] = duration
        run = load_trace(tmp_path, entries)
        assert only_finding(run, "overruns").count == 2

    @pytest.mark.parametrize("number", [0, 50])
    def test_executions_without_a_launch_overrun_too(self, tmp_path, number):
        entries = [
            *launched(2),
            kernel("long", 2000, 1000, number),
            kernel("next", 2100, 10, number and number + 1),
        ]
        run = load_trace(tmp_path, entries)
        assert only_finding(run, "overruns").count == 1
        assert profile_headline(run.frames)["kernel_time"] == (2 * 40 + 10) * US

    def test_a_trace_without_calls_has_overruns(self, tmp_path):
        run = load_trace(tmp_path, [kernel("long", 0, 1000, 1), kernel("next", 100, 10, 2)])
        assert only_finding(run, "overruns").count == 1

    @pytest.mark.parametrize(("duration", "found"), [(40, False), (199, False), (201, True)])
    def test_no_execution_outlasts_a_call_that_waited_for_it(self, tmp_path, duration, found):
        entries = launched(3)
        entries[6]["dur"] = duration
        wait = call(1220, 0, dur=110, name="cudaDeviceSynchronize")
        late = [call(1500, 9), kernel("gemm", 1520, 900, 9, stream=8)]
        run = load_trace(tmp_path / "one", [*entries, wait, *late])
        assert ("overruns" in code_set(run)) == found
        other = [call(1510, 10), kernel("gemm", 1530, 9, 10, device=1)]
        run = load_trace(tmp_path / "two", [*entries, wait, *other])
        assert "overruns" not in code_set(run)

    def test_the_clock_of_a_device_may_be_ahead(self, tmp_path):
        entries = launched(3)
        for entry in entries[2::2]:
            entry["ts"] += 5_000
        wait = call(1220, 0, dur=110, name="cudaDeviceSynchronize")
        assert "overruns" not in code_set(load_trace(tmp_path, [*entries, wait]))

    def test_executions_without_a_launch_may_be_of_one_graph(self, tmp_path):
        entries = [*launched(2), kernel("long", 2000, 1000, 50), kernel("next", 2100, 10, 50)]
        assert "overruns" not in code_set(load_trace(tmp_path, entries))

    def test_an_early_execution_shows_no_overrun_of_another(self, tmp_path):
        entries = launched(10, begin=10**6)
        entries[18] |= {"ts": entries[2]["ts"] + 5, "dur": 10}
        run = load_trace(tmp_path, entries)
        assert code_set(run) == {"early_executions"}
        assert run.frames["kernels"]["duration"].isna().sum() == 1

    def test_branches_of_a_graph_may_overlap(self, tmp_path):
        entries = [
            call(0, 9, name="cudaGraphLaunch"),
            kernel("long", 10, 100, 9),
            kernel("short", 20, 10, 9),
        ]
        assert code_set(load_trace(tmp_path, entries)) == set()


class TestRepeats:
    def test_entries_that_are_there_twice_count_once(self, tmp_path):
        good = load_trace(tmp_path, launched(5))
        twice = load_trace(tmp_path, launched(5) * 2)
        found = only_finding(twice, "entries_repeated")
        assert found.count == 11
        assert profile_headline(twice.frames) == profile_headline(good.frames)

    def test_operators_without_numbers_repeat_only_if_most_do(self, tmp_path):
        once = [operator(f"op {number}", number, 0) for number in range(10)]
        run = load_trace(tmp_path, [*once, operator("op 3", 3, 0)])
        assert code_set(run) == set()
        assert only_finding(load_trace(tmp_path, once * 2), "entries_repeated").count == 10

    def test_a_single_repeated_kernel_counts_once(self, tmp_path):
        entries = launched(5)
        run = load_trace(tmp_path, [*entries, entries[2]])
        assert only_finding(run, "entries_repeated").count == 1
        assert len(run.frames["kernels"]) == 5


class TestFar:
    @pytest.mark.parametrize(
        "entry",
        [
            kernel("lost", 0, 0, 99),
            span("cpu_op", "long", 400 * DAYS_US, 300 * DAYS_US),
            kernel("later", 900 * DAYS_US, 1, 99),
        ],
    )
    def test_an_entry_of_another_time_is_left_out(self, tmp_path, entry):
        begin = 400 * DAYS_US
        good = load_trace(tmp_path, launched(5, begin=begin))
        run = load_trace(tmp_path, [entry, *launched(5, begin=begin)])
        found = only_finding(run, "entries_far")
        assert (found.count, entry["name"] in found.message) == (1, True)
        assert profile_headline(run.frames) == profile_headline(good.frames)
        assert run.frames["tracks"]["last"].max() < 1_000 * US

    def test_a_memory_sample_of_another_time_is_left_out(self, tmp_path):
        def sample(at):
            args = {"Device Type": 1, "Device Id": 0, "Total Allocated": 10, "Bytes": 1}
            return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": at, "args": args}

        begin = 400 * DAYS_US
        entries = [*launched(5, begin=begin), sample(begin), sample(0)]
        counters = load_trace(tmp_path, entries).frames["counters"]
        assert counters["start"].tolist() == [0]

    def test_many_times_apart_stay(self, tmp_path):
        entries = launched(5) + launched(5, begin=400 * DAYS_US)
        run = load_trace(tmp_path, entries)
        assert "entries_far" not in code_set(run)
