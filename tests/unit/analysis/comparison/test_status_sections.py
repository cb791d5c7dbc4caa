"""Sections of the status, by the first bad run and by the runs of a key."""

from datetime import UTC, datetime

import pytest

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import (
    Acknowledged,
    CommitMoment,
    Since,
    Status,
    StatusPoint,
    StatusRow,
    StatusRun,
)
from analysis.comparison.status_sections import (
    SECTIONS,
    is_of_the_week,
    recovery,
    row_sections,
    status_sections,
)

AS_OF = datetime(2026, 11, 20, 8, tzinfo=UTC)
KEY = SeriesKey("aie", "npu2", 256, 64, 128, None, None, None, 2, 2, None, "", None)
KNOWN = Acknowledged("ada", "", "2026-11-19T00:00:00+00:00")


def day(number):
    return f"2026-11-{number:02d}T02:00:00+00:00"


def row(verdict, first_bad=None, points=(), acknowledged=None):
    since = None if first_bad is None else Since(CommitMoment("bad", day(first_bad), ""), None, 1)
    run = StatusRun("id", day(20), "", "main", "f.json", "night")
    seen = [StatusPoint("id", day(number), 1.0, verdict) for number, verdict in points]
    numbers = ("gmacs_mean", 240.0, 258.0, -0.07)
    return StatusRow(KEY, run, *numbers, verdict, "", since, acknowledged, seen, age_days=0.0)


@pytest.mark.parametrize(
    ("status", "sections"),
    [
        (row("regressed", 20), ("new", "open")),
        (row("regressed", 14), ("new", "open")),
        (row("regressed", 13), ("open",)),
        (row("regressed"), ("open",)),
        (row("regressed", 20, acknowledged=KNOWN), ("acknowledged",)),
        (row("unchanged", points=[(18, "regressed"), (19, "unchanged")]), ("recovered",)),
        (row("undecided", points=[(18, "regressed"), (19, "undecided")]), ("recovered",)),
        (row("unchanged", points=[(12, "regressed"), (13, "unchanged")]), ()),
        (row("unchanged", points=[(18, "unchanged"), (19, "unchanged")]), ()),
        (row("improved"), ()),
    ],
)
def test_a_row_has_its_sections(status, sections):
    assert row_sections(status, AS_OF) == sections
    assert is_of_the_week(status, AS_OF) == bool({"new", "recovered"} & {*sections})


def test_sections_keep_the_order_of_the_status_and_name_empty_ones():
    newer, older, known = row("regressed", 20), row("regressed", 10), row("unchanged")
    status = Status("nightly", AS_OF.isoformat(), [older, newer, known])
    sections = status_sections(status)
    assert [*sections] == [*SECTIONS]
    assert sections["new"] == [newer]
    assert sections["open"] == [older, newer]
    assert sections["acknowledged"] == sections["recovered"] == []


def test_the_last_of_two_recoveries_counts():
    points = [
        (15, "regressed"),
        (16, "unchanged"),
        (17, "regressed"),
        (18, "improved"),
        (19, "unchanged"),
    ]
    assert recovery(row("unchanged", points=points)).taken_at == day(18)
    assert recovery(row("unchanged", points=points[-2:])) is None
