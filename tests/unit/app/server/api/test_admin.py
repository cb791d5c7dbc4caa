"""The overview over the API: for admins alone, without secrets, and with uploads that failed."""

import pytest

from app.overview.record import load_overview, overview_record
from app.server.api.admin import StoreOverview


@pytest.mark.parametrize("scope", ["read", "write"])
def test_only_admins_ask(shared, scope):
    assert shared("GET", "/admin", scope=scope).status_code == 403
    assert shared("POST", "/jobs", {"kind": "orphans"}, scope=scope).status_code == 403


def test_it_is_what_the_command_says(shared):
    told = shared("GET", "/admin").json
    served = shared.served
    own = overview_record(load_overview(served.settings, served.repository))
    assert told.keys() == own.keys() == StoreOverview.model_fields.keys()
    assert told["size"]["bytes"] == own["size"]["bytes"] > 0
    assert {one["name"] for one in told["tokens"]} == {"read", "write", "admin"}
    assert "secret" not in str(told["tokens"])


def test_an_upload_that_gives_no_run_is_told_with_its_reason(team):
    path = "/api/v1/runs?name=out/none.json"
    assert team("POST", path, b"{}", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 422
    uploads = team("GET", "/admin").json["uploads"]
    assert uploads["failed"] == 1
    (failed,) = uploads["last_failed"]
    assert (failed["name"], str(team.served.settings.data) in str(failed)) == (
        "out/none.json",
        False,
    )
    assert failed["reason"]


@pytest.mark.slow
def test_a_dry_run_of_retention_says_bytes_and_what_holds(team):
    ids = team.runs(1, 2, 3)
    team("PATCH", f"/runs/{ids[0]}", {"pinned": True})
    told = team("POST", "/retention", {"keep_last": 1, "by": []}).json
    assert (told["deleted"], told["held"], told["pinned"]) == ([ids[1]], {}, 1)
    assert told["bytes"] > 0
