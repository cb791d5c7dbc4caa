"""Events of a series as a comparison of the runs on either side judges them."""

from dataclasses import replace

import pytest

from analysis.comparison.series import Development, JudgedEvent
from analysis.statistics.events import Part
from schema.metrics import METRICS
from services.comparison.compare import compare_number
from services.comparison.data import Question
from services.trends.series_events import EventComparisons
from tests.support.trends import series_of

STEP = JudgedEvent("step", 1, 1, -0.5, 2.0, 1.0, verdict="changed")
RATE = METRICS["gmacs_mean"]


def stepped(*runs, event=STEP):
    """Return a series of two runs with an event at the second one."""
    bare = series_of([2.0, 1.0])
    points = tuple(point._replace(run_id=run) for point, run in zip(bare.points, runs, strict=True))
    parts = (Part(0, 1, 2.0, 2.0, 2.0), Part(1, 2, 1.0, 1.0, 1.0))
    return replace(bare, points=points, development=Development(parts, (event,)))


@pytest.fixture
def comparisons(pairs):
    """Comparisons of events, and the runs that were loaded for them."""
    loaded = []

    def load(run_id, settings):
        loaded.append(run_id)
        return pairs.comparisons.load(run_id, settings)

    found = EventComparisons(pairs.repository, load)
    found.loaded = loaded
    return found


def events(found):
    return [event for one in found.series for event in one.development.events]


@pytest.mark.parametrize("metric", ["gmacs_mean", "median_kernel"])
def test_a_step_has_the_numbers_and_the_verdict_of_the_comparison_of_its_sides(
    pairs, comparisons, metric
):
    (base,), (new,) = pairs.runs("aie slow")
    (event,) = events(comparisons.compare_events([stepped(base, new)], METRICS[metric]))
    row = pairs.comparisons.get(Question((base,), (new,))).row(metric)
    assert (event.before, event.after) == (row.base, row.new)
    assert (event.relative, event.verdict) == (row.judged_change, row.judged.verdict)
    assert (event.kind, event.first, event.last, event.basis) == (
        STEP.kind,
        STEP.first,
        STEP.last,
        "comparison",
    )


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", ["aie slow", "compile larger", "profile slow"])
def test_a_number_alone_has_the_row_that_a_whole_comparison_has(pairs, name):
    base, new = pairs.runs(name)
    rows = pairs.comparisons.get(Question(tuple(base), tuple(new))).result.rows
    of_runs = {row.metric.name: row for row in rows if row.level == "run"}
    for metric in METRICS:
        found = compare_number(pairs.repository, metric, base, new, pairs.comparisons.load)
        assert found == of_runs.get(metric)


def test_a_comparison_is_made_once_and_none_within_no_time(pairs, comparisons):
    (base,), (new,) = pairs.runs("aie slow")
    series = [stepped(base, new)]
    pending = comparisons.compare_events(series, RATE, 0.0)
    assert ([event.basis for event in events(pending)], pending.left) == (["pending"], 1)
    assert comparisons.loaded == []
    made = comparisons.compare_events(series, RATE)
    assert (len(comparisons.loaded), made.left) == (2, 0)
    assert comparisons.compare_events(series, RATE, 0.0) == made
    assert len(comparisons.loaded) == 2


def test_a_request_makes_one_comparison_at_least_and_the_others_wait(pairs, comparisons):
    (base,), (new,) = pairs.runs("aie slow")
    series = [stepped(base, new), stepped(new, base)]
    found = comparisons.compare_events(series, RATE, 1e-9)
    assert sorted(event.basis for event in events(found)) == ["comparison", "pending"]
    assert found.left == 1
    assert comparisons.compare_events(series, RATE, 1e-9).left == 0


def test_of_many_events_a_page_compares_the_first(pairs, comparisons):
    (base,), (new,) = pairs.runs("aie slow")
    found = comparisons.compare_events([stepped(base, new), stepped(new, base)], RATE, most=1)
    assert sorted(event.basis for event in events(found)) == ["comparison", "pending"]
    assert found.left == 0


def test_what_takes_too_long_stays_as_the_levels_have_it(pairs, comparisons):
    (base,), (new,) = pairs.runs("aie slow")
    series = [stepped(base, new)]
    found = comparisons.compare_events(series, RATE, attempt=lambda work: False)
    assert (found.series, found.left) == (tuple(series), 0)


def test_what_cannot_be_compared_stays_as_the_levels_have_it(pairs, comparisons):
    (base,), (new,) = pairs.runs("aie slow")
    spike = replace(STEP, kind="spike")
    for series, metric in (
        (stepped(base, new), "kernels"),
        (stepped(base, "f" * 12), "gmacs_mean"),
        (stepped(base, new, event=spike), "gmacs_mean"),
    ):
        assert comparisons.compare_events([series], METRICS[metric]).series == (series,)
