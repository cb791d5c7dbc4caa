import pytest

from schema.attempt_metrics import ATTEMPT_METRICS
from schema.metrics import METRICS

REGISTRIES = (METRICS, ATTEMPT_METRICS)


@pytest.mark.parametrize(
    ("name", "metric"), [pair for metrics in REGISTRIES for pair in metrics.items()]
)
def test_every_metric_has_label_formula_unit_and_polarity(name, metric):
    assert metric.name == name
    assert metric.label
    assert metric.formula
    assert metric.unit
    assert metric.polarity in (-1, 0, 1)


@pytest.mark.parametrize("metrics", REGISTRIES)
def test_labels_tell_metrics_apart(metrics):
    assert len({metric.label for metric in metrics.values()}) == len(metrics)
