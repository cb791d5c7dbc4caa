"""What operations put down, and the one that deletes old runs."""

import pytest

from storage.audit import ACTIONS, Audit
from storage.jobs import Jobs
from tests.support.access import problem
from tests.support.kept import keep

pytestmark = pytest.mark.usefixtures("nothing_runs")

MISSING = "f" * 64


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
        keep(team.served.context, four, user="token admin")
        team("DELETE", f"/runs/{four}/kept/1")
        deleted = team(
            "POST", "/retention", {"keep_last": 1, "by": [], "of_all": True, "dry_run": False}
        ).json["deleted"]
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
            ("token admin", "answer.keep", four),
            ("token admin", "answer.remove", four),
        }
        elsewhere = {"login", "logout", "ingest", "baseline.set", "baseline.delete", "job.cancel"}
        elsewhere |= {
            "rule.set",
            "rule.delete",
            "status.acknowledge",
            "status.unacknowledge",
            "embed.sign",
            "bisection.start",
            "bisection.skip",
        }
        elsewhere |= {
            "alert.set",
            "alert.delete",
            "alert.test",
            "alert.retry",
            "query.save",
            "query.delete",
        }
        elsewhere |= {
            "backup.make",
            "backup.fail",
            "backup.remove",
            "orphans.remove",
            "upload.fail",
        }
        assert {action for _, action, _ in team.audit()} | elsewhere == set(ACTIONS)
        assert four in [run["run_id"] for run in team("GET", "/runs").json["runs"]]

    def test_a_job_that_is_cancelled_is_put_down(self, team):
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
        more = team("GET", f"/audit?limit=9&action=view.save&before={first[-1]['id']}").json[
            "entries"
        ]
        assert [entry["detail"] for entry in first + more] == ["v4", "v3", "v2", "v1", "v0"]
        assert team("GET", "/audit?user=carol").json["entries"] == []

    @pytest.mark.parametrize(
        "query",
        ["limit=0", "limit=5001", "before=x", f"before={10**30}", "before=-1", "user=%00", "x=1"],
    )
    def test_what_is_asked_is_checked(self, shared, query):
        assert shared("GET", f"/audit?{query}").status_code == 400

    def test_a_name_cannot_make_up_a_line(self, team):
        Audit(team.served.catalogue).add("mallory\0", "update", "x" * 5_000, "a\ud800b")
        entry = team("GET", "/audit").json["entries"][0]
        assert (entry["user"], len(entry["object"]), entry["detail"]) == ("mallory", 2_000, "a?b")


class TestRetention:
    @pytest.mark.slow
    def test_a_dry_run_deletes_nothing(self, team):
        ids = team.runs(1, 2, 3)
        asked = team("POST", "/retention", {"keep_last": 1, "by": ["source"]}).json["deleted"]
        assert asked == ids[:2]
        assert len(team("GET", "/runs").json["runs"]) == 3
        done = team(
            "POST", "/retention", {"keep_last": 1, "by": ["source"], "dry_run": False}
        ).json["deleted"]
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
            {"keep_last": 1, "by": [], "dry_run": False},
            {"keep_last": 1, "by": ["hwid"], "of_all": True},
            {"keep_last": 1},
        ],
    )
    def test_a_rule_is_whole(self, shared, body):
        assert shared("POST", "/retention", body).status_code == 422

    @pytest.mark.slow
    def test_a_job_of_all_runs_says_so(self, team):
        team.runs(1, 2, 3)
        body = {"kind": "retention", "keep_last": 2, "by": []}
        assert team("POST", "/jobs", body).status_code == 422
        answer = team("POST", "/jobs", body | {"of_all": True})
        assert (answer.status_code, answer.json["total"]) == (202, 1)

    @pytest.mark.parametrize("scope", ["read", "write"])
    def test_only_admins_let_it_run_as_a_job_too(self, team, scope):
        body = {"kind": "retention", "keep_last": 1, "by": ["hwid"]}
        assert team("POST", "/jobs", body, scope=scope).status_code == 403
        jobs = Jobs(team.served.catalogue)
        job = jobs.add("retention", [MISSING], "carol", {"keep_last": 1, "by": []})
        jobs.cancel(job.job_id)
        assert team("POST", f"/jobs/{job.job_id}/resume", scope=scope).status_code == 403
