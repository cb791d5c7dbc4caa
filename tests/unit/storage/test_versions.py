"""Catalogues of other releases: migrated, refused, and never half of one."""

import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlalchemy.schema import CreateTable

from storage import listing, revisions, versions
from storage.catalogue import Catalogue
from storage.engine import open_engine
from storage.errors import StorageError
from storage.revisions import HEAD, REVISIONS
from storage.tables import METADATA
from tests.support.races import at_once
from tests.support.runs import record_of, stored_of

ROOT = Path(__file__).resolve().parents[3]
OLD = ROOT / "tests" / "data" / "stores" / "0.1.0.zip"
SEARCHES = "listing_search"
"""Tables of FTS5, which are made where SQLite has it, and are of no revision."""


@pytest.fixture
def old(tmp_path):
    """The catalogue of release 0.1.0, without a version."""
    with zipfile.ZipFile(OLD) as archive:
        archive.extract("catalogue.db", tmp_path)
    return tmp_path / "catalogue.db"


@pytest.fixture
def opened():
    """Open catalogues that are closed afterwards."""
    catalogues = []

    def opener(path):
        catalogues.append(Catalogue(f"sqlite:///{path}"))
        return catalogues[-1]

    yield opener
    for catalogue in catalogues:
        catalogue.close()


def asked(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


_INDEXES = "select name, sql from sqlite_master where type = 'index' and tbl_name = '{}'"


def shape(path):
    """Return columns and indexes of every table."""
    engine = open_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        found = inspect(connection)
        tables = {
            name: (
                [
                    (c["name"], str(c["type"]), c["nullable"], c["primary_key"])
                    for c in found.get_columns(name)
                ],
                # SQLAlchemy does not read indexes of expressions.
                sorted(asked(path, _INDEXES.format(name))),
            )
            for name in found.get_table_names()
            if not name.startswith(SEARCHES)
        }
    engine.dispose()
    return tables


def test_the_constant_chain_is_that_of_the_migrations():
    config = Config()
    config.set_main_option("script_location", str(ROOT / "storage" / "migrations"))
    script = ScriptDirectory.from_config(config)
    assert [step.revision for step in script.walk_revisions()] == list(reversed(REVISIONS))
    assert script.get_heads() == [HEAD]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection", "ignore:autogenerate skipping")
def test_migrated_and_new_catalogues_have_the_same_tables(old, tmp_path, opened):
    count = asked(old, "select count(*) from runs")
    assert opened(old).is_created()
    opened(tmp_path / "new.db").create()
    assert shape(old) == shape(tmp_path / "new.db")
    assert asked(old, "select version_num from tilescope_version") == [(HEAD,)]
    assert asked(old, "select count(*) from runs") == count
    engine = open_engine(f"sqlite:///{old}")
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": versions.VERSION.name}
        )
        changes = map(str, compare_metadata(context, METADATA))
        assert [
            change
            for change in changes
            if "tilescope_version" not in change and SEARCHES not in change
        ] == []
    engine.dispose()


@pytest.mark.slow
def test_the_chain_alone_makes_the_tables(tmp_path, opened):
    opened(tmp_path / "new.db").create()
    engine = open_engine(f"sqlite:///{tmp_path}/chain.db")
    with versions.alone(engine) as connection:
        connection.execute(CreateTable(versions.VERSION))
        versions.upgrade(connection)
    engine.dispose()
    assert shape(tmp_path / "chain.db") == shape(tmp_path / "new.db")


