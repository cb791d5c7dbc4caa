"""One coupled capture: every view, file and tool gives the same limiters and times."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from analysis.aie.iterations import measured_iterations
from analysis.aie.waterfall import WAITING, waterfall
from analysis.comparison.attribution import causes
from app.config.settings import load_settings
from app.context import AppContext
from app.mcp.calls import call_tool
from app.views.aie.pace import limiters_tables, tile_times_panel, tile_times_tables
from app.views.aie.panels import floorplan_panel
from app.views.registry import parse
from app.views.run_words import first_sentence
from app.views.state import RunState
from components.numbers import integer
from ingest.files import ingest
from schema.rounding import THIN
from services.comparison.compared_runs import compared_run
from services.run.export import write_frame
from services.run.frames import find_frame
from services.run.pace import find_pace, pace_mapping
from tests.support.gemm_trace import entries
from tests.support.paced_trace import grid_cores, grid_settings

BLANK = RunState()
SLOW = "core 3,1"


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    made = AppContext.of(load_settings(data=tmp_path_factory.mktemp("data")))
    yield made
    made.repository.catalogue.close()


@pytest.fixture(scope="module")
def runs(context, tmp_path_factory):
    """The ids of a usual capture of cores that share blocks, and of one with a slower core."""
    ids = []
    for rank, planted in enumerate(({}, {"longer": {"3,1": 80}})):
        path = tmp_path_factory.mktemp("files") / f"night{rank}.json"
        path.write_text(json.dumps(entries(*grid_cores(**planted))))
        origin = {"commit": f"c{rank}", "taken_at": f"2026-11-0{rank + 1}T02:00:00+00:00"}
        ids.append(ingest(context.repository, [path], grid_settings() | origin).runs[0].run_id)
    return ids


@pytest.fixture(scope="module")
def data(context, runs):
    return context.data.get(runs[1], "robust", {})


@pytest.fixture(scope="module")
def pace(context, runs):
    """The pace as `pace --json` and the HTTP API give it."""
    return pace_mapping(find_pace(context.repository, runs[1], "robust", {}))


@pytest.fixture(scope="module")
def waits(pace):
    """Core -> cycles that it waits for the slow core."""
    found = {
        tile["tile"]: sum(one["cycles"] for one in tile["waits_for"] if one["tile"] == SLOW)
        for tile in pace["tiles"]
    }
    assert sum(found.values()) > 0
    return found


def measured(data):
    """Frame `iteration_parts` of the iterations of the pace."""
    chosen = data.iterations.loc[measured_iterations(data.iterations), "iteration"].unique()
    return data.iteration_parts[data.iteration_parts["iteration"].isin(chosen)]


def test_the_page_begins_with_the_first_limiter(data, pace):
    first = pace["limiters"][0]
    assert (first["what"], first["where"]) == ("kernels", SLOW)
    sentence = pace["sentence"].replace("->", "→")
    shown = str(first_sentence(data, BLANK)).replace(THIN, " ")
    assert shown.casefold().startswith(sentence.casefold())
    (table,) = limiters_tables(data, BLANK)
    assert [row[2] for row in table.rows] == [limiter["where"] for limiter in pace["limiters"]]
    assert [row[3] for row in table.rows] == [
        integer(limiter["cycles"]) for limiter in pace["limiters"]
    ]


def test_the_bars_have_waiting_for_the_slow_core_as_a_part(data, waits):
    bars = tile_times_panel(data, BLANK, "light").figure.data
    (part,) = [bar for bar in bars if bar.name == f"waiting for {SLOW}"]
    drawn = dict(zip((one[0] for one in part.customdata), part.x, strict=True))
    assert drawn == pytest.approx(waits, abs=0.5)


def test_the_table_of_tiles_has_the_parts_of_the_pace(data, pace):
    (table,) = tile_times_tables(data, BLANK)
    labels = [label for label, _ in table.labels]
    for name in ("kernels", "waiting", "lock_stall"):
        column = labels.index(name.replace("_", " "))
        shown = {row[0]: row[column] for row in table.rows}
        assert shown == {tile["tile"]: integer(round(tile[name])) for tile in pace["tiles"]}


def test_the_floor_plan_has_the_shares_of_waiting_for_the_slow_core(data, pace, waits):
    panel = floorplan_panel(data, parse("tile_metric=waits_for"), "light")
    assert re.search(rf"\b{SLOW}\b[^.]*\bkernels\b", str(panel.caption))
    boxes, *_, mark = panel.figure.data
    texts = dict(zip((one[0] for one in boxes.customdata), boxes.text, strict=True))
    elapsed = pace["elapsed"]
    assert {core: float(text.split()[0].rstrip("%")) for core, text in texts.items()} == (
        pytest.approx(
            {core: 100 * cycles / elapsed for core, cycles in waits.items() if core != SLOW},
            abs=0.06,
        )
    )
    assert [one[0] for one in mark.customdata] == [SLOW]


def test_frames_waterfall_and_metrics_have_the_same_waiting(context, runs, data, pace):
    parts = measured(data)
    by_core = parts.groupby("track")["waiting"].mean().to_dict()
    assert by_core == pytest.approx({tile["tile"]: tile["waiting"] for tile in pace["tiles"]})
    losses = waterfall(data.run, data.iterations, data.iteration_parts)
    assert losses.steps.at[WAITING, "ticks"] == parts["waiting"].sum()
    slack = parts[["waiting", "end_skew"]].to_numpy().sum() / parts["elapsed"].sum()
    stored = context.repository.find_run(runs[1]).headline
    for headline in (stored, data.headline):
        assert headline["slack_share"] == pytest.approx(slack)
        lock = np.mean([tile["lock_stall"] for tile in pace["tiles"]]) / pace["elapsed"]
        assert headline["lock_stall_share"] == pytest.approx(lock)


def test_exports_and_tools_have_the_parts_of_the_page(context, runs, data):
    frame = find_frame(context.repository, runs[1], "iteration_parts")
    pd.testing.assert_series_equal(frame["waiting"], data.iteration_parts["waiting"])
    stream = io.BytesIO()
    write_frame(frame, "csv", stream)
    assert pd.read_csv(io.BytesIO(stream.getvalue()))["waiting"].sum() == frame["waiting"].sum()
    answer = call_tool(context, "hotspots", {"run": runs[1]})["structuredContent"]
    times = {one["what"]: one["time"] for one in answer["data"]["hotspots"]}
    assert times["waiting"] == frame["waiting"].sum()


def test_trends_have_the_metric_of_the_run(context, runs):
    series = context.trends.get("slack_share", {}).series
    values = {point.run_id: point.value for curve in series for point in curve.points}
    headlines = {run: context.repository.find_run(run).headline["slack_share"] for run in runs}
    assert values == headlines


def test_the_cause_of_the_slower_night_is_the_first_limiter(context, runs, pace):
    sides = [[compared_run(context.repository, run, {}).capture] for run in runs]
    cause, *_ = causes(*sides)
    first = pace["limiters"][0]
    assert (cause.what, cause.where) == (first["what"], first["where"])
