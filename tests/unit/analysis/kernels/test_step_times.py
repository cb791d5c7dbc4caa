"""Steps between markers, and what fills them."""

import pytest

from analysis.kernels.breakdown import device_breakdown
from analysis.kernels.device_spans import device_spans
from analysis.kernels.step_times import FILLS, main_series, step_series, step_times
from analysis.kernels.steps import find_steps
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_writer import Maker
from tests.support.kineto_trace import call, kernel, load_trace, operator, span, step


def frames(maker):
    return read_run(maker.profile(), None, False).frames


def steps_of(maker):
    found = frames(maker)
    windows = find_steps(found).windows
    return step_times(*(found[name] for name in ("tracks", "events", "kernels")), windows)


def marked(*at, name="train @ {}"):
    """Return a capture with markers at these microseconds; it begins at 0."""
    maker = Maker("0.13").range("USER", "start", 0, 0)
    for rank, time in enumerate(at):
        maker.marker(name.format(rank), time)
    return maker


def test_each_moment_belongs_to_the_first_that_is_busy():
    maker = marked(10, 110, 210)
    maker.range("USER", "forward", 0, 60).range("TINY", "compile", 20, 50).range(
        "mine", "own row", 100, 115
    )
    maker.range("CPU", "k", 30, 40).range("CPU", "k", 35, 45).range("CPU", "TINY -> CPU", 42, 48)
    steps = steps_of(maker)
    assert steps["name"].tolist() == ["train @ 0", "train @ 1"]
    assert (steps[list(FILLS)] // 1000).to_numpy().tolist() == [
        [15, 3, 12, 0, 0, 30, 40],
        [0, 0, 0, 0, 0, 5, 95],
    ]
    assert (
        steps[["kernels_busy", "copies_busy", "compile_busy", "python_busy"]].iloc[0] // 1000
    ).tolist() == [15, 6, 30, 60]
    assert steps["executions"].tolist() == [2, 0]
    assert steps[list(FILLS)].sum(axis=1).tolist() == steps["duration"].tolist()


def test_kernels_of_graphs_count_and_the_bar_of_the_graph_does_not():
    maker = marked(0, 100)
    maker.device("CPU", 0).graph([("CPU", "a", 0, 1), ("CPU", "b", 2, 3)], [10, 20, 50, 60])
    steps = steps_of(maker)
    assert (
        steps[["kernels", "python", "idle", "executions"]].iloc[0] // [1000, 1000, 1000, 1]
    ).tolist() == [20, 0, 80, 2]


def test_a_series_is_of_names_that_differ_in_digits_alone():
    maker = marked(0, 100, 110, 130, 160)
    maker.marker("epoch end", 160.5).marker("test", 300)
    found = frames(maker)
    series = step_series(steps_of(maker))
    assert [(one.name, one.steps, one.median, one.first) for one in series] == [
        ("train @ #", 5, 15_000.0, 100_000),
        ("epoch end", 1, None, 139_500),
    ]
    assert main_series(series) is series[0]
    assert find_steps(found).typical_ns == 15_000
    assert sum(series[0].fill.values()) == pytest.approx(1)


@pytest.mark.parametrize("at", [(), (5,)])
def test_without_two_markers_there_is_no_step(at):
    found = frames(marked(*at))
    assert steps_of(marked(*at)).empty
    assert find_steps(found).typical_ns is None


def test_python_profiler_and_host_are_told_apart_by_category(tmp_path):
    entries = [
        *(step(number, 100 * number, 100) for number in (1, 2)),
        *(span("user_annotation", "forward", 100 * number, 90) for number in (1, 2)),
        span("python_function", "train.py(1): main", 100, 80),
        operator("aten::mm", 110, 30),
        call(115, 1, 10),
        span("overhead", "Activity Buffer Request", 120, 15),
        kernel("gemm", 150, 20, 1),
        operator("aten::mm", 210, 30),
    ]
    found = load_trace(tmp_path, entries).frames
    windows = find_steps(found).windows
    steps = step_times(*(found[name] for name in ("tracks", "events", "kernels")), windows)
    parts = ["kernels", "compile", "profiler", "host", "python", "idle"]
    assert (steps[parts] // 1000).to_numpy().tolist() == [
        [20, 0, 15, 15, 30, 20],
        [0, 0, 0, 30, 0, 70],
    ]


def test_shares_are_of_the_summed_time_of_the_counted_steps(tmp_path):
    durations = [100, 100, 400]
    entries = []
    at = 0
    for number, duration in enumerate(durations):
        entries += [step(number, at, duration), call(at + 1, number + 1)]
        entries.append(kernel("k", at + 10, (50, 50, 80)[number], number + 1))
        at += duration
    found = load_trace(tmp_path, entries).frames
    steps = find_steps(found)
    times = step_times(*(found[name] for name in ("tracks", "events", "kernels")), steps.windows)
    (series,) = step_series(times, steps.typical)
    (device,) = device_spans(found["kernels"], found["tracks"])
    split = device_breakdown(device, steps.windows).main_split
    assert series.fill["kernels"] == pytest.approx(180 / 600)
    assert series.fill["kernels"] == pytest.approx(split.share("busy"))
