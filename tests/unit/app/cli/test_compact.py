"""The command `compact`: what it writes and prints, and its exit code."""

import json

import pytest

from app.config.settings import load_settings
from storage.monthly_files import MonthlyFiles
from tests.support.command_line import run
from tests.support.monthly_store import write_problem


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    for rank in range(3):
        path = write_problem(tmp_path, rank)
        options = ("--set", f"taken_at=2026-0{1 + rank % 2}-11T10:00:00Z")
        assert run("ingest", path, *options, "--data", folder).exit_code == 0
    return folder


def compact(data, *options):
    return run("compact", *options, "--data", data)


def months_of(result):
    assert result.exit_code == 0
    return [
        (month["month"], month["read"], month["copied"])
        for month in json.loads(result.stdout)["months"]
    ]


@pytest.mark.slow
def test_months_are_written_once_and_again_from_packs(data):
    lines = compact(data).stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["compacted", "2026-01", "minimalloc:"],
        ["compacted", "2026-02", "minimalloc:"],
    ]
    assert months_of(compact(data, "--json")) == []
    result = compact(data, "--json", "--from-packs")
    assert months_of(result) == [("2026-01", 2, 0), ("2026-02", 1, 0)]


def test_a_store_without_runs_has_no_months(tmp_path):
    assert months_of(compact(tmp_path / "none", "--json")) == []
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_a_month_that_fails_is_named_and_the_others_are_written(data):
    settings = load_settings(data=data)
    (data / "frames" / "monthly").write_text("in the way")
    result = compact(data)
    assert result.exit_code == 1
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["failed"] * 2
    assert MonthlyFiles(settings.catalogue()).files() == {}
