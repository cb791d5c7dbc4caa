import sys

import pytest

from components.comparison.words import relative_words
from schema.decimals import decimals, signed_percent
from tests.support.sentences import plain


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


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "size",
    [0.0, 1e-7, 0.000487, 0.0061, 0.0069, 0.0994, 0.09994, 0.09996, 0.1951, 0.5, 3.14159, 42.0],
)
def test_a_change_has_the_digits_that_pages_show(size, sign):
    shown = plain(relative_words(sign * size)).replace("−", "-")
    assert signed_percent(sign * size) == shown
