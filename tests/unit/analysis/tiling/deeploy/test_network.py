"""A network at its levels: rounding of tiles, the smallest capacity, sweeps, and two levels together."""

from dataclasses import replace
from itertools import product

from analysis.tiling.deeploy.choices import list_choices, tile_operator
from analysis.tiling.deeploy.joint import choose_together
from analysis.tiling.deeploy.network import PlannedOperator, plan_levels
from analysis.tiling.deeploy.rounding import tile_grain
from tests.support.memory import attempts, block, blocks
from tests.unit.analysis.tiling.deeploy.test_choices import own


def planned(**known):
    found = tile_operator(own(**known))
    return PlannedOperator(found, list_choices(found)[0])


def test_tiles_are_rounded_where_the_allocator_rounds():
    odd = blocks([block("t", size=12, tensor_bytes=10)])
    assert tile_grain(attempts(strategy="TetrisRandom"), blocks([block()])) == 4
    assert tile_grain(attempts(strategy="MiniMalloc"), odd) == 1
    assert tile_grain(attempts(strategy=""), odd) == 4
    assert tile_grain(attempts(strategy=""), blocks([block("t", size=10, tensor_bytes=10)])) == 1


def test_every_choice_of_a_rounded_operator_is_a_multiple():
    exact, rounded = (planned(grain=grain, op_type="Gemm") for grain in (1, 4))
    assert any(choice.bytes % 4 for choice in exact.choices)
    assert not any(choice.bytes % 4 for choice in rounded.choices)


def test_the_smallest_capacity_is_where_the_sweep_begins_to_fit():
    (level,) = plan_levels(
        [planned(), planned(step=1, static=100, dma_in=None, dma_out=None, op_type="Relu")]
    )
    least = level.least_of_any
    assert not level.sweep(least - 1).is_feasible and level.sweep(least).is_feasible
    assert level.sweep(least - 1).moved_bytes is None
    assert (level.unknown, level.bytes_in, level.bytes_out, len(level.worst)) == (
        1,
        11_264,
        2_048,
        1,
    )
    moved = [level.sweep(size).moved_bytes for size in (least, 2 * least, 4 * least)]
    assert moved == sorted(moved, reverse=True)


def test_more_of_either_level_never_moves_more_nor_fits_less():
    inner, outer = plan_levels(
        [planned(), replace(planned(attempt=1, level="L2", capacity=20_000))]
    )
    sizes = (1_000, 4_000, 8_000, 32_000)
    found = {
        (one.inner, one.outer): one.moved_bytes
        for one in choose_together(inner, outer, sizes, sizes)
    }
    for (a, moved), (b, other) in product(found.items(), found.items()):
        if a[0] >= b[0] and a[1] >= b[1] and other is not None:
            assert moved is not None and moved <= other
    assert (
        found[32_000, 32_000] == inner.sweep(32_000).moved_bytes + outer.sweep(32_000).moved_bytes
    )


def test_the_run_s_own_capacities_fit_even_if_its_own_transfers_are_unknown():
    inner, outer = (planned(level=level, attempt=at) for at, level in enumerate(("L1", "L2")))
    unknown = replace(inner.found.own, dma_in=None, dma_out=None)
    # The other choices need more than the tool's own, as where its tile follows another rule.
    larger = [
        replace(choice, bytes=choice.bytes + unknown.bytes, own=False) for choice in inner.choices
    ]
    inner = PlannedOperator(replace(inner.found, own=unknown), [unknown, *larger])
    levels = plan_levels([inner, outer])
    (point,) = choose_together(*levels, [unknown.bytes], [outer.own.bytes])
    assert point.moved_bytes >= outer.own.moved_bytes
