"""The timeline of tinygrad captures: rows, intervals and their times, as tinygrad's own viewer has them."""

import pytest
from pandas.testing import assert_frame_equal

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import START, training
from samples.tinygrad_objects import TracingKey, dumps, fields_class
from samples.tinygrad_writer import GENERATIONS, Maker
from schema.frames import conform
from tests.support.finding_codes import code_counts
from tests.support.numbers_in_text import numbers_in


def read(maker, rewrites=False, strip=False):
    return read_run(maker.profile(), maker.rewrites() if rewrites else None, strip)


def events(reading):
    """Return (track, name, start, end) in ns."""
    frame = reading.frames["events"]
    return list(
        zip(
            frame["track"],
            frame["name"],
            frame["start"].tolist(),
            frame["end"].tolist(),
            strict=True,
        )
    )


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_gives_the_same_timeline(generation):
    reading = read(training(generation), rewrites=True)
    for name in ("tracks", "events", "attempts", "allocations", "buffer_uses", "counters"):
        conform(name, reading.frames[name])
    tracks = ["USER", "TINY", "CPU", "CPU Graph"]
    assert reading.frames["tracks"]["track"].tolist()[:4] == tracks
    assert reading.metadata == {"hwid": "CPU", "time_unit": "ns"}
    shown = [event for event in events(reading) if event[0] == "CPU" and event[1] != "TINY -> CPU"]
    assert shown[:3] == [
        ("CPU", "r_8_8", 110_500, 120_750),
        ("CPU", "E_8", 130_500, 140_750),
        ("CPU", "r_8_8", 170_000, 175_000),
    ]
    assert ("CPU Graph", "batched 2", 170_000, 180_000) in events(reading)


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_events_read_a_few_at_a_time_give_the_same_frames(generation, monkeypatch):
    whole = read(training(generation), rewrites=True)
    monkeypatch.setattr("data_loaders.tinygrad.events._PART", 3)
    parts = read(training(generation), rewrites=True)
    assert parts.metadata == whole.metadata
    assert parts.findings == whole.findings
    for name, frame in whole.frames.items():
        assert_frame_equal(parts.frames[name], frame)


def test_times_count_from_the_first_whole_microsecond():
    reading = read(
        Maker().range("CPU", "k", "100.75", "101.5").range("TINY", "t", "200", "200.001")
    )
    assert events(reading) == [("TINY", "t", 100_000, 100_001), ("CPU", "k", 750, 1500)]


@pytest.mark.parametrize("generation", ["0.12", "0.14"])
def test_a_devices_clock_is_brought_to_the_hosts(generation):
    maker = (
        Maker(generation)
        .range("AMD", "k", "1000", "1010")
        .range("TINY", "t", "20", "31")
        .device("AMD", "-980")
    )
    assert events(read(maker)) == [("TINY", "t", 0, 11_000), ("AMD", "k", 0, 10_000)]


def test_copies_have_an_offset_of_their_own_up_to_0_12():
    maker = Maker("0.12").device("NV", -1000, -980)
    maker.range("NV", "a", 1000, 1010, copy=True).range("NV", "b", 1000, 1010)
    assert events(read(maker)) == [("NV", "b", 0, 10_000), ("NV", "a", 20_000, 30_000)]
    without = Maker("0.12").device("NV", -1000).range("NV", "a", 1000, 1010, copy=True)
    assert events(read(without)) == [("NV", "a", 0, 10_000)]


def test_the_last_offset_of_a_device_counts_and_no_offset_is_none():
    maker = Maker().device("A", 5).device("A", 7).range("A", "a", 0, 1).range("B", "b", 0, 1)
    assert events(read(maker)) == [("A", "a", 7000, 8000), ("B", "b", 0, 1000)]


def test_a_graph_over_two_devices_spans_first_start_to_last_end():
    maker = Maker("0.13").device("NV", -1000).device("NV:1", -50)
    maker.graph([("NV", "a", 0, 1), ("NV:1", "b", 0, 2)], [1000, 1010, 1020])
    reading = read(maker)
    assert events(reading) == [
        ("NV", "a", 0, 10_000),
        ("NV Graph", "batched 2", 0, 970_000),
        ("NV:1", "b", 950_000, 970_000),
    ]
    assert reading.frames["tracks"]["kind"].tolist() == ["device", "graph", "device"]


