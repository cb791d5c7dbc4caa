from schema.attempt_metrics import ATTEMPT_METRICS
from schema.comparison import CAPTURE, EXTENT, MEMORY, PROFILE, STEADY, TILE
from schema.metrics import METRICS
from schema.metrics_page import markdown


def test_the_registry_in_words_has_a_row_per_metric():
    text = markdown()
    for metric in [*METRICS.values(), *ATTEMPT_METRICS.values()]:
        assert f"| `{metric.name}` | {metric.label} | {metric.formula} | {metric.unit} |" in text
    assert "| less is better |" in text
    assert "| more is better |" in text
    assert "| neither |" in text


def test_what_is_compared_has_a_row_per_level_and_metric():
    rows = markdown().split("## Compared between runs")[1]
    known = [*CAPTURE.values(), *TILE.values(), *MEMORY.values(), EXTENT, *PROFILE.values(), STEADY]
    assert rows.count("\n| ") == len(known) + 1
    for metric in known:
        assert f"| `{metric.name}` | {metric.label} | {metric.metric.formula} |" in rows
