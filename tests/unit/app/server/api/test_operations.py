"""Every operation of the API: what it answers, what it refuses, and what it puts down."""

from __future__ import annotations

import base64
import io
import json
import re

import pandas as pd
import pyarrow as pa
import pytest

from app.server.api.models import RunsQuery
from storage.audit import ACTIONS, Audit
from tests.support.access import SAME, Team, is_problem, problem

MISSING = "f" * 64


class TestRuns:
    def test_a_file_becomes_a_run_once(self, team):
        first = team("POST", "/runs?name=a.81920.csv", problem(1))
        again = team("POST", "/runs?name=a.81920.csv", problem(1))
        assert (first.status_code, again.status_code) == (201, 200)
        assert [a.json["runs"][0]["status"] for a in (first, again)] == ["new", "unchanged"]
        assert first.json["runs"][0]["run_id"] == again.json["runs"][0]["run_id"]

    def test_a_form_of_files_becomes_runs(self, team):
        form = {"file": [(io.BytesIO(problem(n)), f"folder/{n}.81920.csv") for n in (1, 2)]}
        answer = team.served.ask("POST", "/api/v1/runs", team.tokens["write"], data=form)
        assert answer.status_code == 201
        assert len(answer.json["runs"]) == 2

    def test_settings_come_with_the_address(self, team):
        run = team("POST", "/runs?name=a.81920.csv&hwid=npu7&tags=x", problem(1)).json["runs"][0]["run_id"]
        assert team("GET", f"/runs/{run}").json["hwid"] == "npu7"

    def test_a_run_is_a_flat_record(self, shared):
        record = shared("GET", f"/runs/{shared.ids[0]}", scope="read").json
        assert {"run_id", "source", "hwid", "tags", "notes", "pinned"} <= set(record)
        assert record == next(r for r in shared("GET", "/runs").json["runs"] if r["run_id"] == shared.ids[0])

    @pytest.mark.parametrize(
        ("method", "path", "body", "status"),
        [
            ("GET", f"/runs/{MISSING}", None, 404),
            ("GET", f"/runs/{MISSING}/frames", None, 404),
            ("GET", f"/runs/{MISSING}/frames/events", None, 404),
            ("GET", "/runs/{run}/frames/nothing", None, 404),
            ("GET", "/runs/{run}/frames/events?format=xml", None, 400),
            ("GET", "/runs/{run}/frames/..%2f..%2fcatalogue", None, 404),
            ("GET", "/runs/%00", None, 404),
            ("DELETE", f"/runs/{MISSING}", None, 404),
            ("PATCH", f"/runs/{MISSING}", {"notes": "x"}, 404),
            ("PATCH", "/runs/{run}", {"notes": 1}, 422),
            ("PATCH", "/runs/{run}", {"pinned": "yes"}, 422),
            ("PATCH", "/runs/{run}", {"tags": "abc"}, 422),
            ("PATCH", "/runs/{run}", {"tags": ["a b"]}, 422),
            ("PATCH", "/runs/{run}", {"tags": ["a,b"]}, 422),
            ("PATCH", "/runs/{run}", {"tags": [""]}, 422),
            ("PATCH", "/runs/{run}", {"tags": ["x" * 61]}, 422),
            ("PATCH", "/runs/{run}", {"tags": ["\u202ea"]}, 422),
            ("PATCH", "/runs/{run}", {"tags": [f"t{n}" for n in range(51)]}, 422),
            ("PATCH", "/runs/{run}", {"notes": "x" * 20_001}, 422),
            ("PATCH", "/runs/{run}", {"notes": "a\0b"}, 422),
            ("PATCH", "/runs/{run}", {"run_id": "x"}, 422),
            ("PATCH", "/runs/{run}", [], 422),
            ("PATCH", "/runs/{run}", b"{", 400),
            ("PATCH", "/runs/{run}", b'{"notes": "\\ud800"}', 422),
            ("PATCH", "/runs/{run}", b"\xff", 400),
            ("PATCH", "/runs/{run}", b"[" * 100_000, 400),
            ("GET", "/runs?limit=0", None, 400),
            ("GET", "/runs?limit=201", None, 400),
            ("GET", "/runs?limit=x", None, 400),
            ("GET", "/runs?unknown=1", None, 400),
            ("GET", "/runs?tag=%00", None, 400),
            ("POST", "/runs", b"x", 400),
            ("POST", "/runs?name=a.csv", b"", 422),
            ("POST", "/runs?name=a.csv", b"what is this", 422),
            ("POST", "/runs?name=%00", b"x", 400),
            ("POST", "/runs?name=a.81920.csv&%00=1", b"x", 400),
            ("PUT", "/runs", None, 405),
            ("POST", "/runs/{run}", None, 405),
            ("GET", "/nothing", None, 404),
            ("POST", "/nothing", None, 404),
            ("DELETE", "/nothing/x", None, 404),
            ("DELETE", "/audit", None, 405),
        ],
    )
    def test_what_cannot_be_is_a_problem(self, shared, method, path, body, status):
        answer = shared(method, path.format(run=shared.ids[0]), body)
        assert (answer.status_code, is_problem(answer)) == (status, True)
        assert ("Allow" in answer.headers) == (status == 405)

    def test_what_cannot_be_changes_nothing(self, shared):
        record = shared("GET", f"/runs/{shared.ids[0]}").json
        assert (record["notes"], record["tags"], record["pinned"]) == ("", [], False)

    @pytest.mark.parametrize(
        "text", ["{", "x", '"ab"', "5", "null", "[1,2]", '["a"]', '["a","\\ud800"]', '["a","\\u0000"]']
    )
    def test_a_cursor_is_one_that_was_given(self, shared, text):
        cursor = base64.urlsafe_b64encode(text.encode()).decode()
        answer = shared("GET", f"/runs?cursor={cursor}")
        assert (answer.status_code, is_problem(answer)) == (400, True)

    @pytest.mark.parametrize("cursor", ["%20", "%C3%A9", "====", "A" * 5_000, "W" * 20_000])
    def test_a_cursor_may_be_anything(self, shared, cursor):
        assert shared("GET", f"/runs?cursor={cursor}").status_code == 400

    def test_notes_tags_and_pin_change_alone(self, team):
        (run,) = team.runs(1)
        assert team("PATCH", f"/runs/{run}", {"notes": "**why**"}).json["notes"] == "**why**"
        assert team("PATCH", f"/runs/{run}", {"tags": ["b", "α", "b"]}).json["tags"] == ["b", "α"]
        last = team("PATCH", f"/runs/{run}", {"pinned": True}).json
        assert (last["notes"], last["tags"], last["pinned"]) == ("**why**", ["b", "α"], True)
        assert [r["run_id"] for r in team("GET", "/runs?tag=α&tag=none").json["runs"]] == [run]

    def test_a_pinned_run_stays(self, team):
        (run,) = team.runs(1)
        team("PATCH", f"/runs/{run}", {"pinned": True})
        refused = team("DELETE", f"/runs/{run}")
        assert (refused.status_code, is_problem(refused)) == (409, True)
        team("PATCH", f"/runs/{run}", {"pinned": False})
        assert [team("DELETE", f"/runs/{run}").status_code for _ in range(2)] == [204, 404]

    def test_an_unchanged_run_is_not_sent_again(self, team):
        (run,) = team.runs(1)
        tag = team("GET", f"/runs/{run}").headers["ETag"]
        same = team("GET", f"/runs/{run}", headers={"If-None-Match": tag})
        assert (same.status_code, same.data) == (304, b"")
        assert team("GET", f"/runs/{run}", headers={"If-None-Match": tag}, scope="read").status_code == 304
        nobody = team.served.ask("GET", f"/api/v1/runs/{run}", {"If-None-Match": tag})
        assert nobody.status_code == 401
        team("PATCH", f"/runs/{run}", {"notes": "x"})
        after = team("GET", f"/runs/{run}", headers={"If-None-Match": tag})
        assert (after.status_code, after.headers["ETag"] != tag) == (200, True)

    def test_pages_have_every_run_once_while_runs_come_and_go(self, team):
        ids = team.runs(*range(9))
        seen, cursor, turn = [], "", 0
        while cursor is not None:
            page = team("GET", f"/runs?limit=2&cursor={cursor}").json
            seen += [run["run_id"] for run in page["runs"]]
            cursor, turn = page["next"], turn + 1
            new = team.runs(100 + turn)
            team("DELETE", f"/runs/{new[0] if turn % 2 else seen[0]}")
        assert len(seen) == len(set(seen))
        assert set(seen) == set(ids)

    def test_runs_are_found_by_what_they_are(self, team):
        for n, hwid in enumerate(["a", "a", "b"]):
            team("POST", f"/runs?name={n}.81920.csv&hwid={hwid}", problem(n))
        found = {
            q: len(team("GET", f"/runs?{q}").json["runs"]) for q in ("hwid=a", "hwid=b&hwid=a", "hwid=c", "q=0.81920")
        }
        assert found == {"hwid=a": 2, "hwid=b&hwid=a": 3, "hwid=c": 0, "q=0.81920": 1}
        assert {"source", "hwid", "M", "K", "N", "tag"} <= set(RunsQuery.model_fields)


