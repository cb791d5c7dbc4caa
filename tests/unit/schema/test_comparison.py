import pytest

from schema.comparison import CAPTURE, COMPARED, EXTENT, MEMORY, PROFILE, STEADY, TILE
from schema.metrics import METRICS


@pytest.mark.parametrize("table", [CAPTURE, TILE, MEMORY, PROFILE])
def test_a_compared_metric_has_unit_and_polarity_of_the_headline_of_its_name(table):
    for name, compared in table.items():
        known = METRICS.get(name)
        assert compared.name == name
        if known is None:
            continue
        assert known.unit == compared.unit
        # The error of a model has a sign in the list, and is compared by its size.
        is_size = compared.metric.formula == f"absolute value of {name}"
        assert known.polarity == (0 if is_size else compared.polarity)
        assert compared.polarity == -1 if is_size else True


def test_what_a_threshold_may_be_given_for_is_every_compared_metric():
    assert set(COMPARED) == {*CAPTURE, *TILE, *MEMORY, *PROFILE, EXTENT.name, STEADY.name}
    assert all(
        metric.label and metric.metric.formula and metric.rests_on for metric in COMPARED.values()
    )


def test_a_level_has_a_gate():
    assert all(
        any(metric.is_gate for metric in table.values()) for table in (CAPTURE, MEMORY, PROFILE)
    )
