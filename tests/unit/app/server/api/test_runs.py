"""Operations on runs and their frames: what they answer and what they refuse."""

import base64
import io
import json

import pandas as pd
import pyarrow as pa
import pytest

from app.server.api.models import RunsQuery
from tests.support.access import is_problem, problem

MISSING = "f" * 64


class TestRuns:
    @pytest.mark.slow
    def test_a_file_becomes_a_run_once(self, team):
        first = team("POST", "/runs?name=a.81920.csv", problem(1))
        again = team("POST", "/runs?name=a.81920.csv", problem(1))
        assert (first.status_code, again.status_code) == (201, 200)
        assert [a.json["runs"][0]["status"] for a in (first, again)] == ["new", "unchanged"]
        assert first.json["runs"][0]["run_id"] == again.json["runs"][0]["run_id"]

    @pytest.mark.slow
    def test_a_form_of_files_becomes_runs(self, team):
        form = {"file": [(io.BytesIO(problem(n)), f"folder/{n}.81920.csv") for n in (1, 2)]}
        answer = team.served.ask("POST", "/api/v1/runs", team.tokens["write"], data=form)
        assert answer.status_code == 201
        assert len(answer.json["runs"]) == 2

    @pytest.mark.slow
    def test_settings_come_with_the_address(self, team):
        run = team("POST", "/runs?name=a.81920.csv&hwid=npu7&tags=x", problem(1)).json["runs"][0][
            "run_id"
        ]
        assert team("GET", f"/runs/{run}").json["hwid"] == "npu7"

    def test_a_run_is_a_flat_record(self, shared):
        record = shared("GET", f"/runs/{shared.ids[0]}", scope="read").json
        assert {"run_id", "source", "hwid", "tags", "notes", "pinned"} <= set(record)
        assert record == next(
            r for r in shared("GET", "/runs").json["runs"] if r["run_id"] == shared.ids[0]
        )

    @pytest.mark.parametrize(
        ("method", "path", "body", "status"),
        [
            ("GET", f"/runs/{MISSING}", None, 404),
            ("GET", f"/runs/{MISSING}/frames", None, 404),
            ("GET", "/check?run={run}&baseline=none", None, 404),
            ("GET", f"/check?run={MISSING}&baseline=none", None, 404),
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
        "text",
        ["{", "x", '"ab"', "5", "null", "[1,2]", '["a"]', '["a","\\ud800"]', '["a","\\u0000"]'],
    )
    def test_a_cursor_is_one_that_was_given(self, shared, text):
        cursor = base64.urlsafe_b64encode(text.encode()).decode()
        answer = shared("GET", f"/runs?cursor={cursor}")
        assert (answer.status_code, is_problem(answer)) == (400, True)

    @pytest.mark.parametrize("cursor", ["%20", "%C3%A9", "====", "A" * 5_000, "W" * 20_000])
    def test_a_cursor_may_be_anything(self, shared, cursor):
        assert shared("GET", f"/runs?cursor={cursor}").status_code == 400

    @pytest.mark.slow
    def test_notes_tags_and_pin_change_alone(self, team):
        (run,) = team.runs(1)
        assert team("PATCH", f"/runs/{run}", {"notes": "**why**"}).json["notes"] == "**why**"
        assert team("PATCH", f"/runs/{run}", {"tags": ["b", "α", "b"]}).json["tags"] == ["b", "α"]
        last = team("PATCH", f"/runs/{run}", {"pinned": True}).json
        assert (last["notes"], last["tags"], last["pinned"]) == ("**why**", ["b", "α"], True)
        assert [r["run_id"] for r in team("GET", "/runs?tag=α&tag=none").json["runs"]] == [run]

    @pytest.mark.slow
    def test_a_pinned_run_stays(self, team):
        (run,) = team.runs(1)
        team("PATCH", f"/runs/{run}", {"pinned": True})
        refused = team("DELETE", f"/runs/{run}")
        assert (refused.status_code, is_problem(refused)) == (409, True)
        team("PATCH", f"/runs/{run}", {"pinned": False})
        assert [team("DELETE", f"/runs/{run}").status_code for _ in range(2)] == [204, 404]

    @pytest.mark.slow
    def test_an_unchanged_run_is_not_sent_again(self, team):
        (run,) = team.runs(1)
        tag = team("GET", f"/runs/{run}").headers["ETag"]
        same = team("GET", f"/runs/{run}", headers={"If-None-Match": tag})
        assert (same.status_code, same.data) == (304, b"")
        headers = {"If-None-Match": tag}
        assert team("GET", f"/runs/{run}", headers=headers, scope="read").status_code == 304
        nobody = team.served.ask("GET", f"/api/v1/runs/{run}", {"If-None-Match": tag})
        assert nobody.status_code == 401
        team("PATCH", f"/runs/{run}", {"notes": "x"})
        after = team("GET", f"/runs/{run}", headers={"If-None-Match": tag})
        assert (after.status_code, after.headers["ETag"] != tag) == (200, True)

    @pytest.mark.slow
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

    @pytest.mark.slow
    def test_runs_are_found_by_what_they_are(self, team):
        for n, hwid in enumerate(["a", "a", "b"]):
            team("POST", f"/runs?name={n}.81920.csv&hwid={hwid}", problem(n))
        found = {
            q: len(team("GET", f"/runs?{q}").json["runs"])
            for q in ("hwid=a", "hwid=b&hwid=a", "hwid=c", "q=0.81920")
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
            answer = shared(
                "GET", f"/runs/{shared.ids[0]}/frames/{name}?format={fmt}", scope="read"
            )
            assert answer.status_code == 200
            assert len(self.READ[fmt](answer.data)) == frames[name]
            assert "attachment" in answer.headers["Content-Disposition"]

    def test_json_is_what_is_given_unless_asked(self, shared):
        answer = shared("GET", f"/runs/{shared.ids[0]}/frames/allocations")
        assert answer.mimetype == "application/json"
