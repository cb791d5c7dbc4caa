"""Monthly files that a server writes by itself, in a process apart."""

import pytest

from app.config.settings import load_settings
from app.server import compacting
from app.server.compacting import take_round
from ingest.files import ingest
from services.query.compaction import MIN_RUNS
from storage.monthly_files import MonthlyFiles
from tests.support.monthly_store import write_problem
from tests.support.runs import record_of, stored_of


@pytest.fixture
def settings(tmp_path):
    return load_settings(data=tmp_path / "data", compact_every="1d")


@pytest.fixture
def repository(settings):
    opened = settings.repository()
    yield opened
    opened.catalogue.close()


@pytest.mark.slow
def test_files_of_months_with_many_runs_are_written_once(settings, repository, tmp_path):
    assert not take_round(settings, repository)
    ingest(repository, [write_problem(tmp_path, 1)], {"taken_at": "2026-02-11T10:00:00Z"})
    taken_at = "2026-01-11T10:00:00+00:00"
    catalogue = repository.catalogue
    rows = [record_of(rank, source="minimalloc", taken_at=taken_at) for rank in range(MIN_RUNS)]
    assert catalogue.insert_many(map(stored_of, rows)) == MIN_RUNS
    assert take_round(settings, repository)
    [file] = MonthlyFiles(catalogue).files().values()
    assert (file.month, file.runs) == ("2026-01", MIN_RUNS)
    assert not take_round(settings, repository)


def test_no_process_is_started_while_nothing_is_due(settings, repository, tmp_path, monkeypatch):
    monkeypatch.setattr(compacting, "run_in_child", None)
    ingest(repository, [write_problem(tmp_path, 1)], {})
    assert not take_round(settings, repository)
