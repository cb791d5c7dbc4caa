import pytest

from schema.metrics import ATTEMPT_METRICS, METRICS, markdown

REGISTRIES = (METRICS, ATTEMPT_METRICS)


@pytest.mark.parametrize(("name", "metric"), [pair for metrics in REGISTRIES for pair in metrics.items()])
def test_every_metric_has_label_formula_unit_and_polarity(name, metric):
    assert metric.name == name
    assert metric.label
    assert metric.formula
    assert metric.unit
    assert metric.polarity in (-1, 0, 1)


@pytest.mark.parametrize("metrics", REGISTRIES)
def test_labels_tell_metrics_apart(metrics):
    assert len({metric.label for metric in metrics.values()}) == len(metrics)


def test_the_registry_in_words_has_a_row_per_metric():
    text = markdown()
    for metric in [*METRICS.values(), *ATTEMPT_METRICS.values()]:
        assert f"| `{metric.name}` | {metric.label} | {metric.formula} | {metric.unit} |" in text
    assert "| less is better |" in text
    assert "| more is better |" in text
    assert "| neither |" in text
