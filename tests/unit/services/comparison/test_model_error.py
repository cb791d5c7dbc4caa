"""The error of a performance model: stored at ingest, over time, compared, in the gate and alerts."""

import json

import pytest

from ingest.files import ingest
from services.alerts.config import AlertConfig
from services.alerts.evaluate import evaluate_alerts
from services.baselines.baselines import set_baseline
from services.comparison.compare import compare
from services.gate.gate import check
from services.run.data_cache import RunDataCache
from services.run.predict import run_prediction
from services.status.rules import set_rule
from services.status.status import StatusCache
from services.trends.compared_trend import trend
from storage.alerts import Alert, Alerts
from storage.rules import Rule
from tests.support.comparisons import ITERATIONS, cores
from tests.support.gemm_trace import entries
from tests.support.gemm_trace import settings as gemm

KERNEL = 300
RIGHT, WRONG = 303, 450
"""Predicted cycles of a kernel."""
SLOTS = """totals:
  overlap: 20
  iter_step: {step}
  total_latency: 1000000
slots:
- slot: 0
  compute_contributors:
  - name: gemm
    active_latency: {step}
"""


@pytest.fixture
def planted(repository, tmp_path):
    """Ingest a capture whose kernels take KERNEL cycles, with a predicted duration beside it."""

    def run(name, predicted, seed=1, date="2026-01-01"):
        folder = tmp_path / name
        folder.mkdir()
        path = folder / "trace.json"
        path.write_text(json.dumps(entries(*cores(seed, KERNEL, KERNEL))))
        if predicted is not None:
            (folder / "slot_latency_breakdown.yaml").write_text(SLOTS.format(step=predicted))
        settings = gemm(2, iterations=ITERATIONS) | {"taken_at": f"{date}T00:00:00Z"}
        return ingest(repository, [path], settings).runs[0].run_id

    return run


def row_of(found, name="model_compute"):
    return next((row for row in found.rows if row.metric.name == name), None)


def test_the_residuals_are_metrics_of_the_run(repository, planted):
    run = planted("a", WRONG)
    terms = {
        term["term"]: term["residual"]
        for term in run_prediction(RunDataCache(repository).get(run, "robust", {}))["terms"]
    }
    numbers = repository.find_run(run).headline
    assert terms["compute"] == pytest.approx(WRONG / KERNEL - 1, abs=0.005)
    assert numbers["model_compute"] == terms["compute"]
    assert numbers["model_wait"] == terms["wait"]
    assert numbers["model_total"] is None  # no log of the host lies beside the trace


def test_a_run_without_a_prediction_has_none(repository, planted):
    numbers = repository.find_run(planted("a", None)).headline
    assert {numbers[f"model_{term}"] for term in ("compute", "wait", "total")} == {None}


@pytest.mark.slow
def test_the_residual_has_a_trend(repository, planted):
    values = [RIGHT, WRONG, RIGHT]
    for day, predicted in enumerate(values, start=1):
        planted(f"run{day}", predicted, seed=day, date=f"2026-01-0{day}")
    (series,) = trend(repository, "model_compute", {}).record()["series"]
    found = [point["value"] for point in series["points"]]
    assert found == pytest.approx([one / KERNEL - 1 for one in values], abs=0.005)


@pytest.mark.slow
def test_a_larger_error_regresses_whatever_its_sign(repository, planted):
    right = planted("right", RIGHT)
    for name, predicted in (("high", WRONG), ("low", 2 * KERNEL - WRONG)):
        found = compare(repository, [right], [planted(name, predicted, seed=2)])
        row = row_of(found)
        assert row.judged.verdict == "regressed"
        assert row.base == pytest.approx(RIGHT / KERNEL - 1, abs=0.005)
        assert row.new == pytest.approx(WRONG / KERNEL - 1, abs=0.005)
        assert found.verdict == "regressed"


@pytest.mark.slow
def test_an_equal_error_is_unchanged(repository, planted):
    found = compare(repository, [planted("a", RIGHT)], [planted("b", RIGHT, seed=2)])
    assert row_of(found).judged.verdict == "unchanged"


@pytest.mark.slow
def test_a_side_without_a_prediction_decides_nothing(repository, planted):
    found = compare(repository, [planted("a", None)], [planted("b", WRONG, seed=2)])
    assert row_of(found) is None
    assert row_of(found, "model_wait") is None
    assert found.verdict != "regressed"


@pytest.mark.slow
def test_the_gate_fails_if_the_model_gets_worse(repository, planted):
    members = [planted(f"base{seed}", RIGHT, seed=seed) for seed in range(1, 6)]
    set_baseline(repository, "main", members, user="me")
    assert check(repository, [planted("same", RIGHT, seed=7)], "main", {}).code() == 0
    assert check(repository, [planted("worse", WRONG, seed=8)], "main", {}).code() == 1


@pytest.mark.slow
def test_an_alert_reports_a_worse_model(repository, planted):
    for day in range(1, 7):
        planted(f"base{day}", RIGHT, seed=day, date=f"2026-01-0{day}")
    set_rule(repository, Rule("nightly", 5), "me")
    alerts = Alerts(repository.catalogue)
    alerts.set(Alert("team", "nightly", "http://hooks.example.org/hidden", events=("regressed",)))
    assert evaluate_alerts(StatusCache(repository), AlertConfig()) == 0
    planted("worse", WRONG, seed=9, date="2026-01-09")
    assert evaluate_alerts(StatusCache(repository), AlertConfig()) == 1
