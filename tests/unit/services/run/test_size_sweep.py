"""Sweeps of a GEMM over M, K and N: their runs, their numbers, and when they change."""

import json

import pytest

from ingest.files import ingest
from services.run import size_sweep
from services.run.data_cache import RunDataCache
from services.run.size_sweep import SweepCache, find_sweep, sweep_mapping
from tests.support.gemm_trace import TILE, entries
from tests.support.paced_trace import array_cores, array_settings

CORES = ("2,1", "3,1", "2,2", "3,2")


@pytest.fixture
def measure(repository, tmp_path):
    """Return a function that ingests a capture with K of `k_tiles` tiles and returns its id."""
    files = iter(range(100))

    def ingest_capture(k_tiles=1, longer=0, **given):
        folder = tmp_path / str(next(files))
        folder.mkdir()
        cores = array_cores(longer=dict.fromkeys(CORES, longer))
        (folder / "trace.json").write_text(json.dumps(entries(*cores)))
        if "wall_us" in given:
            text = f"Avg NPU matmul time: {given.pop('wall_us')}us.\n"
            (folder / "run_trace.log").write_text(text)
        base = array_settings()
        sizes = {"K": str(TILE * k_tiles)}
        return ingest(repository, [folder], base | sizes | given).runs[0].run_id

    return ingest_capture


@pytest.mark.slow
def test_a_sweep_has_the_newest_run_of_each_size_in_order(repository, measure):
    measure(2, 10, taken_at="2026-10-01T00:00:00+00:00")
    newest = measure(2, 20, taken_at="2026-11-01T00:00:00+00:00")
    own = measure(1, 30)
    measure(4, 40, hwid="npu9")
    sweep = find_sweep(repository, own, "K")
    assert [(swept.size, swept.run_id) for swept in sweep.sizes] == [
        (TILE, own),
        (2 * TILE, newest),
    ]
    assert sweep.own == TILE and set(sweep.constant) == {"M", "N"}
    assert sweep.peak_gmacs == pytest.approx(4 * 64 * 1.25)
    assert len(find_sweep(repository, own, "N").sizes) == 1


def test_efficiencies_are_those_of_the_headline_and_of_the_log(repository, measure):
    run_id = measure(1, wall_us=2.5)
    (swept,) = find_sweep(repository, run_id, "M").sizes
    stored = repository.find_run(run_id)
    macs = stored.run["M"] * stored.run["K"] * stored.run["N"]
    assert swept.efficiency.system == stored.headline["utilization"]
    assert swept.efficiency.kernel == pytest.approx(TILE**3 / stored.headline["mean_kernel"] / 64)
    assert swept.efficiency.wall_clock == pytest.approx(macs / 2_500 / (64 * 4 * 1.25))
    row = sweep_mapping(find_sweep(repository, run_id, "M"))["sizes"][0]
    assert (row["run_id"], row["size"]) == (run_id, stored.run["M"])


@pytest.mark.slow
def test_an_older_run_keeps_the_place_of_its_own_size(repository, measure):
    older = measure(1, 10, taken_at="2026-10-01T00:00:00+00:00")
    newer = measure(1, 20, taken_at="2026-11-01T00:00:00+00:00")
    assert [swept.run_id for swept in find_sweep(repository, older, "K").sizes] == [older]
    assert [swept.run_id for swept in find_sweep(repository, newer, "K").sizes] == [newer]


@pytest.mark.slow
def test_the_number_of_sizes_is_bounded(repository, measure, monkeypatch):
    monkeypatch.setattr(size_sweep, "MAX_SIZES", 2)
    own = measure(1, 10, taken_at="2026-10-01T00:00:00+00:00")
    for k_tiles in (2, 3):
        measure(k_tiles, k_tiles, taken_at=f"2026-11-0{k_tiles}T00:00:00+00:00")
    sizes = [swept.size for swept in find_sweep(repository, own, "K").sizes]
    assert sizes == [TILE, 3 * TILE]


@pytest.mark.slow
def test_the_page_has_a_sweep_once_a_second_size_is_measured(repository, measure):
    own, cache = measure(1), RunDataCache(repository)
    before = cache.shown_version(own)
    assert cache.with_saved(own, "robust", {}).find_sweep is None
    measure(1, 5, hwid="npu9")
    assert cache.shown_version(own) == before
    measure(2, 10)
    assert cache.shown_version(own) != before
    data = cache.with_saved(own, "robust", {})
    assert [swept.size for swept in data.find_sweep("K").sizes] == [TILE, 2 * TILE]
    assert cache.get(own, "robust", {}).find_sweep is None


def test_a_run_without_a_gemm_has_none(repository, tmp_path):
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(entries(*array_cores())))
    run_id = ingest(repository, [path], {}).runs[0].run_id
    with pytest.raises(ValueError, match="M, K, N"):
        find_sweep(repository, run_id, "K")
    sweeps, run = SweepCache(repository), repository.find_run(run_id).run
    assert (sweeps.version(run), sweeps.has_sizes(run)) == ("", False)


@pytest.mark.slow
def test_runs_with_equal_settings_read_the_other_sizes_once(repository, measure, monkeypatch):
    runs = [measure(1, longer) for longer in (0, 10)]
    other = measure(2, 20)
    read = []
    sized_runs = size_sweep.sized_runs
    monkeypatch.setattr(
        size_sweep, "sized_runs", lambda *given: read.append(given[2]) or sized_runs(*given)
    )
    sweeps = SweepCache(repository)
    for run_id in runs:
        run = repository.find_run(run_id).run
        assert sweeps.has_sizes(run)
        assert [swept.run_id for swept in sweeps.get(run, "K").sizes] == [run_id, other]
    assert len(set(map(sweeps.version, (repository.find_run(one).run for one in runs)))) == 2
    assert sorted(read) == ["K", "M", "N"]
