"""Files beside a Deeploy run: of another run, damaged, cut, or with numbers that are too large."""

from dataclasses import replace

import pytest

from data_loaders.deeploy import evidence as deeploy_evidence
from tests.support.deeploy_loading import PROBLEM, alone, column, level, load
from tests.support.deeploy_net import TOY, moved
from tests.support.deeploy_run import graph_bytes, network_c, run_log, write_run
from tests.support.finding_codes import codes, only_finding

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


@pytest.mark.slow
def test_a_log_of_another_run_is_left_out(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "run.log").write_text(run_log(moved(TOY, "L1", capacity=8000)))
    run = load(folder)
    assert "log_foreign" in codes(run)
    assert column(run.frames["attempts"], "reported_bytes") == [None, 224, 2464]
    assert column(run.frames["steps"], "operations") == [None] * 4


@pytest.mark.slow
def test_code_of_another_run_is_left_out(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "Network.c").write_text(network_c().replace("+ ", "+ 9"))
    run = load(folder)
    assert "code_foreign" in codes(run)
    assert level(run, "L1")["role"].isna().all()
    assert column(level(run, "L2"), "alias_of")[6] == 5


@pytest.mark.slow
def test_addresses_that_differ_are_said(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "Network.c").write_text(network_c().replace("ARENA_L2 + 160)", "ARENA_L2 + 164)"))
    finding = only_finding(load(folder), "addresses_disagree")
    assert finding.count == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [("backend_post_parsing.onnx", b"\x08\x05Deeploy"), (PROBLEM, b"id,lower,upper,size\n")],
)
def test_a_companion_that_cannot_be_read_costs_itself(tmp_path, name, content):
    folder = write_run(tmp_path / "toy")
    (folder / name).write_bytes(content)
    run = load(folder)
    assert "companion_unreadable" in codes(run)
    assert len(run.frames["allocations"]) == 21


@pytest.mark.slow
def test_cut_companions_are_said(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "Network.c").write_text(network_c()[:-400])
    assert codes(load(folder)).count("file_cut") == 1


def test_huge_files_are_read_up_to_their_limit(tmp_path, monkeypatch):
    monkeypatch.setitem(deeploy_evidence._LIMITS, "log", 10)
    text = run_log() + "x" * 100_000
    assert "file_cut" in codes(alone(tmp_path, "run.log", text))


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("number", ["2,952", "224", "4,096"])
def test_a_number_of_the_report_that_is_too_large_costs_itself(tmp_path, number):
    text, huge = run_log(), "9" * 20
    assert text.count(number) in (1, 2)
    run = alone(tmp_path, "run.log", huge.join(text.rsplit(number, 1)))
    asked = ["level", "capacity", "static_bytes", "reported_bytes"]
    whole = alone(tmp_path, "whole.log", text).frames["attempts"][asked]
    changed = whole.ne(run.frames["attempts"][asked]).fillna(True).to_numpy()
    assert (changed.sum(), codes(run).count("numbers_too_large")) == (1, 1)


@pytest.mark.slow
def test_cycles_of_a_profile_that_are_too_large_are_told(tmp_path):
    write_run(tmp_path)
    line = "[{}][SB][1 ops][Tile {}] Kernel : {} cycles\n"
    (tmp_path / "profile.log").write_text(
        "".join(line.format(TOY.nodes[0].name, i, "9" * 15) for i in range(10_000))
    )
    assert codes(load(tmp_path)).count("numbers_too_large") == 1
