"""Verdicts that a server computes in advance, in a forked process."""

import os
import signal
from multiprocessing.connection import Pipe

import pytest

from app.server import judging
from app.server.judging import JudgingRounds, create_template
from ingest.files import ingest
from services.status.rules import set_rule
from services.trends.judge_ahead import lacks_results
from storage.rules import Rule
from storage.turns import take_turn
from tests.support.runs import delete_run


@pytest.fixture
def template(settings):
    """A template for judging, forked before a test opens the store."""
    template = create_template(settings)
    yield template
    template.close()


@pytest.fixture
def catalogue(template, settings, samples):
    """A store with a run and a rule whose verdict is missing."""
    repository = settings.repository()
    ingest(repository, [samples / "minimalloc"], {})
    set_rule(repository, Rule("nightly", 3), "me")
    yield repository.catalogue
    repository.catalogue.close()


@pytest.fixture
def rounds(catalogue, template):
    """The rounds of a server of the store."""
    return JudgingRounds(catalogue, template)


def test_missing_verdicts_are_computed_once(catalogue, rounds):
    assert rounds.take_round()
    assert not lacks_results(catalogue)
    assert not rounds.take_round()


def test_no_verdict_is_computed_while_another_server_computes_them(catalogue, rounds, monkeypatch):
    monkeypatch.setattr(JudgingRounds, "_judge", lambda _: pytest.fail("begun"))
    assert take_turn(catalogue, "judge ahead", 60)
    assert not rounds.take_round()
    assert lacks_results(catalogue)


def test_verdicts_that_cannot_be_computed_are_tried_again_after_the_next_change(
    catalogue, rounds, monkeypatch
):
    begun = []
    monkeypatch.setattr(judging, "take_turn", lambda *_: True)
    monkeypatch.setattr(JudgingRounds, "_judge", lambda _: begun.append(1) or True)
    assert [rounds.take_round() for _ in range(3)] == [True, False, False]
    delete_run(catalogue, next(iter(catalogue.runs())).run_id)
    assert rounds.take_round()
    assert len(begun) == 2


def test_the_verdicts_of_a_process_that_was_killed_are_computed_by_the_next(
    catalogue, template, rounds, monkeypatch
):
    monkeypatch.setattr(judging, "take_turn", lambda *_: True)
    ours, theirs = Pipe()
    theirs.close()  # as the end of a process that was killed closes it
    monkeypatch.setattr(template, "fork", lambda: (0, ours))
    assert rounds.take_round()
    assert lacks_results(catalogue)
    monkeypatch.undo()
    monkeypatch.setattr(judging, "take_turn", lambda *_: True)
    assert rounds.take_round()
    assert not lacks_results(catalogue)


def test_a_server_whose_template_is_gone_is_replaced(catalogue, template, rounds, monkeypatch):
    ended = []
    monkeypatch.setattr(judging.os, "kill", lambda *given: ended.append(given))
    template.close()
    rounds.take_round()
    assert ended == [(os.getpid(), signal.SIGTERM)]
