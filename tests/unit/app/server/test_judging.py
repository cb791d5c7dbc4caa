"""Verdicts that a server computes in advance, in a forked process."""

import os
import signal
from functools import partial
from multiprocessing.connection import Pipe
from pathlib import Path

import pytest

from app.server import judging, judging_process
from app.server.judging import JudgingRounds, create_template
from app.server.judging_process import StoreJudging
from ingest.files import ingest
from services.comparison import run_cache
from services.comparison.compared_runs import compared_run
from services.status.rules import set_rule
from services.trends.judge_ahead import lacks_results
from storage.rules import Rule
from storage.turns import take_turn
from tests.support.runs import delete_run
from tests.support.solved_runs import put_run
from tests.support.waiting import wait_until


@pytest.fixture
def template(settings):
    """A template for judging, forked before a test opens the store."""
    template = create_template(settings)
    yield template
    template.close()


@pytest.fixture
def repository(template, settings):
    """A store with a rule, opened after its template was forked."""
    repository = settings.repository()
    set_rule(repository, Rule("nightly", 3), "me")
    yield repository
    repository.catalogue.close()


@pytest.fixture
def catalogue(repository, samples):
    """A store with a run and a rule without a verdict about it."""
    ingest(repository, [samples / "minimalloc"], {})
    return repository.catalogue


@pytest.fixture
def ingest_day(repository, tmp_path):
    """Ingest a solved problem of a day, of the same key each time; return its run id."""
    return partial(put_run, repository, tmp_path)


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


@pytest.mark.slow
def test_a_process_serves_several_rounds(catalogue, template, rounds, ingest_day, monkeypatch):
    forked = []
    fork = template.fork
    monkeypatch.setattr(judging, "take_turn", lambda *_: True)
    monkeypatch.setattr(template, "fork", lambda: forked.append(1) or fork())
    for day in (1, 2):
        ingest_day(day)
        assert rounds.take_round()
        assert not lacks_results(catalogue)
    assert len(forked) == 1


@pytest.mark.slow
def test_a_round_loads_only_the_runs_that_no_round_before_has_loaded(
    settings, ingest_day, monkeypatch
):
    loaded = []

    def load(repository, run_id, given):
        loaded.append(run_id)
        return compared_run(repository, run_id, given)

    monkeypatch.setattr(run_cache, "compared_run", load)
    store = StoreJudging(settings)
    for days in ((1, 2, 3, 4), (5,), (6, 7)):
        new = [ingest_day(day) for day in days]
        loaded.clear()
        assert store.take_round()
        store.drop_runs()
        assert sorted(loaded) == sorted(new)
    store.close()


@pytest.mark.slow
def test_runs_beyond_the_limit_do_not_stay_in_memory(settings, ingest_day, monkeypatch):
    monkeypatch.setattr(judging_process, "_KEPT_BYTES", 1_000)
    store = StoreJudging(settings)
    for day in (1, 2, 3):
        ingest_day(day)
    assert store.take_round()
    assert store.held_bytes > 1_000
    store.drop_runs()
    assert store.held_bytes <= 1_000
    store.close()


@pytest.mark.slow
def test_runs_of_earlier_comparisons_do_not_stay_until_the_end_of_a_round(
    settings, ingest_day, monkeypatch
):
    monkeypatch.setattr(judging_process, "_KEPT_BYTES", 1_000)
    monkeypatch.setattr(judging_process, "_ROOM_FOR_RUNS", 2)
    store = StoreJudging(settings)
    held = []
    for days in ((1, 2), range(3, 9)):
        for day in days:
            ingest_day(day)
        assert store.take_round()
        held.append(store.held_bytes)
    # The frames of a run are cached next to it.
    assert held[1] < 2 * held[0]
    store.close()


@pytest.mark.slow
def test_a_process_that_has_grown_ends_and_the_next_round_has_another(
    settings, samples, monkeypatch
):
    monkeypatch.setattr(judging_process, "_MAX_GROWTH_BYTES", -(2**40))
    monkeypatch.setattr(judging, "take_turn", lambda *_: True)
    template = create_template(settings)
    pids = []
    fork = template.fork

    def note():
        pid, connection = fork()
        pids.append(pid)
        return pid, connection

    monkeypatch.setattr(template, "fork", note)
    repository = settings.repository()
    rounds = JudgingRounds(repository.catalogue, template)
    for hwid in ("a", "b"):
        ingest(repository, [samples / "minimalloc"], {"hwid": hwid})
        set_rule(repository, Rule(f"of {hwid}", 3, hwid=hwid), "me")
        assert rounds.take_round()
        assert not lacks_results(repository.catalogue)
        wait_until(lambda: not Path(f"/proc/{pids[-1]}").exists())
    assert len(set(pids)) == 2
    repository.catalogue.close()
    template.close()


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
