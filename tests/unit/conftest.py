import contextlib
from importlib import import_module
from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem

from analysis.allocators.search import NoCompilerError
from analysis.allocators.strategies import DEFAULT
from services.lab.allocate import prepare
from storage.repository import Repository
from tests.support.comparisons import Pairs

PATIENT_MODULES = {
    "app.mcp.statuses": "_WITHIN_S",
    "app.pages.compare.question": "_WITHIN_S",
    "app.pages.landing.callbacks": "WITHIN_S",
    "app.pages.landing.standings": "SHOWN_WITHIN_S",
    "app.pages.status.badges": "SHOWN_WITHIN_S",
    "app.pages.status.callbacks": "WITHIN_S",
    "app.pages.status.page": "SHOWN_WITHIN_S",
    "app.server.api.status": "WITHIN_S",
    "services.alerts.loop": "_WITHIN_S",
    "services.retention.holders": "_WITHIN_S",
}
"""Module -> its name for the seconds after which no comparison begins."""


@pytest.fixture(scope="session", autouse=True)
def unhurried():
    """Make every comparison in the first request, however busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in PATIENT_MODULES.items():
            patch.setattr(import_module(module), name, 600.0)
        yield


@pytest.fixture
def repository(tmp_path):
    opened = Repository(
        f"sqlite:///{tmp_path}/data/catalogue.db", str(tmp_path / "data" / "frames")
    )
    yield opened
    opened.catalogue.close()


@pytest.fixture
def full_disk(monkeypatch):
    """Let the disk of the frames be full after so many files: the others go to a device that is always full."""

    def fill(after):
        opened, before = [], LocalFileSystem.open

        def opener(self, path, mode="rb", **options):
            if "w" not in mode:
                return before(self, path, mode, **options)
            opened.append(path)
            return (
                before(self, path, mode, **options)
                if len(opened) <= after
                else Path("/dev/full").open("wb", 0)
            )

        monkeypatch.setattr(LocalFileSystem, "open", opener)

    return fill


@pytest.fixture(scope="session")
def pairs(tmp_path_factory):
    """Pairs of runs of every kind, taken in when they are asked for first, once a process."""
    made = Pairs(tmp_path_factory.mktemp("pairs"))
    yield made
    made.repository.catalogue.close()


@pytest.fixture(scope="session")
def compiled_search():
    """Compile the search once if a compiler is installed.

    The first command that searches would say on its error output that it compiles, and pages and
    assistants give the advice of simpler strategies until then.
    """
    with contextlib.suppress(NoCompilerError):
        prepare(DEFAULT, lambda _sentence: None)
