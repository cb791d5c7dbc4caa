"""The view of measured tiles: which level of an operator it shows."""

import pytest

from app.views.registry import RUN, parse
from ingest.files import ingest
from services.run.capabilities import Capability
from services.run.data_cache import RunDataCache

LINE = "[{name}][DB][{operations} ops][Tile {tile}] {part:<11}: {cycles:5} cycles"


def profile(name, operations, tiles):
    parts = ("Pre-Kernel", 8), ("Kernel", 220), ("Post-Kernel", 2), ("Total", 230)
    return [
        LINE.format(name=name, operations=operations, tile=tile, part=part, cycles=cycles)
        for tile in range(tiles)
        for part, cycles in parts
    ]


@pytest.fixture
def measured(settings, tmp_path):
    """A run of a log in which one operator was measured at two levels, and one at the outer one alone."""
    lines = [*profile("Conv_1_L2", 20, 2), *profile("Conv_1_L3", 20, 1), *profile("Add_2_L3", 5, 3)]
    (tmp_path / "run.log").write_text("\n".join(lines) + "\n")
    repository = settings.repository()
    run = ingest(repository, [tmp_path / "run.log"], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})


def test_the_innermost_level_of_each_operator_is_shown_or_the_outermost(measured):
    assert measured.can(Capability.TILE_TIMES)
    view = next(view for view in RUN.available_plots(measured) if view.id == "tile_times")
    inner = view.draw(measured, parse(""), "light").figure.layout.yaxis.ticktext
    assert list(inner) == ["Conv_1 0", "Conv_1 1", "Add_2 0", "Add_2 1", "Add_2 2"]
    outer = view.draw(measured, parse("tiles_from=outer"), "light").figure.layout.yaxis.ticktext
    assert list(outer) == ["Conv_1 0", "Add_2 0", "Add_2 1", "Add_2 2"]
    assert len(view.tables(measured, parse(""))[0].rows) == 2


@pytest.mark.slow
def test_operators_that_are_not_tiled_are_shown_with_their_counters(settings, tmp_path):
    block = "=== Performance Statistics: Add_0 ===\nCycles: 1442\nLoads: 40 (2.00%)\n"
    (tmp_path / "run.log").write_text(f"Conv_0 took 91 cycles\n{block}{'=' * 40}\n")
    repository = settings.repository()
    run = ingest(repository, [tmp_path / "run.log"], {}).runs[0]
    data = RunDataCache(repository).get(run.run_id, "robust", {})
    view = next(view for view in RUN.available_plots(data) if view.id == "tile_times")
    shown = view.draw(data, parse(""), "light").figure.layout.yaxis.ticktext
    assert list(shown) == ["Conv_0 0", "Add_0 0"]
    assert len(view.tables(data, parse(""))[0].rows) == 2
    assert len(data.profile.frame("operator_counters")) == 2
