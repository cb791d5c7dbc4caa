"""SQL over the API."""

import pytest

from services.query.question import MAX_QUERY_CHARACTERS
from tests.support.access import is_problem


def test_a_viewer_asks(shared):
    answer = shared(
        "POST", "/query", {"sql": "SELECT run_id FROM runs ORDER BY run_id"}, scope="read"
    )
    assert answer.status_code == 200
    assert answer.json["rows"] == [[run] for run in sorted(shared.ids)]
    assert (answer.json["runs"], answer.json["truncated"], answer.json["notes"]) == (2, False, [])


def test_runs_are_chosen(shared):
    one = shared("POST", "/query", {"sql": "SELECT run_id FROM runs", "runs": [shared.ids[0][:8]]})
    assert one.json["rows"] == [[shared.ids[0]]]
    none = shared("POST", "/query", {"sql": "SELECT count(*) FROM events", "source": ["nothing"]})
    assert (none.json["rows"], none.json["runs"]) == ([[0]], 0)
    assert shared("POST", "/query", {"sql": "SELECT 1", "runs": ["nosuch"]}).status_code == 404


def test_rows_come_as_a_file(shared):
    answer = shared("POST", "/query", {"sql": "SELECT 1 AS a, '=1' AS b", "format": "csv"})
    assert (answer.mimetype, answer.text) == ("text/csv", "a,b\n1,'=1\n")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"sql": "SELECT * FROM kernel"}, 400),
        ({"sql": "COPY runs TO 'x'"}, 400),
        ({"sql": ""}, 400),
        ({"sql": "UPDATE EXTENSIONS"}, 400),
        ({"sql": "SELECT DATE 'infinity'"}, 400),
        (
            {
                "sql": "WITH RECURSIVE pg_settings AS (FROM pg_settings UNION FROM pg_settings) FROM pg_settings"
            },
            400,
        ),
        ({"sql": f"SELECT '{'x' * MAX_QUERY_CHARACTERS}'"}, 413),
        ({"sql": "SELECT repeat('x', 1000000) FROM range(100)"}, 422),
        ({"sql": "SELECT \0 1"}, 422),
        ({"sql": 1}, 422),
        ({}, 422),
        ([1], 422),
        ({"sql": "SELECT 1", "nosuch": 1}, 422),
        ({"sql": "SELECT 1", "limit": -1}, 422),
        ({"sql": "SELECT 1", "runs": "x"}, 422),
        ({"sql": "SELECT 1", "seconds": 0}, 422),
        ({"sql": "SELECT 1", "format": "xml"}, 422),
    ],
)
def test_what_has_no_answer_is_a_sentence(shared, body, status):
    answer = shared("POST", "/query", body)
    assert answer.status_code == status
    assert is_problem(answer)
    assert "\n" not in answer.json["detail"]


def test_another_site_asks_nothing(shared):
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"}
    assert shared.served.ask(
        "POST", "/api/v1/query", foreign, json={"sql": "SELECT 1"}
    ).status_code in (401, 403)


def test_tables_are_listed_with_their_columns(shared):
    tables = {
        table["name"]: table["columns"] for table in shared("GET", "/query/tables").json["tables"]
    }
    assert {"runs", "findings", "frames", "kernels"} <= tables.keys()
    assert all(columns[0]["name"] == "run_id" for columns in tables.values())


def test_a_query_is_saved_listed_and_deleted(team):
    made = team("POST", "/queries", {"name": "mine <b>", "sql": "SELECT 1"}, scope="write")
    assert made.status_code == 201
    assert team("GET", "/queries", scope="read").json["queries"] == [made.json]
    assert [team("DELETE", f"/queries/{made.json['id']}").status_code for _ in range(2)] == [
        204,
        404,
    ]
    assert team("GET", "/queries").json == {"queries": []}
    assert (
        team("POST", "/queries", {"name": "a", "sql": "SELECT 1"}, scope="read").status_code == 403
    )


@pytest.mark.parametrize(
    "body", [{"name": "", "sql": "SELECT 1"}, {"name": "a", "sql": " "}, {"name": "a"}]
)
def test_a_saved_query_has_a_name_and_a_text(shared, body):
    assert shared("POST", "/queries", body).status_code == 422
