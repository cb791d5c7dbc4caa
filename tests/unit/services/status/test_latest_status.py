"""The latest runs of keys, judged in batches that are stored one by one."""

import pytest

from services.comparison.compared_runs import compared_run
from services.status import key_batches, latest_status
from services.status.covered_series import covered_series
from services.status.rules import set_rule
from services.status.status import StatusCache, lacks_status
from storage.rule_tables import KEY_STATUS, RULE_VERDICTS
from storage.rules import Rule
from tests.support.runs import record_of, stored_of
from tests.support.solved_runs import put_run

RULE = Rule("nightly", 3, "main")
NEW = 20
_LOADS_OF_KEY = 2
"""Each of two runs is loaded once: it is the new run, then the base of the other."""


@pytest.fixture
def run_of(repository, tmp_path):
    """Ingest a solved problem of a day for a hardware, whose last block has a size."""
    set_rule(repository, RULE, "me")

    def run(hwid, day, size=64):
        return put_run(repository, tmp_path, day, size, hwid=hwid, branch="main")

    return run


@pytest.fixture
def keys(run_of):
    """Three keys of two runs, of which the last runs of two are worse."""
    for hwid, size in (("a", 64), ("b", 96), ("c", 128)):
        run_of(hwid, 1)
        run_of(hwid, 2, size)


def rows_of(status):
    return [(row.key.hwid, row.verdict, row.value, row.since, row.points) for row in status.rows]


@pytest.mark.slow
@pytest.mark.usefixtures("keys")
def test_batches_of_any_size_give_the_same_status(repository, monkeypatch):
    expected = StatusCache(repository).status()
    assert [row.verdict for row in expected.rows] == ["regressed", "regressed", "unchanged"]
    for name in ("MAX_RUNS", "MAX_LIKENESSES"):
        with repository.catalogue.begin() as connection:
            connection.execute(KEY_STATUS.delete())
            connection.execute(RULE_VERDICTS.delete())
        with monkeypatch.context() as patch:
            patch.setattr(key_batches, name, 1)
            status = StatusCache(repository).status()
        assert (rows_of(status), status.missing) == (rows_of(expected), 0)
        assert not lacks_status(repository.catalogue, RULE)


@pytest.mark.usefixtures("keys")
def test_without_time_only_the_first_batch_is_read(repository, monkeypatch):
    read = []

    def read_series(repository, rule, likenesses):
        read.append(len(likenesses))
        return covered_series(repository, rule, likenesses)

    monkeypatch.setattr(key_batches, "MAX_RUNS", 2)
    monkeypatch.setattr(latest_status, "covered_series", read_series)
    status = StatusCache(repository).status(within_s=-1.0)
    assert (read, [row.verdict for row in status.rows]) == ([1], ["undecided"])
    assert status.missing == 6


@pytest.mark.slow
@pytest.mark.usefixtures("keys")
def test_a_stop_and_a_new_run_lose_one_batch(repository, monkeypatch):
    """A run that comes while a batch is compared takes out what that batch found, and no more."""
    monkeypatch.setattr(key_batches, "MAX_RUNS", 2)
    loaded = []

    def load(run_id, settings):
        if not loaded:
            new = stored_of(record_of(NEW, hwid="d", source="aie"))
            assert repository.catalogue.insert(new)
        if len(loaded) == 2 * _LOADS_OF_KEY:
            raise KeyboardInterrupt
        loaded.append(run_id)
        return compared_run(repository, run_id, settings)

    with pytest.raises(KeyboardInterrupt):
        StatusCache(repository, load).status()
    store = latest_status.status_store(repository.catalogue)
    stored = store.of(RULE.name, RULE.filters)
    assert len(stored.by_likeness) == 1
    assert len(stored.missing) == 3
