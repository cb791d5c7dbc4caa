import pytest

from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.aie_trace import trace_text


@pytest.fixture
def capture(settings, tmp_path):
    """A small capture of an array as the data of its page."""
    path = tmp_path / "npu2-gemm_64_64_64-2_row_1_col" / "traces" / "trace_mm_64_64_64.json"
    path.parent.mkdir(parents=True)
    path.write_text(trace_text())
    repository = settings.repository()
    run = ingest(repository, [path], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})
