"""Observations: what is recorded of the captures of a run, and what the run says after each."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from storage.catalogue import Catalogue
from storage.observation import Observation, make_observation
from storage.observations import read_observations
from storage.run_list import RunList
from storage.run_query import RunQuery
from storage.series import places, series
from storage.tables import OBSERVATIONS
from tests.support.runs import all_values, catalogue_of, delete_run, record_of, stored_of

RUN = f"{0:064x}"
FIRST = {
    "taken_at": "2026-10-01T00:00:00+00:00",
    "taken_from": "setting",
    "commit": "a",
    "branch": "main",
}


@pytest.fixture
def catalogue(opened):
    return opened(FIRST | {"gmacs_mean": 3.0, "file": "x.csv"})


def seen(day, commit="", branch="", taken_from="setting", file="x.csv"):
    taken_at = f"2026-10-{day:02d}T00:00:00+00:00" if day else ""
    return Observation(
        taken_at, taken_from if day else "", commit, branch, file, "2026-11-20T00:00:00+00:00", "me"
    )


def observe(catalogue, one):
    return catalogue.observe(catalogue.get(RUN), {}, one)


def origins(catalogue):
    return [
        (one.taken_at[8:10], one.commit, one.branch)
        for one in read_observations(catalogue, [RUN])[RUN]
    ]


def test_a_stored_run_has_one_observation_of_what_it_says(catalogue):
    (one,) = read_observations(catalogue, [RUN])[RUN]
    assert one.origin == FIRST | {"file": "x.csv"}
    assert (one.observed_at, one.observed_by) == (catalogue.get(RUN).run["created_at"], "")


def test_another_capture_is_kept_and_the_run_says_what_the_newest_one_does(catalogue):
    observe(catalogue, seen(3, "c", "main", file="y.csv"))
    after = observe(catalogue, seen(2, "b", "main"))
    assert origins(catalogue) == [("01", "a", "main"), ("02", "b", "main"), ("03", "c", "main")]
    assert (after.run["commit"], after.run["taken_at"][8:10], after.run["file"]) == (
        "c",
        "03",
        "y.csv",
    )
    assert catalogue.get(RUN).run == after.run
    assert [one.observations for one in catalogue.each()] == [3]
    (listed,) = RunList(catalogue).page(RunQuery()).runs
    assert (listed.observations, listed.run["commit"]) == (3, "c")


@pytest.mark.parametrize(
    "same",
    [seen(1, "a", "main"), seen(1, "a"), seen(0, "a"), seen(0), seen(9, "a", "main", "modified")],
    ids=["equal", "without branch", "without date", "nothing", "guessed date"],
)
def test_what_says_nothing_new_adds_nothing(catalogue, same):
    before = catalogue.get(RUN)
    observe(catalogue, same)
    assert origins(catalogue) == [("01", "a", "main")]
    assert catalogue.get(RUN).run == before.run


@pytest.mark.slow
def test_what_says_more_of_the_same_takes_its_place(new_database):
    catalogue = catalogue_of(
        new_database(), {"taken_at": "2026-10-09T00:00:00+00:00", "taken_from": "modified"}
    )
    observe(catalogue, seen(1, "a"))
    observe(catalogue, seen(1, "a", "main"))
    assert origins(catalogue) == [("01", "a", "main")]
    catalogue.close()


def test_a_further_capture_without_a_date_has_that_of_its_ingest(catalogue):
    after = observe(catalogue, seen(0, "b"))
    assert (after.run["taken_at"], after.run["taken_from"]) == (
        "2026-11-20T00:00:00+00:00",
        "ingest",
    )
    assert len(origins(catalogue)) == 2


def test_series_have_a_place_and_a_point_per_observation(catalogue):
    observe(catalogue, seen(4, "b", "main", file="y.csv"))
    likeness = places(catalogue, [RUN])[RUN].likeness
    assert [
        (one.date[8:10], one.commit, one.branch, one.file) for one in series(catalogue, likeness)
    ] == [
        ("01", "a", "main", "x.csv"),
        ("04", "b", "main", "y.csv"),
    ]
    assert places(catalogue, [RUN])[RUN].commit == "b"
    points = [
        (one.run_id, one.date[8:10], one.run["commit"], one.run["file"])
        for one in all_values(catalogue)
    ]
    assert points == [(RUN, "01", "a", "x.csv"), (RUN, "04", "b", "y.csv")]


def test_observations_go_with_their_run(catalogue):
    observe(catalogue, seen(4, "b"))
    delete_run(catalogue, RUN)
    with catalogue.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(OBSERVATIONS)) == 0


def test_a_run_that_was_replaced_meanwhile_is_not_observed(catalogue):
    stored = catalogue.get(RUN)
    assert catalogue.observe(replace(stored, prefix="other"), {}, seen(5, "b")) is None
    assert len(origins(catalogue)) == 1


def test_a_catalogue_that_is_not_there_has_none(tmp_path):
    assert read_observations(Catalogue(f"sqlite:///{tmp_path}/none.db"), [RUN]) == {}


OBSERVED = st.builds(
    seen,
    st.integers(0, 3),
    st.sampled_from(["", "a", "b"]),
    st.sampled_from(["", "main"]),
    st.sampled_from(["setting", "file", "modified"]),
)


@given(OBSERVED, OBSERVED, OBSERVED)
def test_saying_no_more_is_reflexive_and_transitive(one, other, third):
    assert one.repeats(one)
    if one.repeats(other) and other.repeats(third):
        assert one.repeats(third)


def test_the_observation_of_a_run_is_what_its_frame_says():
    run = stored_of(record_of(0, **FIRST, file="z.csv")).run
    assert make_observation(run, "me").origin == FIRST | {"file": "z.csv"}
    assert make_observation(run, "me").observed_by == "me"