def test_entries_of_a_graph_without_times_cost_themselves():
    maker = Maker().graph(
        [("CPU", "a", 0, 1), ("CPU", "b", 0, 9), ("CPU", "c", -1, 1), ("CPU", "d", "0", 1)], [1, 2]
    )
    reading = read(maker)
    assert [event[1] for event in events(reading)] == ["a", "batched 4"]
    assert code_counts(reading)["events_skipped"] == 3


def test_a_graph_of_nothing_is_no_capture():
    with pytest.raises(LoadError, match="a graph entry"):
        read(Maker().graph([("CPU", "a", 0, 9)], [1, 2]))


def test_there_is_no_limit_of_71_minutes():
    reading = read(Maker().range("CPU", "a", 0, 10).range("CPU", "b", 4_320_000_000, 4_320_000_010))
    assert events(reading)[1] == ("CPU", "b", 4_320_000_000_000, 4_320_000_010_000)


def test_times_of_different_ages_are_refused():
    with pytest.raises(LoadError, match="more than 100 years"):
        read(Maker().range("CPU", "a", 0, 10).range("CPU", "b", 10**17, 10**17))


def test_an_open_range_reaches_to_the_end_and_is_marked():
    reading = read(Maker().range("CPU", "open", 10, None).range("CPU", "k", 20, 30))
    frame = reading.frames["events"].set_index("name")
    assert frame.loc["open", "closed"] == False  # noqa: E712 - a numpy bool
    assert frame.loc["open", "end"] == 20_001
    assert frame.loc["k", "closed"]
    assert code_counts(reading)["open_at_end"] == 1


def test_an_interval_that_ends_before_it_begins_is_a_moment():
    reading = read(Maker().range("CPU", "back", 10, 5).range("CPU", "k", 0, 30))
    assert ("CPU", "back", 10_000, 10_000) in events(reading)
    assert code_counts(reading)["interval_backwards"] == 1


def test_a_moment_of_no_time_is_kept():
    assert ("CPU", "now", 4000, 4000) in events(
        read(Maker().range("CPU", "now", 4, 4).range("CPU", "k", 0, 1))
    )


def test_points_lengthen_the_capture_whatever_they_are():
    maker = Maker().range("CPU", "k", 20, 30).point("CPU", "something", "key", {"a": 1}, 5)
    assert events(read(maker)) == [("CPU", "k", 15_000, 25_000)]


def test_a_capture_without_intervals_has_an_empty_timeline():
    reading = read(Maker().alloc("CPU", 1, 10, 5).free("CPU", 1, 9))
    assert events(reading) == []
    assert len(reading.frames["tracks"]) == 0
    assert reading.frames["allocations"]["end"].tolist() == [4000]


@pytest.mark.slow
def test_names_come_from_the_context_that_a_kernels_name_or_key_leads_to():
    for generation, name, key in (
        ("0.12", "r_4", None),
        ("0.13", "r_4", None),
        ("0.14", "other", b"k"),
    ):
        maker = Maker(generation).range("CPU", name, 0, 1, key=key).range("TINY", "r_4", 0, 1)
        maker.kernel("\x1b[34mr\x1b[0m_4 of the context", "r_4", key=b"k")
        names = {event[0]: event[1] for event in events(read(maker, rewrites=True))}
        assert names["CPU"] == "r_4 of the context"
        assert names["TINY"] == ("r_4" if generation == "0.14" else "r_4 of the context")


def test_traced_names_stay_and_lead_to_their_context():
    maker = Maker("0.14").context("Schedule", ("n1",), [])
    maker.range("TINY", maker.tracing_key("shown", ("nothing", "n1")), 0, 1).range(
        "TINY", maker.tracing_key("alone"), 2, 3
    )
    reading = read(maker, rewrites=True)
    assert [event[1] for event in events(reading)] == ["shown", "alone"]
    links = reading.frames["event_links"]
    assert links[["start", "end", "context"]].to_numpy().tolist() == [[0, 1000, 0]]


def test_names_of_every_kind_survive():
    names = [
        "<img src=x onerror=alert(1)>",
        "%{x}<b>",
        "=HYPERLINK(1)",
        "",
        "nul\0",
        "a\nb",
        "配列",
        "half\ud800",
        "x" * 5000,
    ]
    maker = Maker()
    for place, name in enumerate(names):
        maker.range("机器" * 150 if place == 6 else "CPU", name, place, place + 1)
    reading = read(maker)
    assert {event[1] for event in events(reading)} == {
        name.replace("\ud800", "?") for name in names
    }
    assert "机器" * 150 in reading.frames["tracks"]["track"].tolist()


