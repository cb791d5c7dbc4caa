"""Bisections over the API: a build drives one to its culprit, with the files of its runs."""

import pytest

from storage.bisections import Bisections
from tests.support.access import is_problem

COMMITS = [f"{at:02x}" * 20 for at in range(0x40, 0x51)]
CULPRIT = 11
"""Position of the commit from which on a decode step takes 10 % longer."""


class Build:
    """A build that measures commits and uploads the results."""

    def __init__(self, team):
        self.team, self.runs = team, 0

    def measure(self, commit):
        """Upload the results of a commit; return the id of the run."""
        step = (4.4 if COMMITS.index(commit) >= CULPRIT else 4.0) * (1 + 0.003 * (self.runs % 3))
        self.runs += 1
        query = f"name=results.csv&commit={commit}&taken_at=2026-11-{self.runs:02d}T10:00Z&hwid=npu"
        body = f"name,value,unit,direction\ndecode step,{step},ms,less\n".encode()
        return self.team("POST", f"/runs?{query}", body, scope="write").json["runs"][0]["run_id"]


@pytest.fixture
def build(team):
    return Build(team)


@pytest.fixture
def body(build):
    run = build.measure(COMMITS[0])
    build.measure(COMMITS[-1])
    return {"run": run, "good": COMMITS[0], "bad": COMMITS[-1], "commits": COMMITS}


def test_a_build_finds_the_culprit_without_a_store(team, build, body):
    state = team("POST", "/bisections", body, scope="write").json
    measured = set()
    while state["state"] == "measure":
        measured.add(state["next"])
        build.measure(state["next"])
        state = team("GET", f"/bisections/{state['id']}", scope="read").json
    assert (state["state"], state["culprits"]) == ("proved", [COMMITS[CULPRIT]])
    assert len(measured) <= 6
    assert state["url"].endswith(f"/bisect/{state['id']}")
    assert COMMITS[CULPRIT][:8] in state["sentence"]
    [listed] = team("GET", "/bisections", scope="read").json["bisections"]
    assert (listed["id"], listed["created_by"]) == (state["id"], "token write")


def test_a_bisection_is_started_once(team, body):
    first = team("POST", "/bisections", body, scope="write").json
    again = team("POST", "/bisections", body | {"commits": None}, scope="write").json
    assert first == again
    assert ("token write", "bisection.start", first["id"]) in team.audit()


def test_a_commit_without_a_result_is_reported_and_taken_back(team, body):
    state = team("POST", "/bisections", body, scope="write").json
    path = f"/bisections/{state['id']}/skip"
    skipped = team("POST", path, {"commit": state["next"]}, scope="write").json
    assert skipped["next"] not in (None, state["next"])
    again = team("POST", path, {"commit": state["next"], "skipped": False}, scope="write").json
    assert again["next"] == state["next"]


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    "change",
    [
        {"bad": COMMITS[0]},
        {"good": COMMITS[-1], "bad": COMMITS[0]},
        {"commits": ["a", "a", COMMITS[-1]]},
        {"commits": ["a\nb", COMMITS[-1]]},
        {"commits": None},
        {"metric": "no such number"},
        {"threshold": 0},
        {"threshold": 1001},
        {"good": ""},
        {"commits": "text"},
        {"more": 1},
    ],
    ids=lambda change: " ".join(f"{name}={str(value)[:8]!r}" for name, value in change.items()),
)
def test_requests_that_do_not_fit_are_refused_and_start_nothing(team, body, change):
    answer = team("POST", "/bisections", body | change, scope="write")
    assert answer.status_code == 422
    assert is_problem(answer)
    assert Bisections(team.served.catalogue).newest(1) == []


def test_an_unknown_run_or_bisection_is_not_found(team, body):
    assert team("POST", "/bisections", body | {"run": "f" * 64}).status_code == 404
    assert team("GET", "/bisections/none").status_code == 404
    assert team("POST", "/bisections/none/skip", {"commit": "a"}).status_code == 404
    made = team("POST", "/bisections", body).json
    path = f"/bisections/{made['id']}/skip"
    assert team("POST", path, {"commit": "a"}).status_code == 422


def test_a_viewer_starts_and_skips_nothing(team, body):
    assert team("POST", "/bisections", body, scope="read").status_code == 403
    made = team("POST", "/bisections", body).json
    path = f"/bisections/{made['id']}/skip"
    assert team("POST", path, {"commit": made["next"]}, scope="read").status_code == 403
    assert team("GET", f"/bisections/{made['id']}").json["next"] == made["next"]
