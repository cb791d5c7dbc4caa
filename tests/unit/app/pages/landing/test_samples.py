"""The button that loads the samples into an empty store."""

import json

import pytest

from app.config.assets import SAMPLES
from app.pages.landing import first_run, samples
from storage.audit import Audit


@pytest.fixture
def few(monkeypatch):
    """Some of the samples."""
    monkeypatch.setattr(samples, "SAMPLES", SAMPLES / "minimalloc")


@pytest.fixture
def repository(signed_in):
    return signed_in("edgar").repository


def press(client, clicks=1):
    return client.post(f"{first_run.LOADED}.children", **{f"{first_run.LOAD}.n_clicks": clicks})


@pytest.mark.slow
def test_a_click_loads_them_and_draws_the_page_again(signed_in, repository, few):
    answer = press(signed_in("edgar")).json["response"]
    runs = repository.runs()["run_id"].tolist()
    assert runs
    assert answer[first_run.LOADED]["children"] == ""
    assert answer["landing-changed"]["data"]
    shown = signed_in("edgar").callback("landing-body.children", **{"landing-changed.data": 1})
    assert 'data-section": "newest' in json.dumps(shown)
    assert {entry.user for entry in Audit(repository.catalogue).entries(action="ingest")} == {
        "edgar"
    }


@pytest.mark.slow
def test_a_second_click_changes_nothing(signed_in, repository, few):
    press(signed_in("edgar"))
    runs = {*repository.runs()["run_id"]}
    assert press(signed_in("ada")).status_code == 200
    assert {*repository.runs()["run_id"]} == runs


def test_a_viewer_is_refused(signed_in, repository, few):
    assert "role editor" in press(signed_in("victor")).text
    assert repository.runs().empty


@pytest.mark.parametrize("clicks", [None, 0])
def test_a_button_that_came_with_the_page_loads_nothing(signed_in, repository, few, clicks):
    press(signed_in("edgar"), clicks)
    assert repository.runs().empty


def test_one_load_at_a_time(signed_in, repository, few):
    with samples._TURN:
        answer = press(signed_in("edgar")).json["response"]
    assert answer[first_run.LOADED]["children"]
    assert "landing-changed" not in answer
    assert repository.runs().empty


def test_an_installation_without_samples_has_no_button(signed_in, monkeypatch, tmp_path):
    assert first_run.LOAD in signed_in("edgar").open("/")
    monkeypatch.setattr(first_run, "SAMPLES", tmp_path / "none")
    assert first_run.LOAD not in signed_in("edgar").open("/")
