"""Settings of every test."""

import atexit
import gc
import math
import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from dash._hooks import HooksManager
from werkzeug.routing import Rule

import app.cli.ingest
import app.cli.watch
import app.context
import ingest.graph_snapshots
import ingest.many
import storage.engine
from data_loaders import registry
from data_loaders.reading import isolated
from services.query import ask
from storage.catalogue import Catalogue
from storage.repository import Repository
from tests.support.drawn_inputs import register_profiles
from tests.support.empty_catalogues import copied_databases, copy_tables
from tests.support.fake_loader import FakeLoader
from tests.support.graph_snapshots_once import compute_once
from tests.support.marks import mark_further_cases
from tests.support.patience import unhurried_work
from tests.support.services import object_storage_in, postgres_in, sign_in_provider
from tests.support.shared_statements import create_sharing_engine
from tests.support.url_rules import compile_once
from tests.support.warm_processes import warm_queries, warm_readers

register_profiles()

# Before tests of loaders import it: `tilescope.testing` asks for the same, and warns where it comes too late.
pytest.register_assert_rewrite("tilescope.run_contract")

_FIRST, _LAST = "gw0", Path(__file__).parent / "unit" / "tilescope" / "__pycache__"
"""The worker that collects first, and what is compiled last."""
_COLLECTING_S = 60
_LEFT_OUT: list[pytest.Item] = []
_RARELY = (100_000, 50, 100)
"""Objects and rounds after which garbage is looked for: there are cycles with every application of a test."""

# Hundreds of processes of the project are started, and every worker rewrites every test: each would compile all of it
# anew where the environment asks for no bytecode.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return three workers for two cores: journeys wait for a server and a browser half of their time."""
    cores = len(os.sched_getaffinity(0))
    return cores + (cores + 1) // 2


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Import the project and collect without looking for garbage, nor later among what stays until the end.

    Looking took a fifth of the processor time in which a worker collects, and an eighth of that of its tests.
    """
    gc.disable()
    try:
        with _compiled_once():
            return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(*_RARELY)


@contextmanager
def _compiled_once():
    """In a fresh clone, collect in the other workers after the first: each would compile the same files at once."""
    worker, run = os.environ.get("PYTEST_XDIST_WORKER"), os.environ.get("PYTEST_XDIST_TESTRUNUID")
    done = Path(tempfile.gettempdir()) / f"tilescope-collected-{run}"
    until = time.monotonic() + _COLLECTING_S
    while (
        worker not in (None, _FIRST)
        and not (_LAST.exists() or done.exists())
        and time.monotonic() < until
    ):
        time.sleep(0.1)
    try:
        yield
    finally:
        if worker == _FIRST:
            done.touch()
            atexit.register(done.unlink, missing_ok=True)


def pytest_itemcollected(item):
    """Mark the cases of a test as slow that `quick_every` leaves out, see `tests.support.marks`."""
    mark_further_cases(item)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Leave out of coverage what costs most there and runs few lines more: tests that draw their inputs, journeys."""
    for item in items:
        if item.get_closest_marker("hypothesis") or item.get_closest_marker("e2e"):
            item.add_marker(pytest.mark.no_cover)


def pytest_deselected(items):
    """Remember the tests that an option such as `-m` leaves out."""
    _LEFT_OUT.extend(items)


