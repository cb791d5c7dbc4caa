"""The run page without a browser: what it lays out and what its callbacks answer."""

import re

import pytest

from app.config.settings import Settings
from app.server.factory import create_app
from tests.support.aie_trace import trace_text
from tests.support.dash_client import DashClient

NAME = "outputs/npu2-gemm_64_64_64-2_row_1_col/traces/trace_mm_64_64_64.json"


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory):
    """A dashboard whose runs the tests only read."""
    settings = Settings(data=tmp_path_factory.mktemp("page") / "data")
    catalogue = settings.catalogue()
    catalogue.create()  # as `serve` does before it starts
    catalogue.close()
    return DashClient(create_app(settings))


@pytest.fixture(scope="module")
def run(dashboard):
    query = {"name": NAME, "m": "32", "k": "32", "n": "32"}
    response = dashboard.http.post("/api/upload", query_string=query, data=trace_text().encode())
    return response.json["runs"][0]["run_id"]


@pytest.mark.slow
def test_the_page_comes_with_its_numbers_and_plots(dashboard, run):
    text = dashboard.open(f"/run/{run}")
    for part in (
        "npu2 · gemm 64×64×64",
        "GMAC/s mean",
        "run-timeline",
        "core 2,0",
        "all tiles, iterations and time",
    ):
        assert part in text


@pytest.mark.slow
def test_the_page_is_a_function_of_its_address(dashboard, run):
    text = dashboard.open(f"/run/{run}", "?track=core+3,0&iteration=1&method=reference")
    assert "tile core 3,0" in text
    assert "iteration 1" in text


def test_the_answer_comes_first_and_settings_last(dashboard, run):
    text = dashboard.open(f"/run/{run}")
    parts = [
        '"run-sentence"',
        '"data-view": "pace"',
        '"run-table"',
        '"run-notes"',
        '"run-settings"',
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.slow
def test_changed_settings_come_first(dashboard, run):
    text = dashboard.open(f"/run/{run}", "?warmup=2")
    assert text.index('"run-settings"') < text.index('"run-sentence"')


def test_every_card_is_linked(dashboard, run):
    text = dashboard.open(f"/run/{run}")
    cards = re.findall(r'"data-view": "(\w+)"', text)
    assert len(cards) > 5
    assert all(f'"href": "#{card}"' in text for card in cards)


@pytest.mark.slow
def test_a_bad_address_shows_what_can_be_shown(dashboard, run):
    text = dashboard.open(f"/run/{run}", "?window=9-1&method=best&track=")
    assert "tile core" not in text
    assert "core 2,0" in text


def test_an_unknown_run_is_said_in_words(dashboard):
    text = dashboard.open("/run/nothing")
    assert "nothing" in text
    assert "run-timeline" not in text


@pytest.mark.parametrize("graph", ["iterations", "floorplan", "timeline", "durations", "stalls"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_panel_follows_the_view(dashboard, run, graph, theme):
    drawn = dashboard.drawn(run, "track=core+2,0&window=100-900", theme)
    assert drawn[f"run-{graph}"]["figure"]["data"]


def test_a_click_on_a_tile_becomes_the_address(dashboard, run):
    answer = dashboard.callback(
        "run-iterations.clickData",
        **{
            "run-iterations.clickData": {"points": [{"customdata": [1, "system"]}]},
            "run-id.data": run,
        },
    )
    assert answer["run-view"]["data"] == "iteration=1"
    assert answer["run-iterations"]["clickData"] is None


@pytest.mark.slow
def test_the_table_says_how_many_rows_the_selection_has(dashboard, run):
    assert dashboard.drawn(run, "table=kernels&track=core+2,0")["run-table-line"] == {
        "children": "12 rows"
    }


def test_a_run_that_was_deleted_meanwhile_is_no_traceback(dashboard):
    answer = dashboard.post("run-changes.data", **{"run-view.data": "", "run-id.data": "gone"})
    assert "Traceback" not in answer.text
