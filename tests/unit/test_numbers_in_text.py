"""Numbers in sentences as tests read them."""

import pytest

from tests.support.numbers_in_text import has_numbers, numbers_in, without_numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Attempt 0: 700 B of 512 B (136.7 %)", ["0", "700 B", "512 B", "136.7 %"]),
        ("the first 1\u202f000 of 1\u202f001", ["1 000", "1 001"]),
        ("`a` ends at 0x80", ["`a`", "0x80"]),
        ("−18.0\u202f% on core 3,1 in 20.5 MB/s", ["−18.0 %", "3", "1", "20.5 MB/s"]),
        ("ring0 and v2.1 have none", []),
    ],
)
def test_numbers_have_their_units_and_names_their_backticks(text, expected):
    assert numbers_in(text) == expected


def test_numbers_are_wanted_one_right_after_the_other():
    assert has_numbers("1 of 2 in 3", "2", "3")
    assert not has_numbers("1 of 2 in 3", "1", "3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Nothing here.", True), ("", False), (" – ", False), ("1 block", False), ("of `a`", False)],
)
def test_words_without_numbers_differ_from_no_words(text, expected):
    assert without_numbers(text) is expected
