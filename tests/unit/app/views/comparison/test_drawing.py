"""What of a comparison is drawn anew: what would look otherwise, and nothing else."""

import json

import pytest
from dash.development.base_component import Component

from app.pages.compare.head import HEAD
from app.views.comparison.registry import COMPARE, parse
from app.views.comparison.state import CompareState
from app.views.drawing import view_pieces
from app.views.drawn_pieces import changes
from app.views.shown import Shown
from tests.support.drawn_parts import shown_text, text

SELECTED = {
    "aie slow": ("track=core+3,0", "track=core+3,0&iteration=2", "window=100-20000&durations=ecdf"),
    "compile larger": (
        "attempt=1",
        "attempt=3&block=2",
        "span=0-1&setup=all",
        "attempt=no+such&block=99",
    ),
    "deeploy grown": ("attempt=L1", "block=0&attempt=L2"),
    "profile slow": ("kernel=E_8", "iteration=3&kernel=none", "align=start&window=0-50000000"),
}
"""Pair -> what is selected one after the other on its page."""


def drawn(data, query, before=None):
    return changes(
        [*HEAD, *view_pieces(COMPARE, data)],
        data,
        parse(query),
        before or Shown("content", "light"),
    )


def grid_in_place(part):
    """Whether a part has a grid whose marks change beside it."""
    body = part.get("children")
    return isinstance(body, Component) and "Grid" in text(body)


@pytest.mark.slow
def test_what_is_kept_would_look_the_same_and_what_is_sent_is_what_changed(pairs):
    for name, queries in SELECTED.items():
        data = pairs.data(name)
        start = pairs.query(name)
        whole, shown = drawn(data, start)
        page = {part: shown_text(made) for part, made in whole.items()}
        for more in queries:
            query = f"{start}&{more}"
            changed, shown = drawn(data, query, shown)
            page |= {part: shown_text(made) for part, made in changed.items()}
            for part, made in drawn(data, query)[0].items():
                if "dashGridOptions" not in made and not grid_in_place(made):
                    assert page[part] == shown_text(made), (name, more, part)


@pytest.mark.quick_every(5)
def test_a_page_that_shows_it_already_is_sent_nothing(pair, pairs):
    query = "base=a&new=b&iteration=1&block=1"
    _, shown = drawn(pair, query)
    before = Shown.of(json.loads(json.dumps(shown.to_store())), "content", "light")
    assert drawn(pair, query, before)[0] == {}


def test_a_selection_leaves_alone_what_does_not_show_it(pairs):
    data = pairs.data("aie slow")
    _, shown = drawn(data, "base=a&new=b")
    changed, _ = drawn(data, "base=a&new=b&track=core+3,0", shown)
    assert "compare-selection" in changed
    assert {"compare-tiles", "compare-iterations", "compare-durations", "compare-parts"} <= set(
        changed
    )
    assert not {
        "compare-metrics-body",
        "compare-verdict-body",
        "compare-setup-body",
        "compare-attribution",
    } & set(changed)


@pytest.mark.slow
def test_a_chosen_block_moves_the_mark_of_the_grid_and_not_its_rows(pairs):
    data = pairs.data("problem larger")
    _, shown = drawn(data, "base=a&new=b")
    changed, _ = drawn(
        data, f"base=a&new=b&block=1&attempt={data.blocks['attempt'].iloc[1]}", shown
    )
    assert set(changed["compare-blocks-grid"]) == {"dashGridOptions"}
    assert "compare-blocks-body" not in changed


@pytest.mark.quick_every(6)
@pytest.mark.parametrize("view", ["maps", "live"])
@pytest.mark.parametrize("name", ["compile larger", "deeploy grown", "problem larger"])
def test_both_sides_of_a_pair_have_one_scale(pairs, name, view):
    data = pairs.data(name)
    (plot,) = [plot for plot in COMPARE.available_plots(data) if plot.id == view]
    layout = plot.draw(data, CompareState(), "light").figure.plotly.layout
    assert list(layout.yaxis.range) == list(layout.yaxis2.range)
