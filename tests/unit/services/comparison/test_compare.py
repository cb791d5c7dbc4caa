"""Captures against each other, from files to the answer."""

import json

import pytest

from ingest.files import ingest
from services.comparison.compare import CompareError, compare
from tests.support.comparisons import ITERATIONS, cores
from tests.support.gemm_trace import Core, entries
from tests.support.gemm_trace import settings as gemm

SINGLE = {"gmacs_best", "gmacs_worst", "warmup_gmacs"}
"""What rests on one iteration."""


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a capture; return its run id."""

    def run(name, *captured, **changed):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(entries(*captured)))
        given = gemm(len(captured), iterations=ITERATIONS) | changed
        return ingest(repository, [path], given).runs[0].run_id

    return run


def find(found, name, level="run", key=""):
    return next(
        row for row in found.rows if (row.metric.name, row.level, row.key) == (name, level, key)
    )


@pytest.mark.slow
def test_the_same_program_is_unchanged(repository, run_of):
    base, new = run_of("a", *cores(1, 300, 300)), run_of("b", *cores(2, 300, 300))
    found = compare(repository, [base], [new])
    assert found.verdict == "unchanged"
    assert found.attribution == []
    assert {row.judged.verdict for row in found.rows} == {"unchanged", "undecided"}
    assert {row.metric.name for row in found.rows if row.judged.verdict == "undecided"} == SINGLE
    assert found.pairs["tiles"] == {
        "matched": ["core 2,0", "core 3,0"],
        "only_base": [],
        "only_new": [],
    }


def test_a_slow_core_is_made_responsible(repository, run_of):
    base, new = run_of("a", *cores(1, 300, 300)), run_of("b", *cores(2, 300, 330))
    found = compare(repository, [base], [new])
    rate = find(found, "gmacs_mean")
    assert (found.verdict, rate.judged.verdict) == ("regressed", "regressed")
    assert find(found, "median_kernel", "tile", "core 3,0").judged.verdict == "regressed"
    assert find(found, "median_kernel", "tile", "core 2,0").judged.verdict == "unchanged"
    first = found.attribution[0]
    assert (first.what, first.where) == ("kernels", "core 3,0")
    assert sum(cause.amount for cause in found.attribution) == pytest.approx(
        100 * rate.relative, abs=0.3
    )
    back = compare(repository, [new], [base])
    assert (back.verdict, back.attribution[0].what, back.attribution[0].where) == (
        "improved",
        "kernels",
        "core 3,0",
    )


@pytest.mark.slow
def test_what_all_cores_do_is_said_of_all(repository, run_of):
    base, new = run_of("a", *cores(1, 300, 300)), run_of("b", *cores(2, 300, 300, gap=40))
    first = compare(repository, [base], [new]).attribution[0]
    assert (first.what, first.where) == ("other_gaps", "all cores")


def test_against_itself_nothing_differs(repository, run_of):
    run = run_of("a", *cores(1, 300, 300))
    found = compare(repository, [run], [run])
    assert (found.setup, found.attribution, found.verdict) == ([], [], "unchanged")
    assert {row.judged.verdict for row in found.rows} == {"unchanged"}
    assert {row.delta for row in found.rows} == {0}


@pytest.mark.slow
def test_another_size_grid_or_clock_says_what_differs(repository, run_of):
    base = run_of("a", *cores(1, 300, 300))
    grid = compare(repository, [base], [run_of("b", *cores(2, 300, 300, 300))])
    assert grid.verdict == "incomparable"
    assert "N" in find(grid, "gmacs_mean").judged.reason
    assert find(grid, "median_kernel").judged.verdict == "unchanged"
    assert grid.pairs["tiles"]["only_new"] == ["core 4,0"]
    clock = compare(repository, [base], [run_of("c", *cores(2, 300, 300), clock_hz="2e9")])
    assert "clock" in find(clock, "gmacs_mean").judged.reason
    assert find(clock, "utilization").judged.verdict == "unchanged"
    assert [row["key"] for row in clock.setup] == ["clock_hz"]


def test_a_users_threshold_holds(repository, run_of):
    base, new = run_of("a", *cores(1, 300, 300)), run_of("b", *cores(2, 330, 330))
    assert compare(repository, [base], [new], {"gmacs_mean": 0.5}).verdict == "unchanged"


@pytest.mark.slow
def test_groups_of_runs_are_compared(repository, run_of):
    base = [run_of(f"a{seed}", *cores(seed, 300, 300)) for seed in range(3)]
    new = [run_of(f"b{seed}", *cores(seed, 340, 340)) for seed in range(3, 6)]
    found = compare(repository, base, new)
    assert found.verdict == "regressed"
    assert len(found.base) == len(found.new) == 3


def test_runs_of_different_sources_are_refused(repository, run_of, tmp_path):
    problem = tmp_path / "a.200.csv"
    problem.write_text("id,lower,upper,size\na,0,3,100\n")
    other = ingest(repository, [problem], {}).runs[0].run_id
    with pytest.raises(CompareError, match="minimalloc"):
        compare(repository, [run_of("a", *cores(1, 300))], [other])


@pytest.mark.slow
def test_a_capture_without_iterations_is_undecided(repository, run_of):
    empty = Core("2,0").span("LOCK_STALL", 1, 500)
    found = compare(repository, [run_of("a", *cores(1, 300))], [run_of("b", empty)])
    assert found.verdict == "undecided"


@pytest.mark.slow
def test_one_capture_is_compared_under_two_settings(repository, run_of):
    run = run_of("a", *cores(1, 300, 300))
    found = compare(repository, [run], [run], settings=({}, {"clock_hz": "2.5e9"}))
    assert [row["key"] for row in found.setup] == ["clock_hz"]
    rate = find(found, "gmacs_mean")
    assert (rate.judged.verdict, rate.relative) == ("incomparable", pytest.approx(1.0))
    assert find(found, "utilization").judged.verdict == "unchanged"
    with pytest.raises(ValueError, match="clock_hz"):
        compare(repository, [run], [run], settings=({}, {"clock_hz": "x"}))
