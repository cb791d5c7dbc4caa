"""The state of the lab: its address, its fields, and what clicks and buttons make of it."""

from dataclasses import replace

import pytest

from app.pages.lab.callbacks import fill_fields
from app.pages.lab.form import values
from app.views.lab.picture import apply_action, block_clicked
from app.views.lab.registry import parse
from app.views.lab.state import LabState, apply_zoom, clear_selection, question_query
from schema.memory import MAX_SEED
from services.run.saved_placements import SaveError


def test_a_query_holds_it_and_passes_over_what_is_none():
    state = LabState(
        2, "best_fit", 7, 100, 4096, ((1, 64), (3, 0)), 16, "apart", "possible", (4,), ((5, 9),), (6, 8),
        (0, 2, 1, 3, 4), 512, 3, 1, (1, 9), (0, 40), "conv", chosen={"picture": "after"},
    )  # fmt: skip
    assert parse(state.query()) == state
    hostile = "attempt=-1&strategy=x&seed=1e9&effort=0&capacity=&fixed=1=a,2&alignment=3&aliases=no&dropped=a,,"
    assert parse(hostile) == LabState(effort=1)
    assert [parse(f"seed={seed}").seed for seed in (MAX_SEED, MAX_SEED + 1, 10**30)] == [
        MAX_SEED,
        0,
        0,
    ]


def test_the_address_of_a_question_asks_it_again_or_there_is_none():
    pairs = tuple((block, 0) for block in range(201))
    assert (
        parse(question_query(LabState(seed=MAX_SEED, fixed=pairs[:200], step=3), 2)).fixed
        == pairs[:200]
    )
    with pytest.raises(SaveError):
        question_query(LabState(fixed=pairs), 2)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("0,2,1", (0, 2, 1)),
        ("2-3,0-1", (2, 3, 0, 1)),
        ("0-4", ()),
        ("0,0", ()),
        ("0-1,3", ()),
        ("3-1", ()),
        ("a", ()),
    ],
)
def test_an_order_names_every_step_once(text, order):
    state = parse(f"order={text}")
    assert state.order == order
    assert state.query() == (f"order={text}" if order else "")


def test_fields_change_the_question_and_another_attempt_takes_no_blocks_along():
    state = LabState(fixed=((1, 2),), block=3, capacity=9)
    given = {**values(state), "capacity": " 12\u202f048 ", "strategy": "first_fit"}
    assert fill_fields(state, None, given) == replace(state, capacity=12_048, strategy="first_fit")
    assert fill_fields(state, None, values(state) | {"attempt": "1"}) == LabState(
        attempt=1, capacity=9
    )


def test_one_block_too_many_pushes_no_other_one_out():
    many = tuple(range(1, 201))
    state = LabState(dropped=many, sizes=tuple((block, 8) for block in many))
    for do in ("drop", "size"):
        assert apply_action(state, None, {"block": 0, "value": 16, "do": do}) == state


def test_a_block_is_selected_zoomed_and_cleared():
    click = {"points": [{"customdata": [0, 4]}]}
    chosen = block_clicked(LabState(), None, click)
    assert chosen.block == 4
    assert block_clicked(chosen, None, click).block is None
    near = apply_zoom(chosen, {"span": [1.2, 7.9], "addresses": [40, -4]})
    assert (near.span, near.addresses) == ((1, 8), (0, 40))
    assert clear_selection(near) == LabState()


@pytest.mark.parametrize(
    ("do", "back"), [("fix", "free"), ("drop", "back"), ("spill", "unspill"), ("size", "own_size")]
)
def test_what_a_button_does_another_one_takes_back(do, back):
    named = {"block": 3, "value": 64}
    after = apply_action(LabState(), None, named | {"do": do})
    assert after != LabState()
    assert apply_action(after, None, named | {"do": back}) == LabState()
    assert apply_action(after, None, named | {"do": "reset"}) == LabState()
    assert apply_action(after, None, named | {"do": "nonsense"}) == after
