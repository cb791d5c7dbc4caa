"""`baseline`, `check` and `trend` on the command line."""

import json
import re

import pytest

from schema.metrics import METRICS
from storage.audit import Audit
from storage.catalogue import Catalogue
from tests.support.command_line import run
from tests.support.sentences import is_written, number_faults, plain


@pytest.fixture
def ids(tmp_path, monkeypatch):
    """Ingest three solved problems: two alike, and one with a larger block."""
    monkeypatch.chdir(tmp_path)
    found = []
    for name, size in (("a", 64), ("b", 63), ("c", 96)):
        path = tmp_path / f"{name}.1024.csv"
        path.write_text(f"id,lower,upper,size,offset\na,0,3,100,0\nb,1,4,{size},100\n")
        found.append(json.loads(run("ingest", path, "--json").stdout)["runs"][0]["run_id"])
    return found


def test_a_baseline_is_set_listed_and_deleted(ids):
    assert run("baseline", "set", "main", ids[0][:8]).exit_code == 0
    listed = json.loads(run("baseline", "list", "--json").stdout)
    assert [(one["name"], one["runs"]) for one in listed] == [("main", [ids[0]])]
    assert "main" in run("baseline", "list").stdout
    assert run("baseline", "delete", "main").exit_code == 0
    assert json.loads(run("baseline", "list", "--json").stdout) == []
    assert run("baseline", "delete", "main").exit_code == 1
    assert run("baseline", "set", "a\tb", ids[0]).exit_code == 1


def test_a_rule_that_is_replaced_is_told(ids):
    first = run("baseline", "rule", "set", "nightly", "--last", "5")
    assert (first.exit_code, first.stderr) == (0, "")
    assert "last 5" in run("baseline", "rule", "set", "nightly", "--last", "9").stderr


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(("which", "code"), [(0, 0), (1, 0), (2, 1)])
def test_the_exit_code_is_the_verdict(ids, which, code):
    run("baseline", "set", "main", ids[0])
    told = run("check", ids[which], "--baseline", "main", "--format", "json")
    assert told.exit_code == code
    assert (json.loads(told.stdout)["verdict"] == "regressed") == (code == 1)


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_the_numbers_of_the_text_are_those_of_the_json(ids, which):
    run("baseline", "set", "main", ids[0])
    check = ("check", ids[which], "--baseline", "main", "--format")
    result = json.loads(run(*check, "json").stdout)
    head, *lines = plain(run(*check, "text").stdout).splitlines()
    assert head.endswith(f": {result['verdict']}")
    rows = [row for row in result["metrics"] if row["gate"]]
    assert rows
    for row in rows:
        label = METRICS[row["name"]].label
        line = next(line for line in lines if line.strip().startswith(f"{label}: "))
        assert not number_faults(line)
        numbers = re.search(r": (\d+(?: B)?) -> (\d+(?: B)?), ", line)
        for written, value in zip(numbers.groups(), (row["base"], row["new"]), strict=True):
            assert is_written(written, value)
        # The change is written in the row and in the reason of the verdict.
        own = [other for other in lines if other.strip().startswith(label)]
        changes = re.findall(r"\(([+−-][\d.]+) %\)", " ".join(own))
        written = {change.replace("−", "-") for change in changes}
        assert len(written) == (row["base"] != row["new"])
        for change in written:
            assert float(change) == pytest.approx(100 * (row["new"] / row["base"] - 1), rel=0.01)


@pytest.mark.slow
def test_a_threshold_lets_pass(ids):
    run("baseline", "set", "main", ids[0])
    assert (
        run("check", ids[2], "--baseline", "main", "--threshold", "peak_memory=50").exit_code == 0
    )


