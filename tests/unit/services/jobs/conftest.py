import pytest

from ingest.files import ingest


@pytest.fixture
def ids(repository, write, loader):
    """Ids of four runs."""
    paths = [write(f"{i}.fake", f"t{i}") for i in range(4)]
    return [run.run_id for run in ingest(repository, paths, {"hwid": "npu1"}).runs]
