"""`bisect`: its plan is that of the service, and its exit code is the state."""

import json
import re
import subprocess

import pytest

from app.config.settings import Settings
from tests.support.bisected_store import COMMITS, CULPRIT, add_run, add_runs, rate_of, write_list
from tests.support.command_line import run


@pytest.fixture
def store(tmp_path, elsewhere):
    repository = Settings(data=tmp_path / "data").repository()
    repository.run = add_runs(repository, (0, len(COMMITS) - 1))[0]
    yield repository
    repository.catalogue.close()


@pytest.fixture
def ask(store, tmp_path):
    def asked(*args, good=COMMITS[0], bad=COMMITS[-1]):
        given = ("--key", store.run[:20], "--good", good, "--bad", bad, "--data", tmp_path / "data")
        return run("bisect", *given, *args)

    return asked


def test_commits_are_measured_until_the_culprit_is_proved(ask, store, tmp_path):
    told = ask("--commits", write_list(tmp_path / "list"), "--json")
    measured = []
    while told.exit_code == 2:
        commit = json.loads(told.stdout)["next"]
        measured.append(commit)
        add_run(store, commit, rate_of(COMMITS.index(commit)))
        told = ask("--json")
    assert told.exit_code == 0
    assert json.loads(told.stdout)["culprits"] == [COMMITS[CULPRIT]]
    assert len(set(measured)) <= 7
    words = ask()
    assert words.exit_code == 0
    assert f"culprit: {COMMITS[CULPRIT]}" in words.stdout.splitlines()


def test_the_next_commit_is_printed_with_its_commands(ask, tmp_path):
    told = ask("--commits", write_list(tmp_path / "list"))
    assert (told.exit_code, told.stderr) == (2, "")
    (commit,) = re.findall(r"^next: (\S+)$", told.stdout, re.MULTILINE)
    assert commit in COMMITS
    assert f"git checkout {commit}" in told.stdout
    assert f"--set commit={commit}" in told.stdout
    again = ask("--skip", commit)
    assert again.exit_code == 2
    assert f"next: {commit}" not in again.stdout


def test_a_bisection_without_a_culprit_ends_with_1(ask, store, tmp_path):
    told = ask(
        "--commits",
        write_list(tmp_path / "list", COMMITS[::-1]),
        "--json",
        good=COMMITS[-1],
        bad=COMMITS[0],
    )
    while told.exit_code == 2:
        commit = json.loads(told.stdout)["next"]
        add_run(store, commit, rate_of(COMMITS.index(commit)))
        told = ask("--json", good=COMMITS[-1], bad=COMMITS[0])
    assert told.exit_code == 1
    record = json.loads(told.stdout)
    assert (record["state"], record["culprits"], record["next"]) == ("better", [], None)


@pytest.mark.slow
def test_git_has_the_commits(ask, store, tmp_path, monkeypatch):
    def git(*args):
        command = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *args]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main")
    for number in range(9):
        git("commit", "-q", "--allow-empty", "-m", f"c{number}")
    commits = git("rev-list", "--reverse", "main").split()
    told = ask("--json", good="HEAD~8", bad="main")
    record = json.loads(told.stdout)
    assert (told.exit_code, record["commits"]) == (2, 8)
    assert (record["good"], record["bad"], record["next"]) == (commits[0], commits[-1], commits[0])
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    monkeypatch.chdir(outside)
    stored = ask("--json", good=commits[0], bad=commits[-1])
    assert json.loads(stored.stdout) == record, "the stored list needs no git"
    assert ask("--git", tmp_path, "--json", good="HEAD~8", bad="main").exit_code == 2


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--commits", "nothing"),
        ("--metric", "nothing"),
        ("--threshold", "0"),
        ("--git", ".", "--commits", "list"),
        ("--skip", "unknown", "--commits", "list"),
    ],
)
def test_errors_are_a_line_and_exit_code_3(ask, tmp_path, args):
    write_list(tmp_path / "list")
    told = ask(*args)
    assert (told.exit_code, told.stdout) == (3, "")
    (line,) = told.stderr.splitlines()
    assert line.startswith("Error: ")
