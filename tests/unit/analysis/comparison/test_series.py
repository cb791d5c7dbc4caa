"""A series of numbers: its parts and events, its key, and what is compared at an event."""

from dataclasses import replace

import pytest

from analysis.comparison.series import Development, JudgedEvent, SeriesKey
from tests.support.runs import record_of
from tests.support.trends import levels, series_of


def test_steps_part_a_series_into_levels():
    one = series_of(levels((100, 22), (82, 18))).development
    (change,) = one.events
    assert (change.kind, change.first, change.last, change.verdict) == ("step", 22, 39, "regressed")
    assert change.relative == pytest.approx(-0.18, abs=0.01)
    assert [(part.first, part.end) for part in one.parts] == [(0, 22), (22, 40)]
    assert [round(part.median) for part in one.parts] == [100, 82]
    assert one.steps == one.changes == one.events


def test_the_polarity_of_the_metric_decides_the_verdict():
    values = levels((100, 10), (120, 10))
    assert [
        series_of(values, polarity=sign).development.events[0].verdict for sign in (1, -1, 0)
    ] == ["improved", "regressed", "changed"]


def nights(*numbers):
    return [f"npu1-{night}" for night in numbers]


def test_the_runs_next_to_a_step_are_compared_five_a_side_at_most():
    one = series_of(levels((100, 22), (82, 4), (100, 3), (90, 11)))
    steps = tuple(
        JudgedEvent("step", first, last, -0.1, 100.0, 90.0) for first, last in ((22, 25), (26, 39))
    )
    parts = [part._replace(first=first, end=end) for part, first, end in
             zip([one.development.parts[0]] * 3, (0, 22, 26), (22, 26, 40), strict=True)]  # fmt: skip
    one = replace(one, development=Development(tuple(parts), steps))
    assert one.sides(steps[0]) == (nights(*range(17, 22)), nights(*range(22, 26)))
    assert one.sides(steps[1])[0] == nights(*range(22, 26))


def test_a_dip_is_compared_with_the_runs_before_it_and_no_odd_run_is():
    values = levels((100, 20), (80, 4), (100, 16))
    values[18] = 150.0
    one = series_of(values)
    (dip,) = one.development.changes
    assert (dip.kind, dip.first, dip.last, dip.recovered) == ("dip", 20, 23, True)
    assert one.sides(dip) == (nights(14, 15, 16, 17, 19), nights(20, 21, 22, 23))


def test_a_drift_is_compared_from_its_first_runs_to_its_last():
    one = series_of([100 * 1.004**night for night in range(40)])
    (drift,) = one.development.changes
    assert drift.kind == "drift"
    assert one.sides(drift) == (nights(*range(5)), nights(*range(35, 40)))


def test_few_runs_have_no_parts_and_a_reason():
    one = series_of([100.0] * 7).development
    assert one.note
    assert (one.events, one.parts) == ((), ())


def test_a_capture_is_of_its_tile_and_a_compile_of_its_name():
    capture, other = (
        SeriesKey.of(record_of(night, m=16, name=f"night {night}")) for night in range(2)
    )
    assert capture == other
    assert capture != SeriesKey.of(record_of(m=32))
    assert capture != SeriesKey.of(record_of(m=16, mac_dtype="bf16"))
    one, other = (
        SeriesKey.of(record_of(source="tpu_mlir", name=name)) for name in ("gull", "heron")
    )
    assert (one.name, other.name) == ("gull", "heron")
    assert capture.name is None


def test_the_tag_of_a_problem_is_none_of_the_key():
    key = SeriesKey.of(record_of(tags="slow problem-0123 fast"))
    assert key.tags == "fast slow"


def test_a_development_as_plain_values_has_its_steps_as_change_points():
    record = series_of(levels((100, 22), (82, 18))).development.record()
    assert [(one["first"], one["last"]) for one in record["segments"]] == [(0, 21), (22, 39)]
    assert [one["index"] for one in record["change_points"]] == [22]
    (event,) = record["events"]
    assert {"kind", "first", "last", "relative", "verdict", "recovered"} < event.keys()
    assert event["relative"] == pytest.approx(event["after"] / event["before"] - 1)


def test_runs_in_dated_folders_are_one_series_and_names_that_people_gave_are_not():
    nightly = [
        record_of(source="kineto", name=name, stem="trace") for name in ("2026-11-25", "2026-11-26")
    ]
    before = record_of(source="kineto", name="trace", stem=None)
    given = record_of(source="kineto", name="resnet", stem=None)
    keys = [SeriesKey.of(record) for record in (*nightly, before, given)]
    assert keys[0] == keys[1] == keys[2] != keys[3]
