"""Answers that a server works out ahead, in a process apart."""

import pytest

from app.server import judging
from app.server.judging import JudgingRounds
from ingest.files import ingest
from services.status.rules import set_rule
from services.trends.judge_ahead import lacks_results
from storage.rules import Rule
from storage.turns import take_turn
from tests.support.runs import delete_run


@pytest.fixture
def catalogue(settings, samples):
    repository = settings.repository()
    ingest(repository, [samples / "minimalloc"], {})
    set_rule(repository, Rule("nightly", 3), "me")
    yield repository.catalogue
    repository.catalogue.close()


def test_what_is_lacking_is_worked_out_once(settings, catalogue):
    rounds = JudgingRounds(settings, catalogue)
    assert rounds.take_round()
    assert not lacks_results(catalogue)
    assert not rounds.take_round()


def test_nothing_is_begun_where_another_server_is_at_it(settings, catalogue, monkeypatch):
    monkeypatch.setattr(judging, "run_apart", lambda *_: pytest.fail("begun"))
    assert take_turn(catalogue, "judge ahead", 60)
    assert not JudgingRounds(settings, catalogue).take_round()
    assert lacks_results(catalogue)


def test_what_cannot_be_worked_out_is_tried_again_after_the_next_change_alone(
    settings, catalogue, monkeypatch
):
    begun = []
    monkeypatch.setattr(judging, "take_turn", lambda *_: True)
    monkeypatch.setattr(judging, "run_apart", lambda *_: begun.append(1) or 0)
    rounds = JudgingRounds(settings, catalogue)
    assert [rounds.take_round() for _ in range(3)] == [True, False, False]
    delete_run(catalogue, next(iter(catalogue.runs())).run_id)
    assert rounds.take_round()
    assert len(begun) == 2
