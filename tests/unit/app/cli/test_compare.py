"""`compare` on the command line."""

import json

import pytest

from tests.support.aie_trace import trace_text, write_capture_file
from tests.support.command_line import run

SIZES = ("m=32", "k=32", "n=32", "warmup=1", "iterations=5", "peak_macs_per_cycle=1e6")


@pytest.fixture
def ingested(tmp_path, monkeypatch):
    """Ingest captures whose kernels take so long, and a problem; return the ids."""
    monkeypatch.chdir(tmp_path)
    ids = []
    for duration in (100, 100, 150):
        text = trace_text(iterations=6, duration=duration, gap=10 + len(ids))
        trace = write_capture_file(tmp_path / str(len(ids)), text)
        sets = [x for pair in SIZES for x in ("--set", pair)]
        ids.append(json.loads(run("ingest", trace, "--json", *sets).stdout)["runs"][0]["run_id"])
    problem = tmp_path / "a.200.csv"
    problem.write_text("id,lower,upper,size\na,0,3,100\n")
    return [*ids, json.loads(run("ingest", problem, "--json").stdout)["runs"][0]["run_id"]]


@pytest.mark.slow
def test_two_runs_are_compared_as_json_and_as_text(ingested):
    base, _, new, _ = ingested
    answer = json.loads(run("compare", base[:8], new[:8], "--json").stdout)
    assert answer["verdict"] == "regressed"
    assert [run["run_id"] for run in (*answer["base"], *answer["new"])] == [base, new]
    assert {"name", "level", "estimate", "low", "high", "p", "verdict", "reason"} <= set(
        answer["metrics"][0]
    )
    text = run("compare", base, new)
    assert text.exit_code == 0
    assert "regressed" in text.stdout
    assert "kernels" in text.stdout
    rate = next(line for line in text.stdout.splitlines() if "GMAC/s ->" in line)
    assert "95 % interval" in rate
    assert "regressed" in rate


@pytest.mark.slow
def test_groups_and_thresholds(ingested):
    base, again, new, _ = ingested
    told = run(
        "compare",
        "--base",
        base,
        "--base",
        again,
        "--new",
        new,
        "--threshold",
        "gmacs_mean=90",
        "--json",
    )
    assert json.loads(told.stdout)["verdict"] == "unchanged"


@pytest.mark.slow
def test_one_run_under_two_settings(ingested):
    told = run(
        "compare",
        ingested[0],
        ingested[0],
        "--set-base",
        "clock_hz=1GHz",
        "--set-new",
        "clock_hz=2GHz",
        "--json",
    )
    assert [(row["key"], row["base"], row["new"]) for row in json.loads(told.stdout)["setup"]] == [
        ("clock_hz", 1e9, 2e9)
    ]


def test_runs_of_different_sources_end_with_2(ingested):
    told = run("compare", ingested[0], ingested[3])
    assert told.exit_code == 2
    assert "minimalloc" in told.stderr
    assert told.stderr.count("\n") == 1


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "args",
    [
        ("compare",),
        ("compare", "a"),
        ("compare", "a", "b", "--base", "c"),
        ("compare", "--base", "a"),
        ("compare", "ffffffff", "eeeeeeee"),
        ("compare", "0", "0", "--threshold", "gmacs_mean=x"),
        ("compare", "0", "0", "--set-new", "clock_hz=x"),
    ],
)
def test_bad_usage_is_one_line(ingested, args):
    told = run(*(ingested[0] if arg == "0" else arg for arg in args))
    assert told.exit_code == 1
    assert told.stderr.startswith("Error: ")
    assert told.stderr.count("\n") == 1
