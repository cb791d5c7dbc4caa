"""Searches in processes of their own: answers by question, one per user, cancelled, limited, watched."""

import os
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import DEFAULT, Mock

import numpy as np
import pytest

from analysis.allocators.problem import build_problem
from analysis.allocators.search import warm_up
from services.lab import beat
from services.lab import searches as module
from services.lab.searches import BusyError, Searches, Task
from services.lab.warm_process import WarmProcess
from services.run.placement_files import (
    ANSWER,
    TASK,
    read_json,
    read_problem,
    write_json,
    write_problem,
)
from services.run.placement_question import LabProblem, LabQuestion
from services.run.placements import LabPlacements
from tests.support.banks import events, shown
from tests.support.memory import block
from tests.support.numbers_in_text import numbers_in
from tests.support.placements import problem
from tests.support.waiting import wait_until

ENDLESS = 200_000_000
LONG = 600.0


@pytest.fixture(scope="module", autouse=True)
def compiled_once():
    """Let no search compile while the clock of a test runs."""
    warm_up(lambda _: None)


@pytest.fixture
def lab(tmp_path):
    """Searches that end by their effort or a cancel, however slow the machine is."""
    return Searches(tmp_path, LONG, 1500)


def posed(count=160):
    """Return blocks that exchanges in an order hardly ever settle."""
    random = np.random.default_rng(2)
    lives = [
        (at % 40, at % 40 + int(random.integers(2, 15)), int(random.integers(500, 40_000)))
        for at in range(count)
    ]
    return problem(
        [block(f"b{at}", start, end, size=size) for at, (start, end, size) in enumerate(lives)]
    )


def task(strategy="search", effort=50_000, room=None, capacity=None, **more):
    return Task(
        "run",
        LabQuestion(LabProblem("v", 0, capacity=capacity), strategy, 0, effort),
        posed(**more),
        room,
    )


def ended(lab, user="ann"):
    """Wait until the search of a user is over."""
    wait_until(lambda: lab.running(user) is None)


def told(lab, user="ann"):
    """Wait until a search has found something, and return how far it is."""
    return wait_until(
        lambda: (running := lab.running(user)) and running.extent is not None and running
    )


def children():
    """Return the processes that this one has."""
    lists = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for one in lists for pid in one.read_text().split()}


class TestAnswers:
    @pytest.mark.slow
    def test_equal_questions_have_equal_answers_and_others_are_kept_beside(self, lab):
        asked = task()
        lab.start("ann", [asked, task("best_fit")])
        ended(lab)
        first = {one.strategy: one for one in lab.placements.of(asked.question.problem)}
        assert set(first) == {"search", "best_fit"}
        assert first["search"].extent <= first["best_fit"].extent
        lab.start("bob", [asked])
        ended(lab, "bob")
        again = {one.strategy: one for one in lab.placements.of(asked.question.problem)}["search"]
        assert again.address.tolist() == first["search"].address.tolist()
        assert again.effort == first["search"].effort

    @pytest.mark.slow
    def test_another_problem_has_none(self, lab):
        lab.start("ann", [task("best_fit")])
        ended(lab)
        assert not lab.placements.of(LabProblem("v", 1))
        assert not lab.placements.of(LabProblem("w", 0))

    @pytest.mark.slow
    def test_what_cannot_fit_has_a_proof_and_no_placement(self, lab):
        asked = task(room=1, capacity=1)
        lab.start("ann", [asked])
        ended(lab)
        (answer,) = lab.placements.of(asked.question.problem)
        assert (answer.status, answer.proof, answer.address) == ("infeasible", "bound", None)

    @pytest.mark.slow
    def test_the_oldest_go_where_there_are_too_many(self, lab, monkeypatch):
        monkeypatch.setattr("services.run.placements.MAX_BYTES", 1)
        lab.start("ann", [task("best_fit")])
        ended(lab)
        assert not lab.placements.of(task().question.problem)

    def test_a_problem_without_answers_has_no_folder(self, tmp_path, monkeypatch):
        answers, asked = (
            LabPlacements(tmp_path),
            [LabQuestion(LabProblem("v", 0), name) for name in ("best_fit", "search")],
        )
        for one in asked:
            answers.keep(one, {})
        (folder,) = tmp_path.iterdir()
        monkeypatch.setattr("services.run.placements.MAX_BYTES", 1)
        answers.keep(LabQuestion(LabProblem("v", 1)), {})
        assert not folder.exists() and not list(tmp_path.iterdir())

    def test_a_folder_that_another_process_tidies_away_is_made_again(self, tmp_path, monkeypatch):
        def gone(path, _record):
            path.parent.rmdir()
            monkeypatch.undo()
            raise FileNotFoundError

        monkeypatch.setattr("services.run.placements.write_json", gone)
        LabPlacements(tmp_path).keep(task().question, {})
        assert list(tmp_path.glob("*/*.json"))

    def test_a_file_that_cannot_be_written_leaves_nothing(self, tmp_path):
        with pytest.raises(TypeError):
            write_json(tmp_path / "a.json", {"first": 1, "second": object()})
        assert not list(tmp_path.iterdir())

    def test_a_file_that_is_no_answer_is_passed_over(self, tmp_path):
        asked = LabProblem("v", 0)
        for name, text in {"a": "{", "b": "[]", "c": '{"address": null, "trace": []}'}.items():
            path = tmp_path / asked.key / f"{name}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        assert not LabPlacements(tmp_path).of(asked)


