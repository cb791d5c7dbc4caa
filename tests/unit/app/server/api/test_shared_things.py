"""Operations on what a team shares beside its runs: views, tokens, limits; and what all answers have in common."""

import re

import pytest

from tests.support.access import SAME, Team, is_problem, problem


class TestViews:
    def test_a_view_is_saved_listed_and_deleted(self, team):
        made = team("POST", "/views", {"name": "mine", "query": "?hwid=npu2"}, scope="write")
        assert made.status_code == 201
        assert team("GET", "/views", scope="read").json["views"] == [made.json]
        assert made.json["query"] == "?hwid=npu2"
        assert [team("DELETE", f"/views/{made.json['id']}").status_code for _ in range(2)] == [
            204,
            404,
        ]
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
        files = [
            file.read_bytes() for file in team.served.settings.data.rglob("*") if file.is_file()
        ]
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
                for age in (
                    "0s",
                    "-1d",
                    "1",
                    "d",
                    "1y",
                    "9999999d",
                    "1d ",
                    "\n1d",
                    "٣d",
                    "１２h",
                    "1²s",
                )
            ),
        ],
    )
    def test_what_is_no_token_is_not_made(self, shared, body):
        answer = shared("POST", "/tokens", body)
        assert (answer.status_code, is_problem(answer)) == (422, True)


class TestLimits:
    def test_a_user_begins_so_many_over_all_servers(self, tmp_path, monkeypatch):
        monkeypatch.setattr("storage.uploads.time.time", lambda: 6_000_010.0)
        one = Team(tmp_path, uploads_per_minute=3)
        other = Team(tmp_path, uploads_per_minute=3)
        other.tokens = one.tokens
        statuses = [
            one("POST", "/runs?name=1.81920.csv", problem(1), scope="write").status_code,
            other("POST", "/uploads", {"name": "a", "size": 1}, scope="write").status_code,
            one.served.ask(
                "POST", "/api/upload?name=2.81920.csv", one.tokens["write"], data=problem(2)
            ).status_code,
        ]
        assert statuses == [201, 201, 200]
        refused = [
            team("POST", "/uploads", {"name": "a", "size": 1}, scope="write")
            for team in (one, other)
        ]
        assert [(answer.status_code, is_problem(answer)) for answer in refused] == [(429, True)] * 2
        assert 0 < int(refused[0].headers["Retry-After"]) <= 61
        assert one("POST", "/uploads", {"name": "a", "size": 1}, scope="admin").status_code == 201
        namesake = one.served.token("write", "write")
        begun = one.served.ask("POST", "/api/v1/uploads", namesake, json={"name": "a", "size": 1})
        assert begun.status_code == 201
        monkeypatch.setattr("storage.uploads.time.time", lambda: 6_000_070.0)
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
        assert (
            "public"
            in shared.served.ask("GET", script, shared.tokens["read"]).headers["Cache-Control"]
        )

    def test_who_asks(self, shared):
        assert shared("GET", "/me", scope="read").json == {"user": "token read", "role": "viewer"}

    def test_a_page_of_errors_has_no_markup_of_clients(self, shared):
        headers = shared.tokens["read"] | SAME | {"Accept": "text/html"}
        answer = shared.served.ask("GET", "/export/x/%3Cimg%20src=x%3E.csv", headers)
        assert answer.status_code == 404
        assert "<img" not in answer.text
