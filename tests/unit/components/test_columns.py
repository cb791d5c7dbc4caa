import pytest

from components.columns import NO_TOOLTIP, GridColumn, cell_text, column_definitions
from schema.table_columns import Format, TableColumn


def definition(**fields):
    (one,) = column_definitions([GridColumn(**{"name": "n", "label": "N", "width": 50} | fields)])
    return one


def test_a_plain_column_has_its_field_its_heading_and_its_width():
    assert definition() == {"field": "n", "headerName": "N", "width": 50}


@pytest.mark.parametrize("grows", [0, 1])
def test_a_column_is_as_wide_as_its_heading(grows):
    wide = definition(label="reserved at the end", grows=grows)
    assert wide["minWidth" if grows else "width"] == 19 * 7 + 20


def test_what_a_column_means_is_its_headings_tooltip():
    assert definition(help="a thing")["headerTooltip"] == "a thing"


def test_a_column_that_grows_has_its_width_as_the_least():
    grown = definition(grows=2)
    assert (grown["minWidth"], grown["flex"]) == (50, 2)
    assert "width" not in grown


@pytest.mark.parametrize("form", [form for form in Format if form.is_number])
def test_numbers_stand_on_the_right_with_a_text_and_an_exact_tooltip(form):
    number = definition(format=form, unit="B/s")
    assert number["type"] == "rightAligned"
    assert "params.value" in number["valueFormatter"]["function"]
    assert "params.value" in number["tooltipValueGetter"]["function"]


def test_a_rate_is_written_in_its_unit():
    rate = definition(format=Format.RATE, unit="FLOP/s")
    assert "'FLOP/s'" in rate["valueFormatter"]["function"]


def test_scripts_of_a_column_go_before_those_of_its_format():
    own = definition(format=Format.SIZE, shown="own(params)", tooltip="why(params)")
    assert own["valueFormatter"] == {"function": "own(params)"}
    assert own["tooltipValueGetter"] == {"function": "why(params)"}


@pytest.mark.parametrize("without", [{"tooltip": NO_TOOLTIP}, {"tooltip_field": "other"}])
def test_a_number_need_not_have_its_exact_tooltip(without):
    assert "tooltipValueGetter" not in definition(format=Format.WHOLE, **without)


def test_looks_are_properties_of_the_grid():
    drawn = definition(
        pinned="left",
        is_mono=True,
        is_hidden=True,
        sort=False,
        bar="params.value",
        marks={"a": "b"},
    )
    assert (drawn["pinned"], drawn["hide"], drawn["sortable"]) == ("left", True, False)
    assert drawn["cellClass"] == "ts-mono"
    assert "params.value" in drawn["cellStyle"]["function"]
    assert drawn["cellClassRules"] == {"a": "b"}


def test_a_filter_can_be_taken_off_and_all_else_stays():
    filtered = GridColumn("n", "N", 50, is_filtered=True, more={"filterParams": {}, "colId": "x"})
    (left,) = column_definitions([filtered.without_filter()])
    assert left == {"field": "n", "headerName": "N", "width": 50, "colId": "x"}


def test_a_column_of_every_door_becomes_one_of_a_grid():
    column = TableColumn("n", "N", 50, Format.SHARE, unit="ratio", help="what")
    assert GridColumn.of(column, pinned="left") == GridColumn(
        "n", "N", 50, Format.SHARE, unit="ratio", help="what", pinned="left"
    )


def test_a_column_whose_value_no_row_has_is_named_and_computed():
    computed = definition(value="'x'")
    assert (computed["colId"], computed["valueGetter"]) == ("n", {"function": "'x'"})
    assert "field" not in computed


def test_a_field_may_hold_the_text_of_another():
    assert (
        "params.data.words"
        in definition(format=Format.DURATION, text_field="words")["valueFormatter"]["function"]
    )


@pytest.mark.parametrize(
    ("fields", "row", "text"),
    [
        ({}, {"n": "a"}, "a"),
        ({"format": Format.SHARE}, {"n": 0.25}, "25.0\u202f%"),
        (
            {"format": Format.SHARE, "text_field": "words"},
            {"n": 0.25, "words": "a quarter"},
            "a quarter",
        ),
        ({"format": Format.SIZE}, {"n": None}, ""),
        ({}, {}, ""),
        ({"format": Format.WHOLE}, {"n": 0}, "0"),
    ],
)
def test_a_cell_is_text_without_scripts(fields, row, text):
    assert cell_text(GridColumn(**{"name": "n", "label": "N", "width": 50} | fields), row) == text
