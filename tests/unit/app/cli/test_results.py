"""Plain results on the command line: from a file to list, trend, comparison, gate, status and alert."""

import json
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from app.config.settings import load_settings
from schema.result_metrics import result_key
from services.alerts.config import AlertConfig
from services.alerts.evaluate import evaluate_alerts
from services.alerts.messages import mail_text
from services.run.same_commit import related_runs
from services.status.status import StatusCache
from storage.alerts import Alert, Alerts
from storage.deliveries import Deliveries
from tests.support.command_line import error_of, output_of, run

STEP = result_key("decode step", "ns", "less")
DAYS = 12
SLOW_FROM = 10


def write(folder, day, step, extra=""):
    """Write the results of a day; the folder is dated, as a build's folders are."""
    path = folder / f"{day:02d}" / "results.csv"
    path.parent.mkdir()
    facts = f"commit{day:02d},main,2026-11-{day + 1:02d}T10:00Z,npu2"
    path.write_text(
        "name,value,unit,direction,commit,branch,taken_at,hwid\n"
        f"decode step,{step},ms,less,{facts}\n"
        f"decode rate,{1000 / step},tokens/s,more,,,,\n"
        f"seed,{day},,,,,,\n{extra}"
    )
    return path


@pytest.fixture
def nights(tmp_path, monkeypatch):
    """Ingest twelve nights, of which the last two are slower by a quarter; return their runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ci").mkdir()
    for day in range(DAYS):
        write(tmp_path / "ci", day, (4.0 if day < SLOW_FROM else 5.0) + 0.01 * (day % 3))
    told = json.loads(run("ingest", tmp_path / "ci", "--json").stdout)
    ids = {one["file"].split("/")[-2]: one["run_id"] for one in told["runs"]}
    return [ids[f"{day:02d}"] for day in range(DAYS)]


def test_a_run_is_listed_with_its_first_number_and_their_count(nights):
    listed = json.loads(output_of("runs", "--json"))
    records = {
        one["run_id"]: one for one in (listed if isinstance(listed, list) else listed["runs"])
    }
    headline = records[nights[0]]["headline"]
    assert (headline["kind"], headline["value"], headline["unit"]) == ("results", 4e6, "ns")
    assert headline["metric"] == STEP
    assert records[nights[0]]["named_numbers"] == 3
    assert not any(name.startswith("result:") for name in records[nights[0]])


def test_dated_folders_are_one_series_and_its_step_is_found(nights):
    for name in ("decode step", STEP):
        (series,) = json.loads(output_of("trend", "--metric", name, "--json"))["series"]
        assert [point["run_id"] for point in series["points"]] == nights
        assert [point["value"] for point in series["points"][:3]] == [4e6, 4.01e6, 4.02e6]
    assert "unknown metric" in error_of("trend", "--metric", "decode stop")


def test_a_number_that_a_later_file_brings_is_tracked_without_further_ado(nights, tmp_path):
    write(tmp_path / "ci", DAYS, 5.0, "heat,71.5,C,less,,,,\n")
    output_of("ingest", tmp_path / "ci" / f"{DAYS:02d}")
    record = json.loads(output_of("trend", "--metric", "heat", "--json"))
    assert [point["value"] for point in record["points"]] == [71.5]


def test_one_name_of_two_units_must_be_named_by_its_key(nights, tmp_path):
    write(tmp_path / "ci", DAYS, 5.0, "decode step,3,frames,less,,,,\n")
    output_of("ingest", tmp_path / "ci" / f"{DAYS:02d}")
    line = error_of("trend", "--metric", "decode step")
    assert STEP in line
    assert result_key("decode step", "frames", "less") in line


def test_a_comparison_has_all_numbers_and_names_what_the_base_alone_has(nights, tmp_path):
    path = tmp_path / "fewer.csv"
    path.write_text("name,value,unit,direction\ndecode step,4,ms,less\n")
    new = json.loads(run("ingest", path, "--json").stdout)["runs"][0]["run_id"]
    result = json.loads(output_of("compare", nights[0], new, "--json"))
    assert result["verdict"] == "unchanged"
    assert result["results"] == {"only_base": ["decode rate", "seed"], "only_new": []}
    assert any("decode rate, seed" in reason for reason in result["reasons"])
    assert {row["level"] for row in result["metrics"]} == {"result"}


@pytest.mark.slow
@pytest.mark.parametrize(("day", "code"), [(9, 0), (SLOW_FROM, 1)])
def test_the_gate_ends_with_the_verdict(nights, day, code):
    output_of("baseline", "set", "main", *nights[:5])
    told = run("check", nights[day], "--baseline", "main", "--format", "json")
    assert told.exit_code == code
    rows = {row["name"]: row for row in json.loads(told.stdout)["metrics"]}
    assert rows[STEP]["gate"] is True
    assert rows[STEP]["verdict"] == ("regressed" if code else "unchanged")
    assert rows[result_key("seed", "", "")]["gate"] is False
    wide = run("check", nights[day], "--baseline", "main", "--threshold", "results=60")
    assert wide.exit_code == 0


def test_a_threshold_may_be_of_one_key_and_no_unknown_name(nights):
    check = ("check", nights[SLOW_FROM], "--baseline", nights[0])
    output_of("baseline", "set", "one", nights[0])
    told = run("check", nights[SLOW_FROM], "--baseline", "one", "--threshold", f"{STEP}=60")
    assert told.exit_code == 1, "the rate still regressed"
    assert run(*check, "--threshold", "decode step=5").exit_code == 3


@pytest.mark.slow
def test_status_and_alert_name_the_number_that_regressed(nights):
    repository = load_settings().repository()
    output_of("baseline", "rule", "set", "nightly", "--last", "5", "--branch", "main")
    Alerts(repository.catalogue).set(
        Alert("ci", "nightly", slack="https://hooks.example.org/x", events=("regressed",))
    )
    config = AlertConfig(public_url="https://tilescope.example.org")
    before = datetime(2026, 11, SLOW_FROM, 12, tzinfo=UTC)
    assert evaluate_alerts(StatusCache(repository), config, before) == 0
    assert evaluate_alerts(StatusCache(repository), config) == 1
    (delivery,) = Deliveries(repository.catalogue).log()
    assert delivery.payload["metric"] == STEP
    assert parse_qs(urlsplit(delivery.payload["bisect"]).query)["metric"] == [STEP]
    assert "decode step: 5.02e+06 ns" in mail_text(delivery.payload)
    (row,) = StatusCache(repository).status("nightly").rows
    assert (row.verdict, row.metric, row.value) == ("regressed", STEP, 5.02e6)
    assert row.since is not None
    assert row.since.first_bad.commit == f"commit{SLOW_FROM}"


@pytest.mark.slow
def test_results_and_traces_of_a_commit_find_each_other(nights, tmp_path):
    repository = load_settings().repository()
    problem = tmp_path / "a.1024.csv"
    problem.write_text("id,lower,upper,size,offset\na,0,3,100,0\n")
    told = run("ingest", problem, "--set", "commit=commit03", "--set", "hwid=npu2", "--json")
    trace = json.loads(told.stdout)["runs"][0]["run_id"]

    def related(run_id):
        found = related_runs(repository.catalogue, repository.find_run(run_id).run)
        return [one.run_id for one in found]

    assert related(nights[3]) == [trace]
    assert related(trace) == [nights[3]]
    assert related(nights[4]) == []
    other = tmp_path / "b.1024.csv"
    other.write_text("id,lower,upper,size,offset\na,0,3,200,0\n")
    run("ingest", other, "--set", "commit=commit03", "--set", "hwid=npu1")
    assert related(nights[3]) == [trace], "a trace of other hardware"
