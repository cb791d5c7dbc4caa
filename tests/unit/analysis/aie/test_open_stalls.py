"""Cores that wait in a stall up to the end of the capture."""

import pandas as pd
import pytest

from analysis.aie.open_stalls import CODE, find_open_stalls, open_stall_findings
from schema.frames import conform

CAPTURE_ENDS = 10_000


def track(name, first=1, last=CAPTURE_ENDS):
    kind, place = name.split()
    row, col = place.split(",")
    return {
        "track": name,
        "kind": kind,
        "row": int(row),
        "col": int(col),
        "pid": name,
        "process": name,
        "order": 0,
        "first": first,
        "last": last,
        "entries": 9,
    }


def found(tracks, spans):
    """Return the stalls of spans (track, name, start, end), where an end of None is open."""
    lasts = {row["track"]: row["last"] for row in tracks}
    rows = [
        {
            "track": name,
            "lane": event,
            "name": event,
            "start": start,
            "end": lasts[name] if end is None else end,
            "opened": True,
            "closed": end is not None,
        }
        for name, event, start, end in spans
    ]
    events = conform(
        "events", pd.DataFrame(rows).sort_values(["track", "lane", "start"], ignore_index=True)
    )
    return find_open_stalls(conform("tracks", pd.DataFrame(tracks)), events)


def test_a_core_that_waits_while_others_go_on_is_found():
    spans = [
        ("core 2,0", "INSTR_VECTOR", 9_000, 9_100),
        ("core 2,1", "LOCK_STALL", 2_600, None),
        ("core 2,1", "MEMORY_STALL", 2_700, None),
        ("core 3,1", "STREAM_STALL", 4_000, None),
    ]
    stalls = found([track("core 2,0"), track("core 2,1", last=2_700), track("core 3,1")], spans)
    assert [(stall.track, stall.name, stall.since, stall.ticks) for stall in stalls] == [
        ("core 2,1", "LOCK_STALL", 2_600, 7_400),
        ("core 3,1", "STREAM_STALL", 4_000, 6_000),
    ]
    (finding,) = open_stall_findings(stalls)
    assert (finding.severity, finding.code, finding.location, finding.count) == (
        "warning",
        CODE,
        "core 2,1",
        2,
    )
    assert all(
        word in finding.message
        for word in ("core 2,1", "LOCK_STALL", "2600", "core 3,1", "4000", "9000")
    )


@pytest.mark.parametrize(
    "spans",
    [
        [("core 2,0", "INSTR_VECTOR", 9_400, 9_500), ("core 2,1", "LOCK_STALL", 9_300, None)],
        [("core 2,0", "LOCK_STALL", 9_900, None), ("core 2,1", "LOCK_STALL", 9_800, None)],
        [("core 2,0", "INSTR_VECTOR", 9_000, 9_100), ("core 2,1", "PORT_RUNNING_0", 100, None)],
        [("core 2,0", "INSTR_VECTOR", 9_000, 9_100), ("core 2,1", "LOCK_STALL", 100, 9_999)],
        [
            ("core 2,0", "INSTR_VECTOR", 9_000, 9_100),
            ("mem 2,1", "DMA_S2MM_0_STALLED_LOCK_STALL", 100, None),
        ],
    ],
    ids=["soon after", "usual end", "no stall", "it ended", "no core"],
)
def test_what_is_no_wait_is_not_found(spans):
    assert found([track("core 2,0"), track("core 2,1"), track("mem 2,1")], spans) == []


def test_a_short_wait_counts_if_others_go_on():
    tracks = [track("core 2,0"), track("core 2,1")]
    waits = ("core 2,1", "LOCK_STALL", 6_000, None)
    assert found(tracks, [("core 2,0", "INSTR_VECTOR", 9_000, 9_100), waits])
    assert not found(tracks, [("core 2,0", "LOCK_STALL", 9_000, 9_100), waits]), (
        "a stall is no work"
    )
    assert not found(tracks, [("core 2,1", "INSTR_VECTOR", 9_000, 9_100), waits]), (
        "its own work is no other's"
    )


def test_a_long_wait_counts_by_itself():
    assert found([track("core 2,0")], [("core 2,0", "LOCK_STALL", 1_000, None)])
    assert not found([track("core 2,0")], [("core 2,0", "LOCK_STALL", 8_000, None)])
