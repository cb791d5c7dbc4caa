"""Components are created and serialised as by Dash itself."""

import importlib.util
import json

import dash_ag_grid
import dash_bootstrap_components as dbc
import pytest
from dash import dcc, html
from dash.development import base_component
from dash.development.base_component import Component
from plotly.utils import PlotlyJSONEncoder

from components import fast_components

CREATED = [
    html.Div,
    lambda: html.Div("x", id="a", className="b", **{"data-x": "1", "aria-label": "y"}),
    lambda: html.Td([html.B("x"), None, 1.5], title="t", style={"width": 1}),
    lambda: html.Button("x", id={"type": "a", "index": 1}, n_clicks=0),
    lambda: html.Data("x", **{"data-b": 1, "data-a": 2}),
    lambda: dcc.Store(id="s", data={"x": [1, None]}),
    lambda: dcc.Dropdown(["a"], id="d", value=None, clearable=False),
    lambda: dcc.Graph(id="g", figure={"data": [], "layout": {}}),
    lambda: dcc.Loading(html.P("x"), custom_spinner=html.P("y")),
    lambda: dbc.Tab(html.P("x"), label="l"),
    lambda: dash_ag_grid.AgGrid(id="t", rowData=[{"x": 1}], columnDefs=[{"field": "x"}]),
]
REFUSED = [
    lambda: html.Div("x", colour="red"),
    lambda: html.Div("x", title=html.B("y")),
    lambda: html.Div("x", id=3),
    lambda: html.Div("x", id={"type": None}),
    lambda: dcc.Store(id="s", **{"data-x": "1"}),
]


@pytest.fixture
def fast(monkeypatch):
    """A function that begins to create components fast, which another test may have begun."""
    spec = importlib.util.find_spec(base_component.__name__)
    unchanged = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(unchanged)
    monkeypatch.setattr(Component, "__init__", fast_components._CHECKED_INIT)
    monkeypatch.setattr(Component, "to_plotly_json", unchanged.Component.to_plotly_json)
    return fast_components.speed_up_components


def texts():
    return [json.dumps(create(), cls=PlotlyJSONEncoder) for create in CREATED]


def errors():
    refused = []
    for create in REFUSED:
        with pytest.raises(TypeError) as error:
            create()
        refused.append(str(error.value))
    return refused


def test_components_have_the_same_json(fast):
    expected = texts()
    fast()
    assert Component.to_plotly_json is fast_components._to_plotly_json
    assert texts() == expected


def test_errors_are_the_same(fast):
    expected = errors()
    fast()
    assert errors() == expected
