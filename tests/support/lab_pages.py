"""The lab's page of a run: opened, with a strategy's placement, and its views in words."""

from app.pages.lab.binding import open_lab
from app.pages.lab.callbacks import solve
from app.views.lab.registry import LAB
from app.views.lab.results import extent_panel
from app.views.view import Plot
from tests.support.components import words
from tests.support.waiting import wait_until

SOLVED = "harbour.81920.solved"
PROBLEM = "harbour.81920"


def shown(laboratory, name, state):
    context, names = laboratory
    return open_lab(context, names[name], state)


def answered(laboratory, name, state):
    """Return what the page shows once a strategy has answered."""
    context, _ = laboratory
    solve(context, state, shown(laboratory, name, state), every=False)
    data = wait_until(lambda: (data := shown(laboratory, name, state)).running is None and data)
    assert not data.failure
    return data


def curves(data, state):
    """Return the figure of extents over time."""
    return extent_panel(data, state, "light").figure


def drawn(data, state):
    """Return what every view shows, in words."""
    said = {}
    for view in LAB.available_views(data):
        if isinstance(view, Plot):
            panel = view.draw(data, state, "dark")
            panel.figure.plotly.to_plotly_json()
            said[view.id] = panel.caption
        else:
            made = view.make(data, state)
            said[view.id] = f"{made.caption} {words(made.body) if made.body is not None else ''}"
    return said
