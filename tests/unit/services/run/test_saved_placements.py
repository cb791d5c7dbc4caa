"""Kept answers stand beside the file's attempts, change nothing of them, and fit as long as the problem is the same."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from analysis.memory.selection import MemorySelection
from app.views.lab.state import LabState
from ingest.files import ingest
from schema.choices import METHODS, PLACED
from schema.memory import SAVED_RANK_BASE
from services.baselines.baselines import set_baseline
from services.gate.gate import check
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.data_cache import RunDataCache
from services.run.frames import find_frame
from services.run.minimalloc import problem_text
from services.run.saved_placements import (
    MAX_SAVED,
    SaveError,
    fit_placement,
    remove_placement,
    save_placement,
)
from storage.audit import Audit
from storage.errors import FrameNotFound
from storage.saved_placements import SavedPlacements
from tests.support.kept import found, keep, new_answer

FIRST = SAVED_RANK_BASE + 1
FILE = "solved.1024.csv"
SOLVED = "id,lower,upper,size,offset\na,0,4,10,90\nb,0,4,6,0\nc,4,9,8,20\n"


@pytest.fixture
def run_id(context, tmp_path):
    return ingested(context, tmp_path)


def ingested(context, folder, name=FILE, **settings):
    (folder / name).write_text(SOLVED)
    return ingest(context.repository, [folder / name], settings).runs[0].run_id


def shown(context, run_id):
    return context.data.with_saved(run_id, METHODS[0], {})


def of_the_file(context, run_id):
    """Return everything that is to be the file's alone, as text."""
    data = context.data.get(run_id, METHODS[0], {})
    names = [name for name in data.frames if name != "run"]
    frames = [find_frame(context.repository, run_id, name).to_csv() for name in names]
    verdict = check(context.repository, [run_id], "main", {}).record()
    stored = context.repository.find_run(run_id)
    return repr(
        [
            frames,
            data.headline,
            data.diagnostics.to_csv(),
            data.memory.attempts.to_csv(),
            verdict,
            stored,
        ]
    )


@pytest.mark.slow
def test_a_kept_answer_is_an_attempt_beside_the_files(context, run_id):
    keep(context, run_id, title="by size")
    data = shown(context, run_id)
    assert data.memory.listed_attempts["attempt"].tolist() == [0, FIRST]
    assert data.can(Capability.SEVERAL_ATTEMPTS)
    kept, own = (
        data.memory.shown_map(MemorySelection(attempt=number), PLACED) for number in (FIRST, 0)
    )
    assert (kept.label, kept.number, kept.whole("extent"), own.whole("extent")) == (
        "kept 1",
        FIRST,
        16,
        100,
    )
    assert kept.attempt["strategy"] == "lab: best_fit"
    assert set(kept.blocks["attempt"]) == {FIRST}
    assert (data.memory.base(FIRST), data.memory.base(0)) == (0, 0)
    assert data.memory.number(MemorySelection()) == 0, "what a page shows first is the file's"
    assert data.memory.against(MemorySelection(attempt=0, against=FIRST), PLACED).number == FIRST


@pytest.mark.slow
def test_kept_answers_hold_nothing_of_a_run_that_left_memory(context, run_id, monkeypatch):
    keep(context, run_id)
    monkeypatch.setattr(RunData, "bytes", 2**60)
    cache = RunDataCache(context.repository)
    left = weakref.ref(cache.with_saved(run_id, METHODS[0], {}).profile)
    gc.collect()
    assert left() is None
    data = cache.with_saved(run_id, METHODS[0], {})
    kept = data.memory.shown_map(MemorySelection(attempt=FIRST), PLACED)
    assert not np.shares_memory(
        kept.blocks["size"].to_numpy(), data.memory.allocations["size"].to_numpy()
    )


@pytest.mark.slow
def test_nothing_of_the_file_changes(context, run_id, tmp_path):
    other = ingested(context, tmp_path, "other.1024.csv", tags="x")
    set_baseline(context.repository, "main", [other], user="me")
    before = of_the_file(context, run_id)
    keep(context, run_id)
    assert of_the_file(context, run_id) == before
    data, file = shown(context, run_id), context.data.get(run_id, METHODS[0], {})
    assert (data.headline, data.diagnostics is file.diagnostics) == (file.headline, True)
    assert data.memory.attempts.equals(file.memory.attempts)


@pytest.mark.slow
def test_answers_of_the_lab_stay_and_the_page_is_told(context, run_id):
    asked = LabState().lab_problem
    before, problem = (
        context.lab.version(run_id, asked, None),
        context.lab.problem(run_id, asked, 0),
    )
    seen = context.data.shown_version(run_id)
    keep(context, run_id)
    assert context.lab.problem(run_id, asked, 0) == problem, "answers go by the problem"
    assert context.lab.version(run_id, asked, None) != before
    assert context.data.shown_version(run_id) != seen


@pytest.mark.slow
def test_what_is_kept_is_the_answer_to_its_question_wherever_the_labs_own_are(context, run_id):
    kept = keep(context, run_id, LabState(capacity=500))
    data = context.lab.get(run_id, LabState(capacity=500).lab_problem, None, "bob")
    (answer,) = data.placements
    assert (answer.strategy, answer.extent, answer.address.tolist()) == (
        "best_fit",
        16,
        kept.addresses,
    )
    assert data.saved_form(answer).label == "kept 1"
    assert context.lab.get(run_id, LabState().lab_problem, None, "bob").placements == ()