class TestFrames:
    READ = {  # noqa: RUF012
        "csv": lambda data: pd.read_csv(io.BytesIO(data)),
        "json": lambda data: pd.DataFrame(json.loads(data)),
        "parquet": lambda data: pd.read_parquet(io.BytesIO(data)),
        "arrow": lambda data: pa.ipc.open_stream(data).read_all().to_pandas(),
    }

    @pytest.mark.parametrize("fmt", READ)
    def test_a_frame_has_its_rows_in_every_format(self, shared, fmt):
        frames = shared("GET", f"/runs/{shared.ids[0]}/frames", scope="read").json["frames"]
        for name in ("allocations", "run"):
            answer = shared("GET", f"/runs/{shared.ids[0]}/frames/{name}?format={fmt}", scope="read")
            assert answer.status_code == 200
            assert len(self.READ[fmt](answer.data)) == frames[name]
            assert "attachment" in answer.headers["Content-Disposition"]

    def test_json_is_what_is_given_unless_asked(self, shared):
        answer = shared("GET", f"/runs/{shared.ids[0]}/frames/allocations")
        assert answer.mimetype == "application/json"


class TestViews:
    def test_a_view_is_saved_listed_and_deleted(self, team):
        made = team("POST", "/views", {"name": "mine", "query": "?hwid=npu2"}, scope="write")
        assert made.status_code == 201
        assert team("GET", "/views", scope="read").json["views"] == [made.json]
        assert made.json["query"] == "?hwid=npu2"
        assert [team("DELETE", f"/views/{made.json['id']}").status_code for _ in range(2)] == [204, 404]
        assert team("GET", "/views").json == {"views": []}

    @pytest.mark.parametrize(
        "body",
        [
            {"name": "", "query": ""},
            {"name": "x" * 101, "query": ""},
            {"name": "a", "query": "x" * 4_001},
            {"name": "a", "query": "//evil.example"},
            {"name": "a", "query": "javascript:alert(1)"},
            {"name": "a\0", "query": ""},
            {"name": "a"},
            {"name": "a", "query": "", "created_by": "carol"},
        ],
    )
    def test_a_view_is_a_name_and_a_query(self, shared, body):
        assert shared("POST", "/views", body).status_code == 422


