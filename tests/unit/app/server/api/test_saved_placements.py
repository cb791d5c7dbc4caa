"""Kept answers over the API: listed as records, taken off by editors, each in the audit log."""

import pytest

from app.views.lab.state import LabState
from schema.memory import SAVED_RANK_BASE
from tests.support.kept import keep


@pytest.fixture
def run_id(team):
    (made,) = team.runs(1)
    keep(team.served.context, made, LabState(dropped=(1,)), title="without b")
    return made


@pytest.mark.slow
def test_a_kept_answer_is_listed_with_its_question(team, run_id):
    (one,) = team("GET", f"/runs/{run_id}/kept", scope="read").json["kept"]
    assert (one["number"], one["title"], one["kept_by"], one["fits"]) == (
        1,
        "without b",
        "ann",
        True,
    )
    assert (one["attempt"], one["shown_as"], one["extent"]) == (0, SAVED_RANK_BASE + 1, 32)
    assert one["query"] == "?attempt=0&strategy=best_fit&dropped=1"
    assert team("GET", f"/runs/{team.runs(2)[0]}/kept").json == {"kept": []}


def test_frames_are_the_files_alone(team, run_id):
    attempts = team("GET", f"/runs/{run_id}/frames/attempts", scope="read").json
    assert len(attempts["rows"] if isinstance(attempts, dict) else attempts) == 1


def test_it_is_taken_off_once(team, run_id):
    path = f"/runs/{run_id}/kept/1"
    assert team("DELETE", path, scope="read").status_code == 403
    assert [team("DELETE", path, scope="write").status_code for _ in range(2)] == [204, 404]
    assert team("GET", f"/runs/{run_id}/kept").json == {"kept": []}
    assert ("token write", "answer.remove", run_id) in team.audit()


@pytest.mark.parametrize("number", ["0", "2", "x", "-1", "1" * 30, "%E0%A5%A7"])
def test_what_is_not_kept_is_not_found(team, run_id, number):
    assert team("DELETE", f"/runs/{run_id}/kept/{number}").status_code == 404
    assert team("DELETE", f"/runs/ffff/kept/{number}").status_code == 404
