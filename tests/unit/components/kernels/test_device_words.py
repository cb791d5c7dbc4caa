"""Words about the busy time of devices."""

import pytest

from analysis.kernels.breakdown import busiest, device_breakdown
from analysis.kernels.device_spans import device_spans
from analysis.kernels.host_threads import HostThreads
from analysis.kernels.idle import device_idle
from analysis.kernels.steps import find_steps
from components.kernels.device_words import busy_scope, device_sentence, idle_caption
from schema.frames import empty
from tests.support.kineto_trace import kernel, load_trace
from tests.support.torch_steps import step_entries

COPIES = {"Memcpy HtoD": "gpu_memcpy"}


@pytest.mark.parametrize(
    ("steps", "scope"),
    [
        ([(("gemm", 2_000), ("Memcpy HtoD", 500))] * 4, "4 steps, copies 5 % of the time"),
        ([(("gemm", 2_000), ("Memcpy HtoD", 5))] * 4, "4 steps"),
    ],
)
def test_the_scope_has_the_steps_and_copies_alone(tmp_path, steps, scope):
    found = load_trace(tmp_path, step_entries(steps, categories=COPIES)).frames
    windows = find_steps(found).windows
    spans = device_spans(found["kernels"], found["tracks"])
    assert busy_scope(busiest([device_breakdown(own, windows) for own in spans])) == scope


@pytest.mark.parametrize("dur", [0, 5])
def test_a_device_whose_executions_have_no_length_is_not_said_to_be_busy(tmp_path, dur):
    found = load_trace(tmp_path, [kernel("gemm", 10, dur)]).frames
    windows = find_steps(found).windows
    (spans,) = device_spans(found["kernels"], found["tracks"])
    device = device_breakdown(spans, windows)
    threads = HostThreads.of(found["events"], found["tracks"])
    idle = device_idle(spans, found.get("launches", empty("launches")), threads, windows)
    caption = idle_caption(device, [idle])
    assert ("never waits" in caption) is (dur > 0)
    assert ("unknown" in caption) is (dur == 0)
    assert ("unknown" in device_sentence([device], [idle], None)) is (dur == 0)
