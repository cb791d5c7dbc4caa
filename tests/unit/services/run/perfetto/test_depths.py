"""A slice has the depth in Perfetto that its event has in the timeline, whatever begins or ends together."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline.levels import MAX_STACK_LEVELS, stack_events
from ingest.files import ingest
from samples.kineto_profile import write_profile
from services.run.frames import find_frame
from services.run.perfetto.clock import Clock
from services.run.perfetto.content import lane_slices
from services.run.perfetto.formats import write_trace
from services.run.perfetto.json_events import write_json
from services.run.perfetto.trace import Trace
from services.run.perfetto.track_events import write_protobuf
from tests.support.perfetto import json_depths, protobuf_depths, read_json, read_protobuf

TRACK = "host"
SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=24)
NESTED = st.recursive(
    st.just([]), lambda inner: st.lists(st.tuples(st.booleans(), inner), max_size=3), max_leaves=20
)


def frame_of(spans):
    """Return frame `events` of spans of one track, sorted by start, of equal start as they come."""
    ordered = sorted(spans, key=lambda span: span[0])
    columns = {
        "track": pd.Categorical([TRACK] * len(ordered)),
        "lane": pd.Categorical([TRACK] * len(ordered)),
        "name": [f"event {rank}" for rank in range(len(ordered))],
        "start": np.array([begin for begin, _ in ordered], np.int64),
        "end": np.array([end for _, end in ordered], np.int64),
        "closed": True,
    }
    return pd.DataFrame(columns)


def both_depths(frame):
    """Return {name: (thread, depth)} of a frame's slices, which both formats have alike."""
    slices = [*lane_slices(frame, frame["lane"], Clock("ns", None))]
    trace = Trace([TRACK], slices, [], [])
    streams = io.BytesIO(), io.BytesIO()
    write_json(trace, streams[0])
    write_protobuf(trace, streams[1])
    depths = protobuf_depths(streams[1].getvalue())
    assert json_depths(streams[0].getvalue()) == depths
    assert sorted(depths) == sorted(frame["name"])
    return depths


def levels_of(frame):
    """Return {name: level} of the timeline's lanes."""
    stacked = stack_events(frame)
    lanes = zip(stacked["name"], stacked["lane"], strict=True)
    return {name: 0 if lane == TRACK else int(lane.split()[1]) - 1 for name, lane in lanes}


def spans_of(children, begin):
    """Return the spans of a tree, inner ones first, and its end; a child may begin and end with its parent."""
    spans = []
    at = begin
    for is_apart, inner in children:
        start = at + is_apart
        own, at = spans_of(inner, start)
        spans += [*own, (start, at)]
    return spans, at


@given(NESTED, st.integers(0, 2))
def test_what_nests_has_the_depth_of_its_level(children, begin):
    spans, _ = spans_of(children, begin)
    frame = frame_of(spans)
    assert {name: depth for name, (_, depth) in both_depths(frame).items()} == levels_of(frame)


@pytest.mark.parametrize(
    ("spans", "depths"),
    [
        ([(0, 4), (0, 10)], [1, 0]),
        ([(0, 4), (0, 10), (0, 10)], [2, 0, 1]),
        ([(0, 0), (0, 10)], [1, 0]),
        ([(3, 3), (0, 10), (3, 8)], [0, 2, 1]),
        ([(0, 10), (10, 10), (10, 12)], [0, 1, 0]),
        ([(5, 5), (5, 5)], [0, 0]),
        ([(0, 10), (6, 10), (8, 10)], [0, 1, 2]),
    ],
)
def test_the_longest_of_a_begin_is_the_outermost(spans, depths):
    frame = frame_of(spans)
    assert levels_of(frame) == dict(zip(frame["name"], depths, strict=True))
    assert [depth for _, depth in (both_depths(frame)[name] for name in frame["name"])] == depths


@pytest.mark.slow
@given(SPANS)
def test_spans_that_cross_are_on_threads_on_which_each_nests(drawn):
    frame = frame_of([(begin, begin + length) for begin, length in drawn])
    depths = both_depths(frame)
    for thread in {thread for thread, _ in depths.values()}:
        own = frame[[depths[name][0] == thread for name in frame["name"]]]
        assert levels_of(own) == {name: depths[name][1] for name in own["name"]}
    crosses = any(
        first < begin < last < end
        for first, last in zip(frame["start"], frame["end"], strict=True)
        for begin, end in zip(frame["start"], frame["end"], strict=True)
    )
    assert crosses == (len({thread for thread, _ in depths.values()}) > 1)


def test_the_deepest_nest_of_a_timeline_keeps_its_depth():
    frame = frame_of(
        [(0, 2 * MAX_STACK_LEVELS - rank) for rank in reversed(range(MAX_STACK_LEVELS))]
    )
    assert {name: depth for name, (_, depth) in both_depths(frame).items()} == levels_of(frame)


@pytest.mark.slow
def test_executions_on_devices_are_slices_of_their_tracks(repository, tmp_path):
    run = ingest(repository, [write_profile(tmp_path)], {}).runs[0].run_id
    kernels = find_frame(repository, run, "kernels")
    expected = sorted(zip(kernels["name"], kernels["start"], kernels["end"], strict=True))
    for fmt, read in (("json", read_json), ("proto", read_protobuf)):
        stream = io.BytesIO()
        write_trace(repository, run, fmt, stream)
        slices, _, _ = read(stream.getvalue())
        tracks = set(kernels["track"])
        found = sorted(
            row for (process, _), rows in slices.items() if process in tracks for row in rows
        )
        assert found == expected
