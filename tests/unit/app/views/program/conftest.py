import pytest

from app.config.settings import Settings
from ingest.files import ingest
from services.program.data import Compilers
from services.run.data_cache import RunDataCache

CAPTURES = ("train-0.12-cpu", "train-0.13-cpu", "gemm-0.14-cpu")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory, samples):
    """Capture -> what the page of its programs draws from, ingested once a process."""
    repository = Settings(data=tmp_path_factory.mktemp("programs") / "data").repository()
    found = ingest(repository, [samples / "tinygrad" / name for name in CAPTURES], {}).runs
    compilers = Compilers(repository, RunDataCache(repository))
    data = [compilers.get(run.run_id) for run in found]
    return {str(one.run.run["name"].iloc[0]): one for one in data}


@pytest.fixture(params=CAPTURES)
def program(request, compiled):
    """What the page of a capture's programs draws from."""
    return compiled[request.param]
