"""Removals from a catalogue on a real disk without a free byte."""

import shutil

import pytest

from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.reserve import RESERVE_BYTES
from tests.support.small_disk import empty, fill, small_disk

REMOVALS = 200


@pytest.fixture
def catalogue(tmp_path):
    """A catalogue on a full disk, with the reserve held."""
    with small_disk(tmp_path / "disk", 4 * RESERVE_BYTES) as disk:
        catalogue = Catalogue(f"sqlite:///{disk}/catalogue.db")
        catalogue.create()
        catalogue.hold_space()
        yield catalogue
        catalogue.close()


def reserve(tmp_path):
    return tmp_path / "disk" / "catalogue.db-reserve"


@pytest.mark.slow
def test_removals_go_on_for_as_long_as_the_disk_is_full(catalogue, tmp_path):
    audit = Audit(catalogue)
    for number in range(REMOVALS):
        fill(tmp_path / "disk")  # whatever a removal gave back is taken by others
        audit.add("ann", "delete", f"run {number}", "x" * 1000)
    assert RESERVE_BYTES / 2 < reserve(tmp_path).stat().st_size < RESERVE_BYTES, (
        "what the entries took is missing"
    )
    assert len(audit.entries(REMOVALS)) == REMOVALS


def test_other_writes_leave_the_reserve_alone(catalogue, tmp_path):
    fill(tmp_path / "disk")
    with pytest.raises(StorageError) as refused, catalogue.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE filler AS SELECT randomblob(4000000) AS bytes")
    assert "no space left" in refused.value.public
    assert reserve(tmp_path).stat().st_size == RESERVE_BYTES


def test_without_a_reserve_a_removal_is_refused_and_the_space_is_held_as_soon_as_it_is_free(
    catalogue, tmp_path
):
    disk = tmp_path / "disk"
    reserve(tmp_path).unlink()
    fill(disk)
    with pytest.raises(StorageError):
        for number in range(REMOVALS):  # the journal that is there takes a few
            Audit(catalogue).add("ann", "delete", f"run {number}", "x" * 1000)
            fill(disk)
    empty(disk)
    Audit(catalogue).add("ann", "delete", "run")
    assert reserve(tmp_path).stat().st_size == RESERVE_BYTES


def test_a_disk_with_space_is_left_alone(catalogue, tmp_path):
    inode = reserve(tmp_path).stat().st_ino
    Audit(catalogue).add("ann", "delete", "run")
    assert reserve(tmp_path).stat().st_ino == inode
    assert shutil.disk_usage(tmp_path / "disk").free > RESERVE_BYTES
    assert sorted(
        path.name for path in reserve(tmp_path).parent.iterdir() if "reserve" in path.name
    ) == ["catalogue.db-reserve"]
