"""The views of a whole network: sums that say what they lack, a step for every capacity, the smallest among them."""

from dataclasses import replace

import pytest

from app.config.settings import Settings
from app.views.registry import RUN
from app.views.state import RunState
from components.tiling.network_tables import joint_cells
from components.tiling.network_words import moved_sentence, step_sentence
from components.tiling.sweep_plot import sweep_plot
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from services.run.plan import plan_mapping
from tests.support.components import every, words

BLANK = RunState()


@pytest.fixture(scope="module")
def data(tmp_path_factory, samples):
    """The sample of a Deeploy run with two levels."""
    repository = Settings(data=tmp_path_factory.mktemp("network") / "data").repository()
    found = ingest(repository, [*(samples / "deeploy").iterdir()], {}).runs
    runs = (RunDataCache(repository).get(run.run_id, "robust", {}) for run in found)
    return next(run for run in runs if run.network and len(run.network.levels) > 1)


@pytest.mark.slow
def test_levels_and_sweeps_are_those_of_the_command_line(data):
    mapping = plan_mapping(data, None, ())
    for level, one in zip(mapping["levels"], data.network.levels, strict=True):
        assert (level["bytes_in"], level["bytes_out"], level["unknown"]) == (
            one.bytes_in,
            one.bytes_out,
            one.unknown,
        )
        assert [row["name"] for row in level["worst"]] == [row.name for row in one.worst]
        least = level["least_capacity"]
        assert (least["chosen"], least["any"]) == (one.least_as_tiled, one.least_of_any)
        assert (
            least["chosen_with_static"] - least["chosen"]
            == level["added_static"]
            == one.added_static
        )
        for row, step in zip(level["sweep"], one.steps, strict=True):
            assert (row["capacity"], row["fitting"], row["bytes"]) == (
                step.capacity,
                step.fitting,
                step.moved_bytes,
            )
            assert dict(step.extents) == {name: row["extent"][name] for name in step.extents}


def test_every_step_has_a_name_and_the_smallest_is_among_them(data):
    for level in data.network.levels:
        assert all(step.names for step in level.steps)
        (least,) = (step for step in level.steps if step.capacity == level.least_of_any)
        assert least.moved_bytes is not None
        assert all(
            step.moved_bytes is None for step in level.steps if step.capacity < level.least_of_any
        )


def test_a_sum_says_what_it_lacks(data):
    level = data.network.levels[0]
    whole, lacking = (
        moved_sentence(replace(level, unknown=0)),
        moved_sentence(replace(level, unknown=3)),
    )
    assert lacking != whole and "3 of" in lacking
    fits = next(step for step in level.steps if step.moved_bytes is not None)
    assert "3 of" in step_sentence(replace(level, unknown=3), fits)


def test_the_slider_has_a_row_and_a_sentence_for_each_step(data):
    level = data.network.level("L1")
    body = RUN.find_content_view(data, "capacities").make(data, BLANK).body
    rows = [row for row in every(body, "Tr") if hasattr(row, "data-said")]
    assert [getattr(row, "data-capacity") for row in rows] == [
        str(step.capacity) for step in level.steps
    ]
    (slider,) = every(body, "Input")
    assert level.steps[slider.value].capacity == level.capacity
    assert slider.max == len(rows) - 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_shape_is_the_line_that_the_slider_moves(data, theme):
    level = data.network.level("L1")
    first, small = sweep_plot(level, theme).layout.shapes
    assert first.x0 == first.x1 == level.capacity
    assert small.x1 == level.least_of_any


def test_pairs_of_levels_stand_as_a_table_with_the_smallest_marked(data):
    heads, rows = joint_cells(data.network)
    assert len(rows) * (len(heads) - 1) == len(data.network.joint)
    marked = sum("★" in cell for row in rows for cell in row)
    assert marked == sum(point.is_smallest for point in data.network.joint) > 0


def test_another_level_is_shown_on_demand(data):
    view = RUN.find_content_view(data, "network")
    first, second = (
        view.make(data, replace(BLANK, chosen={"network": name})) for name in ("L1", "L2")
    )
    assert first.caption != second.caption
    assert "L2" in words(second.body)
