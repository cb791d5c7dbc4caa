"""Both formats hold what the frames of a run hold."""

import gzip
import io
import json
from itertools import pairwise

import numpy as np
import pytest

from ingest.files import ingest
from services.run.frames import find_frame
from services.run.perfetto.formats import write_trace
from services.run.perfetto.json_events import write_json
from services.run.perfetto.trace import Counter, Instants, Trace
from services.run.perfetto.track_events import write_protobuf
from tests.support.aie_trace import write_capture_file
from tests.support.numbers_in_text import has_numbers
from tests.support.perfetto import read_json, read_protobuf
from tests.support.profile_data import write_capture
from tests.support.tpu_log import ATTEMPTS, log


def written(repository, run, fmt):
    stream = io.BytesIO()
    write_trace(repository, run, fmt, stream)
    return stream.getvalue()


def both(repository, run):
    """Return the trace as JSON has it; protobuf has the same."""
    found = read_json(written(repository, run, "json"))
    assert read_protobuf(written(repository, run, "proto")) == found
    return found


def run_of(repository, path, **settings):
    return ingest(repository, [path], settings).runs[0].run_id


@pytest.fixture
def capture(repository, tmp_path):
    path = write_capture_file(tmp_path)
    return run_of(repository, path, clock_hz="1.25GHz")


def of_frame(frame, thread, tick=1.0, ends=("start", "end")):
    """Return {(track, thread): [(name, begin, end)]} of a frame."""
    found = {}
    for row in frame.to_dict("records"):
        lane = thread or row["lane"]
        times = [round(row[end] * tick) for end in ends]
        found.setdefault((row["track"], lane), []).append((row["name"], *times))
    return {place: sorted(rows) for place, rows in found.items()}


@pytest.mark.slow
def test_a_capture_has_its_events_kernels_and_iterations(repository, capture):
    slices, instants, counters = both(repository, capture)
    events = of_frame(find_frame(repository, capture, "events"), "", 0.8)
    kernels = find_frame(repository, capture, "kernels")
    iterations = find_frame(repository, capture, "iterations")
    iterations["name"] = [
        f"iteration {i} ({p})"
        for i, p in zip(iterations["iteration"], iterations["phase"], strict=True)
    ]
    expected = events | of_frame(kernels[kernels["start"].notna()], "kernels", 0.8)
    expected |= of_frame(iterations, "iterations", 0.8, ends=("first_start", "last_end"))
    about = next(rows for (_, thread), rows in slices.items() if thread == "about")
    assert {place: rows for place, rows in slices.items() if place[1] != "about"} == expected
    assert has_numbers(about[0][0], "1 cycle", "0.8 ns")
    assert not instants
    assert not counters


def test_iterations_and_kernels_come_before_the_events_of_their_track(repository, capture):
    slices, _, _ = both(repository, capture)
    lanes = {}
    for track, thread in slices:
        lanes.setdefault(track, []).append(thread)
    core = next(threads for threads in lanes.values() if "kernels" in threads)
    assert core[:2] == ["iterations", "kernels"]
    assert len(core) > 2


@pytest.mark.slow
def test_a_profile_has_its_markers_and_the_bytes_of_its_devices(repository, tmp_path):
    write_capture(tmp_path)
    run = run_of(repository, tmp_path)
    slices, instants, counters = both(repository, run)
    markers = find_frame(repository, run, "markers")
    assert [*instants.values()] == [sorted(zip(markers["name"], markers["start"], strict=True))]
    assert of_frame(find_frame(repository, run, "events"), "").items() <= slices.items()
    occupancy = find_frame(repository, run, "occupancy")
    assert {process for process, _ in counters} == set(occupancy["level"].astype("str"))
    assert sum(map(len, counters.values())) == len(occupancy)


@pytest.mark.slow
def test_counters_are_of_the_final_attempts_and_begin_with_their_steps(repository, tmp_path):
    (tmp_path / "compile.log").write_text(log(*ATTEMPTS))
    run = run_of(repository, tmp_path / "compile.log")
    attempts = find_frame(repository, run, "attempts")
    final = attempts[attempts["final"].fillna(value=False).astype("bool")]
    shown = final if len(final) else attempts
    _, _, counters = both(repository, run)
    steps = find_frame(repository, run, "steps")
    begins = {(row["attempt"], row["step"]): row["begin"] for row in steps.to_dict("records")}
    occupancy = find_frame(repository, run, "occupancy")
    rows = occupancy[
        occupancy["attempt"].isin(shown["attempt"]) & occupancy["bank"].isna()
    ].to_dict("records")
    live = [
        point for (_, name), points in counters.items() if name == "live bytes" for point in points
    ]
    expected = [
        (begins.get((row["attempt"], row["step"]), row["step"]), row["live_bytes"]) for row in rows
    ]
    assert sorted(live) == sorted(expected)
    assert any(name.startswith("bank ") for _, name in counters)
    for points in counters.values():
        assert all(one[0] <= other[0] for one, other in pairwise(points))


def moments(*at, name="now"):
    return Trace(
        ["p"], [], [Instants("p", "markers", np.array(at, np.int64), [name] * len(at))], []
    )


def test_times_below_zero_are_told_in_json_alone():
    stream = io.BytesIO()
    write_json(moments(-1_500), stream)
    assert read_json(stream.getvalue())[1] == {("p", "markers"): [("now", -1_500)]}
    with pytest.raises(ValueError, match="below zero"):
        write_protobuf(moments(-1_500), io.BytesIO())


@pytest.mark.parametrize("name", ['"}], <script>', "\x00\x1b[31m\u202e", "Größe 核", "x" * 300])
def test_names_are_data_in_both_formats(name):
    for write, read in ((write_json, read_json), (write_protobuf, read_protobuf)):
        stream = io.BytesIO()
        write(moments(3, name=name), stream)
        assert read(stream.getvalue())[1] == {("p", "markers"): [(name, 3)]}


def test_json_has_names_that_perfetto_shows_as_they_are():
    # Perfetto v52 does not decode the escapes of characters such as the middle dot.
    stream = io.BytesIO()
    write_json(moments(3, name="npu2 · 核"), stream)
    assert "npu2 · 核" in gzip.decompress(stream.getvalue()).decode()


@pytest.mark.parametrize("write", [write_json, write_protobuf])
def test_a_name_that_is_no_unicode_gets_question_marks(write):
    stream = io.BytesIO()
    write(moments(3, name="a\udc80b"), stream)
    read = read_json if write is write_json else read_protobuf
    assert read(stream.getvalue())[1] == {("p", "markers"): [("a?b", 3)]}


def test_perfetto_shows_the_names_of_counters_without_a_suffix():
    points = np.array([1], np.int64)
    trace = Trace(["p"], [], [], [Counter("p", "live bytes", points, points)])
    stream = io.BytesIO()
    write_json(trace, stream)
    events = json.loads(gzip.decompress(stream.getvalue()))["traceEvents"]
    counter = next(event for event in events if event["ph"] == "C")
    assert (counter["name"], counter["args"]) == ("live", {"bytes": 1})
