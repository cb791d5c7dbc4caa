"""Every number in the sentences of the page of programs, against the frames that it is from."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import pytest

from app.views.program.lists import _matches_words
from app.views.program.place import program_rows, shown_place
from app.views.program.registry import PROGRAM
from app.views.program.state import ProgramState
from app.views.view import Plot
from components.program.cost_table import cost_caption
from tests.support.sentences import COUNT, QUANTITY, is_written, number_faults, plain


@dataclass(frozen=True)
class Row:
    view: str
    meaning: str
    pattern: str
    numbers: Callable


def busiest(data):
    """Return the state of the step with the most matches, after the last one."""
    steps = data.program.frame("rewrite_steps")
    row = steps.loc[steps["matches"].idxmax()]
    matches = int(row["matches"])
    return ProgramState(context=int(row["context"]), step=int(row["step"]), match=matches)


def states(data):
    """Return the first state of the page, the busiest step, and the states of three programs."""
    contexts = data.program.frame("programs")["context"].dropna().astype(int)
    return [
        ProgramState(),
        busiest(data),
        *(ProgramState(context=context) for context in contexts.head(3)),
    ]


def caption(data, state, view_id):
    view = next((view for view in PROGRAM.available_views(data) if view.id == view_id), None)
    if view is None:
        return ""
    drawn = view.draw(data, state, "light") if isinstance(view, Plot) else view.make(data, state)
    return plain(drawn.caption)


def own_ranges(data):
    """Own time of the ranges of the compiler by name: covered by no range inside of it."""
    tracks, events = (data.program.frame(name) for name in ("tracks", "events"))
    own = tracks.loc[tracks["kind"].astype("str") == "compiler", "track"].astype("str")
    ranges = events[events["track"].isin(own)].sort_values(
        ["start", "end"], ascending=[True, False], kind="stable"
    )
    times, open_ = {}, []
    for name, start, end in ranges[["name", "start", "end"]].itertuples(index=False):
        while open_ and open_[-1][1] <= start:
            open_.pop()
        if open_:
            times[open_[-1][0]] -= min(end, open_[-1][1]) - start
        times[name] = times.get(name, 0) + end - start
        open_.append((name, end))
    return times


def busy(data, _state):
    times = own_ranges(data)
    whole, most = sum(times.values()), max(times.values())
    return whole, most, most / whole


def shown_step(data, state):
    matches = data.program.frame("rewrite_matches")
    place = shown_place(data, state)
    return matches[(matches["context"] == place.context) & (matches["step"] == place.step)]


def match_times(data, state):
    own = shown_step(data, state)
    return len(own), own["duration"].sum(), own["duration"].max()


def rows_of(name):
    return lambda data, state: len(program_rows(data, name, state))


ROWS = [
    Row(
        "contexts",
        "contexts and matches",
        rf"^{COUNT} contexts?, {COUNT} match",
        lambda data, _: (
            len(data.program.frame("contexts")),
            len(data.program.frame("rewrite_matches")),
        ),
    ),
    Row(
        "compile-steps",
        "share of the slowest step in the time of all matches",
        rf"^Matches took {QUANTITY}, {QUANTITY} of it",
        lambda data, _: (
            data.program.compile_time.own.sum(),
            data.program.compile_time.own.max() / data.program.compile_time.own.sum(),
        ),
    ),
    Row(
        "compile-steps",
        "time of the compiler, and of its busiest range",
        rf"busy for {QUANTITY}, {QUANTITY} \({QUANTITY}\) in",
        busy,
    ),
    Row(
        "compile-rules",
        "rules",
        rf"^{COUNT} rules? matched",
        lambda data, _: (
            len(data.program.frame("rewrite_matches")[["file", "line"]].drop_duplicates()),
        ),
    ),
    Row(
        "matches",
        "matches of a step, their time and the slowest",
        rf"^{COUNT} matches, {QUANTITY}; the slowest is match \d+, {QUANTITY}",
        match_times,
    ),
    Row(
        "blocks",
        "blocks and edges of the control flow",
        rf"^{COUNT} blocks?, {COUNT} edges?",
        lambda data, state: (
            rows_of("basic_blocks")(data, state),
            rows_of("block_edges")(data, state),
        ),
    ),
    Row(
        "assembly",
        "instructions",
        rf": {COUNT} instructions?\.",
        lambda data, state: (rows_of("disassembly")(data, state),),
    ),
]


@pytest.mark.quick_every(6)
@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.meaning}" for row in ROWS])
def test_the_numbers_of_a_sentence_are_those_of_its_frame(compiled, row):
    seen = 0
    for data in compiled.values():
        for state in states(data):
            sentence = caption(data, state, row.view)
            found = re.search(row.pattern, sentence)
            if found is None:
                continue
            seen += 1
            expected = [float(number) for number in row.numbers(data, state)]
            for written, number in zip(found.groups(), expected, strict=True):
                assert is_written(written, number), f"{sentence}: {written}, not {number}"
    assert seen, "no sample has such a sentence"


@pytest.mark.slow
def test_number_noun_and_verb_of_every_sentence_agree(compiled):
    for data in compiled.values():
        for state in states(data):
            for view in PROGRAM.available_views(data):
                sentence = caption(data, state, view.id)
                assert not number_faults(sentence), view.id
                assert not re.search(r"(?<![\d.,])0 of them", sentence), view.id


@pytest.mark.parametrize("durations", [(5,), (5, 5), (5, 5, 7)])
def test_a_match_is_the_slowest_only_if_another_one_is_quicker(durations):
    numbers = range(1, len(durations) + 1)
    matches = pd.DataFrame({"match": numbers, "duration": durations})
    sentence = plain(_matches_words(matches))
    assert re.match(rf"{COUNT} match", sentence)[1] == str(len(durations))
    assert ("slowest" in sentence) == (len(set(durations)) > 1)


@pytest.mark.parametrize(("hits", "executed"), [(1, 0), (1, 1), (4, 1), (4, 4)])
def test_delays_are_a_part_of_the_issues(hits, executed):
    row = {"pc": 0, "text": "s_nop 0", "hits": hits, "idle": 3, "stall": 1}
    sentence = plain(cost_caption(pd.DataFrame([row | {"executed": executed}])))
    assert not number_faults(sentence)
    assert int(re.search(rf"{COUNT} issues? of", sentence)[1]) == hits
    some = re.search(rf"delay of {COUNT} is known", sentence)
    assert (int(some[1]) if some else None) == (executed if 0 < executed < hits else None)
    assert ("no delay" in sentence) == (executed == 0)
