import gzip
from dataclasses import replace

import pandas as pd
import pytest

from data_loaders.deeploy import evidence as deeploy_evidence
from data_loaders.deeploy.run import DeeployLoader
from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from tests.support.deeploy_run import (
    TOY,
    failed_log,
    graph_bytes,
    moved,
    network_c,
    network_h,
    plot_html,
    problem_csv,
    profile,
    run_log,
    write_run,
)

LOADER = DeeployLoader()
PROBLEM = "input_minimalloc_0123456789abcdef.csv"


def load(folder, settings=None):
    bundle = LOADER.bundle(next(path for path in sorted(folder.iterdir()) if path.is_file()))
    return LOADER.load(bundle.primary, settings or {}, None, bundle.companions)


def alone(tmp_path, name, content, settings=None):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return LOADER.load(path, settings or {}, name)


def column(frame, name):
    return [None if pd.isna(value) else value for value in frame[name]]


def codes(run):
    return [finding.code for finding in run.diagnostics]


def level(run, name, plan=None):
    blocks = run.frames["allocations"]
    return blocks[(blocks["level"] == name) & ((blocks["plan"] == plan) if plan else True)].reset_index(drop=True)


@pytest.fixture
def toy(tmp_path):
    return load(write_run(tmp_path / "toy"))


def test_a_run_is_its_levels(toy):
    attempts = toy.frames["attempts"]
    assert toy.metadata == {"name": "toy", "hwid": "Siracusa", "time_unit": "steps"}
    for name, expected in {
        "level": ["L3", "L2", "L1"],
        "capacity": [64_000_000, 4096, 4000],
        "static_bytes": [0, 2952, 0],
        "reported_bytes": [0, 224, 2464],
        "steps": [4, 4, 4],
        "strategy": ["MiniMalloc"] * 3,
        "outcome": ["success"] * 3,
        "final": [None] * 3,
    }.items():
        assert column(attempts, name) == expected, name
    assert codes(toy) == ["pickles_left_closed"]


def test_a_pickle_beside_a_run_is_never_opened(tmp_path):
    folder = write_run(tmp_path / "toy")
    pickles = [path for path in folder.rglob("*") if path.suffix == ".pkl"]
    assert pickles
    for path in pickles:
        path.write_bytes(f"cos\nsystem\n(S'touch {tmp_path / 'ran'}'\ntR.".encode())
    run = load(folder)
    assert codes(run) == ["pickles_left_closed"]
    assert not (tmp_path / "ran").exists()


def test_blocks_are_described(toy):
    home = level(toy, "L2")
    assert column(home, "name") == ["w0", "mul0", "shape", "w3", "input_0", "t0", "t1", "t2", "output_0"]
    assert column(home, "kind") == ["constant"] * 4 + ["variable"] * 5
    assert column(home, "address") == [0, 2048, 2304, 2312, 64, 0, 96, 160, 0]
    assert column(home, "hold") == [True] * 4 + [False] * 5
    assert column(home, "status") == ["placed"] * 6 + ["shared", "placed", "placed"]
    assert column(home, "alias_of")[6] == 5
    assert column(home, "role")[4:] == ["input", None, None, None, "output"]
    assert column(home, "dtype")[:5] == ["int8", "int32", "int64", "int8", "uint8"]
    assert column(home, "shape")[4:6] == ["1x32", "1x64"]
    assert column(home, "tensor_bytes") == [2048, 256, 8, 640, 32, 64, 64, 64, 10]
    assert column(home, "op_type")[4:] == [None, "RequantizedGemm", "Reshape", "iRelu", "Gemm"]
    assert (home["plan"] == "outer").all()


def test_tiles_are_described(toy):
    tiles = level(toy, "L1")
    assert (tiles["plan"] == "inner").all()
    assert column(tiles, "kind")[:5] == ["variable", "weight", "weight", "variable", "transient"]
    assert column(tiles, "role")[:6] == ["A", "B", "mul", "data_out", None, None]
    assert column(tiles, "op_type")[:6] == ["RequantizedGemm"] * 5 + ["Reshape"]
    assert column(tiles, "dtype")[2] == "int32"
    assert tiles["tensor_bytes"].isna().all()
    assert column(tiles, "alias_of") == [None] * 6 + [5] + [None] * 5


def test_steps_have_names_and_operations(toy):
    steps = toy.frames["steps"]
    assert steps["attempt"].isna().all()
    assert column(steps, "name") == [node.name for node in TOY.nodes]
    assert column(steps, "op_type") == [node.op for node in TOY.nodes]
    assert column(steps, "operations") == [4096, 0, 64, 1280]
    assert steps["layer_cycles"].isna().all()


def test_uses_are_those_of_the_graph(toy):
    uses, blocks = toy.frames["buffer_uses"], toy.frames["allocations"]
    named = uses.merge(blocks[["attempt", "block", "name", "plan"]], on=["attempt", "block"])
    assert (uses["kernel"] == uses["start"]).all()
    outer = named[(named["name"] == "t1") & (named["plan"] == "outer")]
    assert list(zip(outer["kernel"], outer["access"], strict=True)) == [(1, "w"), (2, "r")]
    inner = named[(named["name"] == "t2") & (named["plan"] == "inner")]
    assert list(zip(inner["kernel"], inner["access"], strict=True)) == [(2, "w"), (3, "r")]
    assert "w0" in set(named.loc[named["plan"] == "outer", "name"])