@pytest.mark.slow
def test_an_answer_to_changed_blocks_is_of_them(context, run_id):
    state = LabState(dropped=(1,), sizes=((0, 64),), alignment=32)
    keep(context, run_id, state)
    amap = shown(context, run_id).memory.shown_map(MemorySelection(attempt=FIRST), PLACED)
    assert amap.blocks["block"].tolist() == [0, 2]
    assert amap.blocks["size"].tolist() == [64, 8]
    assert amap.attempt["align_bytes"] == 32
    text = problem_text(context.data, run_id, FIRST, solution=True)
    assert text.splitlines() == [
        "id,lower,upper,size,alignment,offset",
        "a,0,4,64,32,0",
        "c,4,9,8,32,0",
    ]


def test_it_is_taken_off_and_its_number_is_nobodys(context, run_id):
    keep(context, run_id)
    assert remove_placement(context.repository.catalogue, run_id, 1, "bob")
    assert not remove_placement(context.repository.catalogue, run_id, 1, "bob")
    assert shown(context, run_id).memory.listed_attempts["attempt"].tolist() == [0]
    with pytest.raises(FrameNotFound):
        problem_text(context.data, run_id, FIRST, solution=True)
    log = [
        (one.user, one.action, one.object, one.detail)
        for one in Audit(context.repository.catalogue).entries()
    ]
    assert log == [
        ("bob", "answer.remove", run_id, "1"),
        ("ann", "answer.keep", run_id, "1: best_fit"),
    ]


@pytest.mark.parametrize("title", ["x" * 101, "a\u202eb", "a\0b"])
def test_a_title_that_is_none_is_refused(context, run_id, title):
    with pytest.raises(SaveError, match="title"):
        keep(context, run_id, title=title)


def test_what_has_no_placement_is_not_kept(context, run_id):
    one = found(context, run_id)
    none = replace(one, answer=replace(one.answer, address=None))
    with pytest.raises(SaveError, match="placement"):
        save_placement(context.repository.catalogue, run_id, none, "", "ann")


@pytest.mark.slow
def test_a_run_keeps_so_many(context, run_id):
    for _ in range(MAX_SAVED):
        keep(context, run_id)
    with pytest.raises(SaveError, match=str(MAX_SAVED)):
        keep(context, run_id)


class TestFit:
    @pytest.mark.slow
    def test_a_run_that_is_ingested_again_keeps_what_is_of_the_same_problem(
        self, context, run_id, tmp_path
    ):
        keep(context, run_id)
        before = context.repository.version(run_id)
        assert ingested(context, tmp_path, capacity="2048") == run_id
        assert context.repository.version(run_id) != before
        data = shown(context, run_id)
        assert data.memory.saved[0].reason == ""
        assert (
            data.memory.shown_map(MemorySelection(attempt=FIRST), PLACED).whole("capacity") == 2048
        )
        assert len(context.lab.get(run_id, LabState().lab_problem, None, "bob").placements) == 1

    @pytest.mark.quick_every(3)
    @pytest.mark.parametrize("column", ["size", "end", "block"])
    def test_what_is_of_other_blocks_is_not_drawn_but_named(self, context, run_id, column):
        row = keep(context, run_id)
        index = context.data.get(run_id, METHODS[0], {}).memory.index
        own = index.map(0)
        blocks = own.blocks.assign(**{column: own.blocks[column] + 1})
        kept = fit_placement(
            row, {0: replace(own, blocks=blocks, segments=own.segments)}.__getitem__
        )
        assert (kept.amap, kept.asked.attempt) == (None, 0)
        assert "other blocks now" in kept.reason
        gone = fit_placement(row, {}.__getitem__)
        assert (gone.amap, gone.reason) == (None, kept.reason)

    @pytest.mark.quick_every(7)
    @pytest.mark.parametrize(
        "changed",
        [
            {"addresses": [0]},
            {"addresses": [-1, 0, 0]},
            {"addresses": ["a", 0, 0]},
            {"addresses": [2**70, 0, 0]},
            {"question": {}},
            {"question": None},
            {"question": [1]},
            {"question": {"attempt": 0, "changes": None, "fixed": [], "capacity": None}},
            {"question": {"attempt": 0, "changes": [], "fixed": [], "capacity": None}},
            {"question": {"attempt": 0, "changes": {"folded": [1]}, "fixed": [], "capacity": None}},
            {"question": {"attempt": 0, "changes": {"sizes": [7]}, "fixed": [], "capacity": None}},
            {"question": {"attempt": "x", "changes": {}, "fixed": [], "capacity": None}},
            {"question": {"attempt": 0, "changes": {}, "fixed": ["ab"], "capacity": None}},
            {"question": {"attempt": 0, "changes": {}, "fixed": [], "capacity": "much"}},
            {"answer": {}},
            {"answer": {"extent": "x"}},
            {"problem": "0" * 64},
        ],
    )
    def test_a_row_that_cannot_be_right_costs_no_page(self, context, run_id, changed):
        good = keep(context, run_id)
        given = {
            "question": good.question,
            "problem": good.problem,
            "answer": good.answer,
            "addresses": good.addresses,
        }
        given |= changed
        if changed.get("answer"):
            given["answer"] = {**good.answer, **changed["answer"]}
        SavedPlacements(context.repository.catalogue).add(run_id, new_answer(**given), "eve", 9)
        data = shown(context, run_id)
        assert data.memory.listed_attempts["attempt"].tolist() == [0, FIRST]
        assert data.memory.saved[1].amap is None
        assert data.memory.saved[1].reason

    def test_a_question_that_is_no_json_costs_no_page(self, context, run_id):
        keep(context, run_id)
        with context.repository.catalogue.begin() as connection:
            connection.exec_driver_sql("UPDATE kept_answers SET question = '{nope'")
        assert shown(context, run_id).memory.saved[0].reason
