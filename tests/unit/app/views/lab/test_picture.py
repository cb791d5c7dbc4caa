"""The selected block and what was changed against the file: what a button offers, and what pressing it asks."""

from dataclasses import replace

import pytest

from analysis.tiling.deeploy.buffering import DOUBLE, SINGLE
from app.pages.lab.binding import open_lab
from app.views.lab import picture
from app.views.lab.picture import (
    AFTER,
    BLOCK,
    CHANGES,
    MAP,
    PICTURE,
    apply_action,
    block_clicked,
    map_panel,
)
from app.views.lab.state import LabState
from components.lab.block_card import DO
from tests.support.components import every, words

SOLVED, PROBLEM = "harbour.81920.solved", "harbour.81920"
STATE = LabState(strategy="best_fit")


@pytest.fixture(scope="module")
def opened(laboratory):
    context, names = laboratory
    return lambda name, state=STATE: open_lab(context, names[name], state)


def buttons(body):
    """Return (what it does, block, value) of every button."""
    ids = [getattr(one, "id", None) for one in every(body, "Button")]
    return sorted(
        (one["do"], one["block"], one["value"])
        for one in ids
        if isinstance(one, dict) and one.get("type") == DO
    )


def offered(opened, block, name=SOLVED, **changes):
    state = replace(STATE, block=block, **changes)
    return {do: value for do, _, value in buttons(BLOCK.make(opened(name, state), state).body)}


def block_of(data, spills):
    """Return a block that can be spilled, or that cannot."""
    amap = data.stored_map
    rows = [row for row in range(len(amap.blocks)) if picture.can_spill(amap, row) is spills]
    return int(amap.blocks["block"].iloc[rows[0]]) if rows else None


@pytest.mark.slow
def test_a_click_selects_a_block_and_the_same_one_again_none(opened):
    data = opened(SOLVED)
    click = {"points": [{"customdata": [0, 3]}]}
    state = block_clicked(STATE, data, click)
    assert state.block == 3
    assert block_clicked(state, data, click).block is None
    assert block_clicked(state, data, {"points": []}) == state


@pytest.mark.slow
def test_nothing_is_told_without_a_block_that_is_there(opened):
    data = opened(SOLVED)
    for state in (STATE, replace(STATE, block=10**9)):
        assert BLOCK.make(data, state).body is None
    assert CHANGES.make(data, STATE).body is None


