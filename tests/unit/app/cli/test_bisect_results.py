"""`bisect` of a named number of files of results, of which more or less is better."""

import json

import pytest

from schema.result_metrics import result_key
from tests.support.command_line import run

COMMITS = [f"{at:02x}" * 20 for at in range(0x40, 0x60)]
CULPRIT = 22
"""Position of the commit from which on a decode step takes 10 % longer."""


@pytest.fixture
def measure(tmp_path, monkeypatch):
    """Ingest the results of a commit; the same commit again is another run."""
    monkeypatch.chdir(tmp_path)
    made = []

    def taken(commit, **more):
        at = COMMITS.index(commit)
        step = (4.4 if at >= CULPRIT else 4.0) * (1 + 0.004 * (-1) ** len(made))
        folder = tmp_path / f"{len(made):02d}"
        folder.mkdir()
        made.append(commit)
        path = folder / "results.csv"
        path.write_text(
            "name,value,unit,direction\n"
            f"decode step,{step},ms,less\ndecode rate,{1000 / step},tokens/s,more\nseed,{at},,\n"
        )
        time = f"2026-11-{1 + len(made):02d}T10:00Z"
        facts = ("commit=" + commit, "taken_at=" + time, "hwid=npu2", "branch=main")
        given = [part for fact in facts for part in ("--set", fact)]
        return json.loads(run("ingest", path, "--json", *given).stdout)["runs"][0]["run_id"]

    return taken


@pytest.fixture
def ask(measure, tmp_path):
    measure(COMMITS[-1])
    key = measure(COMMITS[0])
    file = tmp_path / "list"
    file.write_text("\n".join(COMMITS))

    def asked(*args):
        return run("bisect", "--key", key, "--good", COMMITS[0], "--bad", COMMITS[-1], *args)

    asked.list = ("--commits", file)
    return asked


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("metric", ["decode step", "decode rate"])
def test_the_commit_that_made_a_named_number_worse_is_found(ask, measure, metric):
    told = ask("--metric", metric, *ask.list, "--json")
    measured = set()
    while told.exit_code == 2:
        commit = json.loads(told.stdout)["next"]
        measured.add(commit)
        measure(commit)
        told = ask("--metric", metric, "--json")
    assert told.exit_code == 0
    assert json.loads(told.stdout)["culprits"] == [COMMITS[CULPRIT]]
    assert len(measured) <= 7
    assert metric in ask("--metric", metric).stdout


def test_a_number_is_named_by_its_key_as_well(ask):
    key = result_key("decode step", "ns", "less")
    first = ask("--metric", key, *ask.list, "--json")
    assert first.exit_code == 2
    assert json.loads(first.stdout) == json.loads(ask("--metric", "decode step", "--json").stdout)


@pytest.mark.parametrize("metric", ["", "no such number"])
def test_other_metrics_are_refused_with_the_names_of_the_run(ask, metric):
    told = ask("--metric", metric, *ask.list)
    assert told.exit_code == 3
    assert all(name in told.stderr for name in ("decode step", "decode rate"))


def test_a_number_without_a_direction_is_refused(ask):
    told = ask("--metric", "seed", *ask.list)
    assert told.exit_code == 3
    assert "neither more nor less" in told.stderr
