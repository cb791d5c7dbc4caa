import pytest

from app.config.settings import Settings
from ingest.files import ingest
from services.run.data_cache import RunDataCache


@pytest.fixture(scope="session")
def designs(tmp_path_factory, samples):
    """The sample capture with a design, and the sample that is only a design, by source."""
    repository = Settings(data=tmp_path_factory.mktemp("designs") / "data").repository()
    cache = RunDataCache(repository)
    runs = ingest(repository, [samples / "aie_design"], {}).runs
    return {run.source: cache.get(run.run_id, "robust", {}) for run in runs}


@pytest.fixture
def capture(designs):
    return designs["aie"]


@pytest.fixture
def plan(designs):
    return designs["aie_design"]
