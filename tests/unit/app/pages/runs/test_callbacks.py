from __future__ import annotations

import json


def test_the_listing_follows_the_state(dashboard, upload):
    upload()
    shown = dashboard.callback("runs-grid.rowData", listing_outputs(), **{"runs-view.data": "hwid=npu2"})
    assert [row["hwid"] for row in shown["runs-grid"]["rowData"]] == ["npu2"]
    assert shown["runs-summary"]["children"].startswith("1 run · 1 hwid")
    none = dashboard.callback("runs-grid.rowData", listing_outputs(), **{"runs-view.data": "hwid=npu1"})
    assert none["runs-grid"]["rowData"] == []
    assert none["runs-summary"]["children"].startswith("0 of 1 run")


def listing_outputs():
    return [
        {"id": "runs-grid", "property": "rowData"},
        [],
        {"id": "runs-summary", "property": "children"},
        {"id": "runs-chips", "property": "children"},
        {"id": "runs-next", "property": "data"},
        {"id": "runs-select-all", "property": "children"},
    ]


def test_the_scatter_is_drawn_in_the_theme(dashboard, upload):
    upload()
    light, dark = (
        json.dumps(dashboard.callback("runs-scatter.figure", **{"theme.data": theme})["runs-scatter"]["figure"])
        for theme in ("light", "dark")
    )
    assert light != dark


def test_a_scatter_without_points_is_not_there(dashboard, upload):
    upload()
    hidden = [
        dashboard.callback("runs-scatter.figure", **{"runs-view.data": query})["runs-scatter-panel"]["hidden"]
        for query in ("", "hwid=other")
    ]
    assert hidden == [False, True]


def test_deleting_asks_and_then_deletes(dashboard, upload):
    rows = {"runs-picked.data": {upload().json["runs"][0]["run_id"]: "mine"}}
    asked = dashboard.callback("runs-delete-question.children", **rows, **{"runs-delete.n_clicks": 1})
    assert asked["runs-delete-dialog"]["is_open"] is True
    assert "mine" in json.dumps(asked)
    repository = dashboard.app.server.extensions["tilescope"].repository
    assert len(repository.runs()) == 1
    dashboard.callback("runs-changed.data", **rows, **{"runs-delete-confirm.n_clicks": 1})
    assert repository.runs().empty
    dashboard.callback("runs-changed.data", **rows, **{"runs-delete-confirm.n_clicks": 2})


def test_the_first_run_brings_the_catalogue(dashboard, upload):
    upload()
    answer = dashboard.callback("runs-empty.data", **{"runs-changed.data": 1, "runs-empty.data": True})
    assert answer["runs-empty"]["data"] is False
    assert "runs-grid" in json.dumps(answer["runs-body"])


def arranged(dashboard, query, **given):
    outputs = [
        {"id": "runs-grid", "property": "columnDefs"},
        {"id": "runs-columns", "property": "value"},
        {"id": "runs-groups-grid", "property": "rowData"},
        {"id": "runs-list", "property": "hidden"},
        {"id": "runs-groups", "property": "hidden"},
        {"id": "runs-chooser", "property": "hidden"},
    ]
    values = {"runs-view.data": query, "runs-grid.columnDefs": []} | given
    return dashboard.callback("runs-grid.columnDefs", outputs, **values)


def test_the_chosen_columns_are_shown(dashboard, upload):
    upload()
    shown = arranged(dashboard, "columns=M,file")
    visible = [column["field"] for column in shown["runs-grid"]["columnDefs"] if not column["hide"]]
    assert set(visible) == {"name", "M", "file", "date"}  # the date sorts
    assert shown["runs-columns"]["value"] == ["M", "file", "date"]
    again = arranged(dashboard, "columns=M,file", **{"runs-grid.columnDefs": shown["runs-grid"]["columnDefs"]})
    assert "columnDefs" not in again.get("runs-grid", {})


def test_groups_take_the_place_of_the_list_and_lead_to_their_runs(dashboard, upload):
    run = upload().json["runs"][0]
    shown = arranged(dashboard, "q=npu2&grouped=1")
    (group,) = shown["runs-groups-grid"]["rowData"]
    assert group["runs"] == 1
    assert (shown["runs-list"]["hidden"], shown["runs-groups"]["hidden"]) == (True, False)
    filtered = group["href"].removeprefix("/?")
    assert "grouped" not in filtered
    assert "q=npu2" in filtered
    listed = dashboard.callback("runs-grid.rowData", listing_outputs(), **{"runs-view.data": filtered})
    assert [row["run_id"] for row in listed["runs-grid"]["rowData"]] == [run["run_id"]]


def test_boxes_that_follow_the_columns_are_no_choice(dashboard, upload):
    upload()
    columns = arranged(dashboard, "")["runs-grid"]["columnDefs"]
    visible = [column["field"] for column in columns if not column["hide"] and column["field"] != "name"]
    out = "runs-chosen-columns.data@"
    given = {"runs-grid.columnDefs": columns}
    assert "data" not in dashboard.callback(out, **given, **{"runs-columns.value": visible}).get(
        "runs-chosen-columns", {}
    )
    fewer = dashboard.callback(out, **given, **{"runs-columns.value": visible[1:]})
    assert fewer["runs-chosen-columns"]["data"] == visible[1:]