class TestRunning:
    @pytest.mark.slow
    def test_one_search_a_user_and_so_many_in_all(self, lab, monkeypatch):
        lab.start("ann", [task("hill_climb", ENDLESS)])
        with pytest.raises(BusyError) as own:
            lab.start("ann", [task()])
        assert numbers_in(str(own.value)) == []
        monkeypatch.setattr(module, "MAX_SEARCHES", 1)
        with pytest.raises(BusyError, match=r"\b1 searches\b"):
            lab.start("bob", [task()])
        lab.cancel("ann")
        ended(lab)

    @pytest.mark.slow
    def test_it_tells_how_far_it_is_and_stops_when_cancelled_with_what_it_has(self, lab):
        asked = task("hill_climb", ENDLESS)
        lab.start("ann", [asked, task("tetris_random")])
        running = told(lab)
        assert (running.strategy, running.rank, running.total) == ("hill_climb", 0, 2)
        assert running.key == asked.question.problem.key
        assert running.trace[-1].extent == running.extent
        lab.cancel("ann")
        ended(lab)
        (answer,) = lab.placements.of(asked.question.problem)
        assert answer.stopped == "cancelled"

    @pytest.mark.slow
    def test_the_next_search_may_begin_once_the_last_one_is_over(self, lab, monkeypatch):
        monkeypatch.setattr(module, "WarmProcess", Mock())
        monkeypatch.setattr(Searches, "_run_task", lambda *_: None)
        monkeypatch.setattr(module.shutil, "rmtree", lambda *_, **__: None)  # it takes for ever
        monkeypatch.setattr(module, "MAX_SEARCHES", 1)
        for _ in range(3):
            lab.start("ann", [task("best_fit")])
            ended(lab)

    @pytest.mark.slow
    def test_what_does_not_stop_is_killed(self, lab, monkeypatch):
        monkeypatch.setattr(module, "_GRACE_S", 0.0)
        # The process looks for the file of the usual name, so that it does not stop.
        monkeypatch.setattr(module, "STOP", "stop of the server alone")
        before = children()
        lab.start("ann", [task("hill_climb", ENDLESS)])
        lab.cancel("ann")
        ended(lab)
        assert children() <= before
        assert lab.failure("ann", task().question.problem.key)
        assert not lab.failure("ann", LabProblem("w", 0).key)

    @pytest.mark.slow
    def test_the_clock_ends_a_search_with_what_it_has(self, tmp_path):
        lab = Searches(tmp_path, 0.5, 1500)
        asked = task("hill_climb", ENDLESS)
        lab.start("ann", [asked])
        ended(lab)
        (answer,) = lab.placements.of(asked.question.problem)
        assert answer.stopped == "time"

    @pytest.mark.slow
    def test_too_little_memory_is_a_sentence(self, lab, tmp_path):
        folder = lab._claim_folder("ann")
        lab._describe(folder, [task("search")], 0)
        write_json(folder / TASK, read_json(folder / TASK) | {"memory_mb": 64})
        code = (
            "from pathlib import Path; from services.lab import child; "
            # No problem that may be searched needs as much.
            "child._solve = lambda *_: bytearray(2**30); "
            f"child.main(Path({str(folder)!r}))"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        assert "64 MiB" in read_json(folder / ANSWER)["failed"]

    @pytest.mark.slow
    def test_the_tasks_of_a_list_share_a_process(self, lab, monkeypatch):
        started = Mock(wraps=WarmProcess)
        monkeypatch.setattr(module, "WarmProcess", started)
        lab.start("ann", [task("best_fit"), task("first_fit"), task("search", 500)])
        ended(lab)
        assert started.call_count == 1
        assert len(lab.placements.of(task().question.problem)) == 3

    @pytest.mark.slow
    def test_a_killed_process_fails_its_task_and_not_the_next(self, lab, monkeypatch):
        kills = iter([True])

        class KilledOnce(WarmProcess):
            def begin(self, folder):
                if next(kills, False):
                    self.kill()
                super().begin(folder)

        monkeypatch.setattr(module, "WarmProcess", KilledOnce)
        lab.start("ann", [task("best_fit"), task("first_fit")])
        ended(lab)
        (placement,) = lab.placements.of(task().question.problem)
        assert placement.strategy == "first_fit"
        assert lab.failure("ann", task().question.problem.key).startswith("best_fit: ")

    @pytest.mark.slow
    def test_what_fails_unexpectedly_is_named_by_the_strategy_at_hand(self, lab, monkeypatch):
        monkeypatch.setattr(
            module, "write_problem", Mock(wraps=write_problem, side_effect=[DEFAULT, OSError])
        )
        lab.start("ann", [task("best_fit"), task("first_fit")])
        ended(lab)
        assert lab.failure("ann", task().question.problem.key).startswith("first_fit: ")

    def test_a_search_that_nobody_looks_after_makes_room(self, lab, monkeypatch):
        folder = lab._claim_folder("ann")
        monkeypatch.setattr(beat, "_STALE_S", -1.0)
        assert lab.running("ann") is None
        assert lab._claim_folder("ann") == folder

    def test_a_folder_that_was_made_this_moment_is_left_alone(self, lab):
        folder = lab._of("ann")
        folder.mkdir(parents=True)
        lab._claim_folder("bob")
        assert folder.is_dir()
        long_ago = time.time() - 10 * beat._STALE_S
        os.utime(folder, (long_ago, long_ago))
        lab._claim_folder("cid")
        assert not folder.exists()


def test_a_problem_comes_back_from_its_file(tmp_path):
    asked = posed(count=5)
    write_problem(tmp_path, asked)
    found = read_problem(tmp_path)
    assert found.demand.size.tolist() == asked.demand.size.tolist()
    assert (found.block.tolist(), found.label, found.capacity) == (
        asked.block.tolist(),
        asked.label,
        asked.capacity,
    )
    assert found.pairs is None


def test_pairs_and_banks_come_back_from_their_file(tmp_path):
    rows = [block("out", 1, 3, size=60), block("next", 1, 4, size=50), block("in", 0, 2, size=7)]
    asked = build_problem(shown(*rows), None, events((1, "layer", "out"), (1, "gdma", "next")))
    write_problem(tmp_path, asked)
    found = read_problem(tmp_path).pairs
    assert found.banks == asked.pairs.banks
    assert (found.one.tolist(), found.other.tolist()) == (
        asked.pairs.one.tolist(),
        asked.pairs.other.tolist(),
    )
    assert (
        found.conflicts(np.zeros(3, dtype=np.int64))
        == asked.pairs.conflicts(np.zeros(3, dtype=np.int64))
        == 2
    )
