import pytest

from app.config.settings import Settings
from ingest.files import ingest
from services.run.data_cache import RunDataCache
from tests.support.aie_trace import write_capture_file


@pytest.fixture(scope="session")
def capture(tmp_path_factory):
    """A small capture of an array as the data of its page, ingested once per process."""
    folder = tmp_path_factory.mktemp("capture")
    path = write_capture_file(folder)
    repository = Settings(data=folder / "data").repository()
    run = ingest(repository, [path], {}).runs[0]
    return RunDataCache(repository).get(run.run_id, "robust", {})
