"""What a file of a Deeploy run gives without the others, and which files are none."""

import pytest

from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from tests.support.deeploy_loading import LOADER, PROBLEM, alone, column, level, load
from tests.support.deeploy_net import TOY, moved
from tests.support.deeploy_plot import plot_html
from tests.support.deeploy_run import (
    failed_log,
    graph_bytes,
    network_c,
    network_h,
    problem_csv,
    run_log,
    write_run,
)
from tests.support.finding_codes import codes, only_finding
from tests.support.numbers_in_text import without_numbers


def test_the_plot_alone(tmp_path):
    run = alone(tmp_path, "memory_alloc.html", plot_html())
    assert run.metadata == {"name": "memory_alloc", "time_unit": "steps"}
    assert column(level(run, "L2"), "kind") == ["constant"] * 4 + ["variable"] * 5
    assert column(level(run, "L1"), "kind") == [
        "variable",
        "weight",
        "weight",
        "variable",
        "buffer",
    ] + ["variable"] * 5 + ["weight", "variable"]
    assert len(run.frames["steps"]) == len(run.frames["buffer_uses"]) == 0
    assert codes(run) == []


def test_the_plot_alone_guesses_views_by_their_place(tmp_path):
    blocks = tuple(
        (name, first, last, 0, 64) if name == "t1" else (name, first, last, low, high)
        for name, first, last, low, high in TOY.levels["L2"].blocks
    )
    run = alone(tmp_path, "memory_alloc.html", plot_html(moved(TOY, "L2", blocks=blocks)))
    assert column(level(run, "L2"), "alias_of")[6] == 5
    assert codes(run) == ["aliases_assumed"]


@pytest.mark.slow
def test_code_and_graph_without_a_plot_give_the_home_level(tmp_path):
    folder = write_run(tmp_path / "toy", without=("memory_alloc.html",))
    run = load(folder)
    home = level(run, "L2").set_index("name")
    for name, first, last, low, high in TOY.levels["L2"].blocks:
        row = home.loc[name]
        assert (row["start"], row["end"], row["size"]) == (first, last + 1, high - low)
        assert row["address"] == (0 if name == "t1" else low)
    assert home.loc["t1", "status"] == "shared"
    assert column(run.frames["attempts"], "reported_bytes") == [0, 224, 2464]
    assert codes(run) == ["pickles_left_closed", "no_plot", "tables_not_shown"]


@pytest.mark.parametrize(
    ("name", "content", "levels", "rows"),
    [
        ("run.log", run_log(), ["L3", "L2", "L1"], (0, 4)),
        ("Network.c", network_c(), ["L2", "L1"], (0, 4)),
        ("Network.h", network_h(), ["L2", "L1"], (0, 0)),
        ("backend_post_parsing.onnx", graph_bytes(), [None], (5, 4)),
        ("run.log", failed_log(), ["L2"], (0, 0)),
        ("run.log", failed_log().split("[Deeploy] Memory")[0], [None], (0, 0)),
    ],
)
def test_any_other_file_alone_gives_what_it_has(tmp_path, name, content, levels, rows):
    run = alone(tmp_path, name, content)
    assert column(run.frames["attempts"], "level") == levels
    assert (len(run.frames["allocations"]), len(run.frames["steps"])) == rows
    assert "no_plot" in codes(run)


@pytest.mark.slow
def test_the_graph_alone_is_a_problem(tmp_path):
    run = alone(tmp_path, "backend_post_parsing.onnx", graph_bytes(), {"capacity": "4096"})
    assert column(run.frames["attempts"], "outcome") == ["unsolved"]
    assert column(run.frames["attempts"], "capacity") == [4096]
    statuses = dict(
        zip(run.frames["allocations"]["name"], run.frames["allocations"]["status"], strict=True)
    )
    assert statuses == dict.fromkeys(TOY.tensors, "unplaced") | {"t1": "shared"}


