"""Which runs an advice on tile sizes rests on, and when it changes."""

import json

import pytest

from ingest.files import ingest
from services.run import advice as run_advice
from services.run.advice import AdviceCache, advice_mapping, find_advice
from services.run.data_cache import RunDataCache
from storage.run_values import values_of_runs
from tests.support.gemm_trace import entries
from tests.support.paced_trace import array_cores, array_settings


@pytest.fixture
def measure(repository, tmp_path):
    """Return what ingests a capture whose kernels take `longer` ticks more, and gives its id."""

    def ingest_capture(longer, **given):
        path = tmp_path / f"{longer}-{len(given)}.json"
        path.write_text(
            json.dumps(
                entries(*array_cores(longer=dict.fromkeys(("2,1", "3,1", "2,2", "3,2"), longer)))
            )
        )
        return ingest(repository, [path], array_settings() | given).runs[0].run_id

    return ingest_capture


@pytest.mark.slow
def test_runs_of_another_type_grid_or_hardware_are_not_counted(repository, measure):
    first = measure(0)
    measure(10, mac_dtype="int8")
    measure(20, hwid="npu9")
    same = measure(30)
    advice = find_advice(repository, first)
    assert [one.runs for one in advice.measured] == [2] and advice == find_advice(repository, same)
    rates = sorted(
        one.values["gmacs_mean"] for one in values_of_runs(repository.catalogue, [first, same])
    )
    assert advice.best.gmacs == pytest.approx(sum(rates) / 2)
    assert json.loads(json.dumps(advice_mapping(advice), allow_nan=False))["measured"][0]["won"]


@pytest.mark.slow
def test_a_page_has_the_advice_and_is_drawn_anew_when_another_run_comes(repository, measure):
    first, cache = measure(0), RunDataCache(repository)
    before = cache.shown_version(first)
    assert cache.get(first, "robust", {}).advice is None
    assert cache.with_saved(first, "robust", {}).advice.measured[0].runs == 1
    measure(10, hwid="npu9")
    assert cache.shown_version(first) == before
    measure(20)
    assert cache.shown_version(first) != before
    assert cache.with_saved(first, "robust", {}).advice.measured[0].runs == 2


def test_a_run_without_a_gemm_has_none(repository, tmp_path):
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(entries(*array_cores())))
    run_id = ingest(repository, [path], {}).runs[0].run_id
    with pytest.raises(ValueError, match="M, K, N"):
        find_advice(repository, run_id)
    assert AdviceCache(repository.catalogue).version(repository.find_run(run_id).run) == ""


@pytest.mark.slow
def test_a_page_that_shows_no_advice_computes_none(repository, measure, monkeypatch):
    made = []
    monkeypatch.setattr(run_advice, "advise_size", lambda *given: made.append(given))
    data = RunDataCache(repository).with_saved(measure(0), "robust", {})
    assert not made
    assert data.advice is None and len(made) == 1
    assert data.advice is None