@pytest.fixture(scope="session")
def left_out():
    """The tests that were collected and do not run."""
    return _LEFT_OUT


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the samples of every source."""
    return Path(__file__).resolve().parents[1] / "samples"


@pytest.fixture(scope="session", autouse=True)
def readers():
    """Start readers of untrusted files quickly, but for the tests of how they are started."""
    with warm_readers() as quick, pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolated, "subprocess", quick)
        yield


@pytest.fixture(scope="session", autouse=True)
def reading_here():
    """Read files in the process of the tests: starting another one takes longer than reading a sample.

    Servers and commands that run in processes of their own read as they always do, and so does `isolated_reading`.
    Tests of many files in several processes say how much work is enough for these.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest.many, "MIN_PARALLEL_S", math.inf)
        patch.setattr(app.context, "reading_processes", lambda _limits: None)
        patch.setattr(
            sys.modules["app.cli.ingest"],
            "open_readers",
            lambda _settings, _paths=(): nullcontext(),
        )
        patch.setattr(
            sys.modules["app.cli.watch"], "open_readers", lambda _settings, _paths=(): nullcontext()
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def graph_snapshots():
    """Compute the graph snapshots of equal captures once per process."""
    with pytest.MonkeyPatch.context() as patch:
        once = compute_once(ingest.graph_snapshots.run_isolated)
        patch.setattr(ingest.graph_snapshots, "run_isolated", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def queries():
    """Start the processes of queries quickly."""
    with warm_queries() as quick, pytest.MonkeyPatch.context() as patch:
        patch.setattr(ask, "subprocess", quick)
        yield


@pytest.fixture(scope="session", autouse=True)
def routes():
    """Compile the routes of applications once for all that a process makes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", compile_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def dash_hooks():
    """Look for Dash's plugins once per process.

    Dash means to, but never sets its flag, and reads the metadata of all packages per application.
    """
    HooksManager.register_setuptools()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HooksManager, "_registered", True)
        yield


@pytest.fixture(scope="session", autouse=True)
def statements():
    """Compile SQL statements once for all embedded catalogues of a process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage.engine, "create_engine", create_sharing_engine)
        yield


@pytest.fixture(scope="session", autouse=True)
def unhurried():
    """Give this process the time that a busy machine needs, see `tests.support.patience`."""
    with unhurried_work():
        yield


@pytest.fixture(scope="session", autouse=True)
def empty_catalogues(tmp_path_factory):
    """Make embedded catalogues as copies of an empty one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Catalogue, "_create_tables", copy_tables(tmp_path_factory.mktemp("catalogue"))
        )
        yield


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, in a folder of its own: pytest closes its folders to others whenever it starts."""
    with (
        TemporaryDirectory(prefix="tilescope-postgres-") as folder,
        postgres_in(Path(folder)) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="session")
def new_postgres_catalogue(postgres):
    """Return a function that creates a database with the tables of an empty catalogue, and returns its URL."""
    return copied_databases(postgres)


@pytest.fixture(scope="session")
def object_storage(tmp_path_factory):
    """An S3 server, which this process and those that it starts know."""
    with (
        object_storage_in(tmp_path_factory.mktemp("s3")) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture(scope="session")
def sign_in(tmp_path_factory):
    """The address of a provider of sign-in."""
    with sign_in_provider(tmp_path_factory.mktemp("oidc")) as issuer:
        yield issuer


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def new_database(request, tmp_path_factory):
    """What gives the URL of another database that is empty, of each kind that there is."""
    return _databases(request.param, request, tmp_path_factory)


def _databases(kind, request, tmp_path_factory):
    if kind == "postgresql":
        return request.getfixturevalue("postgres").new
    folder = tmp_path_factory.mktemp("sqlite")
    names = count()
    return lambda: f"sqlite:///{folder}/{next(names)}.db"


@pytest.fixture
def copy_database(request, tmp_path):
    """A function that copies a closed database and returns the URL of the copy."""

    def copy(url):
        if not url.startswith("sqlite"):
            return request.getfixturevalue("postgres").copy(url)
        copied = tmp_path / "copy.db"
        shutil.copyfile(url.removeprefix("sqlite:///"), copied)
        return f"sqlite:///{copied}"

    return copy


@pytest.fixture(scope="module", params=["folder", "s3"])
def new_place(request, tmp_path_factory):
    """What gives another empty place for files, of each kind that there is."""
    return _places(request.param, request, tmp_path_factory)


def _places(kind, request, tmp_path_factory):
    if kind == "s3":
        return request.getfixturevalue("object_storage").new
    return lambda: str(tmp_path_factory.mktemp("files") / "frames")


@pytest.fixture(scope="module", params=["sqlite-folder", "postgresql-s3"])
def new_repository(request, tmp_path_factory):
    """What opens another empty repository, of each kind of database and each kind of place.

    Databases and places do not know of each other, so that the other two pairs would run no other code.
    """
    database, place = request.param.split("-")
    new_database = (
        request.getfixturevalue("new_postgres_catalogue")
        if database == "postgresql"
        else _databases(database, request, tmp_path_factory)
    )
    new_place = _places(place, request, tmp_path_factory)
    return lambda: Repository(new_database(), new_place())


@pytest.fixture
def loader(monkeypatch):
    """The only loader there is."""
    fake = FakeLoader()
    monkeypatch.setattr(registry, "_factories", lambda: {"fake": lambda: fake})
    return fake


@pytest.fixture
def write(tmp_path):
    """Write a file of the made-up source."""

    def writer(name="a.fake", title="one", rows=3):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "\n".join(
                [f"fake {title}", *(f"core{i % 2} {i * 10} {i * 10 + 5}" for i in range(rows))]
            )
        )
        return path

    return writer
