"""What happened in a series: steps, dips, drifts and spikes, and nothing where there is noise alone."""

import numpy as np
import pytest

from analysis.statistics.events import trace_course
from tests.support.trends import noise

SEEDS = range(60)


def series(seed=0, count=60, correlation=0.0, **shifts):
    """Return values around 217 with noise of 1 %; `a_b=size` shifts those from a up to b by a logarithm."""
    logs = noise(seed, count, correlation)
    for span, size in shifts.items():
        first, end = map(int, span.removeprefix("at_").split("_"))
        logs[first:end] += size
    return 217 * np.exp(logs)


def changes(values):
    return [event for event in trace_course(values).events if event.kind != "spike"]


def share_found(kind, first, last, make):
    """Return in how many series exactly one change is found, of the kind and near its place."""
    found = 0
    for seed in SEEDS:
        events = changes(make(seed))
        if [event.kind for event in events] == [kind]:
            found += abs(events[0].first - first) <= 2 and abs(events[0].last - last) <= 2
    return found / len(SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_noise_is_no_event(correlation):
    alarms = sum(bool(changes(series(seed, correlation=correlation))) for seed in SEEDS)
    assert alarms <= len(SEEDS) * 0.07


@pytest.mark.slow
def test_a_step_is_a_new_level_to_its_end():
    assert share_found("step", 30, 59, lambda seed: series(seed, at_30_60=-0.045)) >= 0.95
    (event,) = changes(series(at_30_60=-0.045))
    assert event.relative == pytest.approx(np.expm1(-0.045), abs=0.01)
    assert not event.recovered


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("runs", [3, 4, 6, 10])
@pytest.mark.parametrize("size", [-0.045, 0.045])
def test_a_few_runs_off_the_level_on_either_side_are_a_dip(runs, size):
    assert (
        share_found("dip", 25, 24 + runs, lambda seed: series(seed, **{f"at_25_{25 + runs}": size}))
        >= 0.9
    )


def test_a_dip_has_recovered_and_is_inside_of_its_part():
    course = trace_course(series(at_25_29=-0.06))
    (event,) = [event for event in course.events if event.kind == "dip"]
    assert event.recovered
    assert event.relative == pytest.approx(np.expm1(-0.06), abs=0.015)
    assert [(part.first, part.end) for part in course.parts] == [(0, 60)]
    assert course.parts[0].median == pytest.approx(217, rel=0.01)


def test_two_dips_near_each_other_are_two():
    found = changes(series(at_20_24=-0.1, at_32_36=-0.1))
    assert [(event.kind, event.first, event.last) for event in found] == [
        ("dip", 20, 23),
        ("dip", 32, 35),
    ]


@pytest.mark.slow
def test_a_step_of_the_last_three_runs_is_one():
    assert share_found("step", 57, 59, lambda seed: series(seed, at_57_60=-0.055)) >= 0.9


@pytest.mark.slow
def test_steps_that_a_line_explains_are_a_drift():
    ramp = np.linspace(0, 0.08, 60)
    assert share_found("drift", 0, 59, lambda seed: series(seed) * np.exp(ramp)) >= 0.9
    course = trace_course(series() * np.exp(ramp))
    assert course.events[0].relative == pytest.approx(np.expm1(0.08), rel=0.25)
    assert course.parts[0].begins < course.parts[0].median < course.parts[0].ends


def test_steps_up_one_after_the_other_are_no_drift():
    assert [event.kind for event in changes(series(at_20_60=0.08, at_40_60=0.08))] == [
        "step",
        "step",
    ]


def test_a_step_and_a_dip_in_one_series_are_both_found():
    found = changes(series(at_20_60=-0.05, at_42_46=-0.05))
    assert [(event.kind, event.first) for event in found] == [("step", 20), ("dip", 42)]


@pytest.mark.parametrize("runs", [1, 2])
def test_one_or_two_runs_are_a_spike_and_no_level(runs):
    course = trace_course(series(**{f"at_40_{40 + runs}": 0.12}))
    assert [(event.kind, event.first, event.last) for event in course.events] == [
        ("spike", 40, 39 + runs)
    ]
    assert len(course.parts) == 1


def test_a_few_odd_runs_among_three_are_no_dip():
    values = series()
    values[[30, 32]] *= 1.2
    assert [event.kind for event in trace_course(values).events] == ["spike", "spike"]


def test_the_last_run_has_not_recovered():
    values = series()
    values[-1] *= 1.3
    assert [(event.kind, event.recovered) for event in trace_course(values).events] == [
        ("spike", False)
    ]


@pytest.mark.slow
def test_runs_that_alternate_between_two_levels_are_none():
    alternating = np.where(np.arange(60) % 2, 0.03, -0.03)
    alarms = sum(bool(changes(series(seed) * np.exp(alternating))) for seed in SEEDS)
    assert alarms <= len(SEEDS) * 0.05


def test_a_small_step_does_not_matter():
    quiet = 100 * np.exp(0.05 * noise(3, 40))
    quiet[20:] *= 0.985
    assert trace_course(quiet).events == []


def test_numbers_with_0_and_below_have_events_too():
    assert [(event.first, event.relative) for event in changes(np.repeat([0.0, 3.0], 10))] == [
        (10, 1.0)
    ]
    assert [(event.first, event.relative) for event in changes(np.repeat([-5.0, -6.0], 10))] == [
        (10, -0.2)
    ]
    assert changes(np.zeros(20)) == []


@pytest.mark.parametrize(
    "values",
    [
        np.repeat([1e308, -1e308], 10),
        np.repeat([5e-324, 1e308], 10),
        np.array([0.0, 1e-300, 1e300] * 6),
        np.arange(1.0, 40),
        np.exp(np.arange(200.0)),
        np.tile(np.repeat([1.0, 0.9], [8, 4]), 90),
        series(count=5_000, at_2500_5000=-0.05),
    ],
)
def test_parts_span_any_series_and_sizes_are_numbers(values):
    course = trace_course(values)
    edges = [(part.first, part.end) for part in course.parts]
    assert edges[0][0] == 0
    assert edges[-1][1] == len(values)
    assert [end for _, end in edges[:-1]] == [first for first, _ in edges[1:]]
    assert all(np.isfinite([event.relative for event in course.events]))
    steps = [event.first for event in course.events if event.kind == "step"]
    assert set(steps) <= {first for first, _ in edges[1:]}
