"""How views stand on the page: rows of a group, widths of the records, stacks."""

from dataclasses import replace

import pytest
from dash import html

from app.views.layout import PageViews
from app.views.reads import ReadWatch
from app.views.registry import RUN
from app.views.state import RunState
from app.views.view import ContentView, Panel, Part, Width, draw_plot
from app.views.view_links import card_links
from components.graph import empty_figure, has_content, nothing
from tests.support.components import every


@pytest.fixture
def rows(capture):
    """Lay out made-up views of a capture: (id, group, width, stack) each."""

    def lay(*views):
        made = tuple(
            ContentView(
                id=name,
                title=name,
                help="",
                group=group,
                width=width,
                stack=stack,
                make=lambda *_: Part(html.P(), ""),
            )
            for name, group, width, stack in views
        )
        return PageViews(replace(RUN, views=made), capture, ReadWatch(RunState()), "light").groups()

    return lay


def ids(component):
    return [section.id for section in every(component, "Section")]


def test_a_group_begins_a_new_row(rows):
    first, second = rows(
        ("a", "x", Width.HALF, ""), ("b", "x", Width.HALF, ""), ("c", "y", Width.FULL, "")
    )
    assert ids(first) == ["a", "b"]
    assert ids(second) == ["c"]


def test_a_view_has_the_width_of_its_record(rows):
    (row,) = rows(*((width.value, "x", width, "") for width in Width))
    assert [
        f"ts-{width}" in section.className
        for width, section in zip(Width, row.children, strict=True)
    ] == [True] * 4


def test_views_of_a_stack_share_a_place_in_the_row(rows):
    (row,) = rows(
        ("a", "x", Width.WIDE, ""),
        ("b", "x", Width.NARROW, "notes"),
        ("c", "x", Width.NARROW, "notes"),
    )
    alone, stack = row.children
    assert alone.id == "a"
    assert ids(stack) == ["b", "c"]
    assert "ts-narrow" in stack.className


def test_a_group_may_be_folded_below_a_line(capture):
    view = ContentView(
        id="a", title="a", help="", group="x", fold="More", make=lambda *_: Part(html.P(), "")
    )
    page = replace(RUN, views=(view,))
    (fold,) = PageViews(page, capture, ReadWatch(RunState()), "light").groups()
    assert isinstance(fold, html.Details)
    assert ids(fold) == ["a"]


def test_a_card_has_the_id_of_its_view_twice(rows):
    (row,) = rows(("a", "x", Width.FULL, ""))
    (card,) = every(row, "Section")
    assert (card.id, card.to_plotly_json()["props"]["data-view"]) == ("a", "a")


def test_a_plot_without_data_has_no_card(capture):
    (plot,) = [one for one in RUN.available_plots(capture) if one.id == "stalls"]
    absent = Panel(nothing("light"), "No tile was traced.", absent=True)
    page = replace(RUN, views=(replace(plot, draw=lambda *_: absent),))
    groups = PageViews(page, capture, ReadWatch(RunState()), "light").groups()
    (card,) = every(groups[0], "Section")
    assert card.hidden
    assert [link.hidden for link in card_links(groups, {"stalls": plot.title})] == [True]


@pytest.mark.parametrize(("query", "room"), [("", False), ("iteration=1", True)])
def test_a_plot_that_a_selection_empties_keeps_its_place(capture, query, room):
    (view,) = [one for one in RUN.available_plots(capture) if one.id == "stalls"]
    empty = Panel(empty_figure("Because.", "light"), "Nothing.")
    panel = draw_plot(replace(view, draw=lambda *_: empty), capture, RUN.parse(query), "light")
    assert has_content(panel.figure) == room
    assert panel.caption == "Nothing."
    assert panel.line == ("" if room else "Because.")


def test_a_plot_without_anything_drawn_keeps_its_answer_and_no_room(capture):
    def fails(*_):
        raise ZeroDivisionError

    broken = tuple(replace(view, draw=fails) for view in RUN.views if view.id == "stalls")
    (row,) = PageViews(replace(RUN, views=broken), capture, ReadWatch(RunState()), "light").groups()
    (plot,) = every(row, "Graph")
    assert "ts-nothing" in plot.className
