from dataclasses import replace

import pytest

from tests.support.deeploy_loading import alone, load
from tests.support.deeploy_net import TOY, moved
from tests.support.deeploy_run import run_log, write_run

CODES = {
    "minimalloc_refused",
    "minimalloc_levels",
    "minimalloc_patterns",
    "io_held_over_pattern",
    "report_disagrees",
}


def found(run):
    return {f.code: f for f in run.diagnostics if f.code in CODES}


@pytest.fixture
def folder(tmp_path):
    return write_run(tmp_path / "toy")


def test_a_sound_run_has_no_such_finding(folder):
    assert found(load(folder, {"strategy": "MiniMalloc"})) == {}


@pytest.mark.parametrize(
    "message",
    [
        "Using MiniMalloc and DFT is not supported!",
        "All tensors have to be in the default memory level when using MiniMalloc!",
    ],
)
def test_a_run_that_minimalloc_refuses(tmp_path, message):
    log = (
        run_log().split("[Deeploy]  ✔ Memory")[0]
        + f"Traceback (most recent call last):\nAssertionError: {message}\n"
    )
    finding = found(alone(tmp_path, "run.log", log))["minimalloc_refused"]
    assert finding.severity == "error"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "codes"), [("MiniMalloc", {"minimalloc_levels"}), ("TetrisRandom", set())]
)
def test_homes_in_two_levels(tmp_path, strategy, codes):
    blocks = (("input_0", 0, 0, 64, 96), ("t0", 0, 3, 0, 64))
    folder = write_run(tmp_path / "toy", moved(TOY, "L3", blocks=blocks))
    findings = found(load(folder, {"strategy": strategy}))
    assert set(findings) == codes
    assert all(finding.location == "L3, L2" for finding in findings.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "codes"),
    [
        ("MiniMalloc", {"io_held_over_pattern", "minimalloc_patterns"}),
        ("TetrisRandom", {"io_held_over_pattern"}),
    ],
)
def test_steps_of_several_layers(folder, strategy, codes):
    (folder / "run.log").write_text(run_log().replace("with 4 layers", "with 6 layers"))
    findings = found(load(folder, {"strategy": strategy}))
    assert set(findings) == codes
    assert {finding.count for finding in findings.values()} == {2}


@pytest.mark.slow
@pytest.mark.parametrize("arena", [2460, 2468])
def test_a_report_of_other_bytes_than_the_map(folder, arena):
    log = run_log().replace(f"{TOY.levels['L1'].arena:,}", f"{arena:,}")
    (folder / "run.log").write_text(log)
    finding = found(load(folder))["report_disagrees"]
    assert (finding.severity, finding.location, finding.count) == ("warning", "L1", 1)
    assert f"{arena}" in finding.message


@pytest.mark.slow
def test_a_view_at_the_top_is_not_counted_by_deeploy(tmp_path):
    level = TOY.levels["L2"]
    blocks = tuple(
        (n, a, b, 300, 364) if n == "t1" else (n, a, b, lo, hi) for n, a, b, lo, hi in level.blocks
    )
    folder = write_run(
        tmp_path / "toy", replace(TOY, levels=TOY.levels | {"L2": replace(level, blocks=blocks)})
    )
    (folder / "run.log").write_text(run_log())
    assert found(load(folder)) == {}
