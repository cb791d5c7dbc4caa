import contextlib
from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem

from analysis.allocators.listed import DEFAULT
from analysis.allocators.search import NoCompilerError
from app.config.settings import Settings
from app.context import AppContext
from services.lab.allocate import prepare
from storage.repository import Repository
from tests.support.comparisons import Pairs


@pytest.fixture
def repository(tmp_path):
    opened = Repository(
        f"sqlite:///{tmp_path}/data/catalogue.db", str(tmp_path / "data" / "frames")
    )
    yield opened
    opened.catalogue.close()


@pytest.fixture
def context(tmp_path):
    """The context of an application with an empty store."""
    return AppContext.of(Settings(data=tmp_path / "data"))


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
