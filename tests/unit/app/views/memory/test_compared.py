"""Two attempts compared: every view under the map has the map's steps."""

import pytest

from app.config.settings import Settings
from app.views.registry import RUN, parse
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.tpu_log import attempt, buffer, cycles, log

SHORT = [buffer("a", 0, start=0, end=1), buffer("b", 64, start=1, end=2)]
LONG = [buffer("a", 0, start=0, end=3), buffer("b", 64, start=3, end=5)]
TABLE = [(step, "layer", "tpu.Conv2D", f"op{step}", 100) for step in range(3)]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    path = folder / "lmem.log"
    path.write_text(log([*cycles(TABLE), *attempt(SHORT)], attempt(LONG)))
    repository = Settings(data=folder / "data").repository()
    run_id = ingest(repository, [path], {}).runs[0].run_id
    return RunDataCache(repository).get(run_id, "robust", {})


def axis_of(data, name, query):
    return RUN.find_plot(data, name).draw(data, parse(query), "light").figure.layout.xaxis


@pytest.mark.slow
@pytest.mark.parametrize("query", ["attempt=0&against=1", "attempt=0&against=1&span=2-6"])
def test_all_views_have_one_axis(data, query):
    shown = [view.id for view in RUN.available_plots(data) if view.group == "memory"]
    assert {"map", "banks", "live", "timesteps", "step_stack"} == set(shown)
    # The stack of one step has no axis of steps.
    shown.remove("step_stack")
    assert len({tuple(axis_of(data, name, query).range) for name in shown}) == 1
    assert axis_of(data, "map", query).range[1] == 6


@pytest.mark.slow
def test_the_steps_have_names_only_where_both_attempts_agree_on_them(data):
    assert any("op1" in text for text in axis_of(data, "map", "attempt=0").ticktext)
    assert not any("op" in text for text in axis_of(data, "map", "attempt=0&against=1").ticktext)


def test_the_live_bytes_of_both_are_drawn(data):
    figure = RUN.find_plot(data, "live").draw(data, parse("attempt=0&against=1"), "light").figure
    assert figure.layout.yaxis2.domain is not None


def test_the_selected_block_and_the_comparison_stand_under_the_map(data):
    ids = [view.id for view in RUN.available_views(data)]
    assert ids[ids.index("map") :][:3] == ["map", "block", "compare"]
