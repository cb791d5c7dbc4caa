import json

import pytest

from components.memory import alive_table as module
from components.memory.alive_table import alive_records, alive_table
from tests.support import memory
from tests.support.numbers_in_text import numbers_in


@pytest.fixture
def amap():
    rows = [
        memory.block("small", 0, 4, 0, 100),
        memory.block("large", 1, 3, 128, 300, dtype="int8"),
        memory.block("wrapped", 3, 2, 512, 200, wraps=True),
        memory.block("gone", 3, 4, 1024, 50),
        memory.failed("failed", 0, 4, 400),
    ]
    return memory.amap(rows, steps=4, capacity=2048)


def grid_of(made):
    return made.children[0]


def test_the_largest_come_first_with_their_share_of_the_live_bytes(amap):
    rows = {row["name"]: row for row in grid_of(alive_table("g", amap, 1)).rowData}
    assert list(rows) == ["failed", "large", "wrapped", "small"]
    assert rows["large"]["share"] == 0.5
    assert rows["failed"]["share"] is None
    assert rows["failed"]["marks"] == "failed"
    assert rows["wrapped"]["since"] == "3, last loop"


def test_rows_go_by_the_block_and_are_plain_json(amap):
    grid = grid_of(alive_table("g", amap, 3, selected=3))
    assert "block" in grid.getRowId
    assert sorted(row["block"] for row in grid.rowData) == [0, 2, 3, 4]
    assert grid.dashGridOptions["rowClassRules"] == {"ts-row-shown": "params.node.id == '3'"}
    json.dumps(grid.rowData, allow_nan=False)


def test_constants_take_no_share():
    amap = memory.amap(
        [memory.block(address=0, size=64), memory.constant(size=4096)], static_bytes=4096
    )
    shares = {row["kind"]: row["share"] for row in alive_records(amap.blocks, 0, 64)}
    assert shares == {"activation": 1.0, "constant": None}


def test_a_column_without_any_value_is_hidden(amap):
    columns = {column["field"]: column for column in grid_of(alive_table("g", amap, 1)).columnDefs}
    assert columns["op_type"]["hide"]
    assert "hide" not in columns["dtype"]
    assert columns["size"]["tooltipValueGetter"]["function"] == "tsExact(params.value, 'B')"


def test_marks_are_shown_where_a_block_has_one(amap):
    assert "hide" not in column(alive_table("g", amap, 1), "marks")
    assert column(alive_table("g", memory.amap([memory.block(address=0)]), 0), "marks")["hide"]


def column(made, name):
    (found,) = [column for column in grid_of(made).columnDefs if column["field"] == name]
    return found


def test_what_is_not_listed_is_said(amap, monkeypatch):
    monkeypatch.setattr(module, "MAX_SENT", 2)
    made = alive_table("g", amap, 1)
    assert [row["name"] for row in grid_of(made).rowData] == ["failed", "large"]
    assert numbers_in(made.children[1].children) == ["2"]
    # Shares are of all that is alive, listed or not.
    assert grid_of(made).rowData[1]["share"] == 0.5


@pytest.mark.slow
def test_short_texts_take_no_free_space():
    blocks = [memory.block("a", 0, 2, 0, 64), memory.block("b", 0, 1, 64, 64)]
    short = {
        name: column(alive_table("g", memory.amap(blocks), 0), name)["width"]
        for name in ("since", "steps")
    }
    looped = memory.amap([*blocks, memory.block("w", 1, 1, 128, 64, wraps=True)])
    assert column(alive_table("g", looped, 0), "since")["width"] > short["since"]
    assert max(short.values()) < 80
