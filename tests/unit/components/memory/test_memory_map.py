import numpy as np
import pytest

from analysis.memory.selection import MemorySelection
from components.memory.colours import COLOURS
from components.memory.memory_map import PEAK, memory_map
from components.theme import palette
from tests.support.map_figure import bars, boxes, entries, hover, level, notes, shown, trace_of
from tests.support.memory import amap, block, constant, failed
from tests.support.numbers_in_text import has_numbers, numbers_in


def test_a_block_is_a_bar_over_its_steps_and_addresses() -> None:
    figure = shown([amap([block("a", 0, 2, 0, 64), block("b", 1, 4, 64, 128)])])
    assert boxes(figure, "a") == [(0, 2, 0, 64)]
    assert boxes(figure, "b") == [(1, 4, 64, 192)]
    assert figure.layout.xaxis.range == (0, 4)


def test_a_block_that_wraps_is_two_bars_with_arrows_where_it_goes_on() -> None:
    figure = shown([amap([block("a", 3, 1, 0, 64, wraps=True)], length=4)])
    assert sorted(boxes(figure, "a")) == [(0, 1, 0, 64), (3, 4, 0, 64)]
    arrows = [trace for trace in figure.data if trace.type == "scatter"]
    assert sorted(x for trace in arrows for x in trace.x) == [0, 4]
    assert "wraps" in hover(figure, "a")


def test_a_block_that_is_held_is_one_bar_over_all_steps_with_a_strong_edge() -> None:
    figure = shown([amap([block("a", 1, 2, 0, 64, hold=True), block("b", 1, 2, 64, 64)], length=4)])
    assert boxes(figure, "a") == [(0, 4, 0, 64)]
    widths = [np.broadcast_to(trace_of(figure, name).marker.line.width, 1)[0] for name in "ab"]
    assert widths[0] > widths[1]
    assert "all steps" in hover(figure, "a")


@pytest.mark.parametrize("colour", list(COLOURS))
def test_failed_blocks_stand_above_the_capacity_in_red(colour: str) -> None:
    one = amap(
        [block("a", 0, 2, 0, 64), failed("f", 0, 1, 32), failed("g", 0, 2, 16)], capacity=128
    )
    figure = shown([one], colour=colour)
    assert boxes(figure, "g") == [(0, 2, 128, 144)]
    assert boxes(figure, "f") == [(0, 1, 144, 176)]
    assert trace_of(figure, "f").marker.line.color == palette("light").trouble
    assert figure.layout.yaxis.range[1] > 176
    assert "2 failed" in notes(figure)
    assert "failed" in entries(figure)
    assert "no address" in hover(figure, "f")


def test_failed_blocks_that_were_given_a_place_stand_there() -> None:
    figure = shown([amap([failed("f", 0, 1, 32) | {"address": 300}], capacity=128)])
    assert boxes(figure, "f") == [(0, 1, 300, 332)]


def test_blocks_of_a_problem_are_dotted_and_said() -> None:
    figure = shown([amap([block("a", 0, 2, None, 64), block("b", 0, 1, None, 64)], capacity=64)])
    assert trace_of(figure, "a").marker.pattern.shape == "."
    assert "2 unplaced" in notes(figure)
    assert "not placed" in hover(figure, "a")


def test_constants_lie_in_a_hatched_band_below_the_arena() -> None:
    one = amap([constant("c", 0, 64), block("a", 0, 2, 16, 64)], static_bytes=64, capacity=256)
    figure = shown([one])
    assert boxes(figure, "c") == [(0, one.length, 0, 64)]
    assert boxes(figure, "a") == [(0, 2, 80, 144)]
    band = next(
        trace
        for trace in figure.data
        if trace.type == "bar" and trace.hovertext is None and trace.base
    )
    assert band.marker.pattern.shape == "\\"
    assert "0x10 – 0x50" in hover(figure, "a")
    ticks = dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True))
    assert ticks["0x0"] == 64
    assert "static" in notes(figure)


def test_a_band_much_larger_than_the_arena_leaves_it_room() -> None:
    figure = shown(
        [
            amap(
                [constant("c", 0, 10**6), block("a", 0, 2, 0, 100)],
                static_bytes=10**6,
                capacity=2 * 10**6,
            )
        ]
    )
    low, high = figure.layout.yaxis.range
    assert 100 / (high - low) > 0.5


def test_a_level_of_constants_only_shows_them() -> None:
    figure = shown(
        [amap([constant("c", 0, 64), constant("d", 64, 64)], static_bytes=128, capacity=10**6)]
    )
    assert boxes(figure, "d")[0][2:] == (64, 128)
    low, high = figure.layout.yaxis.range
    assert low <= 0
    assert 128 <= high < 1000


