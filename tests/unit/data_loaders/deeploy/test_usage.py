import pytest

from data_loaders.deeploy.log import read_log
from data_loaders.deeploy.usage import MAX_LEVELS, usage_report
from tests.support.deeploy_loading import alone, column, load
from tests.support.deeploy_net import TOY, moved
from tests.support.deeploy_run import run_log, write_run

HEAD = "[Deeploy] Memory Usage Report:\n"


def read(rows):
    usage, too_large = usage_report(HEAD + rows)
    return usage.astype(object).where(usage.notna(), None).to_numpy().tolist(), too_large


@pytest.mark.parametrize(
    ("row", "parsed"),
    [
        ("  L1      10,000     10,070 (        86 +      9,984) (100.7%)", ["L1", 10000, 86, 9984]),
        ("  L1                         12,345   ( 2,345 +  10,000)  ", ["L1", None, 2345, 10000]),
        ("  None                           45   (    45 +       0)", ["None", None, 45, 0]),
        ("  WMEM       N/A         30 (        10 +         20) (  N/A)", ["WMEM", None, 10, 20]),
    ],
)
def test_rows_with_and_without_a_capacity(row, parsed):
    assert read(f"[Deeploy] {row}\n") == ([parsed], 0)


def test_numbers_that_are_too_large_are_counted_and_missing_capacities_are_not():
    huge = "9" * 20
    rows = f"[Deeploy]   L1 {huge} 3 ( {huge} + 2) (1%)\n[Deeploy]   L2 3 ( 1 + 2)\n"
    assert read(rows) == ([["L1", None, None, 2], ["L2", None, 1, 2]], 2)


def test_the_last_report_counts_and_rows_are_bounded():
    first = HEAD + "[Deeploy]   L1 9 3 ( 1 + 2) (1%)\n"
    second = HEAD + "".join(f"[Deeploy]   L{n} 9 3 ( 2 + 1) (1%)\n" for n in range(MAX_LEVELS + 5))
    usage, _ = usage_report(first + second)
    assert (len(usage), usage["static"].unique().tolist()) == (MAX_LEVELS, [2])


def with_static(static):
    """Return the log of the toy run with static bytes in L1."""
    old = f"({0:>10,} + {TOY.levels['L1'].arena:>10,})"
    assert old in run_log()
    return run_log().replace(old, f"({static:>10,} + {TOY.levels['L1'].arena:>10,})")


@pytest.mark.slow
def test_static_bytes_of_the_log_count_beside_the_map(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "run.log").write_text(with_static(86))
    attempts = load(folder).frames["attempts"]
    assert column(attempts, "static_bytes") == [0, TOY.levels["L2"].static, 86]


@pytest.mark.slow
def test_constants_of_the_map_count_if_the_log_has_fewer(tmp_path):
    folder = write_run(tmp_path / "toy")
    (folder / "run.log").write_text(
        run_log(moved(TOY, "L2", constants=TOY.levels["L2"].constants[:1]))
    )
    attempts = load(folder).frames["attempts"]
    assert column(attempts, "static_bytes") == [0, TOY.levels["L2"].static, 0]


def test_a_log_alone_has_the_same_bytes_and_no_blocks(tmp_path):
    run = alone(tmp_path, "run.log", with_static(86))
    attempts = run.frames["attempts"]
    assert column(attempts, "static_bytes") == [0, TOY.levels["L2"].static, 86]
    assert column(attempts, "reported_bytes") == [level.arena for level in TOY.levels.values()]
    assert len(run.frames["allocations"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["testMVP.py -t T --searchStrategy=min", "  Arguments: --searchStrategy min"]
)
def test_the_search_strategy(tmp_path, line):
    log = f"{line}\n{run_log()}"
    assert read_log(log.encode()).search_strategy == "min"
    attempts = alone(tmp_path, "run.log", log).frames["attempts"]
    assert column(attempts, "search_strategy") == ["min"] * 3
    assert (
        column(alone(tmp_path, "other.log", run_log()).frames["attempts"], "search_strategy")
        == [None] * 3
    )
