"""The runs that differ from a run in one size, as the list has them."""

import pytest

from storage.size_sweeps import SizedRun, sized_runs
from storage.stored_run import StoredRun

GEMM = {"hwid": "npu1", "M": 64, "K": 64, "N": 64, "rows": 4, "cols": 4, "mac_dtype": "int8"}
TILE = {"m": 32, "k": 32, "n": 32}


@pytest.fixture
def put(repository):
    """Return a function that puts a run of a day into the catalogue and returns its id."""
    repository.catalogue.create()

    def put_run(day, **own):
        run = {"run_id": f"{day:012x}", "source": "aie", "name": "a", "time_unit": "cycles"}
        run |= {"file": "a", "tags": "", "sha256": str(day), "taken_at": ""}
        run |= {"created_at": f"2026-10-{1 + day:02d}T00:00:00+00:00"} | GEMM | TILE | own
        assert repository.catalogue.insert(StoredRun(f"p{day}", run, {}, {}, {}, {}, [], 0, 0))
        return run["run_id"]

    return put_run


def sizes(repository, dimension="K", most=10):
    found = sized_runs(repository.catalogue, GEMM | TILE, dimension, most)
    return [run.size for run in found]


def test_runs_of_other_sizes_come_newest_first(repository, put):
    put(1, K=128)
    last = put(3, K=256)
    put(2)
    assert sizes(repository) == [256, 128]
    assert sizes(repository, most=1) == [256]
    found = sized_runs(repository.catalogue, GEMM | TILE, "K", 1)
    assert found == [SizedRun(last, 256, "p3")]


@pytest.mark.parametrize(
    "own",
    [{"hwid": "npu2"}, {"M": 128}, {"cols": 2}, {"mac_dtype": None}, {"k": 16}, {"n": None}],
    ids=str,
)
def test_a_run_that_differs_in_more_than_the_size_is_left_out(repository, put, own):
    put(1, K=128, **own)
    assert sizes(repository) == []


def test_each_dimension_has_its_own_runs(repository, put):
    put(1, M=128)
    assert (sizes(repository, "M"), sizes(repository, "N")) == ([128], [])


def test_a_store_without_a_catalogue_has_none(repository):
    assert sizes(repository) == []
