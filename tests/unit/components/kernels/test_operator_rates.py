"""FLOP/s of operators in the grid: known, unknown with the reason, and hidden if none is known."""

import pytest

from components.kernels.operators_grid import operator_columns, operator_records
from components.numbers import rate_text
from schema.frames import complete, empty


def operators(*flops):
    """Return frame `operators` with operators of these operations, each of 2 µs on devices."""
    count = len(flops)
    return complete(
        "operators",
        {
            "name": [f"op{place}" for place in range(count)],
            "device_spans": [1] * count,
            "total_device": [2_000] * count,
            "flops": flops,
            "flop_rate": [None if number is None else number / 2e-6 for number in flops],
        },
    )


def test_rates_are_shown_with_the_operations_behind_them():
    known, unknown = operator_records(operators(8_000.0, None), empty("operator_shapes"), 0)
    assert known["flop_rate"] == pytest.approx(4e9)
    assert "8" in known["flops_text"]
    assert unknown["flop_rate"] is None
    assert "unknown" in unknown["flops_text"]


def test_the_column_shows_rates_whole():
    (width,) = [
        column.width
        for column in operator_columns(operators(8, 4), empty("operator_shapes"))
        if column.label == "FLOP/s"
    ]
    # Digits of 12 px are 7.2 px wide, beside them are 14 px of padding.
    longest = rate_text(123.4e9, "FLOP/s")
    assert width >= 7.2 * len(longest) + 14


@pytest.mark.parametrize(("flops", "hidden"), [((8_000.0, None), False), ((None, None), True)])
def test_the_column_is_hidden_if_no_rate_is_known(flops, hidden):
    columns = {
        column.name: column
        for column in operator_columns(operators(*flops), empty("operator_shapes"))
    }
    assert columns["flop_rate"].is_hidden is hidden
