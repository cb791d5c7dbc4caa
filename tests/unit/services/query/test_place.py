"""Places in texts."""

import pytest

from services.query.place import near_names, place_of


@pytest.mark.parametrize(
    ("text", "offset", "place"),
    [
        ("SELECT", 0, "line 1, column 1"),
        ("SELECT\n  x", 9, "line 2, column 3"),
        ("SELECT 'éé', x", 15, "line 1, column 14"),
        ("a\n\nb", 3, "line 3, column 1"),
        ("a", 99, "line 1, column 2"),
    ],
)
def test_an_offset_in_bytes_is_a_place_in_characters(text, offset, place):
    assert place_of(text, offset) == place


def test_names_that_are_alike_are_near():
    assert "kernels" in near_names("Kernel", ["kernels", "tracks"])
    assert near_names("zzz", ["kernels", "tracks"]) == ""