class TestTokens:
    def test_a_token_works_until_it_is_revoked(self, team):
        made = team("POST", "/tokens", {"name": "ci", "scope": "write"}).json
        bearer = {"Authorization": f"Bearer {made['token']}"}
        me = team.served.ask("GET", "/api/v1/me", bearer)
        assert me.json == {"user": "token ci", "role": "editor"}
        assert [team("DELETE", f"/tokens/{made['id']}").status_code for _ in range(2)] == [204, 404]
        assert team.served.ask("GET", "/api/v1/me", bearer).status_code == 401

    def test_its_text_is_told_once(self, team):
        answer = team("POST", "/tokens", {"name": "ci", "scope": "read", "expires": "30d"})
        assert answer.headers["Cache-Control"].startswith("no-store")
        secret = answer.json["token"].rpartition("_")[2]
        team.served.ask("GET", "/api/v1/me", {"Authorization": f"Bearer {answer.json['token']}"})
        told = team("GET", "/tokens").text + team("GET", "/audit").text
        files = [file.read_bytes() for file in team.served.settings.data.rglob("*") if file.is_file()]
        assert answer.json["id"] in told
        assert secret not in told
        assert not [content for content in files if secret.encode() in content]

    def test_the_list_tells_no_hash(self, team):
        assert re.findall(r"[0-9a-f]{64}", team("GET", "/tokens").text) == []

    @pytest.mark.parametrize(
        "body",
        [
            {"name": "", "scope": "read"},
            {"name": " ", "scope": "read"},
            {"name": "a\nb", "scope": "read"},
            {"name": "x" * 101, "scope": "read"},
            {"name": "a", "scope": "root"},
            {"name": "a"},
            *(
                {"name": "a", "scope": "read", "expires": age}
                for age in ("0s", "-1d", "1", "d", "1y", "9999999d", "1d ", "\n1d")
            ),
        ],
    )
    def test_what_is_no_token_is_not_made(self, shared, body):
        answer = shared("POST", "/tokens", body)
        assert (answer.status_code, is_problem(answer)) == (422, True)


