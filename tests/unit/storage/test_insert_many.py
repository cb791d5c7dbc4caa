"""Many runs inserted at once: held against the same runs inserted one by one."""

import pytest
from sqlalchemy import delete, select, text

from storage import catalogue as catalogue_module
from storage import listing
from storage.alert_tables import METADATA
from storage.catalogue import Catalogue
from storage.observations import read_observations
from storage.pending import garbage
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, RunFilter, RunQuery
from storage.tables import LISTING, LISTING_STATE, PENDING
from tests.support.runs import records_of, stored_of

ROWS = [
    {
        "hwid": f"npu{rank % 3}",
        "tags": "golden" if rank % 2 else "",
        "commit": f"c{rank}",
        "gmacs_mean": float(rank),
    }
    for rank in range(25)
]


@pytest.fixture
def opened(new_database, monkeypatch):
    """Make empty catalogues that take ten runs at once."""
    monkeypatch.setattr(catalogue_module, "_INSERT_BATCH_SIZE", 10)
    made = []

    def opener():
        made.append(Catalogue(new_database()))
        made[-1].create()
        return made[-1]

    yield opener
    for catalogue in made:
        catalogue.close()


def runs_of(rows=ROWS):
    return [stored_of(record) for record in records_of(*rows)]


def everything(catalogue):
    """Return the rows of every table, without what is drawn by chance."""
    with catalogue.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(*_columns(table)))))
            for table in METADATA.sorted_tables
            if table is not LISTING_STATE
        }


def _columns(table):
    return [column for column in table.columns if column is not LISTING.c.search_id]


@pytest.mark.quick_every(2)
def test_all_is_as_if_they_were_inserted_one_by_one(opened):
    one_by_one, at_once = opened(), opened()
    for stored in runs_of():
        assert one_by_one.insert(stored, "ann")
    assert at_once.insert_many(iter(runs_of()), "ann") == 25
    assert everything(at_once) == everything(one_by_one)
    lists = [RunList(catalogue) for catalogue in (at_once, one_by_one)]
    for fits in (
        EVERY_RUN,
        RunFilter(tag=("golden",)),
        RunFilter(words=("npu2",)),
        RunFilter(words=("c1",)),
    ):
        pages, counts = zip(
            *((runs.page(RunQuery(fits)), runs.counts(fits, 40)) for runs in lists), strict=True
        )
        assert pages[0] == pages[1]
        assert counts[0] == counts[1]
        assert pages[0].runs


@pytest.mark.slow
def test_what_is_there_stays_and_the_others_are_inserted(opened):
    catalogue = opened()
    there = stored_of(records_of(*ROWS)[12], version="before")
    assert catalogue.insert(there)
    assert catalogue.insert_many(runs_of()) == 24
    assert catalogue.count() == 25
    assert catalogue.get(there.run_id).prefix == there.prefix
    assert catalogue.insert_many(runs_of()) == 0
    assert [
        len(seen)
        for seen in read_observations(catalogue, [run.run_id for run in catalogue.runs()]).values()
    ] == [1] * 25


@pytest.mark.slow
def test_their_prefixes_are_no_longer_pending(opened):
    catalogue, runs = opened(), runs_of()
    for prefix in [*(run.prefix for run in runs[:15]), "other"]:
        catalogue.reserve(garbage(prefix))
    catalogue.insert_many(runs)
    with catalogue.connect() as connection:
        assert list(connection.scalars(select(PENDING.c.prefix))) == ["other"]


def test_what_ends_it_midway_leaves_whole_runs(opened):
    catalogue = opened()

    def cut():
        yield from runs_of()[:17]
        raise KeyboardInterrupt

    version = RunList(catalogue).version()
    with pytest.raises(KeyboardInterrupt):
        catalogue.insert_many(cut())
    assert catalogue.count() == 10
    assert len(RunList(catalogue).page(RunQuery()).runs) == 10
    assert len(read_observations(catalogue, [run.run_id for run in catalogue.runs()])) == 10
    assert RunList(catalogue).version() != version


def test_nothing_is_inserted_of_nothing(opened):
    catalogue = opened()
    version = RunList(catalogue).version()
    assert catalogue.insert_many([]) == 0
    assert RunList(catalogue).version() == version


def counted(catalogue):
    """Return how many rows of the list PostgreSQL believes to have, -1 where it never counted; None on SQLite."""
    with catalogue.connect() as connection:
        if connection.dialect.name != "postgresql":
            return None
        return connection.scalar(text("SELECT reltuples FROM pg_class WHERE relname = 'listing'"))


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(("many", "known"), [(25, 25), (26, -1)])
def test_a_database_knows_how_many_came(opened, monkeypatch, many, known):
    monkeypatch.setattr(listing, "MANY", many)
    catalogue = opened()
    catalogue.insert_many(runs_of())
    assert counted(catalogue) in (known, None)


@pytest.mark.slow
def test_a_database_knows_how_many_a_list_made_anew_has(opened, monkeypatch):
    catalogue = opened()
    catalogue.insert_many(runs_of())
    monkeypatch.setattr(listing, "MANY", 25)
    with catalogue.begin() as connection:
        connection.execute(delete(LISTING))
        listing.fill(connection)
    assert counted(catalogue) in (25, None)
