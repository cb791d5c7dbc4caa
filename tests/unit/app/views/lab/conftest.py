import pytest

from app.config.settings import Settings
from app.context import AppContext
from ingest.files import ingest
from tests.support.deeploy_fork import FORK
from tests.support.deeploy_run import write_run


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory, samples):
    """An application on a problem, its solution, a plan of levels, a module and a compile; and its runs by name."""
    settings = Settings(data=tmp_path_factory.mktemp("lab") / "data")
    places = [
        samples / "minimalloc",
        samples / "xla",
        *(samples / "deeploy").iterdir(),
        *(samples / "tpu_mlir").iterdir(),
    ]
    fork = tmp_path_factory.mktemp("fork") / "fork"
    write_run(fork, FORK)
    found = ingest(settings.repository(), [*places, fork], {}).runs
    context = AppContext.of(settings)
    names = {str(context.repository.find_run(run.run_id).run["name"]): run.run_id for run in found}
    return context, names
