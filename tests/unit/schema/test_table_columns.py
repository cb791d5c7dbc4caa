import pytest

from schema.table_columns import RATE_UNITS, Format, TableColumn, number_format


@pytest.mark.parametrize(
    ("unit", "form"),
    [
        ("ratio", Format.SHARE),
        ("bytes", Format.SIZE),
        ("ns", Format.DURATION),
        ("GMAC/s", Format.SIGNIFICANT),
        ("cycles", Format.WHOLE),
        ("", Format.WHOLE),
        *((unit, Format.RATE) for unit in RATE_UNITS),
    ],
)
def test_a_unit_decides_how_a_number_is_written(unit, form):
    assert number_format(unit) is form


def test_text_and_dates_are_no_numbers():
    assert {form for form in Format if not form.is_number} == {Format.TEXT, Format.DATE}


def test_a_column_is_text_that_sorts_unless_it_says_otherwise():
    column = TableColumn("a", "A", 10)
    assert (column.format, column.sort, column.help) == (Format.TEXT, True, "")
