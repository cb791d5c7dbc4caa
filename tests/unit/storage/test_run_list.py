"""The list of runs as the database answers it: held against plain Python on the same rows."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from components.runs.runs_grid import COLUMN_NAMES
from schema.likeness import likeness, run_key
from schema.run_columns import AGAINST
from storage import parsed_runs
from storage.catalogue import Catalogue
from storage.pending import garbage
from storage.run_conditions import SORTS
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, PagePosition, RunFilter, RunQuery
from tests.support.run_lists import MANY, in_order, listed
from tests.support.runs import delete_run, record_of, records_of, stored_of


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("sort", [f"{sign}{column}" for column in SORTS for sign in ("", "-")])
def test_pages_are_the_whole_list_in_order(many, sort):
    assert listed(many, sort=sort) == in_order(records_of(*MANY), sort)


def test_every_column_of_the_grid_sorts():
    assert {"name", *COLUMN_NAMES} - {AGAINST} == set(SORTS)


@pytest.mark.parametrize("sort", ["-gmacs_mean", "-gmacs_best", "-utilization"])
def test_rates_above_the_peak_sort_behind_the_others(opened, sort):
    rates = [(100.0, 0.5), (900.0, 4.5), (None, None), (150.0, 0.75), (1000.0, 5.0)]
    rows = [{"gmacs_mean": rate, "gmacs_best": rate, "utilization": share} for rate, share in rates]
    ids = listed(RunList(opened(*rows)), sort=sort, limit=2)
    assert [int(run_id, 16) for run_id in ids[:2]] == [3, 0]
    assert listed(RunList(opened(*rows)), sort=sort.removeprefix("-"), limit=2)[3:] == ids[:2][::-1]


def test_headlines_are_listed_kind_by_kind_with_the_best_of_each_first(opened):
    rows = [
        {"gmacs_mean": 100.0},
        {"peak_memory": 10.0, "source": "tpu_mlir", "capacity_use": 0.5},
        {"gmacs_mean": 300.0},
        {"step_time": 5.0, "source": "kineto", "busy_share": 0.5},
        {"peak_memory": 2_000.0, "source": "tpu_mlir", "capacity_use": 0.9},
        {"gmacs_mean": 20.0},
        {"step_time": 4.0, "source": "kineto", "busy_share": 0.5},
        {},
    ]
    runs = RunList(opened(*rows))
    best_first = [6, 3, 2, 0, 5, 1, 4, 7]
    assert listed(runs, sort="-headline", limit=3) == [f"{rank:064x}" for rank in best_first]
    worst_first = [f"{rank:064x}" for rank in reversed(best_first)]
    assert listed(runs, sort="headline", limit=3) == worst_first


def test_a_row_that_an_older_release_wrote_gets_its_headline_when_the_catalogue_is_opened(
    embedded, tmp_path
):
    embedded({"gmacs_mean": 1.0}, {"gmacs_mean": 2.0}).close()
    with closing(sqlite3.connect(tmp_path / "0.db")) as connection, connection:
        connection.execute("UPDATE listing SET headline = NULL WHERE gmacs_mean = 2.0")
    catalogue = Catalogue(f"sqlite:///{tmp_path}/0.db")
    try:
        assert listed(RunList(catalogue), sort="-headline") == [f"{rank:064x}" for rank in (1, 0)]
    finally:
        catalogue.close()


def test_runs_of_some_likenesses_are_counted_under_a_filter(opened):
    catalogue = opened(*({"hwid": hwid} for hwid in ("a", "a", "b", "c")))
    runs = RunList(catalogue)
    alike = {hwid: likeness(run_key(record_of(hwid=hwid))) for hwid in "abc"}
    assert runs.count_alike(EVERY_RUN, [alike["a"], alike["b"]]) == 3
    assert runs.count_alike(RunFilter(hwid=("a",)), [*alike.values()]) == 2
    assert runs.count_alike(EVERY_RUN, []) == 0


def test_an_unknown_sorting_is_newest_first(many):
    assert listed(many, sort="-nonsense") == listed(many, sort=";drop") == listed(many)


@pytest.mark.slow
def test_a_page_goes_on_where_it_ended_though_runs_came_and_went(opened):
    catalogue = opened(*[{"gmacs_mean": float(i)} for i in range(9)])
    runs = RunList(catalogue)
    first = runs.page(RunQuery(sort="-gmacs_mean", limit=4))
    delete_run(catalogue, first.runs[0].run_id)
    assert catalogue.insert(stored_of(record_of(20, gmacs_mean=99.0)))
    rest = runs.page(RunQuery(sort="-gmacs_mean", limit=9, after=first.last))
    assert [run.headline["gmacs_mean"] for run in rest.runs] == [4.0, 3.0, 2.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "place",
    [PagePosition("x", "", ""), PagePosition(None, "\0", "\0"), PagePosition(1e308, "z", "z")],
)
@pytest.mark.parametrize("sort", ["name", "-gmacs_mean", "gmacs_mean", "-M", "date"])
def test_a_place_that_no_run_is_at_is_no_error(many, sort, place):
    assert len(many.page(RunQuery(sort=sort, after=place, limit=100)).runs) <= len(MANY)


def test_names_are_those_of_the_first_runs(many):
    names = many.names(RunFilter(hwid=("npu2",)), "-date", 5)
    assert list(names) == listed(many, RunFilter(hwid=("npu2",)))[:5]
    assert names == {r["run_id"]: r["name"] for r in records_of(*MANY) if r["run_id"] in names}


def test_a_catalogue_that_is_not_there_has_an_empty_list(tmp_path):
    catalogue = Catalogue(f"sqlite:///{tmp_path}/none.db")
    runs = RunList(catalogue)
    assert runs.version() == ""
    assert runs.page(RunQuery()).runs == []
    assert runs.counts(EVERY_RUN, 40).totals.runs == 0
    assert (runs.groups(EVERY_RUN, 9), runs.points(EVERY_RUN, 9), runs.hwids(9)) == (
        ([], 0),
        (),
        [],
    )
    assert not (tmp_path / "none.db").exists()


def change(path: Path, statement: str, rank: int) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(f"{statement} where run_id = ?", (f"{rank:064x}",)).rowcount == 1


@pytest.mark.slow
def test_the_version_is_another_after_every_change_also_of_another_process(opened):
    catalogue = opened({}, {})
    here = RunList(catalogue)
    other = Catalogue(catalogue.address)
    old = other.get(f"{0:064x}")
    assert old is not None
    new = stored_of(record_of(0, tags="golden"), "1")
    versions = [here.version()]
    for change in (
        lambda: other.insert(stored_of(record_of(7))),
        lambda: other.replace(old, new, garbage(old.prefix)),
        lambda: other.amend(new, replace(new, warnings=3)),
        lambda: delete_run(other, f"{7:064x}"),
    ):
        assert change() is not False
        versions.append(here.version())
    other.close()
    assert len(set(versions)) == len(versions)
    assert here.version() == versions[-1]
    row = here.page(RunQuery(RunFilter(words=("golden",)))).runs
    assert [(run.run_id, run.warnings) for run in row] == [(f"{0:064x}", 3)]


@pytest.mark.slow
def test_a_change_that_fails_changes_no_version(opened):
    catalogue = opened({})
    runs = RunList(catalogue)
    before = runs.version()
    assert not catalogue.insert(stored_of(record_of(0)))
    assert not catalogue.amend(stored_of(record_of(5)), stored_of(record_of(5)))
    assert runs.version() == before
    assert runs.counts(EVERY_RUN, 40).totals.runs == 1


def test_what_a_release_without_the_list_changed_is_listed_when_it_is_opened(embedded, tmp_path):
    catalogue = embedded(*[{"hwid": f"npu{i}"} for i in range(4)])
    catalogue.close()
    change(tmp_path / "0.db", "delete from runs", 0)
    change(tmp_path / "0.db", "delete from listing", 1)
    change(tmp_path / "0.db", "delete from listing", 2)
    change(tmp_path / "0.db", "update runs set prefix = 'other'", 3)
    again = Catalogue(f"sqlite:///{tmp_path}/0.db")
    runs = RunList(again)
    assert sorted(listed(runs)) == [f"{rank:064x}" for rank in (1, 2, 3)]
    assert runs.counts(EVERY_RUN, 40).facets["hwid"].runs == {"npu1": 1, "npu2": 1, "npu3": 1}
    again.close()


def test_a_damaged_run_is_listed_as_damaged_and_hides_no_other(embedded, tmp_path):
    catalogue = embedded({"name": "whole"}, {"name": "broken"})
    change(tmp_path / "0.db", "update runs set run = '{'", 1)
    page = RunList(catalogue).page(RunQuery(sort="name"))
    assert [run.damaged for run in page.runs] == [True, False]


def test_a_damaged_row_of_the_list_is_no_error(embedded, tmp_path):
    catalogue = embedded(
        {"gmacs_mean": 1.0, "gmacs_best": 2.0}, {"gmacs_mean": 3.0, "gmacs_best": 4.0}
    )
    runs = RunList(catalogue)
    change(
        tmp_path / "0.db",
        "update listing set gmacs_mean = 'x', best_in_peak = 'y', gemm_m = 'many'",
        1,
    )
    assert runs.counts(EVERY_RUN, 40).totals.runs == 2
    for sort in ("-gmacs_mean", "gmacs_mean", "M", "-M"):
        assert len(listed(runs, sort=sort, limit=1)) == 2


def test_a_row_is_parsed_again_only_if_it_changes(embedded, monkeypatch):
    parsed = []
    stored_run = parsed_runs.stored_run
    monkeypatch.setattr(
        parsed_runs, "stored_run", lambda row: parsed.append(row.run_id) or stored_run(row)
    )
    catalogue = embedded({"name": "first"}, {"name": "second"})
    runs = RunList(catalogue)
    first = runs.page(RunQuery(sort="name")).runs
    assert len(parsed) == 2
    assert catalogue.insert(stored_of(record_of(7, name="third")))
    after = runs.page(RunQuery(sort="name")).runs
    assert [run.run["name"] for run in after] == ["first", "second", "third"]
    assert [*map(id, after[:2])] == [*map(id, first)]
    assert len(parsed) == 3
    assert catalogue.amend(first[0], replace(first[0], run=first[0].run | {"name": "first again"}))
    changed = runs.page(RunQuery(sort="name")).runs
    assert [run.run["name"] for run in changed] == ["first again", "second", "third"]
    assert len(parsed) == 4
