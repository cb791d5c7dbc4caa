"""Rates above the peak of the cores are no measure: in comparisons, gate, status, trends, records."""

import json

import pytest

from ingest.files import ingest
from schema.decimals import share_percent
from schema.peak_rates import RATES
from services.alerts.evaluate import WELL, next_state
from services.baselines.baselines import previous_run, set_baseline
from services.baselines.members import NoOlderRunError
from services.comparison.compare import compare
from services.gate.gate import UNDECIDED, check
from services.status.rules import set_rule
from services.status.status import StatusCache
from services.trends.compared_trend import trend
from storage.alerts import KeyState
from storage.rules import Rule
from tests.support.comparisons import ITERATIONS, cores
from tests.support.gemm_trace import MACS_PER_KERNEL, entries
from tests.support.gemm_trace import settings as gemm

POSSIBLE, IMPOSSIBLE = "64", "10"
"""Peaks in MAC per cycle and core: the kernels of the captures reach about 13."""


@pytest.fixture
def run_of(repository, tmp_path):
    """Return a function that ingests the capture of a day with a peak, and returns its run id."""

    def run(day, peak=POSSIBLE, duration=300):
        path = tmp_path / f"{day}.json"
        path.write_text(json.dumps(entries(*cores(day, duration, duration))))
        given = gemm(2, iterations=ITERATIONS) | {
            "peak_macs_per_cycle": peak,
            "taken_at": f"2026-01-{day:02}T00:00:00Z",
        }
        return ingest(repository, [path], given).runs[0].run_id

    return run


def find(comparison, name):
    return next(row for row in comparison.rows if (row.metric.name, row.level) == (name, "run"))


@pytest.mark.parametrize("is_base", [True, False])
def test_a_side_with_impossible_rates_has_no_number_and_no_verdict(repository, run_of, is_base):
    run = run_of(1, IMPOSSIBLE)
    other = run_of(2, duration=340)
    sides = ([run], [other]) if is_base else ([other], [run])
    found = compare(repository, *sides)
    assert (found.verdict, found.attribution) == ("incomparable", [])
    for name in ("gmacs_mean", "gmacs_best", "gmacs_worst", "utilization"):
        row = find(found, name)
        assert row.judged.verdict == "incomparable"
        assert (row.base is None, row.new is None) == (is_base, not is_base)
    rates = repository.find_run(run).headline
    share = share_percent(rates["utilization"] * rates["gmacs_best"] / rates["gmacs_mean"])
    assert f"the {'base' if is_base else 'new side'} reaches {share}" in found.reasons[0]
    assert find(found, "median_kernel").judged.verdict in ("improved", "regressed")


def test_the_other_runs_of_a_side_still_count(repository, run_of):
    base = [run_of(1), run_of(2), run_of(3), run_of(4, IMPOSSIBLE, duration=100)]
    without = find(compare(repository, base[:3], [run_of(5)]), "gmacs_mean")
    row = find(compare(repository, base, [run_of(5)]), "gmacs_mean")
    assert (row.base, row.low, row.high) == (without.base, without.low, without.high)
    assert row.judged.verdict == without.judged.verdict == "unchanged"
    assert row.judged.reason.startswith("1 of 4 runs of the base is left out")


def test_the_gate_does_not_decide_and_rolling_baselines_leave_them_out(repository, run_of):
    first = run_of(1, IMPOSSIBLE)
    set_baseline(repository, "rolling", [first], 1, user="me")
    with pytest.raises(NoOlderRunError, match="possible rates"):
        check(repository, [run_of(2)], "rolling", {})
    impossible = run_of(3, IMPOSSIBLE)
    assert check(repository, [impossible], "rolling", {}).code() == UNDECIDED
    new = run_of(4)
    checked = check(repository, [new], "rolling", {})
    assert [run["run_id"] for run in checked.comparison.base] == [run_of(2)]
    assert previous_run(repository, new) == run_of(2)


def test_the_status_says_why_and_compares_with_possible_rates(repository, run_of):
    set_rule(repository, Rule("nightly", 2, ""), "me")
    run_of(1, IMPOSSIBLE)
    (row,) = StatusCache(repository).status().rows
    assert (row.verdict, row.value) == ("incomparable", None)
    assert "of its peak" in row.reason
    good = run_of(2)
    (row,) = StatusCache(repository).status().rows
    assert (row.verdict, row.run.run_id) == ("undecided", good)
    assert "with possible rates" in row.reason
    # Twice as fast, if it were true.
    run_of(3, IMPOSSIBLE, duration=150)
    (row,) = StatusCache(repository).status().rows
    assert (row.verdict, row.value, row.points[-1].value) == ("incomparable", None, None)
    before = KeyState("key", WELL)
    assert next_state(before, row, 1e9) == (before, [])
    run_of(4, duration=340)
    (row,) = StatusCache(repository).status().rows
    assert row.verdict == "regressed"
    assert row.base == pytest.approx(repository.find_run(good).headline["gmacs_mean"])


@pytest.mark.parametrize("metric", ["gmacs_mean", "gmacs_mean_by_span"])
def test_a_trend_counts_them_and_has_no_point_for_them(repository, run_of, metric):
    runs = [run_of(day, IMPOSSIBLE if day == 3 else POSSIBLE) for day in range(1, 5)]
    # Twice: computed from the runs, and read from the catalogue.
    for _ in range(2):
        found = trend(repository, metric, {})
        (series,) = found.series
        assert [point.run_id for point in series.points] == runs[:2] + runs[3:]
        assert (found.left_out, found.record()["left_out"]) == (1, 1)
    searched = trend(repository, metric, {}, search="3.json")
    assert (searched.series, searched.left_out) == ((), 1)
    assert trend(repository, metric, {"M": 1}).left_out == 0
    assert trend(repository, "median_kernel", {}).left_out == 0


def test_a_record_names_the_impossible_metrics(repository, run_of):
    run = repository.find_run(run_of(1, IMPOSSIBLE))
    record = run.record()
    assert {*RATES} < {*record["impossible"]} <= {*record}
    assert record["headline"]["impossible"] is True
    assert repository.find_run(run_of(2)).record()["impossible"] == []
    assert run.headline["kernel_utilization"] == pytest.approx(MACS_PER_KERNEL / 3000, rel=0.01)
