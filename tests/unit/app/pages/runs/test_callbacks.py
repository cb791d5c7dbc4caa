import json

import pytest

from components.runs.list_address import LIST_PATH
from tests.support.aie_trace import trace_text
from tests.support.runs import catalogue_of

MANY = tuple(
    {
        "name": f"run {rank}",
        "hwid": f"board{rank % 50:02d}",
        "gmacs_mean": float(rank % 7),
        "created_at": f"2026-11-01T10:{rank // 60:02d}:{rank % 60:02d}+00:00",
    }
    for rank in range(230)
)


def test_the_page_without_runs_leads_to_the_page_that_shows_how_to_begin(dashboard):
    assert '"href": "/"' in dashboard.open(LIST_PATH)


@pytest.mark.slow
def test_the_listing_follows_the_state(dashboard, upload):
    upload()
    shown = dashboard.callback(
        "runs-grid.rowData", listing_outputs(), **{"runs-view.data": "hwid=npu2"}
    )
    assert [row["hwid"] for row in shown["runs-grid"]["rowData"]] == ["npu2"]
    assert shown["runs-summary"]["children"].startswith("1 run · 1 hwid")
    none = dashboard.callback(
        "runs-grid.rowData", listing_outputs(), **{"runs-view.data": "hwid=npu1"}
    )
    assert none["runs-grid"]["rowData"] == []
    assert none["runs-summary"]["children"].startswith("0 of 1 run")


@pytest.mark.slow
def test_runs_are_filtered_by_what_is_known_of_their_captures(dashboard, upload):
    upload(commit="4f2a91c", branch="main", taken_at="2026-11-20T02:00Z")
    for query, count in {
        "commit=4f2a": 1,
        "commit=f2a": 0,
        "branch=main&since=2026-11-20&until=2026-11-20": 1,
        "branch=fast": 0,
        "since=2026-11-21": 0,
    }.items():
        shown = dashboard.callback(
            "runs-grid.rowData", listing_outputs(), **{"runs-view.data": query}
        )
        assert len(shown["runs-grid"]["rowData"]) == count, query


def listing_outputs():
    return [
        {"id": "runs-grid", "property": "rowData"},
        [],
        {"id": "runs-summary", "property": "children"},
        {"id": "runs-chips", "property": "children"},
        {"id": "runs-next", "property": "data"},
        {"id": "runs-select-all", "property": "children"},
        [],
    ]


@pytest.mark.slow
def test_the_scatter_is_drawn_in_the_theme(dashboard, upload):
    upload()
    light, dark = (
        json.dumps(
            dashboard.callback("runs-scatter.figure", **{"theme.data": theme})["runs-scatter"][
                "figure"
            ]
        )
        for theme in ("light", "dark")
    )
    assert light != dark


@pytest.mark.slow
def test_a_scatter_without_points_is_not_there(dashboard, upload):
    # A rate above the peak is not drawn.
    upload(body=trace_text(duration=600, stall=20_000).encode())
    hidden = [
        dashboard.callback("runs-scatter.figure", **{"runs-view.data": query})[
            "runs-scatter-panel"
        ]["hidden"]
        for query in ("", "hwid=other")
    ]
    assert hidden == [False, True]


@pytest.mark.slow
def test_deleting_asks_and_then_deletes(dashboard, upload):
    rows = {"runs-picked.data": {upload().json["runs"][0]["run_id"]: "mine"}}
    asked = dashboard.callback(
        "runs-delete-question.children", **rows, **{"runs-delete.n_clicks": 1}
    )
    assert asked["runs-delete-dialog"]["is_open"] is True
    assert "mine" in json.dumps(asked)
    repository = dashboard.repository
    assert len(repository.runs()) == 1
    dashboard.callback("runs-changed.data", **rows, **{"runs-delete-confirm.n_clicks": 1})
    assert repository.runs().empty
    dashboard.callback("runs-changed.data", **rows, **{"runs-delete-confirm.n_clicks": 2})


@pytest.mark.slow
def test_the_first_run_brings_the_catalogue(dashboard, upload):
    upload()
    answer = dashboard.callback(
        "runs-empty.data", **{"runs-changed.data": 1, "runs-empty.data": True}
    )
    assert answer["runs-empty"]["data"] is False
    assert "runs-grid" in json.dumps(answer["runs-body"])


def arranged(dashboard, query, **given):
    outputs = [
        {"id": "runs-grid", "property": "columnDefs"},
        {"id": "runs-columns", "property": "options"},
        {"id": "runs-columns", "property": "value"},
        {"id": "runs-groups-grid", "property": "rowData"},
        {"id": "runs-list", "property": "hidden"},
        {"id": "runs-groups", "property": "hidden"},
        {"id": "runs-chooser", "property": "hidden"},
        {"id": "runs-actions", "property": "hidden"},
    ]
    values = {"runs-view.data": query, "runs-grid.columnDefs": []} | given
    return dashboard.callback("runs-grid.columnDefs", outputs, **values)


@pytest.mark.slow
def test_the_chosen_columns_are_shown(dashboard, upload):
    upload()
    shown = arranged(dashboard, "columns=M,file")
    visible = [column["field"] for column in shown["runs-grid"]["columnDefs"] if not column["hide"]]
    assert set(visible) == {"name", "M", "file", "date"}  # the date sorts
    assert shown["runs-columns"]["value"] == ["M", "file", "date"]
    again = arranged(
        dashboard, "columns=M,file", **{"runs-grid.columnDefs": shown["runs-grid"]["columnDefs"]}
    )
    assert "columnDefs" not in again.get("runs-grid", {})


