"""The lab's page of a run: its data, with the placement of a strategy, and the texts of its views."""

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
    """Solve the state's question and wait; return the data of the page with the result."""
    context, _ = laboratory
    solve(context, state, shown(laboratory, name, state), every=False)
    data = wait_until(lambda: (data := shown(laboratory, name, state)).running is None and data)
    assert not data.failure
    return data


def curves(data, state):
    """Draw the figure of extents over time."""
    return extent_panel(data, state, "light").figure


def drawn(data, state):
    """Draw every view of the lab; map its id to its caption, followed by the words of its content."""
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
