import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.aie import frames
from data_loaders.protocol import LoadError
from schema.frames import FRAMES
from tests.support.finding_codes import only_finding
from tests.support.gemm_trace import LOCK, Core, entries, load
from tests.support.numbers_in_text import numbers_in

LEGACY = {"INSTR_EVENT_0": "Event0", "INSTR_EVENT_1": "Event1", "LOCK_STALL": "LockStall"}


def named(pid, process):
    return {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": process}}


def event(name, ts, ph, pid=0, tid=0):
    return {"name": name, "ts": ts, "ph": ph, "pid": pid, "tid": tid, "args": {}}


def interval(name, start, end, pid=0, tid=0):
    return [event(name, start, "B", pid, tid), event(name, end, "E", pid, tid)]


def read(*given):
    return load(json.dumps(list(given)))


def test_units_of_every_kind_become_tracks():
    processes = [
        "core_trace for tile2,1",
        "mem_trace for tile2,1",
        "memtile_trace for tile1,0",
        "intfc_trace for tile0,3",
    ]
    run = read(
        *(named(pid, name) for pid, name in enumerate(processes)),
        *interval("LOCK_STALL", 3, 9, pid=2),
    )
    tracks = run.frames["tracks"]
    assert tracks["track"].tolist() == ["core 2,1", "mem 2,1", "memtile 1,0", "shim 0,3"]
    assert tracks["kind"].tolist() == ["core", "mem", "memtile", "shim"]
    assert tracks[["row", "col"]].to_numpy().tolist() == [[2, 1], [2, 1], [1, 0], [0, 3]]
    assert tracks["process"].tolist() == processes
    assert tracks["entries"].tolist() == [0, 0, 2, 0]
    assert tracks[["first", "last"]].to_numpy().tolist() == [[0, 0], [0, 0], [3, 9], [0, 0]]
    assert run.diagnostics == []


def test_d17_both_generations_of_names_give_the_same_events():
    core = Core().run(2)
    new, old = read(*entries(core)), read(*entries(core, spell=LEGACY.get))
    assert (
        new.frames["events"]["name"].astype("str").tolist()
        == old.frames["events"]["name"].astype("str").tolist()
    )
    columns = ["start", "end", "opened", "closed"]
    pd.testing.assert_frame_equal(new.frames["events"][columns], old.frames["events"][columns])
    assert set(old.frames["events"]["lane"].cat.categories) == set(LEGACY.values())


def test_slots_that_share_a_name_are_lanes_of_their_own():
    given = [
        *interval("PORT_RUNNING_0", 1, 5, tid=0),
        *interval("PORT_RUNNING_0", 2, 9, tid=3),
        *interval("NONE", 1, 2, tid=4),
    ]
    events = read(named(0, "core_trace for tile2,1"), *given).frames["events"]
    assert events[["lane", "name", "start", "end"]].astype("str").to_numpy().tolist() == [
        ["PORT_RUNNING_0@0", "PORT_RUNNING_0", "1", "5"],
        ["PORT_RUNNING_0@3", "PORT_RUNNING_0", "2", "9"],
        ["NONE", "NONE", "1", "2"],
    ]


def test_a_slot_whose_name_looks_like_a_shared_one_stays_apart():
    given = [
        *interval("A", 1, 2, tid=0),
        *interval("A", 1, 3, tid=1),
        *interval("A@1", 1, 4, tid=2),
    ]
    events = read(named(0, "core_trace for tile2,1"), *given).frames["events"]
    assert events["lane"].nunique() == 3


def test_the_same_slot_of_two_units_is_two_lanes():
    given = [*interval("A", 1, 4, pid=0), *interval("A", 2, 5, pid=1)]
    run = read(named(0, "core_trace for tile2,0"), named(1, "core_trace for tile3,0"), *given)
    assert run.frames["events"][["track", "start", "end"]].astype("str").to_numpy().tolist() == [
        ["core 2,0", "1", "4"],
        ["core 3,0", "2", "5"],
    ]


def test_d15_processes_with_one_name_are_kept_apart():
    names = [
        "core_trace for tile2,1",
        "core_trace for tile(2,1)",
        "core 2,1 #2",
        "core_trace for tile2,1",
    ]
    run = read(
        *(named(pid, name) for pid, name in enumerate(names)),
        *(e for p in range(4) for e in interval("A", p, p + 5, p)),
    )
    assert run.frames["tracks"]["track"].tolist() == [
        "core 2,1",
        "core 2,1 #2",
        "core 2,1 #2 #2",
        "core 2,1 #3",
    ]
    assert run.frames["events"]["track"].nunique() == 4
    assert [f.location for f in run.diagnostics if f.code == "unit_twice"] == [
        "core 2,1 #2",
        "core 2,1 #2 #2",
        "core 2,1 #3",
    ]


def test_an_unnamed_process_and_one_that_is_no_unit_are_said():
    run = read(
        named("a", ""),
        named(7, "python3"),
        *interval("A", 1, 2, "a"),
        *interval("A", 1, 2, 7),
        *interval("A", 1, 2, 9),
    )
    assert run.frames["tracks"]["track"].tolist() == ['pid "a"', "python3", "pid 9"]
    assert run.frames["tracks"]["kind"].tolist() == ["other"] * 3
    assert [f.location for f in run.diagnostics if f.code == "unit_unnamed"] == ['pid "a"', "pid 9"]
    assert only_finding(run, "unit_unknown").location == "python3"


HOSTILE = [
    "</script><script>alert(1)</script>",
    "core_trace for ../../escaped",
    "%{x}",
    "\x00",
    "a\nb",
    "x" * 100_000,
    "ü✓",
    "\ud800",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_carried_as_text(name):
    run = read(named(0, name), *interval(name, 1, 4), *interval(name, 2, 5, tid=1))
    for frame_name, frame in run.frames.items():
        assert list(frame.columns) == FRAMES[frame_name].names
    assert run.frames["events"]["end"].tolist() == [4, 5]
    assert all(len(f.message) < 300 and len(f.location) < 300 for f in run.diagnostics)


def test_events_come_by_track_lane_and_start():
    given = [
        e
        for pid in (1, 0)
        for tid, name in enumerate("BAC")
        for t in (9, 1)
        for e in interval(name, t, t + 3, pid, tid)
    ]
    events = read(
        named(1, "core_trace for tile2,1"), named(0, "core_trace for tile2,0"), *given
    ).frames["events"]
    assert events["track"].astype("str").tolist() == ["core 2,1"] * 6 + ["core 2,0"] * 6
    assert events["lane"].astype("str").tolist() == list("BBAACC") * 2
    key = list(
        zip(events["track"].cat.codes, events["lane"].cat.codes, events["start"], strict=True)
    )
    assert key == sorted(key)


def test_what_is_open_at_the_end_closes_at_the_units_last_time_stamp():
    run = read(
        named(0, "core_trace for tile2,0"),
        event("A", 5, "B"),
        *interval("B", 6, 30, tid=1),
        event("A", 90, "B", pid=1),
    )
    events = run.frames["events"]
    assert events[["start", "end", "opened", "closed"]].to_numpy().tolist() == [
        [5, 30, True, False],
        [6, 30, True, True],
        [90, 90, True, False],
    ]
    assert only_finding(run, "open_at_end").count == 2


def test_an_end_without_a_begin_is_a_mark():
    run = read(named(0, "core_trace for tile2,0"), event("A", 5, "E"), *interval("A", 6, 30))
    assert run.frames["events"][["start", "end", "opened"]].to_numpy().tolist() == [
        [5, 5, False],
        [6, 30, True],
    ]
    assert only_finding(run, "orphan_ends").count == 1


def test_order_is_that_in_which_the_reference_script_hears_of_units():
    """By process name or the first begin of a start marker or stall, or end of an end marker or stall."""
    given = [
        event("PORT_RUNNING_0", 1, "B", pid=5),
        event("INSTR_EVENT_1", 1, "B", pid=6),
        event("INSTR_EVENT_1", 2, "E", pid=7),
        named(3, "core_trace for tile2,3"),
        named(6, "core_trace for tile2,6"),
        named(5, "core_trace for tile2,5"),
        event("LOCK_STALL", 9, "E", pid=4),
    ]
    tracks = read(*given).frames["tracks"].sort_values("order")
    assert tracks["pid"].tolist() == ["7", "3", "6", "5", "4"]


def test_entries_that_were_skipped_are_counted_by_kind():
    odd = [{"ph": f"p{i}"} for i in range(30)] + [None, None]
    run = read(named(0, "core_trace for tile2,0"), *odd, *interval("A", 1, 2))
    found = [f for f in run.diagnostics if f.code == "entries_skipped"]
    assert numbers_in(found[0].message) == ["2"]
    assert sum(f.count for f in found) == 32
    assert numbers_in(found[-1].message) == ["11"]


def test_metadata_alone_is_a_run_without_events():
    run = read(named(0, "core_trace for tile2,0"))
    assert len(run.frames["events"]) == 0
    assert run.frames["tracks"]["entries"].tolist() == [0]


def test_more_units_or_slots_than_an_array_has_are_refused(monkeypatch):
    monkeypatch.setattr(frames, "MAX_UNITS", 2)
    with pytest.raises(LoadError, match="3 processes and 3 slots"):
        read(*(e for pid in range(3) for e in interval("A", 1, 2, pid)))
    monkeypatch.setattr(frames, "MAX_LANES", 2)
    with pytest.raises(LoadError, match="1 processes and 3 slots"):
        read(*(e for tid in range(3) for e in interval("A", 1, 2, tid=tid)))


TIMES = st.integers(0, 40)


@pytest.mark.slow
@given(
    given=st.lists(
        st.builds(
            event,
            st.sampled_from(["A", "Event0", LOCK]),
            TIMES,
            st.sampled_from("BE"),
            st.integers(0, 2),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_every_begin_is_an_interval_and_every_end_closes_one_or_is_a_mark(given):
    run = read(*given)
    events, tracks = run.frames["events"], run.frames["tracks"].set_index("pid")
    assert events["opened"].sum() == sum(entry["ph"] == "B" for entry in given)
    assert (events["opened"] & events["closed"]).sum() + (~events["opened"]).sum() == sum(
        e["ph"] == "E" for e in given
    )
    assert (events["start"] <= events["end"]).all()
    key = list(
        zip(
            events["track"].cat.codes,
            events["lane"].cat.codes,
            events["start"],
            events["end"],
            strict=True,
        )
    )
    assert key == sorted(key)
    assert tracks["entries"].sum() == len(given)
    for pid, own in pd.DataFrame(given).groupby("pid"):
        assert (tracks.loc[str(pid), "first"], tracks.loc[str(pid), "last"]) == (
            own["ts"].min(),
            own["ts"].max(),
        )
