import pytest

from ingest.files import ingest
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.frame_store import FrameStore
from tests.support.races import at_once


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("nonsense", "URL"),
        ("nodb://host/x", r"\bnodb\b"),
        ("mysql+mysqlconnector://host/x", r"\bdriver\b.*'mysql"),
    ],
)
def test_a_url_that_cannot_be_used_is_a_sentence(url, named):
    with pytest.raises(StorageError, match=named):
        Catalogue(url)


def test_frames_where_no_file_system_is_installed_are_a_sentence():
    with pytest.raises(StorageError, match="nofs://x"):
        FrameStore("nofs://x")


def test_the_address_hides_the_password(tmp_path):
    catalogue = Catalogue(f"sqlite:///{tmp_path}/a.db")
    assert catalogue.address == f"sqlite:///{tmp_path}/a.db"
    catalogue.close()


@pytest.mark.slow
def test_many_may_create_the_catalogue_at_once(tmp_path):
    catalogues = [Catalogue(f"sqlite:///{tmp_path}/deep/er/a.db") for _ in range(8)]
    assert at_once(*(catalogue.create for catalogue in catalogues)) == [None] * 8
    assert all(catalogue.is_created() for catalogue in catalogues)
    for catalogue in catalogues:
        catalogue.close()


def test_sqlite_lets_readers_and_a_writer_work_at_once(tmp_path):
    catalogue = Catalogue(f"sqlite:///{tmp_path}/a.db")
    catalogue.create()
    with catalogue.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
    catalogue.close()


@pytest.mark.slow
@pytest.mark.usefixtures("loader")
def test_runs_are_counted_without_being_read(repository, write):
    assert repository.count() == 0
    ingest(repository, [write("a", "one"), write("b", "two")], {})
    assert repository.count() == 2


@pytest.mark.usefixtures("loader")
def test_text_that_a_database_does_not_have_is_left_out(repository, write):
    run = ingest(repository, [write()], {"hwid": "a\0b"}).runs[0]
    assert repository.run(run.run_id)["hwid"].iloc[0] == "ab"
