"""The pace that an ingest stores, and that the data of a run's page read."""

import json
import zlib
from base64 import b64encode

import numpy as np
import pytest
from pandas.testing import assert_frame_equal
from sqlalchemy import select, update

from analysis.aie.pace.record import PACE_RESULT, PACE_VERSION, pace_record, read_pace
from ingest.refresh import refresh
from services.run import capture_results
from services.run.data_cache import RunDataCache
from services.run.pace import pace_mapping
from storage.run_results import MAX_CHARACTERS, RunResults
from storage.tables import RUN_RESULTS
from tests.support.paced_trace import ingest_night


@pytest.fixture
def run(repository, tmp_path):
    """A capture of which a core is slower, and the others wait for it."""
    return ingest_night(repository, tmp_path, 1, longer={"3,1": 120}, depth=2)


@pytest.fixture
def computed(monkeypatch):
    """The paces that were computed."""
    results = []
    compute_pace = capture_results.compute_pace

    def count(*given):
        results.append(compute_pace(*given))
        return results[-1]

    monkeypatch.setattr(capture_results, "compute_pace", count)
    return results


def rows(repository):
    with repository.catalogue.connect() as connection:
        return connection.execute(select(RUN_RESULTS)).all()


def change(repository, **values):
    with repository.catalogue.begin() as connection:
        connection.execute(update(RUN_RESULTS).values(**values))


def data_of(repository, run, method="robust", overrides=None):
    return RunDataCache(repository).get(run, method, overrides or {})


def pace_of(repository, run, method="robust", overrides=None):
    return data_of(repository, run, method, overrides).pace


@pytest.mark.slow
def test_the_page_reads_what_the_ingest_computed(repository, run, computed):
    stored = pace_of(repository, run)
    assert not computed
    change(repository, made_by="older")
    anew = pace_of(repository, run)
    assert computed == [anew]
    assert pace_mapping(stored) == pace_mapping(anew)
    assert stored.limiters == anew.limiters
    assert stored.waits == anew.waits
    assert stored.tiles.equals(anew.tiles)
    assert any(stored.waits.values())


@pytest.mark.slow
def test_the_page_splits_iterations_by_the_waiting_of_the_ingest(repository, run, monkeypatch):
    fitted = []
    fit = capture_results.iteration_times
    monkeypatch.setattr(
        capture_results, "iteration_times", lambda *given: fitted.append(1) or fit(*given)
    )
    stored = data_of(repository, run).iteration_parts
    assert not fitted
    assert stored["waiting"].sum() > 0
    change(repository, made_by="older")
    assert_frame_equal(data_of(repository, run).iteration_parts, stored)
    assert fitted == [1]


def test_a_record_gives_the_pace_back(repository, run):
    data = data_of(repository, run)
    waiting = data.iteration_parts["waiting"].to_numpy()
    record = json.loads(json.dumps(pace_record(data.pace, waiting)))
    again = read_pace(record)
    assert pace_record(again.pace, again.waiting) == record
    assert again.pace.limiters == data.pace.limiters
    assert again.waiting.tolist() == waiting.tolist()


def waiting_text(ticks):
    """Return ticks as the record has them."""
    return b64encode(zlib.compress(np.array(ticks, "<i8").tobytes())).decode()


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "changed",
    [
        {"waiting": "not base64!"},
        {"waiting": b64encode(b"not packed").decode()},
        {"waiting": waiting_text([0] * 1_000_000)},
        {"waiting_rows": 3, "waiting": waiting_text([0, 0, 0])},
        {"waiting": None},
        {"waiting_rows": "20"},
    ],
)
def test_a_waiting_that_is_not_valid_is_computed(repository, run, computed, changed):
    (row,) = rows(repository)
    change(repository, result=dict(row.result) | changed)
    assert data_of(repository, run).iteration_parts["waiting"].sum() > 0
    assert pace_of(repository, run).limiters
    assert len(computed) == 1


@pytest.mark.slow
@pytest.mark.parametrize("ticks", [-1, 10**9])
def test_a_waiting_beyond_the_stalls_is_computed(repository, run, computed, ticks):
    (row,) = rows(repository)
    count = row.result["waiting_rows"]
    change(repository, result=dict(row.result) | {"waiting": waiting_text([ticks] * count)})
    parts = data_of(repository, run).iteration_parts
    assert (parts["lock_between"] >= 0).all()
    assert (parts["waiting"] >= 0).all()
    assert pace_of(repository, run).limiters
    assert len(computed) == 1


@pytest.mark.slow
def test_other_settings_have_a_pace_of_their_own(repository, run, computed):
    changed = pace_of(repository, run, overrides={"boundary_factor": "12"})
    assert computed == [changed]
    pace_of(repository, run, "reference")
    assert len(computed) == 2


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("result", [{}, {"limiters": 3}, {"limiters": [{"what": "kernels"}]}])
def test_a_stored_pace_that_is_not_valid_is_computed(repository, run, computed, result):
    change(repository, result=result)
    assert pace_of(repository, run).limiters
    assert len(computed) == 1


@pytest.mark.slow
def test_a_refresh_stores_the_pace_of_older_runs(repository, run, computed):
    change(repository, made_by="older")
    (refreshed,) = refresh(repository, [run])
    assert refreshed.status == "unchanged"
    assert pace_of(repository, run).limiters
    assert not computed


def test_the_pace_of_a_run_is_deleted_with_it(repository, run):
    assert len(rows(repository)) == 1
    repository.delete(run)
    assert rows(repository) == []


def test_results_of_other_content_and_large_ones_are_not_stored(repository, run):
    results = RunResults(repository.catalogue, PACE_RESULT, PACE_VERSION)
    (before,) = rows(repository)
    results.put(run, "another prefix", {"limiters": []})
    results.put("0" * 12, before.prefix, {"limiters": []})
    results.put(run, before.prefix, {"sentence": "x" * MAX_CHARACTERS})
    assert rows(repository) == [before]
    assert results.find(run, "another prefix") is None
