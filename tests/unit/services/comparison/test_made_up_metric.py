"""A compared metric is two edits: its record in the table, and the function that makes its samples."""

import json

import numpy as np
import pytest

from analysis.comparison import capture
from analysis.comparison.sampled import Samples
from components.comparison.metrics_table import metrics_table
from ingest.files import ingest
from schema import comparison
from schema.comparison import ComparedMetric
from schema.metrics import Metric
from schema.metrics_page import markdown
from services.comparison.compare import compare
from services.comparison.thresholds import parse_thresholds
from tests.support.comparisons import ITERATIONS, cores
from tests.support.gemm_trace import entries
from tests.support.gemm_trace import settings as gemm
from tests.support.registration import replace_registry

ENERGY = Metric("energy", "energy of an iteration", "made up", "J", -1)


def energy_samples(measured):
    """Return the span of each compared iteration in hundreds of ticks."""
    values = measured.compared_rows["span"].to_numpy(np.float64) / 100
    return Samples(values, measured.compared_rows["iteration"].to_numpy(np.int64)), float(
        values.sum()
    )


@pytest.fixture
def with_energy(monkeypatch):
    record = ComparedMetric(ENERGY, 0.05, "iterations", conditions=("clock",), is_gate=True)
    table = {**comparison.CAPTURE, "energy": record}
    replace_registry(monkeypatch, comparison.CAPTURE, table)
    replace_registry(monkeypatch, comparison.COMPARED, {**comparison.COMPARED, **table})
    replace_registry(monkeypatch, capture.SAMPLES, {**capture.SAMPLES, "energy": energy_samples})


@pytest.fixture
def run_of(repository, tmp_path):
    def run(name, seed, *durations, **changed):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(entries(*cores(seed, *durations))))
        return (
            ingest(repository, [path], gemm(len(durations), iterations=ITERATIONS) | changed)
            .runs[0]
            .run_id
        )

    return run


def test_every_metric_of_a_capture_has_its_samples_and_no_other():
    assert set(capture.SAMPLES) == set(comparison.CAPTURE)


@pytest.mark.slow
@pytest.mark.usefixtures("with_energy")
def test_it_is_judged_gates_and_is_shown(repository, run_of):
    base, new = run_of("a", 1, 300, 300), run_of("b", 2, 400, 400)
    found = compare(repository, [base], [new])
    row = next(row for row in found.rows if row.metric.name == "energy")
    assert row.judged.verdict == "regressed"
    assert (row.record()["unit"], row.record()["polarity"], row.record()["gate"]) == ("J", -1, True)
    assert any(ENERGY.label in reason for reason in found.reasons)
    assert ENERGY.label in str(metrics_table(found.rows))


@pytest.mark.slow
@pytest.mark.usefixtures("with_energy")
def test_a_threshold_can_be_given_for_it(repository, run_of):
    base, new = run_of("a", 1, 300, 300), run_of("b", 2, 400, 400)
    found = compare(repository, [base], [new], parse_thresholds(["energy=300"]))
    assert (
        next(row for row in found.rows if row.metric.name == "energy").judged.verdict != "regressed"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("with_energy")
def test_its_condition_holds(repository, run_of):
    base, new = run_of("a", 1, 300, 300), run_of("b", 2, 300, 300, clock_hz="2e9")
    found = compare(repository, [base], [new])
    assert (
        next(row for row in found.rows if row.metric.name == "energy").judged.verdict
        == "incomparable"
    )


@pytest.mark.usefixtures("with_energy")
def test_the_page_of_metrics_has_it():
    assert f"| capture | `energy` | {ENERGY.label} |" in markdown()
