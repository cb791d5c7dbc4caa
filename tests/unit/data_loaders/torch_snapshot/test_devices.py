"""A part of a snapshot that cannot be read costs itself: its device is shown without it, and the others whole."""

import json
import pickle

import pytest

from data_loaders.protocol import LoadError
from data_loaders.torch_snapshot.child import read_run
from data_loaders.torch_snapshot.values import MAX_DEVICES, MAX_SIZE
from schema.memory import MAX_BYTES
from tests.support.finding_codes import codes
from tests.support.torch_snapshots import BASE, alloc, block, entry, freed, read, rows, segment

DAMAGED, DEVICES = 1, 3
MISSING = object()
ODD = [
    None,
    -1,
    2**64,
    10**30,
    1.5,
    float("nan"),
    True,
    "x",
    "\ud800",
    [],
    {},
    (1,),
    [None],
    {"a": 1},
]


def snapshot():
    """Return a snapshot of three devices that fill the same places."""
    held = [
        block(512, requested_size=400, address=BASE),
        block(512, requested_size=300, address=BASE + 512),
    ]
    trace = [
        entry("segment_alloc", 0, 4096, 10),
        alloc(0, 400, 20),
        alloc(512, 300, 30),
        alloc(1024, 50, 40),
        freed(1024, 50, 60),
        entry("oom", 0, 1 << 20, 70, device_free=5),
    ]
    marks = [
        {"name": "step", "stage": stage, "time_us": at, "device": device}
        for device in range(DEVICES)
        for stage, at in (("START", 15), ("END", 55))
    ]
    own = {
        "segments": [segment(*held, device=device, requested=700) for device in range(DEVICES)],
        "device_traces": [trace] * DEVICES,
        "allocator_settings": {"expandable_segments": False},
        "external_annotations": marks,
    }
    return json.loads(json.dumps(own))  # without parts that two devices share


def paths(value, path=()):
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in items:
        yield (*path, key)
        yield from paths(part, (*path, key))


def damaged(path, value):
    root = snapshot()
    part = root
    for key in path[:-1]:
        part = part[key]
    if value is MISSING:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return read_run([pickle.dumps(root, 4)])


def by_level(reading, level):
    frame = reading.frames["allocations"]
    return (
        frame.loc[frame["level"] == level, ["size", "start", "end", "device_address"]]
        .to_numpy()
        .tolist()
    )


def empty_findings(reading):
    return [(one.location, one.count) for one in reading.findings if one.code == "device_empty"]


WHOLE = read_run([pickle.dumps(snapshot(), 4)])
FIELDS = [
    path
    for path in paths(snapshot())
    if len(path) > 2
    and path[1] == DAMAGED
    and path[0] in ("segments", "device_traces")
    and "frames" not in path[3:]
]


@pytest.mark.slow
@pytest.mark.parametrize("path", FIELDS, ids=lambda path: ".".join(map(str, path)))
def test_any_odd_value_of_a_device_leaves_the_others_as_they_are(path):
    for value in [MISSING, *ODD]:
        reading = damaged(path, value)
        assert reading.frames["attempts"]["level"].tolist()[:DEVICES] == [
            "cuda:0",
            "cuda:1",
            "cuda:2",
        ]
        for level in ("cuda:0", "cuda:2"):
            assert by_level(reading, level) == by_level(WHOLE, level)


REQUIRED = [
    ("segments", DAMAGED, "address"),
    ("segments", DAMAGED, "total_size"),
    ("segments", DAMAGED, "device"),
    ("segments", DAMAGED, "blocks"),
    ("segments", DAMAGED, "allocated_size"),
    ("segments", DAMAGED, "blocks", 0),
    ("segments", DAMAGED, "blocks", 0, "size"),
    ("segments", DAMAGED, "blocks", 0, "state"),
    ("device_traces", DAMAGED, 1),
    ("device_traces", DAMAGED, 1, "action"),
    ("device_traces", DAMAGED, 1, "addr"),
    ("device_traces", DAMAGED, 1, "size"),
    ("device_traces", DAMAGED, 1, "time_us"),
    ("external_annotations", 0, "stage"),
    ("external_annotations", 0, "name"),
    ("external_annotations", 0, "device"),
    ("external_annotations", 0, "time_us"),
]


