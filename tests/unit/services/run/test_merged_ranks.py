"""A file that holds the traces of several ranks has the numbers of each rank's own trace."""

import json

import pytest

from analysis.kernels.step_times import step_series
from analysis.timeline.marker_windows import marker_windows, window_name
from components.kernels.device_words import device_sentence
from ingest.files import ingest
from services.run.breakdown import breakdown_mapping, find_breakdown, idle_mapping
from services.run.frames import find_frame
from services.run.ranks import find_ranks
from services.run.steps import find_step_times, steps_mapping
from tests.support.kineto_trace import call, kernel, operator, step, write_trace

LENGTHS = {"TP00": (300, 200, 210), "TP01": (900, 320, 330, 340)}
"""Rank -> durations of its steps in µs; the first of TP01 is a warm-up."""


def rank_entries(rank):
    """Return the trace of a rank: steps with a kernel, a gap, and a collective each."""
    begin = 100 if rank == "TP00" else 160
    entries = []
    for number, length in enumerate(LENGTHS[rank], 1):
        entries += [
            step(number, begin, length),
            operator(f"forward {rank}", begin + 5, 60),
            call(begin + 10, 2 * number),
            kernel(f"gemm {rank}", begin + 30, length // 4, 2 * number),
            call(begin + 100, 2 * number + 1),
            kernel("ncclAllReduce", begin + 110, 20, 2 * number + 1, stream=8),
        ]
        begin += length
    return entries


def slow_steps():
    """Return two steps that are longer than those of TP00, of which none is typical."""
    entries = []
    for number in (1, 2):
        entries += [
            step(number, 1000 * number, 1000),
            call(1000 * number + 10, number),
            kernel("gemm", 1000 * number + 20, 400, number),
        ]
    return entries


def labelled(entries, rank):
    """Return the entries with their processes as sglang's merger names them."""
    return [{**entry, "pid": f"[{rank}] {entry['pid']}"} for entry in entries]


@pytest.fixture
def runs(repository, tmp_path):
    """Ingest the merged trace and that of each rank; return name -> run id."""
    merged = [entry for rank in LENGTHS for entry in labelled(rank_entries(rank), rank)]
    files = {"merged": merged} | {rank: rank_entries(rank) for rank in LENGTHS}
    return {
        name: ingest(repository, [write_trace(tmp_path / name, entries)], {}).runs[0].run_id
        for name, entries in files.items()
    }


def own(device):
    """Return the record of a device without its name and the moments, which are of the file."""
    text = json.dumps({name: value for name, value in device.items() if name != "device"})
    record = json.loads(text)
    for gap in record.get("top", []):
        del gap["start"]
    return record


def without_rank(record, rank):
    return json.loads(json.dumps(record).replace(f"[{rank}] ", "").replace(f'"{rank}"', "null"))


@pytest.mark.slow
def test_each_device_has_the_steps_of_its_rank(repository, runs):
    merged = breakdown_mapping(find_breakdown(repository, runs["merged"]))
    assert [device["device"] for device in merged["devices"]] == ["[TP00] 0", "[TP01] 0"]
    for rank, device in zip(LENGTHS, merged["devices"], strict=True):
        alone = breakdown_mapping(find_breakdown(repository, runs[rank]))
        assert without_rank(own(device), rank) == own(alone["devices"][0])
        steps = [each for each in merged["steps"] if each["rank"] == rank]
        assert without_rank(steps, rank) == alone["steps"]
        assert len(steps) == len(LENGTHS[rank])


def test_the_typical_step_is_that_of_the_slowest_rank(repository, runs):
    merged = find_breakdown(repository, runs["merged"])
    alone = {rank: find_breakdown(repository, runs[rank]).step_ns for rank in LENGTHS}
    assert alone == {"TP00": 210_000, "TP01": 330_000}
    assert (merged.step_ns, merged.step_rank) == (330_000, "TP01")
    assert "slowest rank" in device_sentence(merged.devices, merged.idle, merged.step_ns)
    assert repository.find_run(runs["merged"]).record()["step_time"] == 330_000


def test_a_slowest_rank_without_a_typical_step_leaves_the_step_unknown(repository, tmp_path):
    entries = [*labelled(rank_entries("TP00"), "TP00"), *labelled(slow_steps(), "TP01")]
    run_id = ingest(repository, [write_trace(tmp_path, entries)], {}).runs[0].run_id
    found = find_breakdown(repository, run_id)
    assert (found.step_ns, found.step_rank) == (None, "TP01")


@pytest.mark.slow
def test_each_device_waits_for_the_host_of_its_rank(repository, runs):
    merged = idle_mapping(find_breakdown(repository, runs["merged"]))["devices"]
    for rank, device in zip(LENGTHS, merged, strict=True):
        alone = idle_mapping(find_breakdown(repository, runs[rank]))["devices"][0]
        assert own(device) == own(alone)
        assert device["counted"]["host"] > 0


@pytest.mark.slow
def test_steps_are_filled_by_their_rank(repository, runs):
    merged = find_step_times(repository, runs["merged"])
    for rank in LENGTHS:
        alone = steps_mapping(find_step_times(repository, runs[rank]))
        steps = [each for each in steps_mapping(merged)["steps"] if each["rank"] == rank]
        assert without_rank(steps, rank) == alone["steps"]
    names = [series.name for series in step_series(merged.steps)]
    assert names == ["[TP00] ProfilerStep##", "[TP01] ProfilerStep##"]


@pytest.mark.slow
def test_executions_belong_to_the_steps_of_their_rank(repository, runs):
    steps = find_frame(repository, runs["merged"], "training_steps")
    for rank in LENGTHS:
        alone = find_frame(repository, runs[rank], "training_steps")
        own_steps = steps[steps["rank"] == rank]
        for column in ("kernels", "kernel_time"):
            assert own_steps[column].tolist() == alone[column].tolist()
    kernels = find_frame(repository, runs["merged"], "kernels")
    numbers = kernels.groupby(kernels["track"].astype("str"))["iteration"].agg(list)
    assert numbers.map(sorted).tolist() == [[1, 2, 3]] * 2 + [[1, 2, 3, 4]] * 2


def test_ranks_have_their_typical_steps(repository, runs):
    found = find_ranks(repository, runs["merged"])
    assert {rank.rank: rank.step_ns for rank in found.ranks} == {"TP00": 210_000, "TP01": 330_000}


@pytest.mark.slow
def test_annotations_of_each_rank_are_taken_as_steps(repository, runs):
    found = find_breakdown(repository, runs["merged"], "ProfilerStep#2")
    assert found.steps["name"].tolist() == ["[TP00] ProfilerStep#2", "[TP01] ProfilerStep#2"]
    assert found.steps["duration"].tolist() == [200_000, 320_000]


def test_windows_are_between_markers_of_a_rank(repository, runs):
    markers = find_frame(repository, runs["merged"], "markers")
    windows = marker_windows(markers, (0, 2_000_000))
    named = [name for name in windows["name"] if "capture" not in name]
    assert len(named) == 7
    assert all(name.count("[TP00]") in (0, 2) for name in named)
    first = markers[markers["rank"] == "TP01"]["start"].tolist()
    assert window_name(markers, (first[0], first[1])).count("TP01") == 2


@pytest.mark.slow
def test_devices_with_numbers_of_their_own_have_the_rank_too(repository, tmp_path):
    entries = []
    for number, rank in enumerate(LENGTHS):
        shifted = [
            {**entry, "pid": number, "args": {**entry["args"], "device": number}}
            if entry["cat"] == "kernel"
            else entry
            for entry in rank_entries(rank)
        ]
        entries += labelled(shifted, rank)
    run_id = ingest(repository, [write_trace(tmp_path, entries)], {}).runs[0].run_id
    devices = find_breakdown(repository, run_id).devices
    assert [device.spans.device for device in devices] == ["[TP00] 0", "[TP01] 1"]
    assert [device.counted_steps for device in devices] == [3, 3]
