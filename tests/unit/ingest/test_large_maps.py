"""Numbers, findings and occupancy of large memory maps that an ingest stores for the page of a run."""

import pytest
from pandas.testing import assert_frame_equal
from sqlalchemy import update

from analysis.memory import derive as memory_derive
from analysis.memory import index as memory_index
from analysis.memory import large_maps
from analysis.memory.large_maps import MEMORY_RESULT, MIN_STORED_BLOCKS, STORED_OCCUPANCY
from ingest.files import ingest
from ingest.refresh import refresh
from services.run.data_cache import RunDataCache
from storage.tables import RUN_RESULTS

SLOTS = 40
"""Blocks that are alive at once."""


def write_problem(path, blocks):
    """Write a placed MiniMalloc problem of this many blocks, of which a few share bytes."""
    rows = ["id,lower,upper,size,offset"]
    for block in range(blocks):
        start = block // SLOTS * 3
        # Every thousandth block begins inside its neighbour, so that there is a finding.
        offset = block % SLOTS * 512 - (64 if block % 1000 == 999 else 0)
        size = 256 + 8 * (block % 31)
        rows.append(f"b{block},{start},{start + 2 + block % 2},{size},{offset}")
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def take(repository, tmp_path):
    """Ingest a problem of some blocks and return its run id."""

    def take(blocks):
        path = write_problem(tmp_path / f"problem{blocks}.csv", blocks)
        return ingest(repository, [path], {}).runs[0].run_id

    return take


@pytest.fixture
def computed(monkeypatch):
    """Names of the results that were computed."""
    calls = []

    def count(module, name):
        function = getattr(module, name)

        def counted(*given):
            calls.append(name)
            return function(*given)

        monkeypatch.setattr(module, name, counted)

    count(memory_derive, "derive_memory")
    count(memory_index, "occupancy")
    return calls


def data_of(repository, run, overrides=None):
    data = RunDataCache(repository).get(run, "robust", overrides or {})
    return data, data.memory.index.map(0)


def make_older(repository):
    with repository.catalogue.begin() as connection:
        connection.execute(update(RUN_RESULTS).values(made_by="older"))


@pytest.mark.slow
def test_the_page_of_a_large_map_reads_what_the_ingest_computed(repository, take, computed):
    run = take(MIN_STORED_BLOCKS)
    computed.clear()
    stored, stored_map = data_of(repository, run)
    assert computed == []
    make_older(repository)
    again, _ = data_of(repository, run)
    assert computed == ["derive_memory"]
    assert_frame_equal(stored.memory.attempts, again.memory.attempts)
    assert_frame_equal(stored.diagnostics, again.diagnostics)
    assert len(stored.diagnostics)
    assert stored.headline == again.headline
    fresh = memory_index.occupancy(stored_map.blocks, again.memory.attempts)
    assert_frame_equal(stored_map.occupancy, fresh)


@pytest.mark.slow
def test_rows_of_another_analysis_are_computed_again(repository, take, computed, monkeypatch):
    run = take(MIN_STORED_BLOCKS)
    computed.clear()
    monkeypatch.setattr(large_maps, "ANALYSIS_VERSION", "another")
    _, amap = data_of(repository, run)
    assert computed == ["occupancy"]
    assert len(amap.occupancy)


@pytest.mark.slow
def test_another_capacity_is_computed(repository, take, computed):
    run = take(MIN_STORED_BLOCKS)
    computed.clear()
    data, _ = data_of(repository, run, {"capacity": "1MiB"})
    assert computed == ["derive_memory", "occupancy"]
    assert data.memory.attempts["capacity"].tolist() == [2**20]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize(
    "change", [{}, {"attempts": {}}, {"findings": [["warning"]]}, {"attempts": 3}]
)
def test_a_record_that_is_not_valid_is_computed(repository, take, computed, change):
    run = take(MIN_STORED_BLOCKS)
    result = {"attempts": {}, "findings": []} | change
    with repository.catalogue.begin() as connection:
        connection.execute(update(RUN_RESULTS).values(result=result))
    computed.clear()
    data, _ = data_of(repository, run)
    assert computed == ["derive_memory"]
    assert data.memory.attempts["blocks"].tolist() == [MIN_STORED_BLOCKS]


@pytest.mark.slow
def test_a_refresh_stores_the_numbers_of_older_runs(repository, take, computed):
    run = take(MIN_STORED_BLOCKS)
    make_older(repository)
    (refreshed,) = refresh(repository, [run])
    assert refreshed.status == "unchanged"
    computed.clear()
    data_of(repository, run)
    assert computed == []


def test_small_maps_are_computed_when_they_are_shown(repository, take, computed):
    run = take(MIN_STORED_BLOCKS - 1)
    assert STORED_OCCUPANCY not in repository.frame_names(run)
    with repository.catalogue.connect() as connection:
        names = connection.execute(RUN_RESULTS.select()).all()
    assert MEMORY_RESULT not in {row.name for row in names}
