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
    run = {"run_id": upload().json["runs"][0]["run_id"], "name": "mine"}
    rows = {"runs-grid.selectedRows": [run]}
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