def test_a_new_catalogue_is_of_today_and_needs_no_migration(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(versions, "upgrade", lambda _: 1 / 0)
    opened(tmp_path / "a.db").create()
    assert opened(tmp_path / "a.db").is_created()


@pytest.mark.slow
def test_many_may_open_an_old_catalogue_at_once(old, opened, monkeypatch):
    upgrades, upgrade = [], versions.upgrade
    monkeypatch.setattr(
        versions, "upgrade", lambda connection: upgrades.append(1) or upgrade(connection)
    )
    catalogues = [opened(old) for _ in range(8)]
    answers = at_once(*(catalogue.runs for catalogue in catalogues))
    assert [len(runs) for runs in answers] == [asked(old, "select count(*) from runs")[0][0]] * 8
    assert upgrades == [1]


@pytest.mark.slow
def test_a_migration_that_fails_changes_nothing(old, opened, monkeypatch):
    before, upgrade = shape(old), versions.upgrade

    def cut(connection):
        upgrade(connection)
        raise KeyboardInterrupt

    monkeypatch.setattr(versions, "upgrade", cut)
    with pytest.raises(KeyboardInterrupt):
        opened(old).is_created()
    assert shape(old) == before
    monkeypatch.setattr(versions, "upgrade", upgrade)
    assert opened(old).is_created()


@pytest.mark.slow
def test_a_database_that_is_not_embedded_waits_for_the_command(old, opened, monkeypatch):
    monkeypatch.setattr(Catalogue, "is_embedded", False)
    before = shape(old)
    for ask in (Catalogue.is_created, Catalogue.runs, Catalogue.count, Catalogue.create):
        with pytest.raises(StorageError, match="`python -m app db upgrade`"):
            ask(opened(old))
    assert shape(old) == before
    assert opened(old).upgrade() == ("0001", HEAD)
    assert opened(old).upgrade() == (HEAD, HEAD)
    assert len(opened(old).runs()) == asked(old, "select count(*) from runs")[0][0]


@pytest.mark.slow
def test_a_development_version_is_named(old, opened):
    assert opened(old).is_created()
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("update tilescope_version set version_num = '0011'")
    with pytest.raises(StorageError, match=r"\b0\.3\.0\b.*\b0011\b"):
        opened(old).runs()


@pytest.mark.slow
@pytest.mark.parametrize("embedded", [True, False])
def test_a_later_release_is_said(old, opened, monkeypatch, embedded):
    assert opened(old).is_created()
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("update tilescope_version set version_num = '9999'")
    monkeypatch.setattr(Catalogue, "is_embedded", embedded)
    for ask in (Catalogue.runs, Catalogue.upgrade):
        with pytest.raises(StorageError, match=r"\b9999\b") as caught:
            ask(opened(old))
        assert str(old) not in caught.value.public


@pytest.mark.slow
@pytest.mark.parametrize("embedded", [True, False])
def test_a_later_release_lets_those_go_on_that_it_works_beside(old, opened, monkeypatch, embedded):
    """As a later release leaves it: another revision, another column, another table, and who may go on."""
    assert opened(old).is_created()
    count = len(opened(old).runs())
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("update tilescope_version set version_num = '9999'")
        connection.execute("alter table runs add column later text")
        connection.execute("create table later (name text)")
        connection.execute("insert into tilescope_works_beside values (?)", (HEAD,))
    monkeypatch.setattr(Catalogue, "is_embedded", embedded)
    monkeypatch.setattr(versions, "upgrade", lambda _: 1 / 0)
    going_on = opened(old)
    assert len(going_on.runs()) == count
    going_on.create()
    assert going_on.insert(stored_of(record_of(99)))
    assert len(opened(old).runs()) == count + 1
    assert asked(old, "select version_num from tilescope_version") == [("9999",)]


@pytest.mark.slow
def test_who_works_beside_is_said_by_new_and_by_migrated_catalogues(
    old, tmp_path, opened, monkeypatch
):
    monkeypatch.setattr(revisions, "WORKS_BESIDE", REVISIONS[-3:-1])
    assert opened(old).is_created()
    opened(tmp_path / "new.db").create()
    for path in (old, tmp_path / "new.db"):
        assert asked(path, "select revision from tilescope_works_beside order by 1") == [
            (r,) for r in REVISIONS[-3:-1]
        ]


def test_older_revisions_alone_are_said_to_work_beside():
    assert {*revisions.WORKS_BESIDE} <= {*REVISIONS[REVISIONS.index("0018") : -1]}


def test_nothing_is_made_by_an_upgrade_of_nothing(tmp_path, opened):
    assert opened(tmp_path / "none.db").upgrade() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_new_catalogue_needs_no_filling(tmp_path, opened):
    path = tmp_path / "catalogue.db"
    catalogue = opened(path)
    catalogue.create()
    with catalogue.connect() as connection:
        assert not listing.is_behind(connection)
    new = shape(path)
    with catalogue.begin() as connection:
        listing.fill(connection)
    assert shape(path) == new
    state = asked(path, "SELECT version, kept_version FROM listing_state")
    assert [(version == kept, len(version)) for version, kept in state] == [(True, 16)]
