"""The list of runs is laid out once for all readers of a role until something that it shows changes."""

import pytest

from app.pages.runs import callbacks, listed, page
from services.baselines.baselines import set_baseline
from services.store.saved_filters import save_view
from storage.annotations import Annotations, Change
from tests.support.aie_trace import trace_text

SETTINGS = {"m": "32", "k": "32", "n": "32"}


@pytest.mark.slow
def test_the_plot_of_the_list_is_drawn_once_until_a_run_changes(dashboard, upload, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        callbacks, "scatter_summary", lambda *given: drawn.append(given) or str(len(drawn))
    )

    def draw(query="", theme="light"):
        values = {"runs-view.data": query, "theme.data": theme}
        return dashboard.callback("runs-scatter.figure", **values)

    upload(**SETTINGS)
    first = draw()
    assert draw() == first and len(drawn) == 1
    assert draw(theme="dark")["runs-scatter"] != first["runs-scatter"]
    draw("hwid=npu2")
    assert len(drawn) == 3
    upload(**SETTINGS | {"hwid": "npu9"})
    assert draw() != first and len(drawn) == 4


@pytest.mark.slow
def test_the_points_are_drawn_again_only_if_they_change(dashboard, upload, monkeypatch):
    drawn = []
    scatter = callbacks.runs_scatter
    monkeypatch.setattr(
        callbacks, "runs_scatter", lambda *given: drawn.append(1) or scatter(*given)
    )

    def draw():
        return dashboard.callback("runs-scatter.figure", **{"theme.data": "light"})

    run_id = upload(**SETTINGS).json["runs"][0]["run_id"]
    first = draw()
    catalogue = dashboard.repository.catalogue
    Annotations(catalogue).change(run_id, Change(more_tags=("odd",)), "ada")
    assert draw() == first and len(drawn) == 1
    # Slower kernels: a rate above the peak is not drawn.
    upload(body=trace_text(duration=600, stall=20_000).encode(), **SETTINGS)
    assert draw()["runs-scatter"] != first["runs-scatter"] and len(drawn) == 2


@pytest.mark.slow
def test_the_rows_of_unchanged_runs_are_made_once(dashboard, upload, monkeypatch):
    made = []
    record = listed.run_record
    monkeypatch.setattr(listed, "run_record", lambda run: made.append(run["run_id"]) or record(run))
    runs = [upload(**SETTINGS).json["runs"][0]["run_id"]]
    dashboard.open("/runs")
    runs += [upload(body=trace_text(duration=120).encode(), **SETTINGS).json["runs"][0]["run_id"]]
    page_after = dashboard.open("/runs")
    assert all(run_id in page_after for run_id in runs)
    assert made == runs


@pytest.fixture
def lists(monkeypatch):
    """Count how often the grid of the list is laid out."""
    counted = []
    grid = page.runs_grid
    monkeypatch.setattr(page, "runs_grid", lambda *given: counted.append(1) or grid(*given))
    return counted


@pytest.mark.slow
def test_the_list_is_laid_out_once_until_a_run_changes(dashboard, upload, lists):
    run_id = upload(**SETTINGS).json["runs"][0]["run_id"]
    first = dashboard.open("/runs")
    assert dashboard.open("/runs") == first and len(lists) == 1
    assert dashboard.open("/runs", "?hwid=npu9") != first and len(lists) == 2
    catalogue = dashboard.repository.catalogue
    Annotations(catalogue).change(run_id, Change(more_tags=("odd",)), "ada")
    tagged = dashboard.open("/runs")
    assert "odd" in tagged and len(lists) == 3
    save_view(catalogue, "mine", "hwid=npu2", "ada")
    assert "mine" in dashboard.open("/runs") and len(lists) == 4


def test_readers_of_a_role_share_the_list_and_see_what_they_may_change(signed_in, lists, upload):
    upload(**SETTINGS)
    pages = {user: signed_in(user).open("/runs") for user in ("edgar", "quentin", "quincy")}
    assert pages["quentin"] == pages["quincy"] and len(lists) == 2
    assert {user: "runs-view-save" in text for user, text in pages.items()} == {
        "edgar": True,
        "quentin": False,
        "quincy": False,
    }


@pytest.mark.slow
def test_only_the_owner_of_a_saved_view_may_delete_it_in_a_cached_list(signed_in, upload):
    upload(**SETTINGS)
    save_view(signed_in("ada").repository.catalogue, "mine", "hwid=npu2", "edgar")
    shown = [signed_in(user).open("/runs") for user in ("quentin", "edgar", "quentin")]
    assert ["runs-view-delete" in text for text in shown] == [False, True, False]


@pytest.mark.slow
def test_a_cached_list_shows_a_new_verdict_against_its_baseline(dashboard, upload):
    runs = [
        upload(body=trace_text(duration=duration).encode(), **SETTINGS).json["runs"][0]["run_id"]
        for duration in (100, 120)
    ]
    set_baseline(dashboard.repository, "main", runs[:1], user="ada")
    before = dashboard.open("/runs")
    dashboard.callback("runs-against-told.data", **{"runs-against-asked.data": runs})
    after = dashboard.open("/runs")
    assert after != before


def test_the_rows_of_a_filter_are_made_once_for_all_readers(dashboard, upload, monkeypatch):
    made = []
    records = listed.listed_records
    monkeypatch.setattr(
        callbacks, "listed_records", lambda *given: made.append(1) or records(*given)
    )
    upload(**SETTINGS)

    def rows(query):
        return dashboard.callback("runs-grid.rowData", **{"runs-view.data": query})["runs-grid"]

    assert rows("hwid=npu2") == rows("hwid=npu2") and len(made) == 1
    assert rows("hwid=npu9") != rows("hwid=npu2") and len(made) == 2
