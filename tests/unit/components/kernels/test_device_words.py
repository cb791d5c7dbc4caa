"""Words about the busy time of devices."""

import pytest

from analysis.kernels.breakdown import busiest, device_breakdown
from analysis.kernels.device_spans import device_spans
from analysis.kernels.steps import find_steps
from components.kernels.device_words import busy_scope
from tests.support.kineto_trace import load_trace
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
