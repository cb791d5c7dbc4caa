"""The runs of one GEMM, as the list has them."""

from types import MappingProxyType

import pytest

from storage.gemm_runs import GemmRun, gemm_runs, gemm_version
from storage.stored_run import StoredRun
from tests.support.runs import delete_run

GEMM = {"hwid": "npu1", "M": 64, "K": 64, "N": 64, "rows": 4, "cols": 4, "mac_dtype": "int8"}
TILE = {"m": 32, "k": 32, "n": 32}


@pytest.fixture
def put(repository):
    """Return what puts a run of a day into the catalogue, and gives its id."""
    repository.catalogue.create()

    def put_run(day, rate=100.0, numbers=MappingProxyType({}), **own):
        given = {
            "run_id": f"{day:012x}",
            "source": "aie",
            "name": "a",
            "time_unit": "cycles",
            "file": "a",
            "tags": "",
        }
        given |= {
            "sha256": str(day),
            "created_at": f"2026-10-{1 + day:02d}T00:00:00+00:00",
            "taken_at": "",
        }
        given |= GEMM | TILE | own
        stored = StoredRun(f"p{day}", given, {}, {"gmacs_mean": rate, **numbers}, {}, {}, [], 0, 0)
        assert repository.catalogue.insert(stored)
        return given["run_id"]

    return put_run


def ids(repository, most=10, **own):
    return [run.run_id for run in gemm_runs(repository.catalogue, GEMM | own, most)]


def test_a_run_has_its_tile_and_rate(repository, put):
    run_id = put(1, 12.5)
    assert gemm_runs(repository.catalogue, GEMM, 10) == [GemmRun(run_id, 32, 32, 32, 12.5)]


def test_the_newest_come_oldest_first(repository, put):
    made = [put(day) for day in (3, 1, 2)]
    assert ids(repository) == sorted(made)
    assert ids(repository, most=2) == sorted(made)[1:]


@pytest.mark.parametrize(
    "own", [{"hwid": "npu2"}, {"M": 128}, {"cols": 2}, {"mac_dtype": None}, {"k": None}], ids=str
)
def test_what_differs_or_has_no_tile_is_left_out(repository, put, own):
    put(1, **own)
    assert ids(repository) == []


@pytest.mark.parametrize("rate", [None, 0.0, -1.0, float("inf")])
def test_what_has_no_rate_is_left_out(repository, put, rate):
    put(1, rate)
    assert ids(repository) == []


def test_missing_hardware_and_type_are_alike(repository, put):
    run_id = put(1, hwid="", mac_dtype=None)
    assert ids(repository, hwid=None, mac_dtype="") == [run_id]


def test_no_catalogue_has_none(repository):
    assert ids(repository) == []


def test_the_version_changes_with_the_runs_of_the_gemm_alone(repository, put):
    def version():
        return gemm_version(repository.catalogue, GEMM)

    put(1)
    seen = [version()]
    put(2, hwid="npu2")
    put(3, M=128)
    put(4, None)
    assert version() == seen[0]
    seen.append(put(5, 50.0) and version())
    seen.append(put(6, 50.0, k=16) and version())
    delete_run(repository.catalogue, f"{6:012x}")
    assert version() == seen[1]
    # An equal run in place of another: its links go elsewhere.
    delete_run(repository.catalogue, f"{5:012x}")
    seen.append(put(7, 50.0) and version())
    assert len(set(seen)) == len(seen)


def test_a_missing_catalogue_has_no_version(repository):
    assert gemm_version(repository.catalogue, GEMM) == ""


def test_runs_with_rates_above_the_peak_are_left_out(repository, put):
    inside = put(1, 100.0, {"utilization": 0.9})
    put(2, 500.0, {"utilization": 4.5})
    assert ids(repository) == [inside]
