"""Frames of the time of devices have the numbers of the breakdown."""

import pytest

from analysis.kernels.idle import REASONS
from ingest.files import ingest
from services.run.breakdown import find_breakdown
from services.run.data_cache import RunDataCache
from services.run.frames import find_frame
from tests.support.kineto_trace import operator, trace_data, two_steps

NAMES = ("device_times", "idle_times", "idle_gaps")


@pytest.mark.slow
def test_windows_are_the_counted_steps_the_whole_and_each_step(repository, tmp_path):
    data = trace_data(repository, tmp_path, two_steps())
    times = find_frame(repository, data.run_id, "device_times")
    (device,) = find_breakdown(repository, data.run_id).devices
    assert times["window"].tolist() == ["counted", "whole", "step", "step"]
    assert times["name"].dropna().tolist() == ["ProfilerStep#1", "ProfilerStep#2"]
    assert times["steps"].dropna().tolist() == [2]
    splits = [device.counted, device.window, *device.steps]
    for part in ("total", "busy", "idle", "compute", "communication_exposed", "copy_exposed"):
        assert times[part].tolist() == [getattr(split, part) for split in splits]
    parts = ["compute", "communication_exposed", "copy_exposed", "idle"]
    assert (times[parts].sum(axis=1) == times["total"]).all()


@pytest.mark.slow
def test_reasons_sum_to_the_idle_time(repository, tmp_path):
    data = trace_data(repository, tmp_path, two_steps())
    reasons = find_frame(repository, data.run_id, "idle_times")
    times = find_frame(repository, data.run_id, "device_times").set_index("window")
    assert reasons["reason"].tolist() == list(REASONS)
    assert reasons["idle"].sum() == times.loc["whole", "idle"]
    assert reasons["counted"].sum() == times.loc["counted", "idle"]


def test_gaps_name_the_execution_that_ends_them(repository, tmp_path):
    data = trace_data(repository, tmp_path, two_steps())
    gaps = find_frame(repository, data.run_id, "idle_gaps")
    (gap,) = gaps.to_dict("records")
    assert (gap["start"], gap["end"], gap["next"]) == (600_000, 1_200_000, "gemm")
    assert gap["part"] <= gap["duration"] == gap["end"] - gap["start"]


def test_a_trace_without_devices_has_none(repository, tmp_path):
    data = trace_data(repository, tmp_path, [operator("aten::mm", 0, 10)])
    assert set(NAMES).isdisjoint(data.frames)


@pytest.mark.slow
def test_a_profile_without_classes_has_none(repository, samples):
    run = ingest(repository, [samples / "tinygrad" / "train-0.12-cpu"], {}).runs[0]
    data = RunDataCache(repository).get(run.run_id, "robust", {})
    assert set(NAMES).isdisjoint(data.frames)