def test_one_folder_or_two_and_gzip_give_the_same(tmp_path, toy):
    folder = write_run(tmp_path / "nested" / "toy", nested=True)
    (folder / "Network.c.gz").write_bytes(gzip.compress((folder / "Network.c").read_bytes()))
    (folder / "Network.c").unlink()
    other = load(folder)
    assert other.metadata == toy.metadata
    for name, frame in toy.frames.items():
        pd.testing.assert_frame_equal(frame, other.frames[name])


@pytest.mark.parametrize("old", [False, True])
def test_a_profile_gives_the_steps_their_cycles(tmp_path, old):
    folder = write_run(tmp_path / "toy")
    (folder / "board.txt").write_text(profile(old=old))
    steps = load(folder).frames["steps"]
    assert column(steps, "gdma_cycles") == [60, None, 60, 60]
    assert column(steps, "layer_cycles") == [200, None, 200, 200]
    assert column(steps, "slack") == [140, None, 140, 140]


def test_settings_come_first(tmp_path):
    folder = write_run(tmp_path / "toy")
    run = load(folder, {"hwid": "gap9", "strategy": "mine", "name": "n", "tags": "a b", "capacity": "1KiB"})
    assert run.metadata == {"name": "n", "hwid": "gap9", "tags": "a b", "time_unit": "steps"}
    assert set(column(run.frames["attempts"], "strategy")) == {"mine"}
    assert column(run.frames["attempts"], "capacity") == [64_000_000, 4096, 4000]
    assert "capacity_known" in codes(run)


def test_the_log_says_what_the_user_does_not(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "run.log").write_text(run_log(more=("  Platform            : Snitch", "--memAllocStrategy=TetrisRandom")))
    run = load(folder)
    assert run.metadata["hwid"] == "Snitch"
    assert set(column(run.frames["attempts"], "strategy")) == {"TetrisRandom"}


def test_another_run_s_solution_is_no_proof_of_the_strategy(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "output_minimalloc_0123456789abcdef.csv").write_text("id,lower,upper,size,offset\nt2,3,4,64,8\n")
    assert set(column(load(folder).frames["attempts"], "strategy")) == {""}


def test_the_plot_alone(tmp_path):
    run = alone(tmp_path, "memory_alloc.html", plot_html())
    assert run.metadata == {"name": "memory_alloc", "time_unit": "steps"}
    assert column(level(run, "L2"), "kind") == ["constant"] * 4 + ["variable"] * 5
    assert column(level(run, "L1"), "kind") == ["variable", "weight", "weight", "variable", "buffer"] + [
        "variable"
    ] * 5 + [
        "weight",
        "variable",
    ]
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


def test_the_graph_alone_is_a_problem(tmp_path):
    run = alone(tmp_path, "backend_post_parsing.onnx", graph_bytes(), {"capacity": "4096"})
    assert column(run.frames["attempts"], "outcome") == ["unsolved"]
    assert column(run.frames["attempts"], "capacity") == [4096]
    statuses = dict(zip(run.frames["allocations"]["name"], run.frames["allocations"]["status"], strict=True))
    assert statuses == dict.fromkeys(TOY.tensors, "unplaced") | {"t1": "shared"}


def test_a_failed_run_leaves_a_problem(tmp_path):
    (tmp_path / PROBLEM).write_text(problem_csv())
    (tmp_path / "run.log").write_text(failed_log("L2", 150))
    run = load(tmp_path)
    attempts, blocks = run.frames["attempts"], run.frames["allocations"]
    row = {name: column(attempts, name) for name in ("level", "capacity", "outcome", "steps", "strategy")}
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
    "Error during frontend! Exporting deeploy state!": ("[Deeploy] Error during frontend! Exporting deeploy state!",),
}


@pytest.mark.parametrize(("error", "lines"), FAILURES.items(), ids=["raised", "bare", "printed"])
def test_a_log_alone_of_a_run_that_failed_early_is_refused_with_the_run_s_error(tmp_path, error, lines):
    with pytest.raises(LoadError) as refused:
        alone(tmp_path, "run.log", "\n".join(("[Deeploy] Deeploy FrontEnd", *lines, "")))
    assert repr(error) in str(refused.value)


def test_a_log_alone_of_a_run_that_failed_late_has_the_error_as_a_finding(tmp_path):
    run = alone(tmp_path, "run.log", run_log() + "TypeError: 'NoneType' object is not iterable\n")
    assert column(run.frames["attempts"], "level") == ["L3", "L2", "L1"]
    (finding,) = [finding for finding in run.diagnostics if finding.code == "run_failed"]
    assert "TypeError: 'NoneType' object is not iterable" in finding.message


