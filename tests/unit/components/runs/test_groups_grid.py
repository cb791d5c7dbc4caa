from __future__ import annotations

import json

from analysis.run_groups import run_groups
from components.runs.groups_grid import groups_grid, groups_line, groups_records
from tests.support.runs import runs_listing


def groups(*rows: dict[str, object]):
    found = run_groups(runs_listing(*rows))
    return found.assign(href=[f"/?{i}" for i in range(len(found))])


def test_a_record_has_numbers_texts_and_where_it_leads():
    rows = groups({"hwid": "npu2", "gmacs_mean": 10.0}, {"hwid": "npu2", "gmacs_mean": 12.0})
    (record,) = groups_records(rows)
    assert (record["runs"], record["best"], record["best_text"], record["href"]) == (2, 12.0, "12.0", "/?0")
    assert record["spread_text"] == "18.2\u2009%"
    json.dumps(record, allow_nan=False)


def test_every_column_has_its_field_and_a_group_without_a_rate_dashes():
    rows = groups({"hwid": None})
    (record,) = groups_records(rows)
    grid = groups_grid("g", rows)
    assert {column["field"] for column in grid.columnDefs} <= set(record)
    assert (record["hwid"], record["best"], record["best_text"]) == ("–", None, "–")


def test_runs_without_a_size_are_counted_apart():
    assert groups_line(groups({"hwid": "a"}, {"hwid": "b"}), 5).startswith("2 groups")
    assert "3 runs" in groups_line(groups({"hwid": "a"}, {"hwid": "b"}), 5)
    assert ";" not in groups_line(groups({"hwid": "a"}), 1)
