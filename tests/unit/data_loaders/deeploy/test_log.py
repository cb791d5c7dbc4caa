import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.deeploy.log import is_log, is_profile, log_findings, read_log
from tests.support.deeploy_net import TOY
from tests.support.deeploy_run import failed_log, profile, run_log


def read(text):
    return read_log(text.encode())


def codes(log):
    return [finding.code for finding in log_findings(log, "run.log")]


def test_a_run_s_log():
    log = read(run_log())
    assert log.operations == {node.name: node.operations for node in TOY.nodes}
    assert log.usage.to_numpy().tolist() == [
        ["L3", 64_000_000, 0, 0],
        ["L2", 4096, 2952, 224],
        ["L1", 4000, 0, 2464],
    ]
    assert (log.layers, log.folder, log.allocated, log.whole) == (
        4,
        "build/toy/deeployStates",
        True,
        True,
    )
    assert (log.failed, log.raised, log.strategy, log.platform) == (None, None, None, None)
    assert codes(log) == []


@pytest.mark.slow
def test_colours_and_line_ends_are_no_matter():
    text = run_log().replace("[Deeploy]", "\x1b[32m[Deeploy]\x1b[0m").replace("\n", "\r\n")
    assert is_log(text.encode())
    assert read(text).operations == read(run_log()).operations
    assert len(read(text).usage) == 3


def test_a_failed_allocation():
    log = read(failed_log("L2", 47856))
    assert (log.failed, log.strategy, log.layers, log.allocated) == (
        ("L2", 47856),
        "MiniMalloc",
        4,
        False,
    )
    assert log.raised.startswith("subprocess.CalledProcessError: ")
    assert codes(log) == ["allocation_failed", "run_failed"]


def test_an_infeasible_tiling():
    line = "RuntimeError: minimal memory requirement violated, please increase L1 to at least 4096"
    assert "please increase L1" in read(f"[Deeploy] x\n{line}\n").raised


def test_buffers_without_an_address_are_counted_once():
    line = "[Deeploy] Buffer t7 has no address space assigned, skipping it in the memory allocation plot."
    log = read(run_log(more=(line, line)))
    assert log.unplaced == ("t7",)
    assert [(f.severity, f.code, f.count) for f in log_findings(log, "run.log")] == [
        ("info", "blocks_not_plotted", 1)
    ]


@pytest.mark.parametrize(
    ("line", "strategy", "platform"),
    [
        (
            "  Generation Arguments: --l1=64000 --memAllocStrategy=TetrisRandom --plotMemAlloc",
            "TetrisRandom",
            None,
        ),
        (
            "python testMVP.py -d out -t Tests/Net -p Siracusa --memAllocStrategy TetrisCo-Opt",
            "TetrisCo-Opt",
            "Siracusa",
        ),
        ("  Platform            : Siracusa_w_neureka", None, "Siracusa_w_neureka"),
        (
            "################## Testing Tests/Net on Siracusa Platform ##################",
            None,
            "Siracusa",
        ),
    ],
)
def test_the_log_may_say_strategy_and_platform(line, strategy, platform):
    log = read(run_log(more=(line,)))
    assert (log.strategy, log.platform) == (strategy, platform)


HUGE = "9" * 20


@pytest.mark.parametrize(("rank", "column"), [(0, "capacity"), (2, "static"), (3, "dynamic")])
def test_a_number_of_the_report_that_is_too_large_is_left_out_alone(rank, column):
    (line,) = [line for line in run_log().splitlines() if line.startswith("[Deeploy]   L2")]
    numbers = list(re.finditer(r"[0-9][0-9,]*", line.split("L2")[1]))
    at = line.index("L2") + 2 + numbers[rank].start()
    log = read(
        run_log().replace(line, f"{line[:at]}{HUGE}{line[at + len(numbers[rank].group()) :]}")
    )
    expected = read(run_log()).usage
    expected.loc[1, column] = pd.NA
    pd.testing.assert_frame_equal(log.usage, expected)
    assert [(f.code, f.count) for f in log_findings(log, "run.log")] == [("numbers_too_large", 1)]


@pytest.mark.slow
def test_a_total_that_is_too_large_is_nothing_to_anybody():
    (line,) = [line for line in run_log().splitlines() if line.startswith("[Deeploy]   L2")]
    log = read(run_log().replace(line, line.replace("3,176 (", f"{HUGE} (")))
    assert (log.usage.equals(read(run_log()).usage), codes(log)) == (True, [])


@pytest.mark.slow
def test_a_layer_whose_cycles_are_too_large_is_left_out_alone():
    line = "[{}][SB][1 ops][Tile {}] Kernel : {} cycles"
    lines = [line.format("large", tile, "9" * 15) for tile in range(10_000)]
    log = read("\n".join([*lines, line.format("small", 0, 7), ""]))
    assert log.cycles["name"].tolist() == ["small"]
    assert (log.cycles["compute"].tolist(), log.cycles["transfer"].isna().tolist()) == ([7], [True])
    assert [(f.code, f.count) for f in log_findings(log, "run.log")] == [("numbers_too_large", 1)]


@pytest.mark.parametrize("old", [False, True])
def test_cycles_of_tiles_are_summed_by_layer(old):
    text = profile(old=old)
    assert is_profile(text.encode())
    cycles = read(text).cycles
    assert cycles.to_numpy().tolist() == [
        [node.name, 60, 200] for node in TOY.nodes if node.operands
    ]


def test_a_cut_log_is_said():
    assert codes(read(run_log()[:-5])) == ["file_cut"]


def test_the_last_report_counts():
    changed = run_log().replace("4,096", "8,192")
    assert read(run_log() + changed).usage["capacity"].tolist() == [64_000_000, 8192, 4000]


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"lmem_spec: lmem_bytes = 262144\n",
        b"tensor [Deeploy] in a name\n",
        b"[LmemAllocator::assignLmemAddr] find_used_banks\n",
        b"\x00[SB][1 ops]",
    ],
)
def test_other_logs_are_not_deeploy_s(head):
    assert not is_log(head) and not is_profile(head)


@pytest.mark.slow
@given(text=st.text(), at=st.integers(0, 2000))
def test_any_text_is_read(text, at):
    log = read(run_log()[:at] + text + run_log()[at:])
    assert (log.usage["capacity"] >= 0).all()
