"""A view that takes too long says so in its place, where processes have limits of time."""

import pytest

from app.request import time_limit
from app.views import drawing, view
from app.views.registry import RUN
from app.views.view import STOPPED, Panel, Part


@pytest.fixture
def stops(monkeypatch):
    """Let every view be out of time as soon as it is drawn."""

    def out_of_time(*_given):
        raise time_limit.TimeLimitError

    return out_of_time


def test_a_plot_and_words_that_are_stopped_say_so(stops):
    from dataclasses import replace

    plot = next(one for one in RUN.views if isinstance(one, view.Plot))
    words = next(one for one in RUN.views if isinstance(one, view.ContentView))
    panel = view.draw_plot(replace(plot, draw=stops), None, None, "light")
    assert isinstance(panel, Panel)
    assert panel.caption == STOPPED
    part = drawing._render_content(replace(words, make=stops), None, None)
    assert isinstance(part, Part)
    assert STOPPED in str(part.body)
