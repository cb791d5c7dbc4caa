"""The waterfall as a view: what it is drawn of, and where a click on a loss leads."""

import json
import re
from functools import partial

import pytest

from analysis.aie.waterfall import GAPS, LOSSES, STALLS_INSIDE, START
from app.config.settings import Settings
from app.views.aie.waterfall import step_clicked, waterfall_panel
from app.views.registry import RUN, parse
from app.views.state import RunState
from components.numbers import gmacs
from ingest.files import ingest
from services.run import capture_results as runs
from services.run.data_cache import RunDataCache
from storage.frame_bytes import frame_bytes
from tests.support.gemm_trace import Core, entries
from tests.support.gemm_trace import settings as gemm
from tests.support.read_once import read_once

BLANK = RunState()
LATE = "core 3,0"


def click(step):
    return {"points": [{"customdata": [step]}]}


@pytest.fixture
def read_new(tmp_path):
    """Return a reader of a capture that no other test reads."""
    return partial(read_capture, tmp_path)


@pytest.fixture(scope="module")
def two_cores(tmp_path_factory):
    """Return a reader of a capture, which reads it once for each method and settings."""
    return read_once(read_capture, tmp_path_factory)


def read_capture(folder, method="robust", **changed):
    """Ingest a capture into a new repository and return the data of its page.

    The second core starts 100 ticks late, stalls in kernels, and waits in gaps.
    """
    first, second = Core("2,0").run(4), Core("3,0", now=101).run(4, gap=30, pause=4_840)
    for start, _ in [kernel for iteration in second.ran for kernel in iteration]:
        second.span("MEMORY_STALL", start + 10, start + 40)
    path = folder / "late.json"
    path.write_text(json.dumps(entries(first, second)))
    repository = Settings(data=folder / "data").repository()
    run = ingest(repository, [path], gemm(2, **changed)).runs[0]
    return RunDataCache(repository).get(run.run_id, method, {})


def losses(panel):
    return panel.figure.data[1]


@pytest.mark.slow
def test_captures_have_it_and_it_ends_at_the_headline(two_cores):
    data = two_cores()
    assert "waterfall" in {view.id for view in RUN.available_plots(data)}
    panel = waterfall_panel(data, BLANK, "light")
    assert panel.figure.data[0].x[1] == pytest.approx(data.headline["gmacs_mean"])
    assert panel.caption.startswith(gmacs(data.headline["gmacs_mean"]))


def test_it_is_of_the_selected_tile_and_iteration(two_cores):
    data = two_cores()
    whole, tile, one = (
        losses(waterfall_panel(data, state, "light")).x[LOSSES.index(STALLS_INSIDE)]
        for state in (
            BLANK,
            parse("track=core+2,0"),
            parse(f"track={LATE.replace(' ', '+')}&iteration=2"),
        )
    )
    assert tile == 0 < whole
    assert one == pytest.approx(whole)  # half of the cores, half of the peak


@pytest.mark.parametrize(
    ("step", "query"),
    [
        (STALLS_INSIDE, "track=core+3,0&share=inside"),
        (GAPS, "track=core+3,0&share=outside"),
        (START, "track=core+3,0&iteration=1"),
    ],
)
def test_a_click_leads_to_the_tile_that_loses_most(two_cores, step, query):
    state = step_clicked(BLANK, two_cores(), click(step))
    assert state.query() == query
    assert parse(query) == state


def test_a_click_stays_on_what_is_selected(two_cores):
    data, state = two_cores(), parse("track=core+2,0&iteration=2")
    assert step_clicked(state, data, click(GAPS)).selection == state.selection
    assert step_clicked(state, data, click(STALLS_INSIDE)) == state  # that tile has none


@pytest.mark.parametrize(
    "nothing", [None, {}, {"points": [{}]}, click("peak"), click("other_kernels")]
)
def test_a_click_on_nothing_changes_nothing(two_cores, nothing):
    assert step_clicked(BLANK, two_cores(), nothing) == BLANK


@pytest.mark.slow
def test_without_work_the_missing_settings_are_named(two_cores):
    panel = waterfall_panel(two_cores(M=None, m=None), BLANK, "light")
    assert {"m", "Settings"} <= {*re.findall(r"\w+", panel.caption)}
    assert losses(panel).x[LOSSES.index(GAPS)] > 0


@pytest.mark.slow
def test_the_other_method_has_no_losses_of_its_own(two_cores):
    panel = waterfall_panel(two_cores("reference"), parse("method=reference"), "light")
    assert not panel.figure.data
    assert "robust" in panel.caption


@pytest.mark.slow
def test_parts_are_made_once_for_a_run_and_their_bytes_are_counted(read_new, monkeypatch):
    # as of a run that was ingested before paces were stored
    monkeypatch.setattr(runs, "PACE_VERSION", "older")
    before, made = runs.iteration_times, []
    monkeypatch.setattr(runs, "iteration_times", lambda *frames: made.append(1) or before(*frames))
    data = read_new()
    for state in (BLANK, parse("track=core+2,0"), parse("iteration=1")):
        waterfall_panel(data, state, "dark")
        step_clicked(state, data, click(START))
    assert len(made) == 1
    own = [data.kernels, data.iterations, data.activity, data.stalls, data.memory.attempts]
    assert data.bytes >= sum(map(frame_bytes, own)) + frame_bytes(data.iteration_parts)
