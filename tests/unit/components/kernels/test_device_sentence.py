"""The sentence about the time of devices: shares near 0 and 100 %, other makers, merged files."""

import re
from dataclasses import replace

import numpy as np
import pytest

from analysis.kernels.device_spans import DeviceSpans
from components.kernels.device_names import device_name
from components.kernels.device_words import (
    busy_scope,
    device_caption,
    device_sentence,
    idle_caption,
)
from services.run.breakdown import breakdown
from tests.support.kineto_trace import call, kernel, load_trace, span


def sentence(tmp_path, entries):
    found = breakdown(load_trace(tmp_path, entries).frames)
    return device_sentence(found.devices, found.idle, found.step_ns)


def launch(category):
    """Return a call that launches the execution with correlation 1."""
    return span(category, "launch", 0, 1, correlation=1)


def percentages(text):
    return [float(number) for number in re.findall(r"([\d.]+)\s%", text)]


@pytest.mark.parametrize(("gap", "busy", "idle"), [(1_000, 0.2, 99.8), (100_000, 0.002, 99.9)])
def test_a_device_that_works_a_little_is_not_idle_all_the_time(tmp_path, gap, busy, idle):
    entries = [kernel("a", 0, 1), kernel("b", gap, 1)]
    assert percentages(sentence(tmp_path, entries))[:2] == [busy, idle]


def test_shares_are_bounds_if_the_time_of_an_execution_is_unknown(tmp_path):
    entries = [kernel("a", 0, 500), kernel("b", 40, 10), kernel("c", 90, 10)]
    found = breakdown(load_trace(tmp_path, entries).frames)
    text = device_sentence(found.devices, found.idle, found.step_ns)
    assert "at least" in text
    assert "at most" in text
    assert percentages(text) == [33, 67]
    assert percentages(idle_caption(found.busiest, found.idle)) == [67]
    assert "at most" in idle_caption(found.busiest, found.idle)
    assert "1 execution of unknown time" in device_caption(found.devices)
    assert busy_scope(found.busiest).startswith("at least")


def test_shares_of_0_and_100_percent_are_whole(tmp_path):
    assert percentages(sentence(tmp_path, [kernel("a", 0, 10)])) == [100, 0]


@pytest.mark.parametrize(
    ("entries", "word"),
    [
        ([call(0, 1), kernel("a", 5, 10, 1)], "GPU"),
        ([launch("xpu_runtime"), kernel("a", 5, 10, 1)], "XPU"),
        ([kernel("a", 5, 10, cat="mtia_ccp_events")], "MTIA"),
        ([kernel("a", 5, 10, cat="hpu_op")], "HPU"),
        ([launch("privateuse1_driver"), kernel("a", 5, 10, 1)], "Device"),
    ],
    ids=["cuda", "xpu", "mtia", "hpu", "privateuse1"],
)
def test_devices_of_other_makers_are_no_gpus(tmp_path, entries, word):
    assert sentence(tmp_path, entries).startswith(f"{word} busy 100")


def test_tracks_have_the_name_of_the_maker(tmp_path):
    entries = [launch("xpu_runtime"), kernel("a", 5, 10, 1)]
    tracks = load_trace(tmp_path, entries).frames["tracks"]["track"].astype("str").tolist()
    assert tracks[0] == "xpu 0 stream 7"


@pytest.mark.parametrize(
    ("device", "name"),
    [("1", "XPU 1"), ("[TP01] 3", "XPU 3 of [TP01]"), ("device -1", "device -1")],
)
def test_names_of_devices(device, name):
    none = np.zeros(0, np.int64)
    kinds = {"kind": none, "launch": none, "name": none}
    spans = DeviceSpans(device=device, streams=1, start=none, end=none, **kinds, interface="xpu")
    assert device_name(spans) == name
    assert device_name(replace(spans, interface="")).replace("GPU", "XPU") == name


def test_without_a_device_the_sentence_has_the_time_of_a_step():
    assert device_sentence([], [], 100_000).startswith("No spans of a device: 100")
    assert "a step" in device_sentence([], [], 100_000)
    assert "a step" not in device_sentence([], [], None)


def test_executions_without_a_launch_are_in_no_step_if_there_are_steps(tmp_path):
    def reason(entries):
        found = load_trace(tmp_path, entries).diagnostics
        return next(one.message for one in found if one.code == "launch_unknown")

    step = span("user_annotation", "ProfilerStep#1", 0, 100)
    assert "step" in reason([step, kernel("a", 5, 10)])
    assert "step" not in reason([kernel("a", 5, 10)])
