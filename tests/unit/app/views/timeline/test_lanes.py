"""Lanes of a timeline that are folded, pinned and higher, in the address of the page."""

import pytest

from app.views.lane_menu import track_marked
from app.views.registry import RUN, parse
from app.views.state import MAX_MARKED_TRACKS, RunState
from app.views.timeline.lane_menu import lane_menu
from app.views.timeline.lanes import timeline_rows
from app.views.timeline_lanes import tracks_of
from tests.support.components import every
from tests.support.timeline_bars import bars_of, record_of

BLANK = RunState()


def rows_of_tracks(capture, state):
    rows = timeline_rows(capture, state)
    return {
        track: [row for row in rows if row.track == track] for track in tracks_of(capture.timeline)
    }


def draw(capture, query):
    timeline = next(view for view in RUN.available_plots(capture) if view.id == "timeline")
    return timeline.draw(capture, parse(query), "light")


def test_a_folded_track_has_its_first_lane_and_a_second_press_unfolds_it(capture):
    before = rows_of_tracks(capture, BLANK)
    number, track = next((n, t) for n, t in enumerate(before) if len(before[t]) > 1)
    folded = track_marked(BLANK, "folded", number)
    after = rows_of_tracks(capture, folded)
    assert after[track] == before[track][:1]
    assert {name: own for name, own in after.items() if name != track} == {
        name: own for name, own in before.items() if name != track
    }
    assert track_marked(folded, "folded", number) == BLANK


def test_a_pinned_track_is_above_the_others(capture):
    tracks = tracks_of(capture.timeline)
    pinned = track_marked(BLANK, "pinned", len(tracks) - 1)
    rows = timeline_rows(capture, pinned)
    assert rows[0].track == tracks[-1]
    assert sorted(rows) == sorted(timeline_rows(capture, BLANK))


def test_the_address_has_what_is_folded_and_pinned(capture):
    state = track_marked(track_marked(BLANK, "folded", 1), "pinned", 0)
    assert parse(state.query()) == state
    assert parse("folded=1,x,99999,3").folded == (1, 3)
    assert timeline_rows(capture, parse("folded=4000&pinned=4000")) == timeline_rows(capture, BLANK)


def test_the_bars_of_a_folded_track_are_those_of_its_lane(capture):
    whole = draw(capture, "")
    folded = draw(capture, "folded=0")
    track = tracks_of(capture.timeline)[0]
    lanes = [
        {bar.y for bar in bars_of(view.figure) if bar.track == track} for view in (whole, folded)
    ]
    assert len(lanes[0]) > len(lanes[1]) == 1
    # Tiles have all lanes, and the page knows the numbers of those that it shows.
    numbers = record_of(folded.figure)["tiles"]["rows"]
    assert set(numbers) < set(record_of(whole.figure)["tiles"]["rows"])
    assert len(numbers) == len(record_of(folded.figure)["rows"]["y"])


def test_higher_lanes_make_a_higher_plot(capture):
    heights = [
        draw(capture, query).figure.to_plotly_json()["layout"]["height"]
        for query in ("", "laneheight=1.6", "laneheight=2.4")
    ]
    assert heights == sorted(set(heights))


@pytest.mark.parametrize("field", ["folded", "pinned"])
def test_no_more_tracks_are_marked_than_an_address_holds(field):
    state = BLANK
    for number in range(MAX_MARKED_TRACKS + 5):
        state = track_marked(state, field, number)
    assert len(getattr(state, field)) == MAX_MARKED_TRACKS
    assert parse(state.query()) == state


def test_the_menu_tells_which_tracks_are_marked(capture):
    menu = lane_menu(capture, track_marked(BLANK, "folded", 0))
    buttons = every(menu, "Button")
    pressed = {
        (button.id["of"], button.id["track"]): getattr(button, "aria-pressed") for button in buttons
    }
    assert pressed["folded", 0] == "true"
    assert set(pressed.values()) == {"true", "false"}
    assert len(pressed) == 2 * len(tracks_of(capture.timeline))
