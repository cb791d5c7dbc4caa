import json
from pathlib import Path

import pandas as pd
import pytest

from analysis.kernels.kernel_table import kernel_table
from components.columns import column_definitions
from components.kernels.kernels_grid import (
    MAX_SENT,
    grid_options,
    kernel_columns,
    kernels_grid,
    scroll_target,
)
from tests.support.components import every, words
from tests.support.numbers_in_text import without_numbers
from tests.support.profiles import kernels, run

ASSETS = Path(__file__).parents[4] / "assets"


@pytest.fixture
def table():
    work = {"operations": 1000, "memory_bytes": 500, "flops": 1.0, "memory_rate": 1.0}
    runs = [
        run("r_8", 0, 50, program=1, colours="2-3:blue", **work),
        run("r_8", 100, 30, program=2),
        run("E_4", 200, 20, missing="rewrites"),
        run("TINY -> CPU", 300, 70, copy=True, copied_bytes=10),
    ]
    return kernel_table(kernels(*runs))


def grid_of(component):
    (grid,) = every(component, "AgGrid")
    return grid


def test_rows_go_by_their_position_and_are_plain_json(table):
    grid = grid_of(kernels_grid("g", table, None))
    assert grid.id == "g"
    assert [row["row"] for row in grid.rowData] == ["0", "1", "2", "3"]
    assert [row["name"] for row in grid.rowData] == table["name"].tolist()
    json.dumps(grid.rowData, allow_nan=False)


def test_where_there_are_no_flops_the_reason_is_told(table):
    rows = {
        row["name"] + str(row["row"]): row
        for row in grid_of(kernels_grid("g", table, None)).rowData
    }
    why = {name: row.get("why") for name, row in rows.items()}
    assert without_numbers(why["TINY -> CPU0"])
    assert "rewrites.pkl" not in why["TINY -> CPU0"]
    assert "rewrites.pkl" in why["E_43"]
    assert why["r_81"] is None


def test_the_chosen_kernel_is_marked_by_program_or_by_name(table):
    def mark(selected):
        return grid_options(table, selected)["rowClassRules"]["ts-row-shown"]

    assert mark(("r_8", 2)) == "params.node.id == '2'"
    assert mark(("r_8", None)) == "params.node.id == '1' || params.node.id == '2'"
    assert mark(None) == mark(("gone", None)) == "false"
    assert scroll_target(table, ("r_8", 1))["rowId"] == "1"
    assert scroll_target(table, ("gone", 1)) is None


def test_hostile_names_reach_no_expression():
    name = "'); alert(1); ('"
    table = kernel_table(kernels(run(name)))
    grid = grid_of(kernels_grid("g", table, (name, None)))
    assert "alert" not in json.dumps(
        [grid.columnDefs, grid.dashGridOptions["rowClassRules"], grid.scrollTo]
    )
    assert grid.rowData[0]["pieces"] == [[name, ""]]


def test_columns_without_a_number_are_hidden(table):
    def shown(rows):
        return {column.name for column in kernel_columns(rows) if not column.is_hidden}

    assert {"name", "total", "share", "first_ratio", "flops", "memory_rate"} <= shown(table)
    assert "moved_rate" not in shown(table)
    assert "flops" not in shown(table[table["copy"]])


@pytest.mark.slow
def test_of_very_many_kernels_those_with_the_most_time_are_sent_and_the_rest_counted():
    many = pd.concat(
        [kernel_table(kernels(run("a", 0, 5), run("b", 10, 3)))] * (MAX_SENT // 2 + 1),
        ignore_index=True,
    )
    component = kernels_grid("g", many, None)
    assert len(grid_of(component).rowData) == MAX_SENT
    assert "2 more kernels" in words(component)


def test_no_kernels_is_said():
    grid = grid_of(kernels_grid("g", kernel_table(kernels()), None))
    assert grid.rowData == []
    assert without_numbers(grid.dashGridOptions["localeText"]["noRowsToShow"])


def test_every_function_that_cells_name_is_in_the_assets(table):
    script = "".join(
        (ASSETS / name).read_text(encoding="utf-8")
        for name in ("profile.js", "memory.js", "dashAgGridFunctions.js")
    )
    named = ("tsDuration", "tsRate", "tsTimes", "tsWhole", "tsShareBar", "KernelName", "tsExact")
    assert all(name in script for name in named)
    assert "tsDuration(" in json.dumps(column_definitions(kernel_columns(table)))