def test_a_problem_without_a_log_takes_the_user_s_capacity(tmp_path):
    run = alone(tmp_path, PROBLEM, problem_csv() + "x,1\n", {"capacity": "200"})
    assert column(run.frames["attempts"], "capacity") == [200]
    assert column(run.frames["attempts"], "steps") == [5]
    assert codes(run) == ["rows_skipped"]


def test_a_solution_alone_is_solved(tmp_path):
    run = alone(tmp_path, PROBLEM.replace("input", "output"), problem_csv(solved=True))
    assert column(run.frames["attempts"], "outcome") == ["solved"]
    assert column(run.frames["allocations"], "address") == [64, 0, 96, 160, 0]


def test_a_problem_beside_a_map_tells_of_a_later_failure(tmp_path):
    folder = write_run(tmp_path / "toy", without=("output_minimalloc_0123456789abcdef.csv",))
    assert "problem_unsolved" in codes(load(folder))


SHORTER = replace(TOY, nodes=TOY.nodes[:3])
NAMELESS = replace(TOY, tensors={}, constants={}, inputs=(), outputs=())


@pytest.mark.parametrize("other", [SHORTER, NAMELESS], ids=["shorter", "nameless"])
def test_a_graph_of_another_run_is_left_out(tmp_path, other):
    folder = write_run(tmp_path / "toy", without=("Network.c",))
    (folder / "backend_post_parsing.onnx").write_bytes(graph_bytes(other))
    run = load(folder)
    assert "graph_foreign" in codes(run)
    assert len(run.frames["buffer_uses"]) == 0
    assert len(run.frames["allocations"]) == 21


def test_a_log_of_another_run_is_left_out(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "run.log").write_text(run_log(moved(TOY, "L1", capacity=8000)))
    run = load(folder)
    assert "log_foreign" in codes(run)
    assert column(run.frames["attempts"], "reported_bytes") == [None, 224, 2464]
    assert column(run.frames["steps"], "operations") == [None] * 4


def test_code_of_another_run_is_left_out(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "Network.c").write_text(network_c().replace("+ ", "+ 9"))
    run = load(folder)
    assert "code_foreign" in codes(run)
    assert level(run, "L1")["role"].isna().all()
    assert column(level(run, "L2"), "alias_of")[6] == 5


def test_addresses_that_differ_are_said(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "Network.c").write_text(network_c().replace("ARENA_L2 + 160)", "ARENA_L2 + 164)"))
    (finding,) = [finding for finding in load(folder).diagnostics if finding.code == "addresses_disagree"]
    assert finding.count == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("backend_post_parsing.onnx", b"\x08\x05Deeploy"),
        (PROBLEM, b"id,lower,upper,size\n"),
    ],
)
def test_a_companion_that_cannot_be_read_costs_itself(tmp_path, name, content):
    folder = write_run(tmp_path / "toy")
    (folder / name).write_bytes(content)
    run = load(folder)
    assert "companion_unreadable" in codes(run)
    assert len(run.frames["allocations"]) == 21


def test_cut_companions_are_said(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "Network.c").write_text(network_c()[:-400])
    assert codes(load(folder)).count("file_cut") == 1


def test_huge_files_are_read_up_to_their_limit(tmp_path, monkeypatch):
    monkeypatch.setitem(deeploy_evidence._LIMITS, "log", 10)
    text = run_log() + "x" * 100_000
    assert "file_cut" in codes(alone(tmp_path, "run.log", text))


def test_the_run_is_named_by_its_folder_or_the_log_s(tmp_path):
    folder = write_run(tmp_path / "net-L2", nested=True)
    assert load(folder).metadata["name"] == "net-L2"
    bundle = LOADER.bundle(folder / "run.log")
    assert LOADER.load(bundle.primary, {}, "memory_alloc.html", bundle.companions).metadata["name"] == "toy"
    assert LOADER.load(bundle.primary, {}, r"C:\runs\mine\memory_alloc.html").metadata["name"] == "mine"


def test_sniff(tmp_path):
    write_run(tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.suffix != ".pkl" and path.parent.name != "minimalloc_calls":
            assert LOADER.sniff(path, read_head(path)) is None, path
    stranger = b"<!DOCTYPE html><html><body><script>var fig = {};Plotly.newPlot('a', fig)</script>"
    assert LOADER.sniff(tmp_path / "a.html", stranger) == "an HTML page, but not Deeploy's memory_alloc.html"
    assert (
        LOADER.sniff(tmp_path / "net.csv", problem_csv().encode())
        == "a MiniMalloc table that is not named as Deeploy does"
    )
    assert LOADER.sniff(tmp_path / "tpu.log", b"lmem_spec: lmem_bytes = 1\n") == "nothing that Deeploy writes"


@pytest.mark.parametrize("content", ["[Deeploy] hello\n", profile(), '#include "Network.h"\nvoid RunNetwork() {}'])
def test_a_file_that_says_nothing_is_refused(tmp_path, content):
    with pytest.raises(LoadError, match=r"^a: has no memory levels"):
        alone(tmp_path, "a", content)


def test_a_stranger_is_refused(tmp_path):
    with pytest.raises(LoadError, match=r"^a: neither a memory map of Deeploy"):
        alone(tmp_path, "a", "hello")
