from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem

from data_loaders import registry
from storage.repository import Repository
from tests.support.comparisons import Pairs
from tests.support.fake_loader import FakeLoader


@pytest.fixture
def loader(monkeypatch):
    """The only loader there is."""
    fake = FakeLoader()
    monkeypatch.setattr(registry, "_factories", lambda: {"fake": lambda: fake})
    return fake


@pytest.fixture
def repository(tmp_path):
    opened = Repository(f"sqlite:///{tmp_path}/data/catalogue.db", str(tmp_path / "data" / "frames"))
    yield opened
    opened.catalogue.close()


@pytest.fixture
def write(tmp_path):
    """Write a file of the made-up source."""

    def writer(name="a.fake", title="one", rows=3):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([f"fake {title}", *(f"core{i % 2} {i * 10} {i * 10 + 5}" for i in range(rows))]))
        return path

    return writer


@pytest.fixture
def full_disk(monkeypatch):
    """Let the disk of the frames be full after so many files: the others go to a device that is always full."""

    def fill(after):
        opened, before = [], LocalFileSystem.open

        def opener(self, path, mode="rb", **options):
            if "w" not in mode:
                return before(self, path, mode, **options)
            opened.append(path)
            return before(self, path, mode, **options) if len(opened) <= after else Path("/dev/full").open("wb", 0)

        monkeypatch.setattr(LocalFileSystem, "open", opener)

    return fill


@pytest.fixture(scope="session")
def pairs(tmp_path_factory):
    """Pairs of runs of every kind, taken in when they are asked for first, once a process."""
    made = Pairs(tmp_path_factory.mktemp("pairs"))
    yield made
    made.repository.catalogue.close()
