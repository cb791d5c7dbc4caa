"""Tree of the host's calls: time by path of callers, cut to a window."""

import pytest

from analysis.kernels.call_tree import call_tree, fold_outer_calls, main_thread
from analysis.kernels.host_threads import HostThreads
from tests.support.kineto_trace import load_trace, operator, span, step

ALL = (0, 1_000_000)


@pytest.fixture
def threads(tmp_path):
    entries = [
        span("python_function", "train.py(1): main", 0, 100),
        operator("aten::linear", 10, 40),
        operator("aten::mm", 20, 10),
        operator("aten::mm", 35, 5),
        operator("aten::mm", 60, 20),
        operator("aten::add", 0, 30, on=(1, 2)),
    ]
    frames = load_trace(tmp_path, entries).frames
    return HostThreads.of(frames["events"], frames["tracks"])


def paths(tree):
    """Return path of names -> (total, own, calls), times in us."""
    found = {}
    for row in tree.itertuples():
        path = (row.name,)
        parent = row.parent
        while parent >= 0:
            path = (tree["name"][parent], *path)
            parent = tree["parent"][parent]
        found[path] = (row.total // 1000, row.own // 1000, row.calls)
    return found


def test_calls_are_summed_by_their_callers(threads):
    thread = main_thread(threads, ALL)
    assert paths(call_tree(threads, thread, ALL)) == {
        ("train.py(1): main",): (100, 40, 1),
        ("train.py(1): main", "aten::linear"): (40, 25, 1),
        ("train.py(1): main", "aten::linear", "aten::mm"): (15, 15, 2),
        ("train.py(1): main", "aten::mm"): (20, 20, 1),
    }


def test_a_window_cuts_calls_and_keeps_their_callers(threads):
    thread = main_thread(threads, ALL)
    tree = call_tree(threads, thread, (22_000, 28_000))
    assert list(paths(tree).values()) == [(6, 0, 1), (6, 0, 1), (6, 6, 1)]
    assert tree["depth"].tolist() == [0, 1, 2]


def test_parts_begin_inside_of_their_callers(threads):
    tree = call_tree(threads, main_thread(threads, ALL), ALL)
    for row in tree[tree["parent"] >= 0].itertuples():
        caller = tree.loc[row.parent]
        assert caller["start"] <= row.start
        assert row.start + row.total <= caller["start"] + caller["total"]


def test_a_thread_that_waits_in_a_function_is_not_the_main_one(tmp_path):
    entries = [
        span("python_function", "threading.py(359): wait", 0, 900, on=(1, 2)),
        operator("aten::mm", 10, 20),
        operator("aten::add", 200, 100, on=(1, 3)),
    ]
    frames = load_trace(tmp_path / "plain", entries).frames
    threads = HostThreads.of(frames["events"], frames["tracks"])
    assert main_thread(threads, ALL) == threads.by_track["thread 3"]
    frames = load_trace(tmp_path / "steps", [*entries, step(1, 0, 500)]).frames
    threads = HostThreads.of(frames["events"], frames["tracks"])
    assert main_thread(threads, ALL) == threads.by_track["thread 1"]
    assert main_thread(threads, (150_000, 300_000)) == threads.by_track["thread 3"]


def test_outer_calls_that_only_call_the_next_one_are_folded(tmp_path):
    entries = [
        span("python_function", "run", 0, 1000),
        span("python_function", "main", 1, 998),
        span("python_function", "train", 2, 500),
        operator("aten::mm", 5, 100),
        operator("aten::add", 600, 50),
    ]
    frames = load_trace(tmp_path, entries).frames
    threads = HostThreads.of(frames["events"], frames["tracks"])
    whole = call_tree(threads, main_thread(threads, ALL), ALL)
    tree, folded = fold_outer_calls(whole)
    assert folded == 1
    assert paths(tree) == {path[1:]: row for path, row in paths(whole).items() if len(path) > 1}
    assert fold_outer_calls(whole.head(0))[1] == 0


def test_without_calls_there_is_no_tree(threads):
    assert call_tree(threads, -1, ALL).empty
    assert call_tree(threads, 0, (2_000_000, 3_000_000)).empty
