import shutil

import pytest

from app.config.settings import Settings
from app.context import AppContext
from ingest.files import ingest
from tests.support.deeploy_fork import FORK
from tests.support.deeploy_run import write_run


@pytest.fixture(scope="session")
def lab_runs(tmp_path_factory, samples):
    """Settings of a store with a problem, its solution, a plan of levels, a module and a compile; and its runs by name."""
    settings = Settings(data=tmp_path_factory.mktemp("lab") / "data")
    places = [
        samples / "minimalloc",
        samples / "xla",
        *(samples / "deeploy").iterdir(),
        *(samples / "tpu_mlir").iterdir(),
    ]
    fork = tmp_path_factory.mktemp("fork") / "fork"
    write_run(fork, FORK)
    repository = settings.repository()
    found = ingest(repository, [*places, fork], {}).runs
    names = {str(repository.find_run(run.run_id).run["name"]): run.run_id for run in found}
    return settings, names


@pytest.fixture(scope="module")
def laboratory(lab_runs, tmp_path_factory):
    """An application on a copy of the store, in which nothing was placed yet, and its runs by name."""
    stored, names = lab_runs
    data = tmp_path_factory.mktemp("laboratory") / "data"
    shutil.copytree(stored.data, data)
    return AppContext.of(Settings(data=data)), names
