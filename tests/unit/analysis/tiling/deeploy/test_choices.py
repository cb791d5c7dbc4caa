"""The choices of an operator: the tool's own is among them, and nothing says wrongly that it fits."""

from dataclasses import replace
from itertools import pairwise

from analysis.tiling.deeploy.choices import MAX_CHOICES, list_choices, tile_operator
from analysis.tiling.deeploy.operators import Held, Operator

SIZES = {
    "A": (1_024, 1, (16, 64)),
    "B": (6_144, 1, (128, 64)),
    "C": (384, 4, None),
    "mul": (384, 4, None),
}


def own(**known):
    held = [
        Held(name, name, "r", shape, size, 1, bytes_)
        for name, (bytes_, size, shape) in SIZES.items()
    ]
    held.append(Held("data_out", "data_out", "w", (16, 128), 1, 1, 1_536))
    blank = Operator(
        attempt=0, level="L1", step=0, name="op", op_type="RequantizedGemm", capacity=10_000, static=0, tiles=2,
        outer_tiles="2", sizes={"O": 96}, kernel=None, strides=None, pads=None, groups=None, transposed=(False, True),
        held=tuple(held), dma_in=11_264, dma_out=2_048,
    )  # fmt: skip
    return replace(blank, **known)


def test_the_tools_choice_is_named_and_among_those_explored():
    found = tile_operator(own())
    choices, at = list_choices(found)
    assert found.own.tile == {"M": 16, "O": 96} and choices[at] == replace(
        found.own, best=choices[at].best
    )
    assert (choices[at].bytes, choices[at].tiles, choices[at].fits, choices[at].moved_bytes) == (
        9_472,
        2,
        True,
        13_312,
    )
    assert sum(choice.own for choice in choices) == 1 and len(choices) <= MAX_CHOICES + 1
    assert found.share == 0.9472


def test_formulas_say_what_the_code_does_not():
    found = tile_operator(own(tiles=None, dma_in=None, dma_out=None))
    assert (found.own.tiles, found.own.dma_in, found.own.dma_out) == (2, 11_264, 2_048)


def test_what_fits_goes_by_capacity_and_constants():
    for capacity, static in ((10_000, 0), (10_000, 600), (None, 0)):
        choices, _ = list_choices(tile_operator(own(capacity=capacity, static=static)))
        for choice in choices:
            assert choice.fits == (None if capacity is None else choice.bytes + static <= capacity)


def test_best_choices_hold_more_the_less_they_move():
    best = [choice for choice in list_choices(tile_operator(own()))[0] if choice.best]
    assert best and all(a.moved_bytes >= b.moved_bytes for a, b in pairwise(best))


def test_an_operator_without_rules_has_its_own_choice_alone():
    found = tile_operator(own(op_type="Relu"))
    assert found.model is None
    assert list_choices(found) == ([replace(found.own, best=True)], 0)
    unknown = tile_operator(own(op_type="Relu", dma_in=None, dma_out=None))
    assert unknown.own.moved_bytes is None and not list_choices(unknown)[0][0].best
