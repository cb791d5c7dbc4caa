"""The grid of an answer: whatever columns and values there are, each cell has its value."""

import pytest

from components.query.grid import is_number_type, result_grid


@pytest.mark.parametrize(
    ("type_name", "is_number"),
    [
        ("BIGINT", True),
        ("HUGEINT", True),
        ("DECIMAL(18,3)", True),
        ("DOUBLE", True),
        ("VARCHAR", False),
        ("UINTEGER", True),
        ("INTEGER[]", False),
        ("DECIMAL(18,3)[]", False),
        ("INTERVAL", False),
        ("STRUCT(a INTEGER)", False),
        ("TIMESTAMP", False),
    ],
)
def test_numbers_are_told_by_their_type(type_name, is_number):
    assert is_number_type(type_name) is is_number


def test_columns_of_one_name_or_with_dots_have_fields_of_their_own():
    grid = result_grid("g", [("a.b", "BIGINT"), ("a.b", "VARCHAR")], [[1, "x"], [None, None]])
    assert [column["field"] for column in grid.columnDefs] == ["c0", "c1"]
    assert grid.rowData == [{"c0": 1, "c1": "x"}, {"c0": None, "c1": None}]


def test_what_a_browser_cannot_hold_is_text():
    grid = result_grid(
        "g", [("a", "HUGEINT"), ("b", "INTEGER[]"), ("c", "BOOLEAN")], [[2**60, [1, 2], True]]
    )
    assert grid.rowData == [{"c0": str(2**60), "c1": "[1, 2]", "c2": "true"}]
