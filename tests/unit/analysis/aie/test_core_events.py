import json

from analysis.aie.core_events import core_events
from tests.support.gemm_trace import END, LOCK, START, Core, entries, frames, load


def cores(*given, **writing):
    made = frames(*given, **writing)
    return core_events(made["tracks"], made["events"])


def test_cores_come_in_the_order_in_which_the_file_tells_of_them():
    found = entries(Core("3,0").run(1), Core("2,0").run(1), Core("2,0", kind="mem").run(1))
    loaded = load(json.dumps(found[::-1]))
    got = core_events(loaded.frames["tracks"], loaded.frames["events"])
    assert [core.track for core in got] == ["core 2,0", "core 3,0"]
    assert [core.process for core in got] == ["core_trace for tile2,0", "core_trace for tile3,0"]


def test_intervals_are_picked_by_name_and_sorted():
    (core,) = cores(Core().run(2))
    starts, stalls = core.spans_of_event(START), core.spans_of_event(LOCK)
    assert starts.start.tolist() == sorted(starts.start.tolist())
    assert len(starts.start) == 16
    assert (stalls.end - stalls.start).tolist() == [5_000, 5_000]
    assert len(core.spans_of_event("NO_SUCH").start) == 0
    assert (core.first, core.last) == (1, int(stalls.end[-1]))


def test_labels_are_those_of_the_file_while_names_are_todays():
    (core,) = cores(Core().run(1), spell={START: "Event0", END: "Event1", LOCK: "LockStall"}.get)
    assert len(core.spans_of_event(START).start) == 8
    assert len(core.spans_of_label(START).start) == 0
    assert len(core.spans_of_label("Event0").start) == 8


def test_slots_that_share_a_name_count_together():
    event = {"name": START, "pid": 0, "args": {}}
    both = [event | {"ts": 5, "ph": "B", "tid": 0}, event | {"ts": 3, "ph": "B", "tid": 1}]
    named = {
        "name": "process_name",
        "ph": "M",
        "pid": 0,
        "args": {"name": "core_trace for tile2,0"},
    }
    loaded = load(json.dumps([named, *both]))
    (core,) = core_events(loaded.frames["tracks"], loaded.frames["events"])
    assert (
        core.spans_of_event(START).start.tolist()
        == core.spans_of_label(START).start.tolist()
        == [3, 5]
    )


def test_an_unnamed_unit_is_a_core_only_with_markers():
    assert [core.track for core in cores(Core().run(1), unit="")] == ["pid 0"]
    assert cores(Core().pause(), unit="") == []


def test_a_silent_core_is_a_core_without_events():
    (core,) = cores(Core())
    assert len(core.spans.start) == 0
    assert len(core.spans_of_event(START).start) == 0
