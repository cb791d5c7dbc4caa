"""`status`: what it says is what the service says, its exit code is the news, and what is acknowledged is none."""

import csv
import io
import json
from datetime import datetime
from shutil import copytree

import pytest

from app.cli.common import GATE_ERROR
from app.config.settings import Settings
from services.status.rules import set_rule
from services.status.status import StatusCache
from services.status.status_frame import status_frame
from storage.audit import Audit
from storage.rules import Rule
from tests.support.command_line import refused, run
from tests.support.paced_trace import ingest_night, ingest_nights

NOW = "2026-11-07T00:00:00+00:00"
BEFORE = "2026-11-04T12:00:00+00:00"
"""A moment at which nothing was regressed yet."""


@pytest.fixture(scope="module")
def nightly(tmp_path_factory):
    """A store with a rule, and the runs of a key that is well and was not measured lately, and of one that is not."""
    folder = tmp_path_factory.mktemp("nightly")
    repository = Settings(data=folder / "data").repository()
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    well = [ingest_night(repository, folder, night, "npu1") for night in range(1, 5)]
    regressed = ingest_nights(repository, folder, 4, 6)
    yield repository, folder / "data", well, regressed
    repository.catalogue.close()


@pytest.fixture
def own(nightly, tmp_path):
    """Give what runs the command on a store of the test's own."""
    folder = copytree(nightly[1], tmp_path / "data")

    def asked(*args):
        return run("status", *args, "--data", folder)

    asked.data = folder
    return asked


def ask(nightly, *args):
    return run("status", *args, "--data", nightly[1])


def runs_of(told):
    return [row["run"]["run_id"] for row in json.loads(told.stdout)["rows"]]


@pytest.mark.slow
def test_json_is_the_record_of_the_service(nightly):
    told = ask(nightly, "--as-of", NOW, "--json")
    found = StatusCache(nightly[0]).status("nightly", None, datetime.fromisoformat(NOW))
    assert (told.exit_code, told.stderr) == (1, "")
    assert json.loads(told.stdout) == json.loads(json.dumps(found.record()))
    assert runs_of(told) == [nightly[3][-1], nightly[2][-1]]


def test_text_has_a_sentence_and_a_line_per_key_regressions_first(nightly):
    told = ask(nightly, "--as-of", NOW)
    assert (told.exit_code, told.stderr) == (1, "")
    sentence, first, second = told.stdout.splitlines()
    assert "1 of 2 keys" in sentence
    assert ("npu2" in first, "c0ffee05" in first) == (True, True)
    assert "npu1" in second


def test_csv_has_the_rows_of_the_table(nightly):
    told = ask(nightly, "--as-of", NOW, "--csv")
    assert told.exit_code == 1
    found = StatusCache(nightly[0]).status("", None, datetime.fromisoformat(NOW))
    rows = [*csv.DictReader(io.StringIO(told.stdout))]
    assert [*rows[0]] == [*status_frame(found).columns]
    assert [(row["run_id"], row["verdict"]) for row in rows] == [
        (row.run.run_id, row.verdict) for row in found.rows
    ]
    assert float(rows[0]["value"]) == pytest.approx(found.rows[0].value)


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)])
def test_without_news_the_exit_code_is_0(nightly, form):
    assert ask(nightly, "--as-of", BEFORE, *form).exit_code == 0


def test_keys_without_a_run_since_then_are_left_out(nightly):
    asked = ("--as-of", NOW, "--json")
    assert runs_of(ask(nightly, *asked, "--since", "2d")) == [nightly[3][-1]]
    assert runs_of(ask(nightly, *asked, "--since", "2026-11-04")) == [
        nightly[3][-1],
        nightly[2][-1],
    ]


def test_the_commits_of_a_regression_have_a_link_where_the_setting_says_so(nightly, monkeypatch):
    monkeypatch.setenv("TILESCOPE_COMMIT_URL", "https://git.example.org/{base}...{new}")
    row = json.loads(ask(nightly, "--json").stdout)["rows"][0]
    assert row["since"]["url"] == "https://git.example.org/c0ffee04...c0ffee05"


@pytest.mark.slow
def test_a_rule_is_named_where_there_are_several(own):
    assert (
        run(
            "baseline", "rule", "set", "npu1", "--last", 3, "--hwid", "npu1", "--data", own.data
        ).exit_code
        == 0
    )
    assert all(name in refused(own(), GATE_ERROR) for name in ("nightly", "npu1"))
    assert own("--rule", "npu1").exit_code == 0
    assert own("--rule", "nightly").exit_code == 1


def test_what_is_acknowledged_is_no_news_until_it_is_taken_back(own, nightly):
    run_id = nightly[3][-1]
    acknowledged = own("ack", run_id[:10], "--note", "known\x1b[2J")
    assert (acknowledged.exit_code, acknowledged.stdout, acknowledged.stderr) == (0, "", "")
    told = own("--json")
    given = json.loads(told.stdout)["rows"][0]["acknowledged"]
    assert (told.exit_code, given["note"]) == (0, "known\x1b[2J")
    assert given["by"].startswith("command line")
    text = own()
    assert (text.exit_code, "\x1b" in text.stdout, "known" in text.stdout) == (0, False, True)
    assert own("unack", run_id, "--rule", "nightly").exit_code == 0
    assert own().exit_code == 1
    assert "no acknowledged" in refused(own("unack", run_id), GATE_ERROR)
    catalogue = Settings(data=own.data).catalogue()
    done = [one.action for one in Audit(catalogue).entries() if one.action.startswith("status.")]
    catalogue.close()
    assert done == ["status.unacknowledge", "status.acknowledge"]


@pytest.mark.parametrize(
    "args",
    [
        ("--rule", "none"),
        ("--since", "soon"),
        ("--as-of", "yesterday"),
        ("--json", "--csv"),
        ("--bogus",),
        ("nosuch",),
        ("ack",),
        ("ack", "ffff"),
        ("ack", "WELL"),
        ("ack", "BAD", "--rule", "none"),
        ("ack", "BAD", "--note", "x" * 2_001),
        ("unack",),
        ("unack", "ffff"),
        ("unack", "BAD"),
        ("unack", "BAD", "--rule", "none"),
    ],
    ids=lambda args: " ".join(args)[:30],
)
def test_errors_end_with_3_and_one_line(nightly, args):
    names = {"WELL": nightly[2][-1], "BAD": nightly[3][-1]}
    refused(ask(nightly, *(names.get(arg, arg) for arg in args)), GATE_ERROR)


def test_without_a_rule_it_is_said_how_one_is_set(tmp_path):
    assert "baseline rule set" in refused(run("status", "--data", tmp_path / "none"), GATE_ERROR)


def test_a_rule_without_a_run_has_no_news(tmp_path):
    assert (
        run(
            "baseline", "rule", "set", "nightly", "--last", 3, "--data", tmp_path / "data"
        ).exit_code
        == 0
    )
    told = run("status", "--json", "--data", tmp_path / "data")
    assert (told.exit_code, json.loads(told.stdout)["rows"]) == (0, [])
    assert run("status", "--data", tmp_path / "data").stdout.count("\n") == 1
