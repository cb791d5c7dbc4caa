import math

import pytest

from schema.digits import is_whole, real

FOREIGN = ["١٢", "１２", "१२", "²", "1²", "1_2"]
"""What Python's own functions take for digits or numbers, or fail at."""


@pytest.mark.parametrize("text", ["0", "12", "007", "9" * 18])
def test_digits_are_a_whole_number(text):
    assert is_whole(text)


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1.0", "x", "9" * 19, *FOREIGN])
def test_nothing_else_is(text):
    assert not is_whole(text)


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("-2.5", -2.5), ("1e3", 1000), ("inf", math.inf)]
)
def test_a_text_is_a_number(text, number):
    assert real(text) == number


@pytest.mark.parametrize("text", ["", "x", "1,5", "nan", *FOREIGN])
def test_what_is_none_is_nan(text):
    assert math.isnan(real(text))