class TestAudit:
    def test_every_action_of_the_api_is_put_down(self, team):
        one, two, three = team.runs(1, 2, 3)
        team("PATCH", f"/runs/{one}", {"notes": "x"})
        team("DELETE", f"/runs/{one}")
        team("PATCH", f"/runs/{two}", {"pinned": True})
        view = team("POST", "/views", {"name": "v", "query": ""}).json["id"]
        team("DELETE", f"/views/{view}")
        token = team("POST", "/tokens", {"name": "t", "scope": "read"}).json["id"]
        team("DELETE", f"/tokens/{token}")
        (four,) = team.runs(4)
        deleted = team("POST", "/retention", {"keep_last": 1, "by": [], "dry_run": False}).json["deleted"]
        assert deleted == [three]
        job = team("POST", "/jobs", {"kind": "derive", "runs": []}).json["id"]
        assert {(user, action, what) for user, action, what in team.audit()} >= {
            ("token admin", "upload", one),
            ("token admin", "update", one),
            ("token admin", "delete", one),
            ("token admin", "view.save", view),
            ("token admin", "view.delete", view),
            ("token admin", "token.create", token),
            ("token admin", "token.revoke", token),
            ("token admin", "retention", three),
            ("token admin", "job.start", job),
        }
        elsewhere = {"login", "logout", "baseline.set", "baseline.delete", "job.cancel"}
        assert {action for _, action, _ in team.audit()} | elsewhere == set(ACTIONS)
        assert four in [run["run_id"] for run in team("GET", "/runs").json["runs"]]

    def test_a_job_that_is_cancelled_is_put_down(self, team):
        from storage.jobs import Jobs

        job = Jobs(team.served.catalogue).add("derive", [MISSING], "tests", {})
        assert team("DELETE", f"/jobs/{job.job_id}").status_code == 200
        assert ("token admin", "job.cancel", job.job_id) in team.audit()

    def test_what_is_refused_is_not_put_down(self, team):
        (run,) = team.runs(1)
        before = team.audit()
        team("PATCH", f"/runs/{run}", {"notes": "x"}, scope="read")
        team("DELETE", f"/runs/{run}", scope="read")
        team("DELETE", f"/runs/{MISSING}")
        team("POST", "/runs?name=p1.81920.csv", problem(1))
        team("POST", "/retention", {"keep_last": 1, "by": [], "dry_run": True})
        team("POST", "/views", {"name": "", "query": ""})
        assert team.audit() == before

    def test_entries_are_read_page_by_page(self, team):
        for n in range(5):
            team("POST", "/views", {"name": f"v{n}", "query": ""})
        first = team("GET", "/audit?limit=2&action=view.save").json["entries"]
        more = team("GET", f"/audit?limit=9&action=view.save&before={first[-1]['id']}").json["entries"]
        assert [entry["detail"] for entry in first + more] == ["v4", "v3", "v2", "v1", "v0"]
        assert team("GET", "/audit?user=carol").json["entries"] == []

    @pytest.mark.parametrize(
        "query", ["limit=0", "limit=5001", "before=x", f"before={10**30}", "before=-1", "user=%00", "x=1"]
    )
    def test_what_is_asked_is_checked(self, shared, query):
        assert shared("GET", f"/audit?{query}").status_code == 400

    def test_a_name_cannot_make_up_a_line(self, team):
        Audit(team.served.catalogue).add("mallory\0", "update", "x" * 5_000, "a\ud800b")
        entry = team("GET", "/audit").json["entries"][0]
        assert (entry["user"], len(entry["object"]), entry["detail"]) == ("mallory", 2_000, "a?b")