@pytest.mark.slow
def test_a_failed_run_leaves_a_problem(tmp_path):
    (tmp_path / PROBLEM).write_text(problem_csv())
    (tmp_path / "run.log").write_text(failed_log("L2", 150))
    run = load(tmp_path)
    attempts, blocks = run.frames["attempts"], run.frames["allocations"]
    row = {
        name: column(attempts, name)
        for name in ("level", "capacity", "outcome", "steps", "strategy")
    }
    assert row == {
        "level": ["L2"],
        "capacity": [150],
        "outcome": ["unsolved"],
        "steps": [4],
        "strategy": ["MiniMalloc"],
    }
    assert column(blocks, "name") == [name for name, *_ in TOY.levels["L2"].blocks]
    assert blocks["address"].isna().all()
    assert set(blocks["status"]) == {"unplaced"}
    assert codes(run) == ["allocation_failed", "run_failed"]


FAILURES = {
    "RuntimeError: Did not find adequate mapping for graph! Explored until Conv_3": (
        "[Deeploy] Error during binding! Exporting deeploy state!",
        "Traceback (most recent call last):",
        '  File "DeeployTypes.py", line 2512, in bind',
        '    raise RuntimeError("Did not find adequate mapping for graph!")',
        "RuntimeError: Did not find adequate mapping for graph! Explored until Conv_3",
    ),
    "AssertionError": ("Traceback (most recent call last):", "    assert x", "AssertionError"),
    "Error during frontend! Exporting deeploy state!": (
        "[Deeploy] Error during frontend! Exporting deeploy state!",
    ),
}


@pytest.mark.parametrize(("error", "lines"), FAILURES.items(), ids=["raised", "bare", "printed"])
def test_a_log_alone_of_a_run_that_failed_early_is_refused_with_the_run_s_error(
    tmp_path, error, lines
):
    with pytest.raises(LoadError) as refused:
        alone(tmp_path, "run.log", "\n".join(("[Deeploy] Deeploy FrontEnd", *lines, "")))
    assert repr(error) in str(refused.value)


@pytest.mark.slow
def test_a_log_alone_of_a_run_that_failed_late_has_the_error_as_a_finding(tmp_path):
    run = alone(tmp_path, "run.log", run_log() + "TypeError: 'NoneType' object is not iterable\n")
    assert column(run.frames["attempts"], "level") == ["L3", "L2", "L1"]
    finding = only_finding(run, "run_failed")
    assert "TypeError: 'NoneType'" in finding.message


def test_a_problem_without_a_log_takes_the_user_s_capacity(tmp_path):
    run = alone(tmp_path, PROBLEM, problem_csv() + "x,1\n", {"capacity": "200"})
    assert column(run.frames["attempts"], "capacity") == [200]
    assert column(run.frames["attempts"], "steps") == [5]
    assert codes(run) == ["rows_skipped"]


def test_a_solution_alone_is_solved(tmp_path):
    run = alone(tmp_path, PROBLEM.replace("input", "output"), problem_csv(solved=True))
    assert column(run.frames["attempts"], "outcome") == ["solved"]
    assert column(run.frames["allocations"], "address") == [64, 0, 96, 160, 0]


@pytest.mark.slow
def test_a_problem_beside_a_map_tells_of_a_later_failure(tmp_path):
    folder = write_run(tmp_path / "toy", without=("output_minimalloc_0123456789abcdef.csv",))
    assert "problem_unsolved" in codes(load(folder))


def test_sniff(tmp_path):
    write_run(tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.suffix != ".pkl" and path.parent.name != "minimalloc_calls":
            assert LOADER.sniff(path, read_head(path)) is None, path
    stranger = b"<!DOCTYPE html><html><body><script>var fig = {};Plotly.newPlot('a', fig)</script>"
    assert "memory_alloc.html" in LOADER.sniff(tmp_path / "a.html", stranger)
    assert "MiniMalloc" in LOADER.sniff(tmp_path / "net.csv", problem_csv().encode())
    assert without_numbers(LOADER.sniff(tmp_path / "tpu.log", b"lmem_spec: lmem_bytes = 1\n"))


@pytest.mark.parametrize(
    "content",
    [
        "[Deeploy] hello\n",
        "[Deeploy] x\nRuntime: 5 cycles\r\n",
        '#include "Network.h"\nvoid RunNetwork() {}',
    ],
)
def test_a_file_that_says_nothing_is_refused(tmp_path, content):
    with pytest.raises(LoadError, match=r"^a: has no memory levels"):
        alone(tmp_path, "a", content)


def test_a_stranger_is_refused(tmp_path):
    with pytest.raises(LoadError, match=r"^a: not a memory map, generated code"):
        alone(tmp_path, "a", "hello")
