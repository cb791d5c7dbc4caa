import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.address.kinds import Flag, NumberPairs, Numbers, OneOf, Pattern, Text, Whole, Words
from app.views.address.ranges import FARTHEST, Span

KINDS = (
    Whole(),
    Whole(3, least=2, most=50),
    Whole(accepts=lambda number: number % 2 == 0),
    OneOf(("a", "b")),
    OneOf(("a", "b"), otherwise="b"),
    Text(5),
    Text(5, nothing="*"),
    Words(7),
    Pattern(re.compile("[a-z]{1,3}")),
    Flag(),
    Numbers(3),
    NumberPairs(2, key_digits=4),
    Span(),
)
TEXTS = st.text(max_size=40) | st.text("0123456789,=-.*ab ²٣", max_size=30)


@given(st.sampled_from(KINDS), TEXTS)
def test_what_is_read_of_any_text_is_canonical(kind, text):
    value = kind.read(text)
    if value is not None:
        assert kind.read(kind.write(value)) == value


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", "1e3", "1_0", "٣", "²", " 1", "9" * 19])
def test_whole_numbers_have_the_digits_0_to_9_and_not_too_many(text):
    assert Whole().read(text) is None
    assert Numbers(9).read(f"{text},4") == (4,)


def test_numbers_lie_within_their_bounds():
    bounded = Whole(least=2, most=50)
    assert [bounded.read(text) for text in ("0", "7", "51")] == [2, 7, 50]


def test_lists_have_each_number_once_and_not_too_many():
    assert Numbers(2).read("9,1,9,5") == (1, 5)
    assert NumberPairs(2, key_digits=1).read("3=1,1=2,1=4,10=1,2=,=2") == ((1, 4), (3, 1))


@pytest.mark.parametrize(
    "text", ["9-3", "3-3", "3", "-", "1-2-3", f"0-{FARTHEST + 1}", f"-{FARTHEST + 1}-0"]
)
def test_ranges_that_are_empty_or_too_far_are_none(text):
    assert Span().read(text) is None
    assert Span().read(f"-{FARTHEST}-{FARTHEST}") == (-FARTHEST, FARTHEST)