def test_a_block_can_be_fixed_dropped_and_sized(opened):
    data = opened(SOLVED)
    row = data.stored_map.blocks.iloc[0]
    block, size = int(row["block"]), int(row["size"])
    state = replace(STATE, block=block)
    found = buttons(BLOCK.make(data, state).body)
    assert {number for _, number, _ in found} == {block}
    assert ("fix", block, int(row["address"])) in found
    assert ("drop", block, 0) in found
    assert {value for do, _, value in found if do == "size"} == {size // 2, 2 * size}


@pytest.mark.slow
def test_the_places_before_and_after_are_offered_once_where_they_are_one(opened):
    data = opened(SOLVED)
    amap, answer = data.stored_map, data.placement_map(picture.picked_placement(data, STATE))
    for row in range(5):
        block = int(amap.blocks["block"].iloc[row])
        at = int(picture._row(answer, block))
        expected = {int(amap.blocks["address"].iloc[row]), int(answer.blocks["address"].iloc[at])}
        state = replace(STATE, block=block)
        fixes = [value for do, _, value in buttons(BLOCK.make(data, state).body) if do == "fix"]
        assert sorted(fixes) == sorted(expected)


@pytest.mark.slow
def test_a_change_is_offered_back(opened):
    block = block_of(opened(SOLVED), spills=False) or 0
    assert "free" in offered(opened, block, fixed=((block, 0),))
    assert {"back"} <= set(offered(opened, block, dropped=(block,)))
    assert "drop" not in offered(opened, block, dropped=(block,))
    assert "unspill" in offered(opened, block, spilled=(block,))
    assert "spill" not in offered(opened, block)


def test_a_size_that_was_changed_is_the_one_that_is_halved(opened):
    size = int(opened(SOLVED).stored_map.blocks["size"].iloc[0])
    state = replace(STATE, block=0, sizes=((0, 2 * size),))
    found = buttons(BLOCK.make(opened(SOLVED, state), state).body)
    assert [value for do, _, value in found if do == "size"] == [size, 4 * size]


@pytest.mark.parametrize(
    ("copies", "length", "stored", "expected"),
    [
        (DOUBLE, 64, 64, [("size", 32)]),
        (SINGLE, 64, 64, [("size", 128)]),
        (DOUBLE, 32, 64, [("own_size", 0)]),
        (SINGLE, 128, 64, [("own_size", 0)]),
        (None, 64, 64, [("size", 32), ("size", 128)]),
    ],
)
def test_a_block_of_tiles_may_hold_one_or_two(copies, length, stored, expected):
    assert [
        (one.do, one.value) for one in picture._size_actions(copies, length, stored)
    ] == expected


def test_a_constant_stays_as_it_is(opened):
    data = opened(SOLVED)
    amap = data.stored_map
    held = replace(data)
    vars(held)["stored_map"] = replace(amap, blocks=amap.blocks.assign(kind="constant"))
    part = BLOCK.make(held, replace(STATE, block=0))
    assert part.body is not None
    assert buttons(part.body) == []


def test_every_change_is_listed_with_its_way_back(opened):
    state = replace(
        STATE,
        fixed=((0, 64),),
        dropped=(1,),
        spilled=(2,),
        sizes=((3, 32), (10**9, 1)),
        order=(1, 0),
    )
    part = CHANGES.make(opened(SOLVED, state), state)
    assert buttons(part.body) == sorted(
        [
            ("free", 0, 0),
            ("back", 1, 0),
            ("unspill", 2, 0),
            ("own_size", 3, 0),
            ("own_size", 10**9, 0),
            ("stored_order", 0, 0),
            ("reset", 0, 0),
        ]
    )
    assert "0x40" in words(part.body)


def test_what_spilling_moves_is_said(opened):
    block = block_of(opened(SOLVED), spills=True)
    if block is None:
        pytest.skip("no block of the sample can be spilled")
    state = replace(STATE, spilled=(block,))
    assert CHANGES.make(opened(SOLVED, state), state).caption


@pytest.mark.parametrize(
    ("do", "before", "after"),
    [
        ("fix", {}, {"fixed": ((2, 7),)}),
        ("free", {"fixed": ((2, 7),)}, {}),
        ("drop", {}, {"dropped": (2,)}),
        ("back", {"dropped": (2,)}, {}),
        ("spill", {}, {"spilled": (2,)}),
        ("unspill", {"spilled": (2,)}, {}),
        ("size", {}, {"sizes": ((2, 7),)}),
        ("own_size", {"sizes": ((2, 7),)}, {}),
        ("stored_order", {"order": (1, 0)}, {}),
        (
            "reset",
            {
                "order": (1, 0),
                "fixed": ((1, 1),),
                "dropped": (3,),
                "sizes": ((4, 4),),
                "spilled": (5,),
            },
            {},
        ),
        ("no such thing", {"dropped": (2,)}, {"dropped": (2,)}),
    ],
)
def test_a_button_changes_the_question(opened, do, before, after):
    asked = apply_action(
        replace(STATE, **before), opened(SOLVED), {"do": do, "block": 2, "value": 7}
    )
    assert asked == replace(STATE, **after)


@pytest.mark.slow
def test_outlines_are_drawn_unless_the_answer_alone_is_asked_for(opened):
    data = opened(SOLVED)
    alone = map_panel(data, replace(STATE, chosen={PICTURE.name: AFTER}), "light").figure
    assert not any(trace.meta == "before" for trace in alone.data)
    assert len(MAP.controls(data, STATE)) == 1


@pytest.mark.slow
def test_a_file_without_a_placement_is_drawn_with_an_answer(opened):
    data = opened(PROBLEM)
    assert len(map_panel(data, STATE, "light").figure.data) > 0
    for answers in ((), data.placements):
        blank = replace(data, placements=answers)
        vars(blank)["stored_map"] = data.stored_map
        assert map_panel(blank, STATE, "light").caption


def test_a_file_with_a_placement_is_drawn_before_anything_was_asked(opened):
    data = replace(opened(SOLVED), placements=())
    panel = map_panel(data, STATE, "light")
    assert len(panel.figure.data) > 0
    assert not any(trace.meta == "before" for trace in panel.figure.data)


@pytest.mark.slow
def test_outlines_tell_of_an_order_that_is_not_theirs(opened):
    state = replace(STATE, order=(1, 0))
    data = opened(SOLVED)
    assert map_panel(data, state, "light").caption.startswith(
        map_panel(data, STATE, "light").caption
    )
    assert map_panel(data, state, "light").caption != map_panel(data, STATE, "light").caption


def test_a_run_without_a_map_has_an_empty_picture(opened):
    data = opened(SOLVED)
    bare = replace(data)
    vars(bare)["stored_map"] = None
    assert map_panel(bare, STATE, "light").caption
    assert BLOCK.make(bare, replace(STATE, block=0)).body is None
    state = replace(STATE, dropped=(1,))
    assert buttons(CHANGES.make(bare, state).body) == [("back", 1, 0), ("reset", 0, 0)]
