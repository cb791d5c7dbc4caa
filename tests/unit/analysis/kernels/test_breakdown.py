"""Time of devices and steps by class, the steps that count, and why devices idle."""

import numpy as np
import pytest

from analysis.kernels.breakdown import device_breakdown
from analysis.kernels.device_spans import device_spans
from analysis.kernels.host_threads import HostThreads
from analysis.kernels.idle import REASONS, device_idle
from analysis.kernels.steps import find_steps
from schema.frames import empty
from tests.support.kineto_trace import HOST, call, kernel, load_trace, operator, span, step

US = 1000
"""Nanoseconds of a microsecond."""


def frames_of(folder, entries):
    return load_trace(folder, entries).frames


def split(folder, entries):
    frames = frames_of(folder, entries)
    (spans,) = device_spans(frames["kernels"], frames["tracks"])
    return device_breakdown(spans, find_steps(frames).windows)


def idle(folder, entries):
    frames = frames_of(folder, entries)
    (spans,) = device_spans(frames["kernels"], frames["tracks"])
    threads = HostThreads.of(frames["events"], frames["tracks"])
    launches = frames.get("launches", empty("launches"))
    return device_idle(spans, launches, threads, find_steps(frames).windows)


def test_exposed_time_is_that_which_nothing_before_it_hides(tmp_path):
    entries = [
        kernel("gemm", 0, 100),
        kernel("ncclAllReduce", 80, 60, stream=8),
        kernel("Memcpy", 130, 30, stream=9, cat="gpu_memcpy"),
        kernel("gemm", 200, 10),
    ]
    window = split(tmp_path, entries).window
    assert (window.compute, window.communication, window.copy) == (110 * US, 60 * US, 30 * US)
    assert (window.communication_exposed, window.communication_overlapped) == (40 * US, 20 * US)
    assert (window.copy_exposed, window.busy, window.idle) == (20 * US, 170 * US, 40 * US)
    assert (
        window.total
        == window.compute + window.communication_exposed + window.copy_exposed + window.idle
    )


def stepped(lengths, last_kernels=4):
    """Return steps of these lengths with four kernels each, the last with `last_kernels`."""
    entries = []
    begin = 0
    number = 0
    for rank, length in enumerate(lengths):
        entries.append(step(rank, begin, length - 1))
        for place in range(last_kernels if rank == len(lengths) - 1 else 4):
            number += 1
            entries += [
                call(begin + 2 * place, number),
                kernel("k", begin + 2 * place + 1, 1, number),
            ]
        begin += length
    return entries


@pytest.mark.parametrize(
    ("lengths", "last", "left_out", "typical"),
    [
        ([100, 100, 100], 4, ["", "", ""], 100),
        ([300, 100, 110, 105], 4, ["warm_up", "", "", ""], 104),
        ([100, 100, 100, 50], 1, ["", "", "", "tail"], 100),
        ([100, 120], 4, ["", ""], None),
        ([100, 40], 1, ["", "tail"], 99),
    ],
)
def test_warm_up_and_tail_do_not_count(tmp_path, lengths, last, left_out, typical):
    steps = find_steps(frames_of(tmp_path, stepped(lengths, last)))
    assert steps.windows["left_out"].tolist() == left_out
    assert steps.typical_ns == (None if typical is None else typical * US)


def test_a_step_lasts_to_the_next_number_and_else_to_its_own_end(tmp_path):
    entries = [step(1, 0, 8), step(2, 10, 8), step(7, 30, 8), kernel("k", 1, 1)]
    windows = find_steps(frames_of(tmp_path, entries)).windows
    assert windows["duration"].tolist() == [10 * US, 8 * US, 8 * US]


def test_annotations_with_a_prefix_are_steps(tmp_path):
    entries = [
        span("user_annotation", "epoch 1", 0, 10),
        span("user_annotation", "epoch 2", 12, 10),
        step(1, 0, 30),
        kernel("k", 1, 1),
    ]
    windows = find_steps(frames_of(tmp_path, entries), "epoch").windows
    assert windows[["name", "duration"]].to_numpy().tolist() == [
        ["epoch 1", 12 * US],
        ["epoch 2", 10 * US],
    ]