@pytest.mark.slow
@pytest.mark.parametrize("path", REQUIRED, ids=lambda path: ".".join(map(str, path)))
def test_a_part_without_a_valid_field_is_counted(path):
    values = [
        value
        for value in ODD
        if value != "x" and not (path[-1] in ("blocks", "name") and type(value) in (list, str))
    ]
    values = [value for value in values if not (path[-1] == "action" and type(value) is str)]
    for value in values if path[-1] in (0, 1) else [MISSING, *values]:
        assert "entries_skipped" in codes(damaged(path, value)), value


def test_a_device_whose_segments_have_no_address_is_shown_empty():
    lost = {"device": 1, "total_size": 4096, "allocated_size": 512, "blocks": [block(512)]}
    reading = read([segment(block(512)), lost, lost], [], [])
    memory = reading.frames["device_memory"]
    assert memory[["device", "end_reserved"]].to_numpy().tolist() == [
        ["cuda:0", 4096],
        ["cuda:1", 8192],
    ]
    assert reading.frames["allocations"]["level"].tolist() == ["cuda:0"]
    assert empty_findings(reading) == [("cuda:1", 2)]


def test_a_device_whose_trace_is_not_a_list_is_shown_empty():
    reading = read([], [alloc(0, 10)], "a trace")
    assert reading.frames["attempts"]["level"].tolist() == ["cuda:0", "cuda:1"]
    assert empty_findings(reading) == [("cuda:1", 1)]


def test_a_device_whose_bytes_no_sum_holds_is_shown_empty():
    huge = [alloc(rank * 512, MAX_SIZE - 1) for rank in range(MAX_BYTES // MAX_SIZE + 1)]
    reading = read([], huge, [alloc(0, 10)])
    assert rows(reading, "size") == [(10,)]
    assert empty_findings(reading) == [("cuda:0", 1)]


@pytest.mark.parametrize(
    ("segments", "traces"),
    [
        ([{"device": 0, "total_size": 4096, "blocks": []}], []),
        ([5], []),
        ([segment(device=MAX_DEVICES)], []),
        ([], [[5, {"action": "alloc"}]]),
        ([], ["a trace"]),
    ],
)
def test_a_snapshot_without_a_readable_device_is_refused_with_the_reason(segments, traces):
    with pytest.raises(LoadError, match="ignored"):
        read(segments, *traces)


def test_addresses_use_all_64_bits():
    high = 0xFF00_0000_0000_0000
    held = segment(block(512, requested_size=8, address=high + 512), address=high, requested=8)
    reading = read(
        [held], [alloc(0, 8) | {"addr": high + 512}, alloc(0, 8) | {"addr": 2**63 - 512}]
    )
    assert sorted(rows(reading, "device_address")) == [(high + 512 - 2**64,), (2**63 - 512,)]
    assert rows(reading, "address") == [(8 + 512,), (0,)]


def test_a_block_behind_one_without_a_size_has_no_place():
    reading = read([segment() | {"blocks": [block(512), block("much"), block(512)]}], [])
    assert rows(reading, "size", "device_address") == [(512, BASE)]


def test_a_block_outside_of_its_segment_is_left_out():
    outside = [block(512, address=BASE + 4096 - 511), block(512, address=BASE - 1)]
    reading = read([segment(block(512, address=BASE + 4096 - 512), *outside)], [])
    assert rows(reading, "device_address") == [(BASE + 4096 - 512,)]
    assert [one.count for one in reading.findings if one.code == "entries_skipped"] == [2]


@pytest.mark.slow
def test_no_finding_is_lost_in_many():
    reading = read([], *[[alloc(0, 10), 5] for _ in range(40)])
    assert sum(one.count for one in reading.findings if one.code == "entries_skipped") == 40
