"""Views of other packages: what they do right passes through, what they do wrong stays in their place."""

from dataclasses import replace

import pandas as pd
import pytest

from app.views.plugin_view import wrap_view
from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import FAILED, ContentView, Panel, Part, Plot
from components.graph import nothing
from data_loaders.plugin_boundary import PluginExitedError

PANEL = Panel(nothing("light"), "an answer", "a line")
TABLE = Table("Own", "a line", [], [])
STATE = RunState()


class Subject:
    label = "a run"
    run = pd.DataFrame({"source": ["beats"]})


DATA = Subject()


def plot(sources=(), **given):
    made = {"id": "own", "title": "Own", "help": "h", "draw": lambda _data, _state, _theme: PANEL}
    return wrap_view(Plot(**(made | given)), sources)


def words(**given):
    made = {
        "id": "own",
        "title": "Own",
        "help": "h",
        "make": lambda _data, _state: Part(None, "an answer"),
    }
    return wrap_view(ContentView(**(made | given)), ())


def falls(error):
    def fall(*_given):
        raise error

    return fall


def test_a_view_is_limited_to_the_sources_that_its_package_reads():
    assert plot().only(DATA)
    assert plot(("beats", "x")).only(DATA)
    assert not plot(("x",)).only(DATA)


def test_what_a_view_does_right_passes_through():
    click = lambda state, _data, given: replace(state, find=given["find"])  # noqa: E731 - as views have them
    view = plot(
        tables=lambda _data, _state: [TABLE],
        listing=lambda _data, _state: "a text",
        controls=lambda _data, _state: [],
        on_click=click,
    )
    assert view.draw(DATA, STATE, "light") is PANEL
    assert view.tables(DATA, STATE) == [TABLE]
    assert (view.listing(DATA, STATE), view.controls(DATA, STATE)) == ("a text", [])
    assert view.on_click(STATE, DATA, {"find": "x"}).find == "x"
    part = words().make(DATA, STATE)
    assert (part.body, part.caption) == (None, "an answer")


def test_a_view_in_words_without_tables_gives_a_snapshot_its_answer():
    (table,) = words().tables(DATA, STATE)
    assert (table.name, table.line) == ("Own", "an answer")
    assert words(tables=lambda _data, _state: [TABLE]).tables(DATA, STATE) == [TABLE]
    assert plot().tables(DATA, STATE) == []


def test_a_plot_without_clicks_has_none():
    assert plot().on_click is None


@pytest.mark.parametrize("drawn", [None, "a figure", Panel(None, "a"), Panel(nothing("light"), 3)])
def test_what_is_no_panel_is_the_fault_of_its_view(drawn):
    with pytest.raises(TypeError):
        plot(draw=lambda *_given: drawn).draw(DATA, STATE, "light")


@pytest.mark.parametrize("made", [None, "a part", Part(None, 3), Part({object()}, "a")])
def test_what_is_no_part_is_the_fault_of_its_view(made):
    with pytest.raises(TypeError):
        words(make=lambda *_given: made).make(DATA, STATE)


@pytest.mark.parametrize(
    "error", [KeyError("x"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), BaseException()]
)
def test_a_view_that_falls_over_costs_its_own_place_alone(error):
    fall = falls(error)
    view = plot(draw=fall, tables=fall, controls=fall, listing=fall, on_click=fall)
    with pytest.raises((KeyError, PluginExitedError)):
        view.draw(DATA, STATE, "light")
    assert [table.line for table in view.tables(DATA, STATE)] == [FAILED]
    assert (view.controls(DATA, STATE), view.listing(DATA, STATE)) == ([], "")
    assert view.on_click(STATE, DATA, {}) is STATE


def test_what_is_no_table_no_control_and_no_state_is_left_out():
    view = plot(
        tables=lambda *_given: ["a table"],
        controls=lambda *_given: [object()],
        on_click=lambda *_given: "a state",
    )
    assert [table.line for table in view.tables(DATA, STATE)] == [FAILED]
    assert view.controls(DATA, STATE) == []
    assert view.on_click(STATE, DATA, {}) is STATE