@pytest.mark.slow
def test_groups_take_the_place_of_the_list_and_lead_to_their_runs(dashboard, upload):
    run = upload().json["runs"][0]
    shown = arranged(dashboard, "q=npu2&grouped=1")
    (group,) = shown["runs-groups-grid"]["rowData"]
    assert group["runs"] == 1
    assert (shown["runs-list"]["hidden"], shown["runs-groups"]["hidden"]) == (True, False)
    assert shown["runs-actions"]["hidden"]  # runs are selected, groups are not
    assert group["grid"] == "2x1"
    filtered = group["href"].removeprefix(f"{LIST_PATH}?")
    assert "grouped" not in filtered
    assert "q=npu2" in filtered
    listed = dashboard.callback(
        "runs-grid.rowData", listing_outputs(), **{"runs-view.data": filtered}
    )
    assert [row["run_id"] for row in listed["runs-grid"]["rowData"]] == [run["run_id"]]


@pytest.mark.slow
def test_boxes_that_follow_the_columns_are_no_choice(dashboard, upload):
    upload()
    columns = arranged(dashboard, "")["runs-grid"]["columnDefs"]
    visible = [
        column["field"] for column in columns if not column["hide"] and column["field"] != "name"
    ]
    out = "runs-chosen-columns.data@"
    given = {"runs-grid.columnDefs": columns}
    assert "data" not in dashboard.callback(out, **given, **{"runs-columns.value": visible}).get(
        "runs-chosen-columns", {}
    )
    fewer = dashboard.callback(out, **given, **{"runs-columns.value": visible[1:]})
    assert fewer["runs-chosen-columns"]["data"] == visible[1:]


@pytest.fixture
def many(dashboard, settings):
    """Two hundred and thirty runs on fifty boards."""
    catalogue_of(f"sqlite:///{settings.data}/catalogue.db", *MANY).close()
    return dashboard


def shown(dashboard, query=""):
    return dashboard.callback("runs-grid.rowData", listing_outputs(), **{"runs-view.data": query})


def more(dashboard, asked):
    return (
        dashboard.callback("runs-added.data", **{"runs-more.data": asked})
        .get("runs-added", {})
        .get("data")
    )


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("query", ["", "sort=-gmacs_mean", "sort=name", "q=run", "hwid=board01"])
def test_pages_follow_each_other_until_every_run_is_there(many, query):
    first = shown(many, query)
    pages, following = [first["runs-grid"]["rowData"]], first["runs-next"]["data"]
    while following:
        added = more(many, json.loads(json.dumps(following)))
        assert added["query"] == following["query"]
        pages.append(added["rows"])
        following = added["next"]
    ids = [row["run_id"] for page in pages for row in page]
    count = sum(row["hwid"] == "board01" for row in MANY) if "hwid" in query else len(MANY)
    assert len(ids) == len(set(ids)) == count
    assert {len(page) for page in pages[:-1]} <= {100}
    if "gmacs" in query:
        rates = [row["gmacs_mean"] for page in pages for row in page]
        assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize(
    "asked",
    [
        None,
        {},
        {"query": 1},
        {"query": "", "after": [1]},
        {"query": "", "after": [{}, "", ""]},
        {"query": "", "after": 7},
    ],
)
def test_a_page_after_what_is_no_place_is_none(many, asked):
    assert more(many, asked) is None


def test_the_page_has_the_first_runs_alone_and_says_how_many_there_are(many):
    page = many.open(LIST_PATH)
    assert "run 229" in page
    assert '"run 10"' not in page
    assert "230" in shown(many)["runs-summary"]["children"]


def test_all_that_are_listed_are_selected_at_once(many):
    words = shown(many, "hwid=board01")["runs-select-all"]["children"]
    picked = many.callback(
        "runs-listed.data", **{"runs-select-all.n_clicks": 1, "runs-view.data": ""}
    )
    assert len(picked["runs-listed"]["data"]) == len(MANY)
    some = many.callback(
        "runs-listed.data", **{"runs-select-all.n_clicks": 1, "runs-view.data": "hwid=board01"}
    )
    assert set(some["runs-listed"]["data"].values()) == {
        row["name"] for row in MANY if row["hwid"] == "board01"
    }
    assert str(len(some["runs-listed"]["data"])) in words


def found(dashboard, text, query=""):
    """Return the values of facet hwid that are listed where a text is searched."""
    hwid = {"type": "runs-facet", "name": "hwid"}
    field = {"type": "runs-facet-find", "name": "hwid"}
    body = {
        "output": next(
            d["output"]
            for d in dashboard.http.get("/_dash-dependencies").json
            if "runs-facet-find" in str(d["inputs"])
        ),
        "outputs": [{"id": hwid, "property": "options"}],
        "inputs": [[{"id": field, "property": "value", "value": text}]],
        "state": [
            [{"id": field, "property": "id", "value": field}],
            [{"id": hwid, "property": "id", "value": hwid}],
            {"id": "runs-view", "property": "data", "value": query},
        ],
        "changedPropIds": ['{"name":"hwid","type":"runs-facet-find"}.value'],
    }
    answer = dashboard.http.post("/_dash-update-component", json=body)
    assert answer.status_code == 200, answer.text
    (options,) = [value["options"] for value in answer.json["response"].values()]
    return [option["value"] for option in options]


@pytest.mark.slow
def test_of_many_values_some_are_listed_and_the_search_finds_the_others(many):
    assert "runs-facet-find" in many.open(LIST_PATH)
    assert len(found(many, "")) == 40
    assert found(many, "d4") == [f"board4{i}" for i in range(10)]
    assert found(many, "nothing") == []
    assert found(many, "d4", "hwid=board01") == ["board01", *(f"board4{i}" for i in range(10))]
