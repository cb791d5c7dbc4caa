"""Runs of an embedded catalogue without SQLAlchemy: the same as with it, or not at all."""

import sqlite3
from contextlib import closing

import pytest

from storage import embedded
from storage.errors import StorageError
from tests.support.runs import catalogue_of

FILTERS = (
    {},
    {"hwid": "npu2"},
    {"hwid": None, "M": 128},
    {"source": "aie", "M": 64, "K": 64, "N": 64},
    {"K": 1},
)


@pytest.fixture
def many(tmp_path):
    """A catalogue of four runs, and its file."""
    rows = (
        {"hwid": "npu1"},
        {"hwid": "npu2"},
        {"hwid": "npu2", "M": 128},
        {"source": "tpu_mlir", "M": None},
    )
    catalogue = catalogue_of(f"sqlite:///{tmp_path / 'runs.db'}", *rows)
    yield catalogue, tmp_path / "runs.db"
    catalogue.close()


def changed(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


@pytest.mark.parametrize("limit", [None, 1, 3])
@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_the_runs_are_those_of_the_catalogue(many, filters, limit):
    catalogue, path = many
    assert embedded.is_readable(path)
    assert list(embedded.each_run(path, filters, limit)) == list(catalogue.each(filters, limit))


@pytest.mark.parametrize(
    "value",
    ["{", "null", "3", b"\xff\xfe", '{"run_id": "\ud800"}'.encode("utf-8", "surrogatepass")],
)
@pytest.mark.parametrize("column", ["run", "headline", "settings", "findings", "checksums"])
def test_a_damaged_row_is_the_same_damaged_row(many, column, value):
    catalogue, path = many
    changed(path, f"UPDATE runs SET {column} = ? WHERE hwid = 'npu1'", value)  # noqa: S608
    assert list(embedded.each_run(path, {}, None)) == catalogue.runs()


def test_a_catalogue_of_another_release_is_left_to_the_catalogue(many):
    _, path = many
    changed(path, "UPDATE tilescope_version SET version_num = '0001'")
    assert not embedded.is_readable(path)
    changed(path, "DROP TABLE tilescope_version")
    assert not embedded.is_readable(path)


def test_what_is_no_catalogue_is_not_readable_and_nothing_is_made(tmp_path):
    path = tmp_path / "none.db"
    assert not embedded.is_readable(path)
    assert not path.exists()
    path.write_bytes(b"no database at all" * 99)
    assert not embedded.is_readable(path)


def test_what_means_something_in_an_address_is_part_of_the_file_name(many):
    catalogue, path = many
    catalogue.close()
    other = path.rename(path.with_name("a%20b?c.db"))
    assert embedded.is_readable(other)
    assert len(list(embedded.each_run(other, {}, None))) == 4


def test_damage_is_said_with_its_place(many):
    catalogue, path = many
    catalogue.close()
    changed(path, "ALTER TABLE runs RENAME TO gone")
    assert embedded.is_readable(path)
    with pytest.raises(StorageError, match=r"runs\.db cannot be used"):
        list(embedded.each_run(path, {}, None))
