import pytest

from analysis.allocators import packing as memory_packing
from analysis.memory.cursor import cursor
from analysis.memory.index import MemoryIndex
from analysis.memory.selection import MemorySelection
from schema.frames import empty
from services.run import memory as memory_data
from services.run.built_in_layouts import is_laid
from services.run.memory import MemoryData
from tests.support.memory import block, numbered

NONE = MemorySelection()


def data(rows, count=1, **columns):
    attempts, blocks = numbered(rows, count=count, **columns)
    frames = [empty(name) for name in ("steps", "buffer_uses", "events")]
    return MemoryData(MemoryIndex.of(attempts, blocks, *frames[:2]), blocks, *frames)


def placed(attempt=0):
    return [
        block("a", 0, 2, address=0, attempt=attempt),
        block("b", 1, 3, address=256, attempt=attempt),
    ]


def test_the_shown_attempt_is_the_selected_one_where_there_is_such_a_one():
    memory = data([*placed(), *placed(1)], count=2)
    assert memory.number(MemorySelection(attempt=1)) == 1
    assert memory.number(MemorySelection(attempt=9)) == memory.number(NONE)


def test_without_a_cursor_the_peak_of_the_steps_in_view_is_meant():
    memory = data(
        [
            block("a", 0, 2, 0, 64),
            block("b", 1, 2, 64, 64),
            block("c", 3, 6, 0, 8),
            block("d", 4, 5, 8, 8),
        ]
    )
    shown = memory.shown_map(NONE, "placed")
    views = [None, (0, 3), (2, 6), (3, 4)]
    assert [cursor(shown, MemorySelection(span=view)) for view in views] == [1, 1, 4, 3]
    assert cursor(shown, NONE, (3, 6)) == 4
    assert cursor(shown, MemorySelection(step=5, span=(0, 3))) == 5


def test_levels_are_shown_together():
    memory = data([*placed(), *placed(1)], count=2, level=["L1", "L2"])
    assert [one.label for one in memory.maps(MemorySelection(attempt=1), "placed")] == ["L1", "L2"]
    assert memory.shown_map(MemorySelection(attempt=1), "placed").label == "L2"


def test_maps_beyond_the_cache_are_made_once_for_all_views_and_levels_of_a_page(monkeypatch):
    monkeypatch.setattr(memory_data, "_MAPS_BYTES", 1)
    memory = data([*placed(), *placed(1)], count=2, level=["L1", "L2"])
    first = memory.maps(NONE, "placed")
    assert memory.cached_bytes > 1
    assert memory.maps(MemorySelection(attempt=1), "placed") is first
    assert memory.maps(MemorySelection(attempt=0), "placed") is first


def test_a_problem_is_laid_out_and_a_solution_stays():
    assert data([block(), block()]).layout(NONE, "placed") == "best_fit"
    assert data(placed()).layout(NONE, "placed") == "placed"
    assert data(placed()).layout(NONE, "first_fit") == "first_fit"


def test_our_allocators_are_asked_for_what_they_make_of_it():
    assert data(placed()).packings(NONE) == {"best_fit": 128, "first_fit": 128}


@pytest.mark.slow
def test_what_takes_too_long_is_not_laid_out(monkeypatch):
    monkeypatch.setattr(memory_data, "MAX_AT_ONCE", 1)
    assert data(placed()).packings(NONE) == {}
    assert data([block(), block()]).layout(NONE, "placed") == "placed"
    monkeypatch.undo()
    monkeypatch.setattr(memory_packing, "MAX_PARTS", 1)
    assert data(placed()).packings(NONE) == {}
    shown = data(placed()).shown_map(NONE, "best_fit")
    assert not is_laid(shown, "best_fit")
    assert shown.whole("extent") == 320


def test_a_run_without_attempts_shows_nothing():
    memory = data([], count=0)
    assert memory.maps(NONE, "placed") == []
    assert memory.shown_map(NONE, "placed") is None
    assert memory.packings(NONE) == {}
    assert memory.layout(NONE, "placed") == "placed"
