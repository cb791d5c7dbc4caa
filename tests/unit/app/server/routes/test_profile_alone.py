"""A compiler profile of TPU-MLIR ingested without its log: a run whose tables of memory are there and empty."""

import pytest

from ingest.files import ingest
from tests.support.tpu_log import PROFILE


@pytest.fixture
def run_id(settings, dashboard, tmp_path):
    path = tmp_path / "compiler_profile_0.txt"
    path.write_text(PROFILE)
    return ingest(settings.repository(), [path], {}).runs[0].run_id


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    "table", ["attempts", "allocations", "occupancy", "steps", "buffer_uses", "diagnostics"]
)
@pytest.mark.parametrize("selected", ["", "&bank=2&step=1"])
def test_every_table_is_answered(dashboard, run_id, table, selected):
    assert dashboard.get(f"/table/{run_id}.json?table={table}{selected}").status_code == 200


@pytest.mark.parametrize("query", ["", "&attempt=3&block=1&against=2&layout=best_fit"])
def test_the_snapshot_has_the_run(dashboard, run_id, query):
    answer = dashboard.get(f"/snapshot?run={run_id}{query}")
    assert answer.status_code == 200
    assert "GDMA_TENSOR" in answer.text or "compiler_profile_0" in answer.text
