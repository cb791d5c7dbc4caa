import pytest

from analysis.metrics import METRICS, markdown


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_label_formula_unit_and_polarity(name):
    metric = METRICS[name]
    assert metric.name == name
    assert metric.label
    assert metric.formula
    assert metric.unit
    assert metric.polarity in (-1, 0, 1)


def test_labels_tell_metrics_apart():
    assert len({metric.label for metric in METRICS.values()}) == len(METRICS)


def test_the_registry_in_words_has_a_row_per_metric():
    text = markdown()
    for metric in METRICS.values():
        assert f"| `{metric.name}` | {metric.label} | {metric.formula} | {metric.unit} |" in text
    assert "| less is better |" in text
    assert "| more is better |" in text
    assert "| neither |" in text