@pytest.mark.parametrize(
    "args",
    [
        ("ffff", "--baseline", "main"),
        ("RUN", "--baseline", "none"),
        ("RUN", "--baseline", "main", "--threshold", "gmacs_mean"),
        ("RUN", "--baseline", "main", "--format", "pdf"),
        ("RUN",),
        (),
    ],
)
def test_errors_of_the_gate_end_with_3(ids, args):
    run("baseline", "set", "main", ids[0])
    told = run("check", *(ids[0] if arg == "RUN" else arg for arg in args))
    assert told.exit_code == 3
    assert told.stderr.count("\n") == 1


def test_a_trend_is_printed(ids):
    told = json.loads(run("trend", "--metric", "peak_memory", "--json").stdout)
    assert {point["run_id"] for one in told["series"] for point in one["points"]} == set(ids)
    assert {one["key"]["name"] for one in told["series"]} == {"a.1024", "b.1024", "c.1024"}
    text = run("trend", "--metric", "peak_memory")
    assert text.stdout.count("\n") == 3
    assert "8" in text.stderr
    assert run("trend", "--metric", "none").exit_code == 1


def test_a_trend_of_numbers_opens_no_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "values.json").write_text(
        json.dumps({"series": [{"name": "a\n", "values": [217.0] * 8 + [194.0] * 8}]})
    )
    told = json.loads(run("trend", "--values", "values.json", "--polarity", "1", "--json").stdout)
    (one,) = told["series"]
    assert (one["name"], [point["index"] for point in one["change_points"]]) == ("a\n", [8])
    text = run("trend", "--values", "values.json", "--polarity", "-1")
    assert text.stdout.count("\n") == 1
    assert "194" in text.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["values.json"]


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--metric", "gmacs_mean", "--values", "bad.json"),
        ("--values", "bad.json"),
        ("--values", "none.json"),
    ],
)
def test_a_trend_that_is_asked_wrongly_ends_with_one_line(tmp_path, monkeypatch, args):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text("{")
    told = run("trend", *args)
    assert told.exit_code == 1
    assert told.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_rolling_baseline_is_listed_with_its_runs_and_has_none_before_the_first(ids):
    assert run("baseline", "set", "roll", ids[0], "--last", "5").exit_code == 0
    listed = json.loads(run("baseline", "list", "--json").stdout)[0]
    assert (listed["kind"], listed["last"], sorted(listed["runs"]), listed["deleted"]) == (
        "rolling",
        5,
        sorted(ids),
        [],
    )
    assert "rolling (last 5)" in run("baseline", "list").stdout
    oldest = listed["runs"][0]
    told = run("check", oldest, "--baseline", "roll")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert run("check", oldest, "--baseline", "roll", "--undecided", "pass").exit_code == 0
    assert run("check", ids[2], "--baseline", "roll").exit_code in (0, 1, 2)


@pytest.mark.parametrize("last", ["0", "101", "x"])
def test_a_number_of_runs_that_is_none_is_refused(ids, last):
    assert run("baseline", "set", "roll", ids[0], "--last", last).exit_code == 1


def test_two_runs_roll_not(ids):
    assert run("baseline", "set", "roll", *ids[:2], "--last", "3").exit_code == 1


def test_deleted_runs_of_a_baseline_are_listed(ids):
    run("baseline", "set", "main", *ids[:2])
    run("delete", ids[0])
    listed = json.loads(run("baseline", "list", "--json").stdout)[0]
    assert (listed["runs"], listed["deleted"]) == ([ids[1]], [ids[0]])
    assert f"deleted: {ids[0]}" in run("baseline", "list").stdout


def test_the_audit_log_has_who_ran_a_command(ids, tmp_path):
    run("baseline", "set", "main", ids[0])
    run("baseline", "delete", "main")
    run("delete", ids[1])
    found = Audit(Catalogue(f"sqlite:///{tmp_path}/data/catalogue.db")).entries()
    done = [(one.action, one.object) for one in found if one.user.startswith("command line")]
    assert done[:3] == [("delete", ids[1]), ("baseline.delete", "main"), ("baseline.set", "main")]