@pytest.mark.slow
def test_a_capacity_far_above_stays_out_of_view_and_is_named() -> None:
    near, far = (shown([amap([block("a", 0, 1, 0, 100)], capacity=size)]) for size in (150, 10**6))
    assert near.layout.yaxis.range[1] > 150
    assert far.layout.yaxis.range[1] < 200
    assert "↑ capacity" in notes(far)
    assert [line.y0 for line in near.layout.shapes if line.line.dash == "dash"] == [150]


@pytest.mark.slow
def test_banks_have_lines_and_as_many_labels_as_fit() -> None:
    few = shown([amap([block("a", 0, 1, 0, 200)], capacity=256, banks=4, bank_bytes=64)])
    assert all(f"bank {bank}" in notes(few) for bank in range(4))
    (path,) = [shape.path for shape in few.layout.shapes if shape.type == "path"]
    assert path.count("M") == 5
    many_banks = shown([amap([block("a", 0, 1, 0, 4096)], capacity=4096, banks=64, bank_bytes=64)])
    assert notes(many_banks).count("bank ") <= 32


@pytest.mark.parametrize("banks", [65, 10**9])
def test_too_many_banks_are_not_drawn(banks: int) -> None:
    figure = shown(
        [amap([block("a", 0, 1, 0, 64 * 60)], capacity=64 * 65, banks=banks, bank_bytes=64)]
    )
    assert "bank" not in notes(figure)


@pytest.mark.slow
def test_levels_lie_under_each_other_on_one_axis() -> None:
    maps = [level("L3", 0), level("L2", 1), level("L1", 2, rows=[])]
    figure = shown(maps)
    domains = [figure.layout[name].domain for name in ("yaxis", "yaxis2", "yaxis3")]
    assert domains[0][0] > domains[1][1] > domains[1][0] > domains[2][1]
    assert {trace.yaxis for trace in bars(figure)} == {"y", "y2"}
    assert figure.layout.xaxis.anchor == "y3"
    text = notes(figure)
    assert "<b>L2</b> · 192 of 1\u202f0" not in text
    assert has_numbers(text, "128 B", "1.00 KiB", "12.5 %")
    exact = " | ".join(note.hovertext or "" for note in figure.layout.annotations)
    assert has_numbers(exact, "128 B", "1 024 B", "12.5 %")
    # 6.5 px a character of 11 px: a page of 400 px has about 290 px for it.
    titles = [note.text for note in figure.layout.annotations if "<b>" in note.text]
    assert max(len(title.replace("<b>", "").replace("</b>", "")) for title in titles) <= 44
    assert "<b>L1</b> · empty" in text
    assert figure.layout.yaxis.fixedrange


@pytest.mark.slow
def test_inner_and_outer_plans_are_told_apart() -> None:
    outer, inner = (
        shown([level("L2", 0, plan=plan), level("L1", 1, plan=plan)]) for plan in ("outer", "inner")
    )
    assert "· outer" in notes(outer)
    assert "· inner" in notes(inner)
    assert len(inner.layout.shapes) == len(outer.layout.shapes) + 2


@pytest.mark.slow
def test_the_blocks_that_force_the_peak_are_outlined_where_there_are_no_banks() -> None:
    rows = [block("a", 0, 2, 0, 64), block("b", 1, 3, 64, 128), block("c", 3, 4, 0, 8)]

    def outlined(**columns: object) -> list[tuple[int, int]]:
        found = [trace for trace in shown([amap(rows, **columns)]).data if trace.meta == PEAK]
        return [
            (int(base), int(width))
            for trace in found
            for base, width in zip(trace.base, trace.width, strict=True)
        ]

    assert outlined() == [(0, 64), (1, 128)]
    assert outlined(banks=2, bank_bytes=128) == []


@pytest.mark.parametrize(("empty", "drawn"), [(0, 1), (1, 1), (2, 0)])
def test_blocks_of_no_size_are_counted_below_the_map(empty: int, drawn: int) -> None:
    rows = [block(f"e{i}", 0, 2, 0, 0) for i in range(empty)]
    rows += [block(f"d{i}", 0, 2, 64, 64) for i in range(drawn)]
    line = memory_map([amap(rows)], MemorySelection(), "light").line
    assert numbers_in(line)[:1] == [str(drawn)]
    assert ("0 bytes" in line) is (empty > 0)
    assert not empty or f" {empty} block" in line
