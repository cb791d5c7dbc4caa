"""The view of call stacks: which runs have it, what it says at the cursor, what a click and the card of a block do."""

import pytest

from app.config.settings import Settings
from app.views.memory.stacks import STACKS, block_calls
from app.views.registry import RUN
from app.views.state import RunState
from ingest.files import ingest
from samples.torch_memory import write_snapshot
from services.run.capabilities import Capability
from services.run.data_cache import RunDataCache
from tests.support.components import words
from tests.support.numbers_in_text import numbers_in

PROBLEM = "id,lower,upper,size\na,0,2,64\nb,1,3,32\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A training's memory snapshot."""
    folder = tmp_path_factory.mktemp("snapshot")
    repository = Settings(data=folder / "data").repository()
    (run,) = ingest(repository, [write_snapshot(folder / "files")], {}).runs
    return RunDataCache(repository).get(run.run_id, "robust", {})


@pytest.mark.slow
def test_runs_without_call_stacks_have_no_such_view(data, settings, tmp_path):
    (tmp_path / "p.128.csv").write_text(PROBLEM)
    repository = settings.repository()
    (run,) = ingest(repository, [tmp_path / "p.128.csv"], {}).runs
    other = RunDataCache(repository).get(run.run_id, "robust", {})
    assert data.can(Capability.CALL_STACKS)
    assert STACKS in RUN.available_views(data)
    assert STACKS not in RUN.available_views(other)


def test_the_answer_adds_up_to_what_is_alive(data):
    shown = data.memory.shown_map(RunState().memory, "placed")
    panel = STACKS.draw(data, RunState(), "light")
    (bars,) = panel.figure.data
    outermost = [bytes_ for bytes_, depth in zip(bars.x, bars.y, strict=True) if depth == 0]
    assert sum(outermost) == shown.whole("live_peak")
    assert numbers_in(panel.caption)[0] == str(shown.whole("peak_step"))
    assert "layers.py:31 forward" in panel.caption


def test_the_cursor_moves_it_and_a_click_selects_the_largest_block(data):
    state = RunState().remembering(step=0)
    panel = STACKS.draw(data, state, "dark")
    assert panel.caption.startswith("At step 0: ")
    (bars,) = panel.figure.data
    (block,) = bars.customdata[0]
    clicked = STACKS.on_click(state, data, {"points": [{"customdata": [int(block)]}]})
    assert clicked.memory.block == block
    assert STACKS.on_click(state, data, {"points": [{"customdata": ["x"]}]}) == state


def test_the_card_of_a_block_lists_its_calls_innermost_first(data):
    shown = data.memory.shown_map(RunState().memory, "placed")
    row = int((shown.blocks["name"] == "layers.py:31 forward").to_numpy().argmax())
    calls = block_calls(data, shown.blocks.iloc[row])
    assert calls == [
        "train.py:60 main",
        "train.py:21 train_step",
        "model.py:25 forward",
        "layers.py:31 forward",
    ]
    state = RunState().remembering(block=int(shown.blocks["block"].iloc[row]))
    said = words(RUN.find_content_view(data, "block").make(data, state).body)
    assert (
        said.index("layers.py:31 forward")
        < said.index("model.py:25 forward")
        < said.index("train.py:60 main")
    )
    assert "0x7f5a" in said


def test_tables_list_whole_stacks(data):
    (table,) = STACKS.tables(data, RunState())
    assert any("train.py:60 main > train.py:21 train_step" in str(row) for row in table.rows)
