"""Texts that no database takes, sent to a server on either: an answer, never a failure of the storage."""

import base64

import pytest

from tests.support.access import Team


@pytest.fixture(scope="module")
def team(new_database, tmp_path_factory):
    made = Team(tmp_path_factory.mktemp("team"), database_url=new_database())
    made.ids = made.runs(1)
    yield made
    made.served.catalogue.close()


PATHS = [
    "/api/v1/runs/%00",
    "/api/v1/runs/a%00b/frames",
    "/api/v1/runs/%ff%fe",
    "/api/v1/runs?q=%00",
    "/api/v1/runs?q=%ff",
    "/api/v1/runs?tag=%00&hwid=%00&M=%00",
    "/api/v1/runs?M=99999999999999999999&K=x&N=-1",
    "/api/v1/jobs/%00",
    "/api/v1/audit?user=%ff",
    "/export/%00/events.csv",
    "/export/{run}/%00.csv",
    "/table/%00.csv",
    "/snapshot?run=%00",
    "/snapshot?run={run}&window=%00",
    "/comparison/all.json?base=%00&new=%00",
    "/comparison/all.json?base={run}&new=%00",
    "/minimalloc/%00/1-problem.csv",
    "/trends.csv?hwid=%00&tag=%00",
    "/trends.csv?hwid=%ff",
    "/run/%00",
    "/%00",
]


@pytest.mark.parametrize("path", PATHS)
def test_an_address_may_hold_anything(team, path):
    answer = team.served.ask("GET", path.format(run=team.ids[0]), team.tokens["admin"])
    assert answer.status_code < 500, answer.text


@pytest.mark.parametrize("text", ["a\0", "\0", "\ud800"])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/runs/{run}", {"notes": "$"}),
        ("PATCH", "/runs/{run}", {"tags": ["$"]}),
        ("POST", "/views", {"name": "$", "query": ""}),
        ("POST", "/views", {"name": "a", "query": "?$"}),
        ("POST", "/tokens", {"name": "$", "scope": "read"}),
        ("POST", "/uploads", {"name": "$", "size": 1}),
        ("POST", "/uploads", {"name": "a", "size": 1, "settings": {"$": "a"}}),
        ("POST", "/uploads", {"name": "a", "size": 1, "settings": {"a": "$"}}),
        ("POST", "/uploads/finish", {"uploads": ["$"]}),
        ("POST", "/jobs", {"kind": "derive", "runs": ["$"]}),
        ("POST", "/retention", {"keep_last": 1, "by": ["$"]}),
    ],
)
def test_a_body_may_hold_anything(team, method, path, body, text):
    def filled(value):
        if isinstance(value, dict):
            return {filled(name): filled(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [filled(inner) for inner in value]
        return value.replace("$", text) if isinstance(value, str) else value

    answer = team(method, path.format(run=team.ids[0]), filled(body))
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize(
    "place", ['["a\\u0000","b"]', '["\\ud800","b"]', '["2026","\\u0000"]', '["z","zzz"]']
)
def test_a_cursor_may_hold_anything(team, place):
    cursor = base64.urlsafe_b64encode(place.encode()).decode()
    assert team("GET", f"/runs?cursor={cursor}").status_code in (200, 400)


@pytest.mark.parametrize("name", ["a\0.81920.csv", "\0", "a\ud800.81920.csv"])
def test_the_names_of_a_form_may_hold_anything(team, name):
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="' + name.encode(
        "utf-8", "surrogatepass"
    )
    body = head + b'"\r\n\r\nid,lower,upper,size\n0,0,10,4096\n\r\n--x--\r\n'
    sent = team.tokens["write"] | {"Content-Type": "multipart/form-data; boundary=x"}
    assert team.served.ask("POST", "/api/v1/runs", sent, data=body).status_code in (
        200,
        201,
        400,
        422,
    )


@pytest.mark.parametrize("session", ["%00", "a%00b", "\xff"])
def test_a_token_or_cookie_may_hold_anything(team, session):
    for headers in (
        {"Authorization": f"Bearer tsc_a{session}_b"},
        {"Cookie": f"tilescope-session={session}"},
    ):
        assert team.served.ask("GET", "/api/v1/me", headers).status_code == 401
