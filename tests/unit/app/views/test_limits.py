"""A view that takes too long says so in its place, where processes have limits of time."""

from dataclasses import replace

import pytest

from app.pages.opened_page import OpenedPage, first_drawn
from app.pages.run import head
from app.request import time_limit
from app.views import drawing, view
from app.views.registry import RUN
from app.views.state import RunState
from app.views.view import STOPPED, Panel, Part, stopped_words
from services.run.capabilities import Capability


@pytest.fixture
def stops():
    """A function that is out of time as soon as it is called."""

    def out_of_time(*_given):
        raise time_limit.TimeLimitError

    return out_of_time


def test_a_plot_and_a_content_view_that_are_stopped_have_a_sentence(stops, capture):
    plot = next(one for one in RUN.views if isinstance(one, view.Plot))
    words = next(one for one in RUN.views if isinstance(one, view.ContentView))
    panel = view.draw_plot(replace(plot, draw=stops), capture, None, "light")
    assert isinstance(panel, Panel)
    assert panel.caption == stopped_words(capture)
    part = drawing._render_content(replace(words, make=stops), capture, None)
    assert isinstance(part, Part)
    assert stopped_words(capture) in str(part.body)


@pytest.mark.parametrize(
    ("can", "place"),
    [
        ({Capability.MEMORY}, "memory map"),
        ({Capability.TIMELINE}, "timeline"),
        ({Capability.TIMELINE, Capability.MEMORY}, "timeline"),
        (set(), "data"),
    ],
)
def test_the_sentence_names_the_view_in_which_to_select(can, place):
    class Contents:
        def can(self, *needs):
            return can.issuperset(needs)

    sentence = stopped_words(Contents())
    assert sentence.startswith(STOPPED)
    assert place in sentence


def test_a_part_of_the_head_that_is_stopped_leaves_the_page(stops, capture, monkeypatch):
    monkeypatch.setattr(head, "_selection_bar", stops)
    opened = OpenedPage(capture.run_id, capture, "1", RunState())
    page = first_drawn(RUN, head.HEAD, opened, "light")
    assert page.head["run-selection"] == {"children": []}
    assert page.head["run-sentence"]["children"]
    assert page.groups
