"""Snapshots of graphs at ingest: made in a process of their own, stored, used by the page, bounded."""

import pytest

from ingest import graph_snapshots
from ingest.files import ingest
from services.program.data import Compilers
from services.run.data_cache import RunDataCache
from tests.support import hostile_graphs
from tests.support.profile_data import write_capture

LAST = 3
"""The context that a hostile capture adds."""


@pytest.fixture
def taken(repository, tmp_path):
    """Take a capture in and return its run and its graphs."""

    def take(maker):
        run = ingest(repository, [write_capture(tmp_path / "capture", maker)], {}).runs[0]
        compilers = Compilers(repository, RunDataCache(repository))
        return repository.find_run(run.run_id), compilers.get(run.run_id).program

    return take


def findings(repository, stored):
    return set(repository.frame(stored.run_id, "diagnostics")["code"])


@pytest.mark.slow
def test_a_state_deep_in_a_long_step_is_near_a_snapshot(taken, repository):
    stored, program = taken(hostile_graphs.chain(depth=1000, matches=100, steps=1))
    assert stored.frames["graph_snapshots"] > 0
    assert "graph_snapshots_left_out" not in findings(repository, stored)
    state = program.state(LAST, 0, 100)
    assert (len(state.order), state.error) == (1001, "")
    assert program._replays[LAST, 0].rewritten < 45_000


def test_steps_beyond_what_is_made_are_told_and_their_states_bounded(
    taken, repository, monkeypatch
):
    monkeypatch.setattr("analysis.program.rewriting.MAX_MADE", 5_000)
    monkeypatch.setattr(graph_snapshots, "_CLOCK_S", 0.05)
    stored, program = taken(hostile_graphs.chain(depth=1000, matches=100, steps=1))
    assert "graph_snapshots" not in stored.frames
    assert "graph_snapshots_left_out" in findings(repository, stored)
    assert program.state(LAST, 0, 3).error == ""
    assert program.state(LAST, 0, 100).error


@pytest.mark.slow
def test_what_goes_in_circles_has_no_snapshots_and_its_run_is_whole(taken):
    _, program = taken(hostile_graphs.cyclic(matches=4000))
    assert program.state(LAST, 0, 2).error


def test_short_captures_start_no_process(taken, monkeypatch):
    monkeypatch.setattr(graph_snapshots, "run_isolated", None)
    stored, _ = taken(hostile_graphs.ladder(height=20))
    assert "graph_snapshots" not in stored.frames


@pytest.mark.slow
def test_what_is_kept_is_counted_as_it_grows(taken, repository):
    _, program = taken(hostile_graphs.chain(depth=1000, matches=100, steps=1))
    before = program.bytes
    for match in range(20):
        program.state(LAST, 0, match)
    assert program.bytes > before + 20 * 1000 * 100
