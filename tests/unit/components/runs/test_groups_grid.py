import json

from components.runs.groups_grid import groups_grid, groups_line, groups_records
from components.runs.list_address import list_address

GROUP = {
    "hwid": "npu2",
    "M": 64,
    "K": 64,
    "N": 64,
    "grid": "4x4",
    "mac_dtype": "int8",
    **{"m": 32, "k": 64, "n": 32},
    "runs": 2,
    "rated": 2,
    "best": 12.0,
    "median": 11.0,
    "lowest": 10.0,
} | {
    "best_run": "b",
    "newest": "2026-11-02T10:00:00+00:00",
    "href": list_address("0"),
}
NONE = GROUP | {
    "hwid": "",
    "runs": 1,
    "rated": 0,
    "best": None,
    "median": None,
    "lowest": None,
    "best_run": None,
    "m": None,
}


def test_a_record_has_numbers_texts_and_where_it_leads():
    (record,) = groups_records([GROUP])
    assert (record["runs"], record["best"], record["best_text"], record["href"]) == (
        2,
        12.0,
        "12.0",
        list_address("0"),
    )
    assert record["spread_text"] == "18.2\u202f%"
    assert (record["grid"], record["mac_dtype"], record["tile"]) == ("4x4", "int8", "32x64x32")
    json.dumps(record, allow_nan=False)


def test_every_column_has_its_field_and_a_group_without_a_rate_dashes():
    (record,) = groups_records([NONE])
    grid = groups_grid("g", [NONE])
    assert {column["field"] for column in grid.columnDefs} <= set(record)
    assert (record["hwid"], record["best"], record["best_text"], record["spread"]) == (
        "–",
        None,
        "–",
        None,
    )


def test_runs_without_a_size_are_counted_apart_and_groups_that_are_not_listed():
    assert groups_line(2, runs=5, sized=2, listed=2).startswith("2 groups")
    assert "3 runs" in groups_line(2, runs=5, sized=2, listed=2)
    assert ";" not in groups_line(1, runs=1, sized=1, listed=1)
    assert "2\u202f000" in groups_line(2566, runs=9000, sized=9000, listed=2000)
