"""Lanes of both timelines of a comparison: folded, pinned, higher, and all of them."""

import pytest

from app.views.comparison.registry import COMPARE, parse
from app.views.comparison.state import CompareState
from app.views.comparison.timeline_lanes import LANE_LINK, compared_lanes, lane_menu, shown_lanes
from app.views.state import MAX_MARKED_TRACKS
from app.views.timeline_lanes import tracks_of
from tests.support.components import every
from tests.support.numbers_in_text import numbers_in
from tests.support.timeline_bars import bars_of, record_of

START = CompareState(("a",), new=("b",))
SIDES = (0, 1)


def press(state, data, field, track):
    return LANE_LINK.step(state, data, {"of": field, "track": track})


def tracks_in(data, state, side):
    return [row.track for row in compared_lanes(data, state, side).rows]


def draw(data, state, side):
    name = ("timeline-base", "timeline-new")[side]
    return COMPARE.find_plot(data, name).draw(data, state, "light")


def test_a_folded_track_has_one_lane_on_both_sides(pairs):
    data = pairs.data("aie slow")
    track = tracks_of(*data.timelines)[0]
    folded = press(START, data, "folded", 0)
    for side in SIDES:
        before = tracks_in(data, START, side)
        after = tracks_in(data, folded, side)
        assert before.count(track) > after.count(track) == 1
        assert {bar.y for bar in bars_of(draw(data, folded, side).figure) if bar.track == track}
        lanes = compared_lanes(data, folded, side)
        counts = [str(count) for count in (len(lanes.rows), lanes.folded) if count]
        assert numbers_in(draw(data, folded, side).caption)[: len(counts)] == counts
        assert len(record_of(draw(data, folded, side).figure)["tiles"]["rows"]) == len(after)
    assert press(folded, data, "folded", 0) == START


def test_a_pinned_track_is_first_on_both_sides(pairs):
    data = pairs.data("aie slow")
    tracks = tracks_of(*data.timelines)
    pinned = press(START, data, "pinned", len(tracks) - 1)
    for side in SIDES:
        assert tracks_in(data, pinned, side)[0] == tracks[-1]
        assert len(tracks_in(data, pinned, side)) == len(tracks_in(data, START, side))


def test_tracks_of_the_new_run_only_have_numbers_after_the_others(pairs):
    data = pairs.data("aie larger")
    base, new = ({row.track for row in run.rows()} for run in data.timelines)
    tracks = tracks_of(*data.timelines)
    assert set(tracks) == base | new
    number = next(at for at, track in enumerate(tracks) if track not in base)
    assert number >= len(base)
    pinned = press(START, data, "pinned", number)
    assert tracks_in(data, pinned, 0) == tracks_in(data, START, 0)
    assert tracks_in(data, pinned, 1)[0] == tracks[number]


def test_the_address_keeps_what_is_folded_and_pinned(pairs):
    data = pairs.data("aie slow")
    state = press(press(START, data, "folded", 1), data, "pinned", 0)
    assert parse(state.query()) == state
    assert (state.folded, state.pinned) == ((1,), (0,))
    far = parse("base=a&new=b&folded=4000&pinned=4000")
    assert [tracks_in(data, far, side) for side in SIDES] == [
        tracks_in(data, START, side) for side in SIDES
    ]


@pytest.mark.slow
@pytest.mark.parametrize("field", ["folded", "pinned"])
def test_no_more_tracks_are_marked_than_an_address_holds(pairs, field):
    state = START
    for number in range(MAX_MARKED_TRACKS + 3):
        state = press(state, pairs.data("aie slow"), field, number)
    assert len(getattr(state, field)) == MAX_MARKED_TRACKS
    assert parse(state.query()) == state


def test_all_lanes_are_more_than_main_lanes_and_have_tiles(pairs):
    data = pairs.data("aie column")
    everything = parse("base=a&new=b&lanes=all")
    for side in SIDES:
        main = compared_lanes(data, START, side)
        lanes = compared_lanes(data, everything, side)
        assert lanes.rows == data.timelines[side].rows()
        assert lanes.hidden == 0
        assert main.hidden == len(lanes.rows) - len(main.rows) > 0
        assert str(main.hidden) in numbers_in(draw(data, START, side).caption)
        tiles = record_of(draw(data, everything, side).figure)["tiles"]
        assert "/all/" in tiles["address"]
        assert -1 not in tiles["rows"]


def test_a_pinned_track_below_the_limit_is_shown(pairs):
    data = pairs.data("aie column")
    tracks = tracks_of(*data.timelines)
    assert tracks[-1] not in tracks_in(data, START, 0)
    pinned = press(START, data, "pinned", len(tracks) - 1)
    assert [tracks_in(data, pinned, side)[0] for side in SIDES] == [tracks[-1]] * 2


def test_higher_lanes_make_both_plots_higher(pairs):
    data = pairs.data("aie slow")
    for side in SIDES:
        heights = [
            draw(data, parse(f"base=a&new=b{more}"), side).figure.to_plotly_json()["layout"][
                "height"
            ]
            for more in ("", "&laneheight=1.6", "&laneheight=2.4")
        ]
        assert heights == sorted(set(heights))


def test_the_menu_has_the_tracks_of_both_sides(pairs):
    data = pairs.data("aie larger")
    buttons = every(lane_menu(data, press(START, data, "folded", 0)), "Button")
    shown = {row.track for run in data.timelines for row in shown_lanes(run, START)}
    assert len(buttons) == 2 * len(shown)
    assert {button.id["type"] for button in buttons} == {LANE_LINK.type}
    pressed = [button.id for button in buttons if getattr(button, "aria-pressed") == "true"]
    assert [(name["of"], name["track"]) for name in pressed] == [("folded", 0)]
