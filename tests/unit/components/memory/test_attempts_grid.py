import json
import re
from pathlib import Path

import pytest

from analysis.memory.attempts import with_numbers
from components.columns import column_definitions
from components.grid import CHOSEN_BY_KEY
from components.memory.attempts_grid import (
    MAX_SENT,
    VERSUS,
    attempt_columns,
    attempt_records,
    attempts_grid,
    grid_options,
    scroll_target,
)
from components.tables import rows_response
from tests.support import memory

ASSETS = Path(__file__).parents[4] / "assets"


def shown(attempts):
    return [column.name for column in attempt_columns(attempts) if not column.is_hidden]


def tpu(count=3, **columns):
    given = {
        "group": [f"group {rank // 2}" for rank in range(count)],
        "final": True,
        "shape_secs": "1,1,1,2,1",
        "capacity": 1024,
    } | columns
    rows = [memory.block(attempt=rank, address=0) for rank in range(count)]
    return memory.numbered(rows, count, **given)[0]


def levels():
    rows = [memory.block(attempt=rank, address=0) for rank in range(2)]
    kinds = {
        "level": ["L1", "L2"],
        "capacity": [128, 1024],
        "static_bytes": [0, 512],
        "strategy": "MiniMalloc",
    }
    return memory.numbered(rows, 2, **kinds)[0]


@pytest.mark.slow
def test_columns_that_say_nothing_are_hidden():
    assert {"level", "strategy", "capacity", "static_bytes"}.isdisjoint(shown(tpu()))
    assert {"attempt", "group", "final", "shape_secs", "outcome", "utilization", "waste"} <= set(
        shown(tpu())
    )
    assert {"attempt", "group", "final", "shape_secs"}.isdisjoint(shown(levels()))
    assert {"level", "capacity", "static_bytes", "utilization"} <= set(shown(levels()))


def test_what_varies_is_shown():
    assert "strategy" in shown(tpu(2, strategy=["a", "b"]))
    assert "attempt" in shown(tpu(2, level=[None, "DDR"]))


def test_attempt_and_comparison_stay_in_sight():
    pinned = {column.name: column.pinned for column in attempt_columns(tpu())}
    assert (pinned["attempt"], pinned[VERSUS]) == ("left", "right")


def test_rows_go_by_the_attempt_and_are_plain_json():
    grid = attempts_grid("g", tpu().iloc[[2, 0]], 2)
    assert "attempt" in grid.getRowId
    assert [row["attempt"] for row in grid.rowData] == [2, 0]
    json.dumps(attempt_records(tpu(2, final=None, capacity=None)), allow_nan=False)


def test_the_chosen_attempts_are_marked_by_rules_alone():
    rules = attempts_grid("g", tpu(), 1, 2).dashGridOptions["rowClassRules"]
    assert rules == {
        "ts-row-shown": "params.node.id == '1'",
        "ts-row-against": "params.node.id == '2'",
    }
    assert grid_options(3, 1, 2)["rowClassRules"] == rules
    assert grid_options(3, 0, None)["rowClassRules"]["ts-row-against"] == "false"


def test_the_grid_opens_where_the_shown_attempt_is():
    assert attempts_grid("g", tpu(), 1).scrollTo["rowId"] == "1"
    assert scroll_target(tpu(), 7) is None
    assert scroll_target(tpu(), None) is None


@pytest.mark.parametrize(("count", "model"), [(MAX_SENT, "clientSide"), (MAX_SENT + 1, "infinite")])
def test_very_many_attempts_are_fetched_as_they_scroll(count, model):
    many = memory.attempts(count)
    grid = attempts_grid("g", many, 0)
    assert grid.rowModelType == model
    assert (getattr(grid, "rowData", None) is None) == (model == "infinite")
    request = {"startRow": 0, "endRow": 2, "sortModel": [], "filterModel": {}}
    fields = {column.name for column in attempt_columns(many) if not column.value}
    assert fields <= set(rows_response(many, request)["rowData"][0])


def test_a_failed_attempt_is_said_in_a_word_as_well():
    (outcome,) = column_definitions(
        column for column in attempt_columns(tpu()) if column.name == "outcome"
    )
    assert "✕ failed" in outcome["valueFormatter"]["function"]
    assert "'failed'" in outcome["cellClassRules"]["ts-trouble"]


def test_a_success_above_the_capacity_is_marked_as_trouble():
    (outcome,) = column_definitions(
        column for column in attempt_columns(tpu()) if column.name == "outcome"
    )
    for text in (outcome["valueFormatter"]["function"], outcome["cellClassRules"]["ts-trouble"]):
        assert "params.data.utilization > 1" in text
    assert "ts-good" not in outcome["cellClassRules"]


def test_no_attempt_is_no_error():
    none = with_numbers(memory.attempts(0), memory.blocks([]))
    assert attempts_grid("g", none).rowData == []


def test_every_function_of_the_columns_is_registered_in_the_assets():
    scripts = "".join(
        (ASSETS / name).read_text(encoding="utf-8")
        for name in ("dashAgGridFunctions.js", "memory.js")
    )
    registered = set(
        re.findall(
            r"\w+", "".join(re.findall(r"dashAgGridFunctions \|\| \{\}, \{(.*?)\}", scripts, re.S))
        )
    )
    used = re.findall(r"(ts[A-Z]\w+)\(", json.dumps(column_definitions(attempt_columns(tpu()))))
    assert used
    assert {*used, CHOSEN_BY_KEY.split("(")[0]} <= registered


@pytest.mark.slow
def test_names_of_levels_get_width_and_equal_steps_none():
    def columns(steps):
        plan = tpu(2, level=["preallocated-temp", "L1"]).assign(steps=steps)
        return {column.name: column for column in attempt_columns(plan)}

    assert columns([10, 10])["steps"].is_hidden
    assert not columns([10, 20])["steps"].is_hidden
    assert columns([10, 10])["level"].width > 100
