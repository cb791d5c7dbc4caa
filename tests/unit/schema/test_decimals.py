import sys

import pytest

from schema.decimals import decimals


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (12.345, 1, "12.3"),
        (-0.5, 2, "-0.50"),
        (1e20, 0, "1" + "0" * 20),
        (1e21, 1, "1e+21"),
        (sys.float_info.max, 2, "1.8e+308"),
        (5e-324, 1, "0.0"),
    ],
)
def test_decimals_are_never_hundreds(value: float, places: int, text: str) -> None:
    assert decimals(value, places) == text


def test_a_change_has_its_sign() -> None:
    assert decimals(1.25, 1, signed=True) == "+1.2"
    assert decimals(-1e300, 1, signed=True) == "-1e+300"
    assert decimals(1e300, 1, signed=True) == "+1e+300"