def gap(*between, launch=90, returns=2):
    """Return two kernels with a gap of 100 us from 0 on: launched at `launch`, and entries."""
    return [
        call(-20, 1),
        kernel("first", -10, 10, 1),
        call(launch, 2, returns),
        kernel("second", 100, 10, 2),
        *between,
    ]


@pytest.mark.parametrize(
    ("entries", "parts"),
    [
        (gap(), {"host": 90, "launch": 2, "queued": 8}),
        (gap(operator("enumerate(DataLoader)#next", 10, 30)), {"data_loader": 30, "host": 60}),
        (
            gap(span("python_function", "/x/dataloader.py(708): __next__", 10, 30)),
            {"data_loader": 30, "host": 60},
        ),
        (gap(operator("c10d::allreduce_", 10, 30)), {"communication": 30, "host": 60}),
        (gap(call(10, 0, 30, "cudaMalloc")), {"allocation": 30, "host": 60}),
        (gap(call(-5, 0, 35, "cudaDeviceSynchronize")), {"synchronisation": 90, "host": 0}),
        (gap(call(-5, 0, 35, "cudaMemcpyAsync")), {"copy": 90, "host": 0}),
        (gap(call(10, 0, 30, "cudaStreamSynchronize")), {"synchronisation": 30, "host": 60}),
        (gap(operator("c10d::allreduce_", 10, 30, (1, 2))), {"communication": 0, "host": 90}),
    ],
)
def test_each_nanosecond_of_a_gap_has_one_reason(tmp_path, entries, parts):
    found = idle(tmp_path, entries)
    assert (found.idle, found.gaps) == (100 * US, 1)
    assert sum(found.reasons.values()) == 100 * US
    assert {name: found.reasons[name] // US for name in parts} == parts


def test_a_gap_before_an_execution_without_a_call_is_unknown(tmp_path):
    found = idle(tmp_path, [kernel("a", 0, 10), kernel("b", 30, 10)])
    assert found.reasons["unknown"] == 20 * US
    (place,) = found.top
    assert (place.reason, place.next, place.op, place.python) == ("unknown", "b", None, None)


def test_executions_without_length_end_no_gap(tmp_path):
    found = idle(tmp_path, [kernel("a", 0, 0), kernel("b", 30, 0)])
    assert (found.idle, found.gaps, sum(found.reasons.values())) == (30 * US, 1, 30 * US)


def test_the_longest_gaps_name_operator_and_function(tmp_path):
    inside = [operator("aten::add", 20, 60), span("python_function", "model.py(9): slow", 5, 90)]
    (place,) = idle(tmp_path, gap(*inside)).top
    assert (place.duration, place.reason, place.op, place.python) == (
        100 * US,
        "host",
        "aten::add",
        "model.py(9): slow",
    )


def test_counted_steps_count_the_time_before_and_behind_the_executions(tmp_path):
    entries = [
        step(0, 0, 100),
        call(20, 1),
        kernel("k", 30, 10, 1),
        span("cpu_op", "x", 0, 1, HOST),
    ]
    found = idle(tmp_path, entries)
    assert (found.idle, found.gaps) == (0, 0)
    assert found.counted is not None
    assert sum(found.counted.values()) == 90 * US
    assert found.counted["host"] == (20 + 60) * US
    assert set(found.counted) == set(REASONS)


def test_a_gap_over_several_steps_is_cut_to_each(tmp_path):
    launched = [call(10, 1), kernel("a", 20, 10, 1), call(250, 2), kernel("b", 260, 10, 2)]
    found = idle(tmp_path, [step(0, 0, 99), step(1, 100, 99), step(2, 200, 100), *launched])
    assert (found.idle, found.gaps) == (230 * US, 1)
    assert found.counted is not None
    assert sum(found.counted.values()) == (300 - 20) * US


def test_devices_are_apart_and_sorted_by_number(tmp_path):
    frames = frames_of(tmp_path, [kernel("a", 0, 10, device=1), kernel("b", 5, 10, device=0)])
    spans = device_spans(frames["kernels"], frames["tracks"])
    assert [device.device for device in spans] == [0, 1]
    assert [np.diff([*device.start, *device.end]).tolist() for device in spans] == [[10_000]] * 2
