"""What is drawn anew: what would look otherwise, and nothing else."""

import json

import pytest
from dash.development.base_component import Component

from app.pages.run import table_piece
from app.pages.run.head import HEAD
from app.pages.run.table_piece import FOOT
from app.views import tables
from app.views.drawing import view_pieces
from app.views.drawn_pieces import changes
from app.views.registry import RUN, parse
from app.views.shown import Shown
from tests.support.drawn_parts import shown_text, text

SELECTED = {
    "aie": ("iteration=1", "track=core+2,0", "window=100-20000", "table=kernels"),
    "aie_words": ("track=core+3,1", "events_by=order", "iteration=1"),
    "aie_design": ("block=2", "attempt=1", "table=design_locks"),
    "tpu_mlir": ("block=3", "block=3&step=2", "attempt=0&against=1", "find=a", "layout=first_fit"),
    "deeploy": ("block=3&step=2", "attempt=1"),
    "minimalloc": ("block=3", "find=t"),
    "torch_snapshot": ("block=3", "step=9", "block=4&step=40"),
    "tinygrad": (
        "kernel=3",
        "kind=E_8&search=r",
        "window=100-20000",
        "block=1&step=9",
        "table=calls",
    ),
    "results": ("number=1", "number=2&samples=order"),
    "kineto": ("kernel=3", "window=100-20000", "kernel=2&search=aten", "op=aten::linear"),
}
"""Source -> what is selected one after the other on the page of a run."""


def drawn(data, query, before=None):
    state = parse(query)
    return changes(
        iter([*HEAD, *view_pieces(RUN, data), *FOOT]),
        data,
        state,
        before or Shown("content", "light"),
    )


@pytest.mark.slow
def test_what_is_kept_would_look_the_same_and_what_is_sent_is_what_changed(sample_runs):
    for source, data in {data.run["source"].iloc[0]: data for data in sample_runs}.items():
        whole, shown = drawn(data, "")
        page = {name: shown_text(part) for name, part in whole.items()}
        for query in SELECTED[source]:
            changed, shown = drawn(data, query, shown)
            page |= {name: shown_text(part) for name, part in changed.items()}
            expected, _ = drawn(data, query)
            for name, part in expected.items():
                if "dashGridOptions" not in part and not changes_in_place(part):
                    assert page[name] == shown_text(part), (data.run_id, query, name)


@pytest.mark.slow
def test_a_figure_that_replaces_another_one_lacks_the_template_that_the_page_has(sample_runs):
    data = next(data for data in sample_runs if data.run["source"].iloc[0] == "aie")
    whole, shown = drawn(data, "")
    assert "template" in whole["run-timeline"]["figure"].to_plotly_json()["layout"]
    changed, _ = drawn(data, "window=100-20000", shown)
    assert "template" not in changed["run-timeline"]["figure"].to_plotly_json()["layout"]
    dark, _ = drawn(data, "window=100-20000", Shown("content", "dark"))
    assert "template" in dark["run-timeline"]["figure"].to_plotly_json()["layout"]


@pytest.mark.slow
def test_a_window_sends_neither_the_strip_nor_the_columns_of_the_table(sample_runs):
    data = next(data for data in sample_runs if data.run["source"].iloc[0] == "aie")
    _, shown = drawn(data, "")
    changed, _ = drawn(data, "window=100-20000", shown)
    assert changed.keys() & {"run-overview", "run-table-body"} == set()
    assert changed["run-grid"].keys() == {"rowData", "style"}


@pytest.mark.slow
@pytest.mark.parametrize("before", ["none", ""])
def test_the_rows_of_the_table_are_selected_once(sample_runs, monkeypatch, before):
    data = next(data for data in sample_runs if data.run["source"].iloc[0] == "aie")
    shown = None if before == "none" else drawn(data, before)[1]
    selected = []

    def table_frame(*given):
        selected.append(given)
        return tables.table_frame(*given)

    monkeypatch.setattr(table_piece, "table_frame", table_frame)
    changed, _ = drawn(data, "window=100-20000", shown)
    assert ("run-table-body" in changed) == (before == "none")
    assert len(selected) == 1


def changes_in_place(part):
    """Whether a part has a grid or a graph whose marks change without it."""
    body = part.get("children")
    if not isinstance(body, Component) or "marked" in part:
        return False
    return "Grid" in text(body) or "design-graph-stage" in text(body)


@pytest.mark.slow
def test_a_page_that_shows_it_already_is_sent_nothing(sample_runs):
    for data in sample_runs:
        _, shown = drawn(data, "iteration=1&block=2")
        assert (
            drawn(
                data,
                "iteration=1&block=2",
                Shown.of(json.loads(json.dumps(shown.to_store())), "content", "light"),
            )[0]
            == {}
        )


def test_a_selection_leaves_alone_what_does_not_show_it(sample_runs):
    data = next(data for data in sample_runs if data.run["source"].iloc[0] == "aie")
    _, shown = drawn(data, "")
    changed, _ = drawn(data, "table=kernels", shown)
    assert "run-table-body" in changed
    assert not any("figure" in part for part in changed.values())


@pytest.mark.slow
def test_other_content_and_another_theme_are_drawn_anew(sample_runs):
    data = sample_runs[0]
    whole, shown = drawn(data, "")
    for version, theme in (("other", "light"), ("content", "dark")):
        before = Shown.of(shown.to_store(), version, theme)
        assert set(drawn(data, "", before)[0]) == set(whole)


@pytest.mark.slow
def test_what_a_browser_says_that_it_shows_is_not_trusted(sample_runs):
    data = sample_runs[0]
    whole, _ = drawn(data, "")
    for stored in (
        None,
        3,
        [],
        {"version": "content", "theme": "light", "reads": 3, "keys": []},
        {"reads": {"strip": 1}},
    ):
        assert set(drawn(data, "", Shown.of(stored, "content", "light"))[0]) == set(whole)
    assert Shown.of(None, "content", ["dark"]).theme == "light"


def test_no_two_pieces_of_a_page_have_one_name(sample_runs):
    for data in sample_runs:
        names = [piece.name for piece in (*HEAD, *view_pieces(RUN, data), *FOOT)]
        assert sorted(names) == sorted(set(names))
