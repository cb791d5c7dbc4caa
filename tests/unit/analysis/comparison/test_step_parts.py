"""Parts of a profile's step on two sides."""

import pytest

from analysis.comparison.step_parts import PARTS, STEP, StepParts, compare_parts, side_parts
from analysis.kernels.breakdown import device_breakdown
from analysis.kernels.device_spans import device_spans
from analysis.kernels.host_threads import HostThreads
from analysis.kernels.idle import device_idle
from analysis.kernels.steps import find_steps
from schema.frames import empty
from tests.support.kineto_trace import kernel, load_trace
from tests.support.torch_steps import step_entries

COPIES = {"Memcpy HtoD": "gpu_memcpy"}


def side(folder, entries):
    folder.mkdir(exist_ok=True)
    frames = load_trace(folder, entries).frames
    steps = find_steps(frames)
    (spans,) = device_spans(frames["kernels"], frames["tracks"])
    threads = HostThreads.of(frames["events"], frames["tracks"])
    idle = device_idle(spans, frames.get("launches", empty("launches")), threads, steps.windows)
    device = device_breakdown(spans, steps.windows)
    return side_parts(device, idle, steps.typical_ns, {"aten::gemm": 1.0, "": 2.0})


@pytest.fixture
def parts(tmp_path):
    base = [(("gemm", 3_000), ("ncclAllReduce", 1_000), ("Memcpy HtoD", 500))] * 4
    new = [(("gemm", 3_000), ("ncclAllReduce", 2_500), ("Memcpy HtoD", 700))] * 4
    sides = [
        side(tmp_path / name, step_entries(steps, categories=COPIES))
        for name, steps in (("base", base), ("new", new))
    ]
    return StepParts(*sides)


def test_parts_sum_to_the_step_and_are_means_of_counted_steps(parts):
    step, *changes = parts.parts
    assert (step.name, step.base, step.change) == (STEP, 10_000_000, 0)
    assert [change.name for change in changes] == [*PARTS]
    assert [change.base for change in changes] == [3_000_000, 1_000_000, 500_000, 5_500_000]
    assert [change.change for change in changes] == [0, 1_500_000, 200_000, -1_700_000]
    assert sum(change.base for change in changes) == step.base


def test_reasons_sum_to_the_idle_time(parts):
    idle = parts.parts[-1]
    assert sum(change.base for change in parts.reasons) == idle.base
    assert sum(change.change for change in parts.reasons) == idle.change
    assert all(change.base or change.new for change in parts.reasons)


def test_the_record_has_null_for_executions_without_an_operator(parts):
    record = parts.record()
    assert set(record) == {"breakdown", "idle", "ops"}
    assert {row["name"] for row in record["ops"]} == {"aten::gemm", None}
    assert record["breakdown"]["base"] == {"device": 0, "steps": 4, "step_ns": 10_000_000}


def test_steps_are_not_compared_with_a_whole_window(tmp_path, parts):
    window = side(tmp_path / "window", [kernel("gemm", 0, 30), kernel("gemm", 50, 50)])
    assert (window.steps, window.parts[STEP], window.parts["idle"]) == (0, 100_000, 20_000)
    assert compare_parts(parts.base, window) is None
    assert compare_parts(parts.base, None) is None
    assert compare_parts(window, window) is not None
