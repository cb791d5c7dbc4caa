"""Views of a profile in which the times of some executions are unknown."""

import json

import pytest

from analysis.kernels.links import find_kernel
from app.views.executions import kernel_shown
from app.views.kernels.content_views import kernel_part
from app.views.registry import RUN
from app.views.state import RunState
from app.views.view import Plot
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.kineto_trace import call, kernel, step


@pytest.fixture
def data(repository, tmp_path):
    """Return a profile of four executions: the first is early, the second overruns the third."""
    entries = [step(1, 10**6, 400)]
    for number, (shift, duration) in enumerate([(-(10**6), 10), (0, 9000), (0, 10), (0, 10)]):
        at = 10**6 + 100 * number
        entries += [call(at, number + 1), kernel("gemm", at + shift + 20, duration, number + 1)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": entries}))
    (run,) = ingest(repository, [path], {}).runs
    return RunDataCache(repository).with_saved(run.run_id, "robust", {})


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("row", range(4))
def test_every_view_is_drawn_with_each_execution_selected(data, row):
    assert sorted(data.profile.kernels["start"].isna()) == [False, False, False, True]
    assert sorted(data.profile.kernels["duration"].isna()) == [False, False, True, True]
    state = kernel_shown(RunState(), data, row)
    assert state.selection.kernel == row
    assert kernel_part(data, state).body is not None
    draw_all(data, state)


def draw_all(data, state):
    """Draw every view of a run."""
    for view in RUN.available_views(data):
        if isinstance(view, Plot):
            view.draw(data, state, "light")
        else:
            view.make(data, state)
        view.tables(data, state)


def test_an_execution_is_found_by_its_begin_among_those_without_one(data):
    kernels = data.profile.kernels
    known = kernels[kernels["start"].notna()]
    found = [find_kernel(kernels, "cuda 0 stream 7", int(start)) for start in known["start"]]
    assert found == known.index.tolist()


def test_every_view_of_nodes_is_drawn_without_the_duration_of_a_node(repository, tmp_path):
    def span(name, at, duration, category="Node"):
        own = {"cat": category, "ph": "X", "pid": 7, "tid": 1, "name": name, "ts": at}
        return own | {"dur": duration, "args": {"op_name": "Conv", "output_size": "5"}}

    runs = [span("model_run", at, 90, "Session") for at in (0, 100, 200)]
    nodes = [span("a_kernel_time", at + 5, at + 20) for at in (0, 100, 200)]
    path = tmp_path / "onnxruntime_profile.json"
    path.write_text(json.dumps(runs + nodes))
    (run,) = ingest(repository, [path], {}).runs
    data = RunDataCache(repository).with_saved(run.run_id, "robust", {})
    assert data.profile.kernels["duration"].isna().tolist() == [False, True, True]
    state = kernel_shown(RunState(), data, 1)
    assert kernel_part(data, state).body is not None
    draw_all(data, state)
