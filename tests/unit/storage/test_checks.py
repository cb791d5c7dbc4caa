"""Verdicts of the gate in the catalogue."""

from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import insert, update
from sqlalchemy.exc import IntegrityError

from storage import upsert
from storage.baselines import Baselines
from storage.catalogue import Catalogue
from storage.checks import Check, Checks
from storage.series import places, series
from storage.tables import BASELINES, LISTING
from tests.support.races import at_once
from tests.support.runs import delete_run, record_of, stored_of

RUNS = [f"{rank:064x}" for rank in range(3)]


@pytest.fixture
def catalogue(opened):
    return opened({"hwid": "a"}, {"hwid": "a"}, {"hwid": "b"})


def check_of(run_id, verdict="regressed", version="0"):
    return Check(
        "main", run_id, f"{run_id}/{version}", "hash", verdict, "why", "gmacs_mean", "", -0.06, -1.0
    )


def set_main(catalogue):
    Baselines(catalogue).set("main", RUNS[:1])
    return Baselines(catalogue).get("main")


def test_the_last_verdict_of_a_run_is_kept(catalogue):
    main, checks = set_main(catalogue), Checks(catalogue)
    checks.put(check_of(RUNS[1]), main)
    checks.put(check_of(RUNS[1], "improved"), main)
    checks.put(check_of(RUNS[2]), main)
    assert checks.of(["main"], RUNS) == {
        ("main", RUNS[1]): check_of(RUNS[1], "improved"),
        ("main", RUNS[2]): check_of(RUNS[2]),
    }
    assert checks.of(["other"], RUNS) == {}
    assert checks.regressed_runs("main") == {RUNS[2]}


def test_names_that_a_database_would_not_take_are_no_obstacle(catalogue):
    checks = Checks(catalogue)
    checks.put(replace(check_of(RUNS[1]), about="L\0 \ud800", reason="\0"), set_main(catalogue))
    (kept,) = checks.of(["main"], RUNS).values()
    assert "\0" not in kept.about + kept.reason


def test_a_verdict_about_other_content_of_a_run_is_none(catalogue):
    checks = Checks(catalogue)
    checks.put(check_of(RUNS[1], version="before"), set_main(catalogue))
    assert checks.regressed_runs("main") == frozenset()


@pytest.mark.parametrize(
    "act", [lambda found: found.delete("main"), lambda found: found.set("main", RUNS[1:2])]
)
def test_verdicts_go_with_their_baseline(catalogue, act):
    main, checks = set_main(catalogue), Checks(catalogue)
    checks.put(check_of(RUNS[1]), main)
    act(Baselines(catalogue))
    assert checks.of(["main"], RUNS) == {}
    checks.put(check_of(RUNS[1]), main)
    assert checks.of(["main"], RUNS) == {}


def test_verdicts_go_with_their_run(catalogue):
    checks = Checks(catalogue)
    checks.put(check_of(RUNS[1]), set_main(catalogue))
    delete_run(catalogue, RUNS[1])
    assert checks.of(["main"], RUNS) == {}


def test_a_row_of_another_writer_is_replaced(catalogue):
    tries = []

    def write(connection):
        tries.append(1)
        if len(tries) == 1:
            raise IntegrityError("insert", None, Exception("taken meanwhile"))
        upsert.put(
            connection,
            BASELINES,
            {"name": "x", "runs": ["a"], "changed_at": "now", "last": None, "key": None},
        )

    upsert.transact(catalogue, write)
    assert len(tries) == 2
    with pytest.raises(IntegrityError), catalogue.begin() as connection:
        connection.execute(insert(BASELINES).values(name="x", runs=[], changed_at="now"))


def test_many_may_set_one_name_at_once(catalogue):
    def set_often(run_id):
        for _ in range(10):
            Baselines(catalogue).set("main", [run_id])

    assert at_once(*(partial(set_often, run_id) for run_id in RUNS)) == [None] * len(RUNS)
    assert Baselines(catalogue).get("main").runs[0] in RUNS


def test_what_an_older_release_listed_is_listed_again(catalogue):
    before = places(catalogue, RUNS)
    with catalogue.begin() as connection:
        connection.execute(update(LISTING).where(LISTING.c.run_id == RUNS[1]).values(likeness=None))
    other = Catalogue(catalogue.address)
    assert places(other, RUNS) == before
    other.close()


def test_runs_that_are_alike_are_found_in_order(catalogue):
    early = stored_of(record_of(4, hwid="a", taken_at="2026-10-01T00:00:00+00:00"))
    assert catalogue.insert(early)
    likeness = places(catalogue, RUNS)[RUNS[0]].likeness
    assert [place.run_id for place in series(catalogue, likeness)] == [
        early.run_id,
        RUNS[0],
        RUNS[1],
    ]
    assert set(places(catalogue, [*RUNS, "gone"])) == set(RUNS)
