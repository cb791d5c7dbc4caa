"""Answers lead to what they name."""

import json

import pytest

from app.views.jumps import caption_parts, follow_jump
from app.views.registry import RUN, parse
from app.views.state import RunState
from app.views.view import Plot
from components.caption import Caption, Jump

BLANK = RunState()


def links_of(data):
    """Return the ids of the links in the answers of all views of a run."""
    for view in RUN.available_views(data):
        answer = (
            view.draw(data, BLANK, "light") if isinstance(view, Plot) else view.make(data, BLANK)
        ).caption
        parts = caption_parts(view.id, answer)
        assert "".join(part if isinstance(part, str) else part.children for part in parts) == answer
        yield from (part.id for part in parts if not isinstance(part, str))


@pytest.mark.slow
def test_every_link_of_an_answer_selects_what_it_names(sample_runs):
    named = set()
    for data in sample_runs:
        ids = [*links_of(data)]
        assert len({json.dumps(one) for one in ids}) == len(ids)
        for one in ids:
            state = follow_jump(BLANK, data, one)
            part = state.memory if hasattr(state.memory, one["part"]) else state.selection
            shown = (
                data.memory.number(state.memory)
                if one["part"] == "attempt"
                else getattr(part, one["part"])
            )
            assert str(shown) == one["value"]
            assert parse(state.query()) == state
            named.add((one["view"], one["part"]))
    assert {
        ("iterations", "iteration"),
        ("stalls", "track"),
        ("durations", "track"),
        ("durations", "kernel"),
    } <= named
    assert {("live", "step"), ("attempts", "attempt")} <= named


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("iteration", "x"),
        ("iteration", ""),
        ("method", "reference"),
        ("overrides", "1"),
        ("attempt", "99"),
        ("nothing", "1"),
    ],
)
def test_what_is_no_value_of_the_selection_changes_nothing(sample_runs, part, value):
    assert follow_jump(BLANK, sample_runs[0], {"part": part, "value": value}) == BLANK


def test_a_jump_keeps_the_rest(sample_runs):
    state = parse("track=core+2,0&share=inside&find=a")
    after = follow_jump(state, sample_runs[0], {"part": "iteration", "value": "2"})
    assert after == state.selecting(iteration=2)


def test_one_value_is_one_link():
    twice = Caption("a and b", Jump("a", "track", "a"), Jump("b", "track", "a"))
    assert [type(part).__name__ for part in caption_parts("x", twice)] == ["Button", "str"]


@pytest.mark.slow
def test_the_page_has_links_and_the_summary_has_the_sentence(dashboard, upload):
    run = upload(m="32", k="32", n="32").json["runs"][0]["run_id"]
    answer = dashboard.drawn(run)
    said = answer["run-stalls-answer"]["children"]
    links = [part["props"] for part in said if isinstance(part, dict)]
    assert [link["id"]["part"] for link in links] == ["track"]
    plain = "".join(part if isinstance(part, str) else part["props"]["children"] for part in said)
    assert answer["run-stalls-summary"]["children"] == plain
