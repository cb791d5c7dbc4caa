import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.deeploy import traces as deeploy_traces
from data_loaders.deeploy.traces import Line, Rectangle, read_traces
from tests.support.deeploy_plot import LAYOUT, packed

BLOCK = {"name": "t", "x": [-0.5, -0.5, 2.5, 2.5], "y": [8, 24, 24, 8], "line": {"width": 2}}
CAPACITY = {"name": "L2 Memory Size", "x": [-0.5, 3.5], "y": [100, 100]}
READ = Rectangle("t", -0.5, 2.5, 8, 24)


def figure(*traces):
    return json.dumps({"data": traces, "layout": LAYOUT})


def read(text):
    return read_traces(text, 0, len(text))


def test_blocks_and_capacity():
    traces = read(figure(BLOCK, BLOCK | {"name": "u"}, CAPACITY))
    assert traces.rectangles == [READ, READ._replace(name="u")]
    assert traces.capacity == Line("L2 Memory Size", 3.5, 100)
    assert (traces.skipped, traces.damaged) == (0, None)


def test_packed_points_are_points():
    assert read(figure(BLOCK | {"x": packed(BLOCK["x"]), "y": packed(BLOCK["y"])})).rectangles == [
        READ
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"x": [1, 2, 3, 4]},
        {"y": [8, 24, 24]},
        {"x": ["a", "a", "b", "b"]},
        {"x": [True, True, 2, 2]},
        {"x": None},
        {"y": [0, 1e300, 1e300, 0]},
        {"y": [0, 2**63, 2**63, 0]},
        {"y": [0, 2**44, 2**44, 0]},
        {"x": [0, 0, 10**400, 10**400]},
        {"y": {"dtype": "f8", "bdata": "?"}},
        {"y": {"dtype": "O", "bdata": ""}},
        {"y": {"dtype": "f8", "bdata": "AAAA" * 100}},
        {"x": CAPACITY["x"], "y": CAPACITY["y"]},
    ],
    ids=str,
)
def test_other_shapes_are_skipped(change):
    traces = read(figure(BLOCK, BLOCK | change, BLOCK))
    assert traces.rectangles == [READ, READ]
    assert (traces.skipped, traces.damaged) == (1, None)


def test_nan_is_no_place():
    assert read(figure(BLOCK).replace("24, 24", "NaN, NaN")).skipped == 1


@pytest.mark.parametrize("bad", ['{"x": [1 2]}', '{"name": "un', "{}}", "nonsense", "[" * 3000])
def test_damage_costs_the_trace_it_is_in(bad):
    text = figure(BLOCK, "here", BLOCK, CAPACITY).replace('"here"', bad)
    traces = read(text)
    assert traces.rectangles[0] == READ
    assert traces.damaged is not None
    assert traces.capacity is not None


def test_a_trace_of_a_million_points_costs_itself():
    traces = read(figure(BLOCK, BLOCK | {"x": [1] * 500_000}, BLOCK, CAPACITY))
    assert traces.rectangles == [READ, READ]
    assert traces.damaged is not None


def test_a_figure_that_ends_early_keeps_what_was_whole():
    text = figure(BLOCK, BLOCK, CAPACITY)
    traces = read(text[: text.index('"L2 Memory')])
    assert traces.rectangles == [READ, READ]
    assert traces.damaged is not None
    assert read(figure(BLOCK)[: -len(json.dumps(LAYOUT)) - 20]).damaged is not None


def test_what_follows_damage_in_the_layout_is_no_trace():
    assert read(figure("here", BLOCK).replace('"here"', "{")).skipped == 0


def test_endless_other_traces_are_given_up(monkeypatch):
    monkeypatch.setattr(deeploy_traces, "_MAX_OTHERS", 3)
    traces = read(figure(*[{}] * 10, BLOCK))
    assert traces.skipped == 4
    assert traces.rectangles == []


def test_endless_damage_is_given_up(monkeypatch):
    monkeypatch.setattr(deeploy_traces, "MAX_DAMAGE_COST", 3 * deeploy_traces._MIN_COST)
    text = figure(*["here"] * 9, BLOCK).replace('"here", "here"', "{], {}")
    assert read(text).rectangles == []


@pytest.mark.parametrize("text", ["", "{}", "null", '{"layout": {}}', '{"data": 3}'])
def test_no_data_is_damage(text):
    assert read(text).damaged == 0


@given(data=st.data())
def test_any_damage_is_survived(data):
    text = figure(BLOCK, BLOCK, CAPACITY)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at] + data.draw(st.text(max_size=12)) + text[at + data.draw(st.integers(0, 30)) :]
        )
    traces = read(text)
    assert len(traces.rectangles) <= 4
