"""What every callback begins with, and grids and plots whose clicks lead from one view to the next."""

from dataclasses import replace

import pytest
from dash import Dash, Input, Output, html

from app.views.binding import Binding
from app.views.registry import RUN, parse
from tests.support.dash_client import DashClient

ID = "0123456789ab"


def showing(state, kind):
    return replace(state, selection=replace(state.selection, kind=kind))


@pytest.fixture
def client():
    """An application whose run is its name: a button selects kernel "VALUE RUN", a plot too and forgets its click."""
    app = Dash(suppress_callback_exceptions=True)
    app.layout = html.Div()
    binding = Binding(app, RUN, lambda run_id, state: run_id, lambda run_id, state: run_id)

    @binding.steps(Input("button", "value"))
    def pressed(state, data, value):
        return showing(state, f"{value} {data}")

    @binding.steps(Input("plot", "clickData"), outputs=[Output("plot", "clickData")])
    def clicked(state, data, click):
        return showing(state, f"{click} {data}"), None

    return DashClient(app)


def test_a_step_is_given_state_and_run(client):
    values = {"button.value": 3, "run-view.data": "method=reference", "run-id.data": ID}
    state = parse(client.callback("run-view.data", **values)["run-view"]["data"])
    assert (state.selection.kind, state.method) == (f"3 {ID}", "reference")


def test_a_view_that_is_shown_already_is_not_sent_again(client):
    there = showing(parse(""), f"3 {ID}").query()
    values = {"button.value": 3, "run-view.data": there, "run-id.data": ID}
    assert client.callback("run-view.data", **values) == {}


def test_what_changes_while_a_page_is_opened_is_drawn_again():
    content = ["before"]

    def read(_run_id, _state):
        content[0] = "after"
        return "data"

    binding = Binding(Dash(), RUN, read, lambda _run_id, _state: content[0])
    assert binding.open_drawn("", ID)[1:] == ("before", "data")


def test_further_outputs_come_with_the_view(client):
    answer = client.callback(
        "plot.clickData", **{"plot.clickData": 5, "run-view.data": None, "run-id.data": ID}
    )
    assert parse(answer["run-view"]["data"]).selection.kind == f"5 {ID}"
    assert answer["plot"]["clickData"] is None
