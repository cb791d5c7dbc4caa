"""Who sets the pace, as views: limiters, bars of the tiles, and the first sentence of the page."""

import json
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from app.config.settings import Settings
from app.views.aie.pace import (
    LIMITERS,
    limiters_part,
    limiters_tables,
    tile_times_panel,
    tile_times_tables,
)
from app.views.aie.panels import floorplan_panel
from app.views.registry import RUN, parse
from app.views.run_words import first_sentence
from app.views.state import RunState
from components.aie.pace import NO_PACE
from components.aie.tile_bars import shown_tiles
from components.numbers import integer
from ingest.files import ingest
from services.run import capture_results as runs
from services.run.data_cache import RunDataCache
from tests.support.gemm_trace import entries
from tests.support.numbers_in_text import has_numbers, numbers_in
from tests.support.paced_trace import array_cores, array_settings, grid_cores, grid_settings
from tests.support.read_once import read_once

BLANK = RunState()


@pytest.fixture
def read_new(tmp_path):
    """Return a reader of a capture that no other test reads."""
    return partial(read_capture, tmp_path)


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Return a reader of captures in which something is planted; each is read once."""
    return read_once(read_capture, tmp_path_factory)


@pytest.fixture(scope="module")
def read_grid(tmp_path_factory):
    """Return a reader of captures of cores that share blocks by row and column; each is read once."""
    return read_once(
        partial(read_capture, cores=grid_cores, metadata=grid_settings), tmp_path_factory
    )


def read_capture(folder, method="robust", *, cores=array_cores, metadata=array_settings, **planted):
    """Ingest a capture into a new repository and return the data of its page."""
    path = folder / "trace.json"
    path.write_text(json.dumps(entries(*cores(**planted))))
    repository = Settings(data=folder / "data").repository()
    run = ingest(repository, [path], metadata()).runs[0]
    return RunDataCache(repository).get(run.run_id, method, {})


def buttons(component):
    """Return the ids of the links in a part of a page."""
    return [
        found.id for found in component._traverse() if isinstance(getattr(found, "id", None), dict)
    ]


@pytest.mark.slow
def test_the_views_lead_the_page_of_a_capture(read):
    data = read(longer={"3,1": 60})
    assert [view.id for view in RUN.available_views(data)][:2] == ["pace", "limiters"]
    assert first_sentence(data, BLANK).lower().startswith(data.pace.sentence.lower()[:20])


@pytest.mark.slow
def test_a_limiter_leads_to_its_tile_or_iteration(read):
    data = read(longer={"3,1": 60}, odd=2)
    links = buttons(limiters_part(data, BLANK).body)
    states = [LIMITERS.links[0].step(BLANK, data, named) for named in links]
    assert len({json.dumps(named, sort_keys=True) for named in links}) == len(data.pace.limiters)
    for state, limiter in zip(states, data.pace.limiters, strict=True):
        assert (state.selection.track, state.selection.iteration) == (
            limiter.track,
            limiter.iteration,
        )
    assert {limiter.iteration for limiter in data.pace.limiters} == {None, 2}


@pytest.mark.slow
def test_what_all_cores_have_leads_nowhere(read):
    data = read(stalled=dict.fromkeys(("2,1", "3,1", "2,2", "3,2"), 60))
    part = limiters_part(data, BLANK)
    assert [limiter.where for limiter in data.pace.limiters] == ["all cores"]
    assert buttons(part.body) == []


def test_bars_of_a_tile_sum_to_the_iteration_and_are_sorted_by_slack(read):
    data = read(longer={"3,1": 60})
    panel = tile_times_panel(data, parse("track=core+2,1"), "dark")
    sums = np.sum([trace.x for trace in panel.figure.data], axis=0)
    assert sums == pytest.approx(np.full(4, data.pace.elapsed), rel=0.003)
    assert panel.figure.data[0].customdata[:, 0].tolist()[0] == "core 3,1"
    assert shown_tiles(data.pace, BLANK.selection)["slack"].is_monotonic_increasing


@pytest.mark.slow
def test_waiting_is_drawn_by_the_core_that_is_waited_for(read_grid):
    data = read_grid(longer={"3,1": 80})
    panel = tile_times_panel(data, BLANK, "dark")
    bars = {
        trace.name: dict(zip(trace.customdata[:, 0], trace.x, strict=True))
        for trace in panel.figure.data
    }
    assert bars["waiting for core 3,1"] == pytest.approx(
        {core: waits.get("core 3,1", 0) for core, waits in data.pace.waits.items()}
    )
    sums = np.sum([trace.x for trace in panel.figure.data], axis=0)
    assert sums == pytest.approx(np.full(4, data.pace.elapsed), rel=0.003)


def test_a_selected_tile_links_to_the_core_that_it_waits_for(read_grid):
    data = read_grid(longer={"3,1": 80})
    caption = tile_times_panel(data, parse("track=core+2,2"), "dark").caption
    waits = round(data.pace.waits["core 2,2"]["core 3,1"])
    assert str(caption).startswith("core 2,2 ")
    assert has_numbers(str(caption), "2", "2", "3", "1", *numbers_in(f"{integer(waits)} cycles"))
    assert ("track", "core 3,1") in [(jump.part, jump.value) for jump in caption.jumps]
    assert "waits for" not in str(tile_times_panel(data, parse("track=core+3,1"), "dark").caption)


def test_the_floor_plan_shows_who_waits_for_the_core_that_sets_the_pace(read_grid):
    data = read_grid(longer={"3,1": 80})
    panel = floorplan_panel(data, parse("tile_metric=waits_for"), "light")
    first, *_, culprit = panel.figure.data
    assert set(first.customdata[:, 0]) == {"core 2,1", "core 2,2", "core 3,2"}
    assert culprit.customdata[:, 0].tolist() == ["core 3,1"]
    assert culprit.text.tolist() == ["kernels"]
    assert has_numbers(str(panel.caption), "3", "1")


@pytest.mark.slow
def test_the_floor_plan_marks_all_cores_of_a_late_column(read_grid):
    data = read_grid(late_column=800)
    assert data.pace.limiters[0].where == "column 2"
    panel = floorplan_panel(data, parse("tile_metric=waits_for"), "light")
    first, *_, culprits = panel.figure.data
    assert culprits.customdata[:, 0].tolist() == ["core 2,2", "core 3,2"]
    assert culprits.text.tolist() == ["lock stall"] * 2
    shares = {core: sum(waits.values()) for core, waits in data.pace.waits.items()}
    waiting = {core: share for core, share in shares.items() if core.endswith(",1")}
    assert data.pace.shares_waited(["core 2,2", "core 3,2"]) == pytest.approx(
        {core: cycles / data.pace.elapsed for core, cycles in waiting.items()}
    )
    assert {*first.customdata[:, 0]} >= {*waiting}


def test_snapshots_have_both_as_text(read):
    data = read(longer={"3,1": 60})
    assert len(limiters_tables(data, BLANK)[0].rows) == len(data.pace.limiters)
    assert len(tile_times_tables(data, BLANK)[0].rows) == 4


@pytest.mark.slow
def test_a_quiet_capture_says_so_and_lists_nothing(read):
    data = read()
    assert limiters_part(data, BLANK).body is None
    assert limiters_tables(data, BLANK) == []
    assert first_sentence(data, BLANK)


@pytest.mark.slow
def test_the_other_method_states_no_pace(read):
    data, state = read("reference", longer={"3,1": 60}), parse("method=reference")
    assert not tile_times_panel(data, state, "light").figure.data
    assert limiters_part(data, state).body is None
    assert first_sentence(data, state) == ""


@pytest.mark.slow
def test_a_pace_is_computed_once_for_a_run(read_new, monkeypatch):
    # as of a run that was ingested before paces were stored
    monkeypatch.setattr(runs, "PACE_VERSION", "older")
    data, found, before = read_new(longer={"3,1": 60}), [], runs.compute_pace
    monkeypatch.setattr(runs, "compute_pace", lambda *given: found.append(1) or before(*given))
    for query in ("", "track=core+2,0", "iteration=1"):
        limiters_part(data, parse(query))
        tile_times_panel(data, parse(query), "light")
    assert len(found) == 1


def test_the_legend_stays_above_the_first_tile_at_any_width(read):
    layout = tile_times_panel(read(longer={"3,1": 60}), BLANK, "dark").figure.layout
    assert (layout["legend"]["yref"], layout["legend"]["y"], layout["legend"]["yanchor"]) == (
        "container",
        1,
        "top",
    )


def test_without_a_pace_the_limiters_are_unknown_and_not_none():
    part = limiters_part(SimpleNamespace(pace=None), RunState())
    assert part.body is None
    assert part.caption == NO_PACE
