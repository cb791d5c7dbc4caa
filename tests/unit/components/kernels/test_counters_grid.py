import json

import pandas as pd
import pytest

from components.kernels.captions import counters_caption, instances_caption, thread_traces_note
from components.kernels.counters_grid import (
    MAX_INSTANCES,
    counter_instances,
    counter_names,
    counters_grid,
)
from schema.diagnostics import Diagnostic, diagnostics_frame
from tests.support.components import every
from tests.support.numbers_in_text import has_numbers, numbers_in

HOSTILE = "'); alert(1)//.<b>%{x}"


@pytest.fixture
def rows():
    columns = {
        "kernel_row": [3, 7],
        "track": "AMD",
        "kernel": [1, 2],
        "name": ["r_8", "E_4"],
        "run": [1, 1],
    }
    return pd.DataFrame(
        columns
        | {"duration": [1_500, 20], "SQ_BUSY.CYCLES": [4.0e9, 1.0], HOSTILE: [2.0, float("nan")]}
    )


def grid_of(component):
    (grid,) = every(component, "AgGrid")
    return grid


def test_a_row_is_named_by_its_execution_and_a_column_by_its_counter(rows):
    grid = grid_of(counters_grid("c", rows, None))
    assert [row["row"] for row in grid.rowData] == ["3", "7"]
    assert [column["colId"] for column in grid.columnDefs if "colId" in column] == counter_names(
        rows
    )
    assert grid.rowData[0]["counter0"] == 4.0e9
    assert grid.rowData[1]["counter1"] is None


def test_names_of_counters_reach_neither_a_path_nor_an_expression(rows):
    grid = grid_of(counters_grid("c", rows, 3, HOSTILE))
    for column in grid.columnDefs:
        assert "." not in column["field"]
        functions = [
            column.get(key)
            for key in ("valueFormatter", "tooltipValueGetter", "cellClassRules", "cellStyle")
        ]
        assert "alert" not in json.dumps(functions)


def test_the_chosen_cell_is_marked(rows):
    grid = grid_of(counters_grid("c", rows, 7, "SQ_BUSY.CYCLES"))
    assert grid.dashGridOptions["rowClassRules"] == {"ts-row-shown": "params.node.id == '7'"}
    marked = [column["colId"] for column in grid.columnDefs if "cellClassRules" in column]
    assert marked == ["SQ_BUSY.CYCLES"]


def test_the_device_is_shown_where_there_are_several(rows):
    def hidden(frame):
        (device,) = [
            column
            for column in grid_of(counters_grid("c", frame, None)).columnDefs
            if column["field"] == "track"
        ]
        return device.get("hide", False)

    assert hidden(rows)
    assert not hidden(rows.assign(track=["AMD", "AMD:1"]))


def test_instances_are_bars():
    values = pd.Series([5.0, 0.0, 7.0], index=[0, 1, 2])
    (bars,) = counter_instances(values, HOSTILE, "light").data
    assert (list(bars.x), list(bars.y)) == ([0, 1, 2], [5, 0, 7])
    assert bars.text[2] == "instance 2: 7"
    assert "<b>" not in counter_instances(values, HOSTILE, "light").layout.yaxis.title.text
    assert has_numbers(instances_caption(values, "SQ", "r_8"), "12", "3", "1", "0", "7", "2")


def test_of_very_many_instances_the_first_are_drawn_and_that_is_said():
    values = pd.Series(1.0, index=range(MAX_INSTANCES + 1))
    figure = counter_instances(values, "SQ", "dark")
    assert len(figure.data[0].x) == MAX_INSTANCES
    assert has_numbers(figure.layout.xaxis.title.text, "1 000", "1 001")


def test_what_was_counted_in_words(rows):
    assert numbers_in(counters_caption(rows)) == ["2", "2", "2"]
    assert counters_caption(rows.head(0)) == "No execution was counted."
    assert (
        "no instances"
        in counter_instances(pd.Series([], dtype="float64"), "SQ", "light")
        .layout.annotations[0]
        .text
    )


def test_thread_traces_are_said_where_there_are_some():
    found = diagnostics_frame([Diagnostic("info", "thread_traces", "2 thread traces (SQTT)")])
    assert thread_traces_note(found) == "2 thread traces (SQTT)."
    assert thread_traces_note(found.head(0)) == ""
