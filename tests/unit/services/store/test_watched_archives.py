"""Archives in a watched folder are read once each, as folders."""

import pytest

from ingest.files import ingest
from services.store.watch import FolderWatch
from storage.watched import Watched
from tests.support.archives import write_zip

pytestmark = pytest.mark.usefixtures("loader")


def test_an_archive_is_read_once_it_no_longer_changes(repository, tmp_path):
    folder = tmp_path / "inbox"
    folder.mkdir()
    write_zip(folder / "a.zip", {"a.fake": b"fake a\ncore0 1 2", "b.fake": b"fake b\ncore0 1 2"})
    watch = FolderWatch(
        folder, Watched(repository.catalogue), lambda paths: ingest(repository, paths, {})
    )
    assert list(watch.look()) == []
    assert sorted(run.name for run in watch.look()) == ["a", "b"]
    assert list(watch.look()) == []