def test_what_is_no_event_is_counted_by_reason():
    later = fields_class("tinygrad.later.ProfileThing")
    maker = Maker().range("CPU", "k", 0, 1).range(3, "k", 0, 1).range("CPU", 7, 0, 1)
    maker.add(later(a=1)).add("text").add(TracingKey(a=1)).point(
        "CPU", "alloc", "key", {}, 1
    ).point("CPU", "free", 1, 3, 1)
    maker.point("TINY", "marker", None, {"name": 3}, 1).point("CPU", "exec", 1, {}, 1).point(
        "CPU", 1, 1, {}, 1
    )
    maker.device(7).program(8, "f").add(None)
    reading = read_run(dumps(maker.events, later), None, False)
    assert len(reading.frames["events"]) == 1
    skipped = [finding for finding in reading.findings if finding.code == "events_skipped"]
    assert sum(finding.count for finding in skipped) == 12
    (thing,) = [finding.message for finding in skipped if "ProfileThing" in finding.message]
    assert numbers_in(thing) == ["1"]
    assert code_counts(reading)["unknown_classes"] == 1


def test_many_kinds_of_nothing_are_summed():
    kinds = [fields_class(f"tinygrad.later.Thing{place}") for place in range(30)]
    maker = Maker().range("CPU", "k", 0, 1)
    maker.events += [kind() for kind in kinds]
    reading = read_run(dumps(maker.events, *kinds), None, False)
    skipped = [finding for finding in reading.findings if finding.code == "events_skipped"]
    assert len(skipped) == 21
    assert sum(finding.count for finding in skipped) == 30


@pytest.mark.parametrize("root", [[], {}, "text", None, [1, 2], [[]]])
def test_what_is_no_capture_is_refused(root):
    with pytest.raises(LoadError, match=r"no events|neither"):
        read_run(dumps(root), None, False)


def test_more_rows_than_any_capture_has_are_refused():
    maker = Maker()
    for place in range(5001):
        maker.range(f"ROW:{place}", "k", 0, 1)
    with pytest.raises(LoadError, match="5001 devices and rows"):
        read(maker)


def test_markers_have_a_time_and_a_safe_colour():
    maker = (
        Maker()
        .range("CPU", "k", 0, 1)
        .marker("b", 9, "blue")
        .marker("a", 4, "red;background:url(x)")
    )
    reading = read(maker)
    assert reading.frames["markers"][["name", "start", "colour"]].to_numpy().tolist() == [
        ["a", 4000, "gray"],
        ["b", 9000, "blue"],
    ]
    assert code_counts(reading)["marker_colour"] == 1


class TestStacks:
    def test_stacks_are_kept_once_and_events_lead_to_them(self):
        reading = read(training(steps=3))
        assert reading.frames["calls"][
            ["stack", "depth", "line", "function"]
        ].to_numpy().tolist() == [[0, 0, 12, "_wrapper"], [0, 1, 3, "<module>"]]
        links = reading.frames["event_links"]
        assert links.loc[links["track"] == "USER", "stack"].tolist() == [0, 0, 0]
        assert code_counts(reading)["capture_contents"] == 1

    def test_stripping_leaves_source_lines_and_paths_out(self):
        maker = training(steps=1).alloc("DISK:/home/someone/data.bin", 9, 1, START)
        reading = read(maker, rewrites=True, strip=True)
        assert len(reading.frames["calls"]) == 0
        said = "".join(frame.to_csv() for frame in reading.frames.values()) + str(reading.findings)
        assert "someone" not in said
        assert "train.py" not in said
        assert "DISK:data.bin" in said
        assert code_counts(reading)["tracebacks_stripped"] == 1

    def test_stacks_of_other_layouts_are_none(self):
        deep = ()
        for _ in range(50):
            deep = (deep, deep)
        maker = Maker()
        for stack in ((), "text", (1, 2), ((1, 2, 3, 4),), (("f", 1, "g"),), (deep,), deep):
            maker.range("USER", maker.tracing_key("m", stack=stack), 0, 1)
        reading = read(maker)
        assert len(reading.frames["calls"]) == 0
        assert len(reading.frames["events"]) == 7
