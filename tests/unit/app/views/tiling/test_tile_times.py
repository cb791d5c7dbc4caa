"""The view of measured tiles: which level of an operator it shows."""

import pytest

from app.views.registry import RUN, parse
from ingest.files import ingest
from services.run.capabilities import Capability
from services.run.data import RunDataCache

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
