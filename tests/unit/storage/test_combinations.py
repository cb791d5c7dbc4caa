"""Counts of runs per combination of facet values: equal to what the list of runs itself gives, after every change."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from storage import combinations, listing, run_counts
from storage.annotations import Annotations, Change
from storage.catalogue import Catalogue
from storage.combination_tables import COMBINATION_LABELS, COMBINATIONS
from storage.observation import make_observation
from storage.pending import garbage
from storage.run_conditions import compute_shape, parameters
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, RunFilter
from tests.support.runs import catalogue_of, delete_run, record_of, stored_of

FILTERS = (
    EVERY_RUN,
    RunFilter(hwid=("a", "")),
    RunFilter(M=("", "8"), source=("aie",)),
    RunFilter(size=(1.0, 512.0)),
    RunFilter(rows="4"),
)
RATES = st.sampled_from([None, 1.0, 2.0, 3.0])
RECORDS = st.fixed_dictionaries(
    {
        "hwid": st.sampled_from(["", "a", "b"]),
        "M": st.sampled_from([None, 8]),
        "K": st.just(8),
        "N": st.just(8),
        "rows": st.sampled_from([None, 4]),
        "cols": st.just(2),
        "gmacs_mean": RATES,
        "gmacs_best": RATES,
        "tags": st.sampled_from(["", "new", "new old"]),
        "branch": st.sampled_from(["", "main"]),
    }
)
RANKS = st.integers(0, 3)
CHANGES = st.one_of(
    st.tuples(st.just("insert"), RANKS, RECORDS),
    st.tuples(st.just("insert"), RANKS, RECORDS),
    st.tuples(st.just("amend"), RANKS, RECORDS),
    st.tuples(st.just("replace"), RANKS, RECORDS),
    st.tuples(st.just("observe"), RANKS, st.sampled_from(["main", "work", 'a, "b"'])),
    st.tuples(st.just("tag"), RANKS, st.sampled_from([(), ("new",), ("old", "new")])),
    st.tuples(st.just("delete"), RANKS, st.none()),
)


@pytest.fixture(scope="module")
def catalogue(new_database):
    made = Catalogue(new_database())
    made.create()
    yield made
    made.close()


def stored_at(rank, values, version):
    """Return a run of the rank; the dates and commits of all runs are equal."""
    return stored_of(record_of() | values | {"run_id": f"r{rank}"}, version)


def apply(catalogue, number, kind, rank, value):
    """Apply a change to the run of a rank; a run that does not exist is only inserted."""
    before = catalogue.get(f"r{rank}")
    if kind == "insert":
        catalogue.insert_many([stored_at(rank, value, f"v{number}"), stored_at(9, value, "v")])
    elif before is None:
        return
    elif kind == "amend":
        assert catalogue.amend(before, replace(stored_at(rank, value, "v"), prefix=before.prefix))
    elif kind == "replace":
        new = stored_at(rank, value, f"v{number}")
        observed = make_observation(new.run) if value["tags"] else None
        assert catalogue.replace(before, new, garbage(before.prefix), observed)
    elif kind == "observe":
        observed = replace(make_observation(before.run), branch=value, commit=f"c{number}")
        assert catalogue.observe(before, {}, observed)
    elif kind == "tag":
        Annotations(catalogue).change(before.run_id, Change(tags=value), "me")
    else:
        delete_run(catalogue, before.run_id)


@cache
def statement_of_the_list(shape):
    """Return the statement that counts the rows of table `listing`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_counts, "is_of_combinations", lambda _: False)
        return run_counts.count_runs.__wrapped__(shape, 40, frozenset())


def counts_of_the_list(catalogue, fits):
    shape = compute_shape(fits)
    chosen = {f"chosen_{name}": [*fits.chosen(name)] for name in shape.chosen}
    with catalogue.connect() as connection:
        rows = connection.execute(statement_of_the_list(shape), parameters(fits) | chosen).all()
    return run_counts.parse_counts(rows)


def tables_of(connection):
    return [
        sorted(map(tuple, connection.execute(select(table)).all()))
        for table in (COMBINATIONS, COMBINATION_LABELS)
    ]


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(CHANGES, min_size=1, max_size=8))
def test_the_counts_are_those_of_the_list_after_any_changes(catalogue, changes):
    for run in catalogue.runs():
        delete_run(catalogue, run.run_id)
    with catalogue.connect() as connection:
        assert tables_of(connection) == [[], []]
    for number, change in enumerate(changes):
        apply(catalogue, number, *change)
    with catalogue.connect() as connection:
        changed = tables_of(connection)
        combinations.count_all(connection)
        assert tables_of(connection) == changed
        connection.rollback()
    for fits in FILTERS:
        assert RunList(catalogue).counts(fits, 40) == counts_of_the_list(catalogue, fits)


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("lost", [(2, 1), (1, 2)])
def test_the_fastest_of_a_combination_is_deleted(opened, lost):
    rows = [{"hwid": "a", "gmacs_mean": float(i), "gmacs_best": float(i)} for i in range(4)]
    rows = [row | {"M": 8, "K": 8, "N": 8} for row in rows]
    catalogue = opened(*rows)
    rates = {run.headline["gmacs_mean"]: run.run_id for run in catalogue.runs()}
    for rate in (3, *lost):
        delete_run(catalogue, rates[rate])
    totals = RunList(catalogue).counts(EVERY_RUN, 1).totals
    assert (totals.runs, totals.fastest, totals.best) == (1, 0.0, 0.0)


@pytest.mark.slow
def test_writers_at_the_same_time_count_every_run(new_database):
    url = new_database()
    catalogues = [catalogue_of(url), *(Catalogue(url) for _ in range(3))]

    def change(writer):
        for rank in range(8):
            stored = stored_at(f"{writer}-{rank}", {"tags": "new", "gmacs_mean": float(rank)}, "v")
            assert catalogues[writer].insert(stored)
            if rank % 2:
                delete_run(catalogues[writer], stored.run_id)

    with ThreadPoolExecutor(len(catalogues)) as pool:
        list(pool.map(change, range(len(catalogues))))
    with catalogues[0].connect() as connection:
        changed = tables_of(connection)
        combinations.count_all(connection)
        assert tables_of(connection) == changed
        connection.rollback()
    assert RunList(catalogues[0]).counts(EVERY_RUN, 1).totals.runs == 16
    for catalogue in catalogues:
        catalogue.close()


@pytest.mark.parametrize(
    "damage", [delete(COMBINATIONS), update(COMBINATIONS).values(runs=COMBINATIONS.c.runs + 1)]
)
def test_counts_with_another_sum_are_made_again(new_database, damage):
    url = new_database()
    catalogue = catalogue_of(url, {"hwid": "a"}, {"hwid": "a"}, {"hwid": "b"})
    with catalogue.begin() as connection:
        right = tables_of(connection)
        connection.execute(damage)
        assert listing.is_behind(connection)
    catalogue.close()
    again = Catalogue(url)
    assert RunList(again).sources() == {"aie": 3}
    with again.connect() as connection:
        assert tables_of(connection) == right
    again.close()
