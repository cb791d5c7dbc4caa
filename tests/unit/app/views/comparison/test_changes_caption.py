"""Caption of the numbers of a comparison: changed, undecided, of all."""

import pytest

from app.views.comparison.result import changes_caption
from tests.support.numbers_in_text import numbers_in


@pytest.mark.parametrize(
    ("counts", "numbers"),
    [
        ((0, 0, 2), []),
        ((0, 1, 2), ["2", "1"]),
        ((4, 0, 11), ["4", "11"]),
        ((1, 3, 8), ["1", "8", "3"]),
    ],
)
def test_changed_and_undecided_numbers_are_counted(counts, numbers):
    assert numbers_in(changes_caption(*counts)) == numbers


def test_an_undecided_number_is_not_said_to_be_the_same():
    assert "undecided" in changes_caption(0, 1, 2)
    assert "undecided" not in changes_caption(0, 0, 2)
