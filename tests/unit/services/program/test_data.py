"""What a compiler did in a run: refusals in a sentence, replays that are kept and dropped, several threads at once."""

import gc
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pandas as pd
import pytest

from app.config.settings import Settings
from ingest.files import ingest
from schema.frames import complete, empty
from services.program import data as programs
from services.program.data import Compilers, ProgramData
from services.run.data_cache import RunDataCache
from services.run.stored_frames import StoredFrames
from storage.repository import Repository
from tests.support import hostile_graphs
from tests.support.profile_data import write_capture

FRAMES = ("contexts", "rewrite_steps", "rewrite_matches", "graph_nodes", "graph_edges")


@pytest.fixture(scope="module")
def data(tmp_path_factory, samples):
    repository = Settings(data=tmp_path_factory.mktemp("program") / "data").repository()
    run_id = ingest(repository, [samples / "tinygrad" / "gemm-0.14-cpu"], {}).runs[0].run_id
    return ProgramData(StoredFrames(repository, run_id))


def busy(data, count=3):
    """Return context and step of the steps with the most matches."""
    steps = data.frame("rewrite_steps").nlargest(count, "matches")
    return [(int(row.context), int(row.step), int(row.matches)) for row in steps.itertuples()]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ((10**6, 0, 0), "contexts 0 to"),
        ((-1, 0, 0), "contexts 0 to"),
        ((0, 10**6, 0), "steps 0 to"),
        ((0, 0, 10**9), "no match 1000000000"),
        ((0, 0, -1), "no match -1"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(data, place, why):
    with pytest.raises(ValueError, match=why):
        data.state(*place)


def test_a_run_without_rewrites_says_where_they_are():
    with pytest.raises(ValueError, match=r"rewrites\.pkl"):
        ProgramData({}).state(0, 0, 0)


def test_a_step_without_a_graph_says_so():
    steps = complete(
        "rewrite_steps", {"context": [0], "step": [0], "root": pd.array([pd.NA], dtype="Int64")}
    )
    contexts = complete("contexts", {"context": [0], "steps": [1]})
    with pytest.raises(ValueError, match="damaged"):
        ProgramData(
            {"rewrite_steps": steps, "contexts": contexts, "graph_nodes": empty("graph_nodes")}
        ).state(0, 0, 0)
    with pytest.raises(ValueError, match="ingest its file again"):
        ProgramData({"rewrite_steps": steps, "contexts": contexts}).state(0, 0, 0)


def damaged(data, name, column, value):
    """Return a run whose frame has another value in the first row of a column, or in all."""
    frames = {one: data.frame(one) for one in FRAMES}
    frames[name] = frames[name].assign(**{column: value(frames[name][column])})
    return ProgramData(frames)


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("graph_edges", "source", lambda column: column[::-1].to_numpy()),
        ("graph_edges", "source", lambda column: -column - 5),
        ("graph_edges", "source", lambda column: column + 10**12),
        ("graph_edges", "node", lambda column: column[::-1].to_numpy()),
        ("graph_edges", "node", lambda column: column.where(column.index > 0, 10**12)),
        ("graph_edges", "node", lambda column: -column - 1),
        ("rewrite_steps", "root", lambda column: column + 10**9),
        ("rewrite_steps", "root", lambda column: -column - 5),
        ("rewrite_steps", "matches", lambda column: column + 10**6),
        ("rewrite_matches", "after", lambda column: column + 10**9),
        ("rewrite_matches", "before", lambda column: -column - 5),
    ],
)
def test_numbers_that_lead_nowhere_or_in_circles_are_refused(data, name, column, value):
    context, step, _ = busy(data)[0]
    with pytest.raises(ValueError, match="damaged"):
        damaged(data, name, column, value).state(context, step, 1)


@pytest.mark.slow
def test_states_are_the_same_in_any_order_and_after_replays_were_dropped(data, monkeypatch):
    context, step, matches = busy(data)[0]
    there = [data.state(context, step, match).order for match in range(matches + 1)]
    monkeypatch.setattr(programs, "_MAX_NODES", 0)
    for other in busy(data)[1:]:
        data.state(*other)
    assert [data.state(context, step, match).order for match in range(matches, -1, -1)] == there[
        ::-1
    ]


@pytest.mark.slow
def test_replays_that_make_nothing_are_dropped_too(data):
    steps = [
        (int(row.context), int(row.step))
        for row in data.frame("rewrite_steps").head(60).itertuples()
    ]
    own = ProgramData({name: data.frame(name) for name in FRAMES})
    replays = [weakref.ref(own.state(*place, 0).nodes) for place in steps]
    gc.collect()
    assert sum(replay() is not None for replay in replays) <= programs._MAX_REPLAYS < len(steps)


@pytest.mark.slow
def test_what_a_replay_holds_grows_with_the_graphs_of_its_run(data, monkeypatch):
    places = [place[:2] for place in busy(data)]
    monkeypatch.setattr(programs, "_MAX_NODES", data.replay(*places[0]).nodes.weight * 2)
    own = ProgramData({name: data.frame(name) for name in FRAMES})
    replays = [weakref.ref(own.state(*place, 0).nodes) for place in places]
    gc.collect()
    assert [replay() is not None for replay in replays] == [False, True, True]


@pytest.mark.slow
def test_threads_that_look_at_once_see_the_same(data):
    places = [place for place in busy(data) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        orders = list(pool.map(lambda place: tuple(data.state(*place).order), places))
    assert len({(place, order) for place, order in zip(places, orders, strict=True)}) == len(
        set(places)
    )


@pytest.mark.slow
class AddsReplay:
    """Nodes of a replay, during whose measuring another thread adds a replay."""

    def __init__(self, replays):
        self.replays = replays

    @property
    def weight(self):
        self.replays[len(self.replays)] = SimpleNamespace(nodes=SimpleNamespace(weight=0))
        return 5


def test_a_run_is_measured_while_a_thread_adds_a_replay():
    data = ProgramData({})
    data._replays[-1] = SimpleNamespace(nodes=AddsReplay(data._replays))
    data._replays[-2] = SimpleNamespace(nodes=AddsReplay(data._replays))
    before = ProgramData({}).bytes
    assert data.bytes - before == 10 * programs._NODE_BYTES


@pytest.mark.slow
def test_captures_that_are_opened_one_after_the_other_stay_within_the_cache(tmp_path):
    """What is held is measured by the interpreter, not by the sizes that the cache goes by."""
    limit = 8 * 2**20
    small = Repository(
        f"sqlite:///{tmp_path}/data/catalogue.db", str(tmp_path / "data" / "frames"), limit
    )
    runs = []
    for depth in range(400, 403):
        folder = write_capture(
            tmp_path / str(depth), hostile_graphs.chain(depth=depth, matches=60, steps=2)
        )
        (folder / "profile.pkl").write_bytes(
            hostile_graphs.chain(depth=1).marker(str(depth), 2).profile()
        )
        runs.append(ingest(small, [folder], {}).runs[0].run_id)
    assert len(set(runs)) == 3
    compilers = Compilers(small, RunDataCache(small))

    def look(run_id):
        for match in (60, 1, 30, 45, 15):
            compilers.get(run_id).program.state(3, 0, match)

    look(runs[0])
    tracemalloc.start()
    try:
        for run_id in runs:
            look(run_id)
        compilers.get(runs[0])
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    # the run that is open is held whatever it has, and small objects that are no cache's
    assert held < 2 * limit
    assert small.cache.held_bytes <= limit
    small.catalogue.close()
