"""The pace of a stored run."""

import json

import pytest

from ingest.files import ingest
from services.run.data_cache import RunDataCache
from services.run.pace import find_pace, pace_mapping
from tests.support.gemm_trace import entries
from tests.support.paced_trace import array_cores, array_settings


@pytest.fixture
def capture(repository, tmp_path):
    """Ingest a capture with a slow core."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(entries(*array_cores(longer={"3,1": 60}))))
    return ingest(repository, [path], array_settings()).runs[0].run_id


@pytest.mark.parametrize("method", ["robust", "reference"])
def test_a_pace_is_plain_json_whose_parts_sum(repository, capture, method):
    found = json.loads(
        json.dumps(pace_mapping(find_pace(repository, capture, method, {})), allow_nan=False)
    )
    assert [limiter["rank"] for limiter in found["limiters"]] == [1]
    assert found["limiters"][0]["where"] == "core 3,1"
    for tile in found["tiles"]:
        own = sum(
            value for name, value in tile.items() if name not in ("tile", "slack", "waits_for")
        )
        assert own == pytest.approx(found["elapsed"])


@pytest.mark.slow
def test_rates_follow_the_settings_given(repository, capture):
    usual = find_pace(repository, capture, "robust", {})
    faster = find_pace(repository, capture, "robust", {"clock_hz": "2.5GHz"})
    assert faster.gmacs == pytest.approx(2 * usual.gmacs)
    assert faster.limiters[0].gmacs_if_fixed == pytest.approx(2 * usual.limiters[0].gmacs_if_fixed)
    data = RunDataCache(repository).get(capture, "robust", {})
    assert usual.gmacs == pytest.approx(data.headline["gmacs_mean"])