class TestRetention:
    def test_a_dry_run_deletes_nothing(self, team):
        ids = team.runs(1, 2, 3)
        asked = team("POST", "/retention", {"keep_last": 1, "by": ["source"]}).json["deleted"]
        assert asked == ids[:2]
        assert len(team("GET", "/runs").json["runs"]) == 3
        done = team("POST", "/retention", {"keep_last": 1, "by": ["source"], "dry_run": False}).json["deleted"]
        assert done == asked
        assert [run["run_id"] for run in team("GET", "/runs").json["runs"]] == [ids[2]]

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"keep_last": 0, "by": []},
            {"keep_last": -1, "by": []},
            {"keep_last": 10**9, "by": []},
            {"keep_last": True, "by": []},
            {"keep_last": 1, "by": ["name"]},
            {"keep_last": 1, "by": ["run_id; drop table runs"]},
            {"keep_last": 1, "by": [], "dry_run": 0},
            {"keep_last": 1},
        ],
    )
    def test_a_rule_is_whole(self, shared, body):
        assert shared("POST", "/retention", body).status_code == 422

    @pytest.mark.parametrize("scope", ["read", "write"])
    def test_only_admins_let_it_run_as_a_job_too(self, team, scope):
        from storage.jobs import Jobs

        body = {"kind": "retention", "keep_last": 1, "by": []}
        assert team("POST", "/jobs", body, scope=scope).status_code == 403
        jobs = Jobs(team.served.catalogue)
        job = jobs.add("retention", [MISSING], "carol", {"keep_last": 1, "by": []})
        jobs.cancel(job.job_id)
        assert team("POST", f"/jobs/{job.job_id}/resume", scope=scope).status_code == 403


class TestLimits:
    def test_a_user_begins_so_many_over_all_servers(self, tmp_path, monkeypatch):
        monkeypatch.setattr("storage.upload_limits.time.time", lambda: 6_000_010.0)
        one = Team(tmp_path, uploads_per_minute=3)
        other = Team(tmp_path, uploads_per_minute=3)
        other.tokens = one.tokens
        statuses = [
            one("POST", "/runs?name=1.81920.csv", problem(1), scope="write").status_code,
            other("POST", "/uploads", {"name": "a", "size": 1}, scope="write").status_code,
            one.served.ask("POST", "/api/upload?name=2.81920.csv", one.tokens["write"], data=problem(2)).status_code,
        ]
        assert statuses == [201, 201, 200]
        refused = [team("POST", "/uploads", {"name": "a", "size": 1}, scope="write") for team in (one, other)]
        assert [(answer.status_code, is_problem(answer)) for answer in refused] == [(429, True)] * 2
        assert 0 < int(refused[0].headers["Retry-After"]) <= 61
        assert one("POST", "/uploads", {"name": "a", "size": 1}, scope="admin").status_code == 201
        monkeypatch.setattr("storage.upload_limits.time.time", lambda: 6_000_070.0)
        assert one("POST", "/uploads", {"name": "a", "size": 1}, scope="write").status_code == 201


class TestAnswers:
    def test_shared_caches_keep_nothing_of_people(self, shared):
        for path in (
            "/api/v1/runs",
            f"/api/v1/runs/{shared.ids[0]}",
            "/api/v1/nothing",
            "/",
            "/_dash-layout",
            "/trends.csv",
        ):
            control = shared.served.ask("GET", path, shared.tokens["read"]).headers["Cache-Control"]
            assert "private" in control or "no-store" in control, path
            assert "public" not in control

    def test_files_of_the_program_are_kept_by_everybody(self, shared):
        page = shared.served.ask("GET", "/", shared.tokens["read"]).text
        script = re.search(r'src="(/assets/tilescope[^"]+)"', page)[1]
        assert "public" in shared.served.ask("GET", script, shared.tokens["read"]).headers["Cache-Control"]

    def test_who_asks(self, shared):
        assert shared("GET", "/me", scope="read").json == {"user": "token read", "role": "viewer"}

    def test_a_page_of_errors_has_no_markup_of_clients(self, shared):
        headers = shared.tokens["read"] | SAME | {"Accept": "text/html"}
        answer = shared.served.ask("GET", "/export/x/%3Cimg%20src=x%3E.csv", headers)
        assert answer.status_code == 404
        assert "<img" not in answer.text
