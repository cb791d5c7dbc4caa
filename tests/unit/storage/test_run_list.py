"""The list of runs as the database answers it: held against plain Python on the same rows."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count, groupby
from pathlib import Path
from statistics import median

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.runs.runs_grid import COLUMN_NAMES
from schema.headlines import headline_of, sort_key
from schema.likeness import likeness, run_key
from schema.run_columns import AGAINST
from storage.catalogue import Catalogue
from storage.listed_run import grid_text
from storage.pending import garbage
from storage.run_conditions import SORTS
from storage.run_list import GROUP, RunList
from storage.run_query import EVERY_RUN, FACETS, CaptureFilter, PagePosition, RunFilter, RunQuery
from tests.support.runs import catalogue_of, delete_run, record_of, records_of, stored_of

MANY = tuple(
    {
        "hwid": ["npu1", "npu2", "", "Npu2"][i % 4],
        "source": "aie" if i % 3 else "tpu_mlir",
        "M": [64, 256, None, 9, 100][i % 5],
        "gmacs_mean": None if i % 7 == 0 else float(i % 11) / 3,
        "gmacs_best": None if i % 7 == 0 else float(i % 13),
        "utilization": [None, 0.5, 1.5][i % 3],
        "rows": [4, 1, None][i % 3],
        "cols": [4, 2][i % 2],
        "m": [32, None, 64, 16][i % 4],
        "branch": ["main", "", "release/1"][i % 3],
        "commit": f"{i % 23:04x}",
        "peak_memory": float(i) if i % 3 == 0 else None,
        "tags": "golden best" if i % 4 == 0 else "",
        "k": [64, None][i % 2],
        "mac_dtype": ["int8", "bf16", ""][i % 3],
        "name": f"run {i % 17:02d} 100%_[x]",
        "errors": int(i % 9 == 0),
        "warnings": i % 2,
        "taken_at": "2025-02-03T04:05:06+00:00" if i % 6 == 0 else "",
        "created_at": f"2026-11-{1 + i % 20:02d}T10:00:00+00:00",
    }
    for i in range(60)
)


@pytest.fixture(scope="module")
def many(new_database):
    catalogue = catalogue_of(new_database(), *MANY)
    yield RunList(catalogue)
    catalogue.close()


@contextmanager
def opener_of(new_url):
    """Give what makes catalogues of rows that are closed afterwards."""
    made = []

    def opener(*rows):
        made.append(catalogue_of(new_url(), *rows))
        return made[-1]

    yield opener
    for catalogue in made:
        catalogue.close()


@pytest.fixture
def opened(new_database):
    """Make catalogues of rows."""
    with opener_of(new_database) as opener:
        yield opener


@pytest.fixture
def embedded(tmp_path):
    """Make embedded catalogues of rows: `0.db`, `1.db` and so on."""
    names = count()
    with opener_of(lambda: f"sqlite:///{tmp_path}/{next(names)}.db") as opener:
        yield opener


def listed(
    runs: RunList, fits: RunFilter = EVERY_RUN, sort: str = "-date", limit: int = 7
) -> list[str]:
    """Return the ids of all pages."""
    query, ids = RunQuery(fits, sort, limit=limit), []
    while True:
        page = runs.page(query)
        assert len(page.runs) <= limit
        ids += [run.run_id for run in page.runs]
        if page.last is None:
            return ids
        query = replace(query, after=page.last)


def value_of(record, sort):
    column = sort.removeprefix("-")
    if column == "date":
        return record["taken_at"] or record["created_at"]
    if column == "health":
        return 1000 * record["errors"] + record["warnings"]
    if column == "grid":
        return grid_text(record)
    if column == "headline":
        return sort_key(headline_of(record["source"], record))
    return 1 if column == "observations" else record[column]


def in_order(records, sort):
    """Return ids as the list has them: missing values below all others, ties newest first."""
    newest = sorted(records, key=lambda r: (value_of(r, "date"), r["run_id"]), reverse=True)
    if sort == "date":
        return [record["run_id"] for record in reversed(newest)]
    falls = sort.startswith("-")

    def key(record):
        value = value_of(record, sort)
        return (value is not None, 0 if value is None else value)

    return [record["run_id"] for record in sorted(newest, key=key, reverse=falls)]


@pytest.mark.parametrize("sort", [f"{sign}{column}" for column in SORTS for sign in ("", "-")])
def test_pages_are_the_whole_list_in_order(many, sort):
    assert listed(many, sort=sort) == in_order(records_of(*MANY), sort)


def test_every_column_of_the_grid_sorts():
    assert {"name", *COLUMN_NAMES} - {AGAINST} == set(SORTS)


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


FILTERS = {
    "": lambda _: True,
    "hwid npu2": lambda r: r["hwid"] == "npu2",
    "no hwid": lambda r: not r["hwid"],
    "M": lambda r: r["M"] in (64, None),
    "words": lambda r: r["tags"] and "07" in r["name"],
    "percent": lambda r: "100%_[x]" in r["name"],
    "rate": lambda r: r["gmacs_mean"] is not None and 1.0 <= r["gmacs_mean"] <= 2.0,
    "size": lambda r: r["M"] is not None and 64 * 64 * 64 <= r["M"] * 64 * 64 <= 100 * 64 * 64,
    "nobody": lambda _: False,
    "not a number": lambda _: False,
}
ASKED = {
    "": EVERY_RUN,
    "hwid npu2": RunFilter(hwid=("npu2",)),
    "no hwid": RunFilter(hwid=("",)),
    "M": RunFilter(M=("", "64", "064", "six")),
    "words": RunFilter(words=("golden", "07")),
    "percent": RunFilter(words=("100%_[x]",)),
    "rate": RunFilter(rate=(1.0, 2.0)),
    "size": RunFilter(size=(64.0**3, 100 * 64.0**2)),
    "nobody": RunFilter(hwid=("nobody",)),
    "not a number": RunFilter(M=("six", "9" * 30)),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_covers_its_runs_and_counts_them(many, name):
    covered = [record for record in records_of(*MANY) if FILTERS[name](record)]
    assert listed(many, ASKED[name]) == in_order(covered, "-date")
    totals = many.counts(ASKED[name], 40).totals
    assert totals.runs == len(covered)
    assert totals.hwids == len({r["hwid"] for r in covered} - {""})
    best = [
        r["gmacs_best"]
        for r in covered
        if r["gmacs_best"] is not None and not (r["utilization"] or 0) > 1
    ]
    assert totals.best == max(best, default=None)
    drawable = [
        r["gmacs_mean"] for r in covered if r["M"] is not None and r["gmacs_mean"] is not None
    ]
    assert (totals.drawable, totals.fastest) == (len(drawable), max(drawable, default=None))
    assert totals.sized == sum(r["M"] is not None for r in covered)
    assert len(many.points(ASKED[name], 1000)) == len(drawable)
    for column in ("M", "K", "tags", "peak_memory", "gmacs_mean", "flops_total"):
        assert (column in totals.with_value) == any(r[column] not in (None, "") for r in covered), (
            column
        )
    assert ("created_at" in totals.with_value) == any(r["taken_at"] for r in covered)


def values_of(record, facet):
    if facet == "tag":
        return record["tags"].split()
    if facet == "grid":
        return [grid_text(record)]
    return ["" if record[facet] is None else str(record[facet])]


@pytest.mark.parametrize(
    "fits",
    [
        EVERY_RUN,
        RunFilter(hwid=("npu2",)),
        RunFilter(hwid=("npu2", ""), M=("64", "")),
        RunFilter(words=("golden",), M=("9",)),
        RunFilter(source=("aie",), rate=(0.5, 2.0)),
        RunFilter(tag=("best", "other"), hwid=("npu1",)),
        RunFilter(k=("64", ""), grid=("4x2", ""), m=("32",)),
        RunFilter(
            mac_dtype=("int8",), capture=CaptureFilter(branch=("main", ""), since="2026-01-01")
        ),
    ],
)
def test_facets_count_under_the_other_filters(many, fits):
    records = records_of(*MANY)
    facets = many.counts(fits, 40).facets
    for facet in FACETS:
        others = set(listed(many, fits.without(facet)))
        expected = Counter(
            value for r in records if r["run_id"] in others for value in values_of(r, facet)
        )
        assert facets[facet].runs == expected
        assert facets[facet].values == len(expected)


def test_of_many_values_the_most_frequent_are_counted_and_the_others_found(opened):
    rows = [{"hwid": f"board{i:02d}"} for i in range(12) for _ in range(12 - i)]
    rows = [row | {"created_at": "2026-11-01"} for row in rows]
    runs = RunList(opened(*rows))
    hwid = runs.counts(EVERY_RUN, 3).facets["hwid"]
    assert hwid.runs == {"board00": 12, "board01": 11, "board02": 10}
    assert hwid.values == 12
    chosen = runs.counts(RunFilter(hwid=("board11",)), 3).facets["hwid"]
    assert chosen.runs == {"board00": 12, "board01": 11, "board02": 10, "board11": 1}
    assert runs.counts(EVERY_RUN, 3, {"hwid": "D1"}).facets["hwid"].runs.keys() <= {
        "board10",
        "board11",
    }
    assert runs.counts(EVERY_RUN, 3, {"hwid": "d1"}).facets["hwid"].runs == {
        "board10": 2,
        "board11": 1,
    }
    assert runs.counts(EVERY_RUN, 3, {"hwid": "%"}).facets["hwid"].runs == {}


def test_groups_have_the_best_the_median_and_the_spread_of_their_rates(many):
    sized = [r for r in records_of(*MANY) if r["M"] is not None]
    key = lambda r: tuple(value_of(r, k) for k in GROUP)  # noqa: E731
    groups, count = many.groups(EVERY_RUN, 1000)
    expected = [(k, list(rows)) for k, rows in groupby(sorted(sized, key=key), key)]
    assert count == len(expected) == len(groups)
    assert [tuple(group[k] for k in GROUP) for group in groups] == [k for k, _ in expected]
    for group, (_, rows) in zip(groups, expected, strict=True):
        rated = [r for r in rows if r["gmacs_mean"] is not None and not (r["utilization"] or 0) > 1]
        rates = [r["gmacs_mean"] for r in rated]
        assert (group["runs"], group["rated"]) == (len(rows), len(rates))
        assert group["newest"] == max(value_of(r, "date") for r in rows)
        assert (group["best"], group["lowest"]) == (
            max(rates, default=None),
            min(rates, default=None),
        )
        assert group["median"] == (pytest.approx(median(rates)) if rates else None)
        best = {r["run_id"] for r in rated if r["gmacs_mean"] == max(rates)}
        assert group["best_run"] in best if rates else group["best_run"] is None


def test_runs_of_other_grids_and_data_types_are_groups_of_their_own(opened):
    size = {
        "hwid": "npu1",
        "M": 64,
        "K": 64,
        "N": 64,
        "m": 16,
        "k": 32,
        "n": 64,
        "created_at": "2026-11-01",
    }
    grids = [
        {"rows": 1, "cols": 4, "gmacs_mean": 100.0},
        {"rows": 4, "cols": 4, "gmacs_mean": 400.0, "m": 64},
    ]
    other = {"rows": 4, "cols": 4, "gmacs_mean": 200.0, "mac_dtype": "bf16"}
    groups, _ = RunList(
        opened(*(size | {"mac_dtype": "int8"} | grid for grid in (*grids, other)))
    ).groups(EVERY_RUN, 9)
    told = [(group["grid"], group["mac_dtype"], group["best"], group["m"]) for group in groups]
    assert told == [
        ("1x4", "int8", 100.0, 16),
        ("4x4", "bf16", 200.0, 16),
        ("4x4", "int8", 400.0, 64),
    ]
    assert [group["lowest"] for group in groups] == [100.0, 200.0, 400.0]


def test_groups_are_of_the_runs_that_fit_and_the_first_are_given(many):
    every, count = many.groups(EVERY_RUN, 1000)
    first, same = many.groups(EVERY_RUN, 2)
    assert (first, same) == (every[:2], count)
    assert {group["hwid"] for group in many.groups(RunFilter(hwid=("npu2",)), 1000)[0]} == {"npu2"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rates=st.lists(st.floats(1, 1e6), min_size=1, max_size=8))
def test_the_median_lies_between(tmp_path_factory, rates):
    rows = [{"hwid": "x", "gmacs_mean": rate} for rate in rates]
    catalogue = catalogue_of(f"sqlite:///{tmp_path_factory.mktemp('median')}/catalogue.db", *rows)
    ((group,), _) = RunList(catalogue).groups(EVERY_RUN, 10)
    catalogue.close()
    assert group["lowest"] <= group["median"] <= group["best"]
    assert group["median"] == pytest.approx(median(rates))


def test_of_many_points_the_same_are_drawn_each_time_and_under_a_filter(many):
    every, some = many.points(EVERY_RUN, 1000), many.points(EVERY_RUN, 10)
    assert some == many.points(EVERY_RUN, 10) == every[:10]
    filtered = many.points(RunFilter(hwid=("npu2",)), 10)
    assert [p for p in some if p["hwid"] == "npu2"] == filtered[
        : sum(p["hwid"] == "npu2" for p in some)
    ]
    assert all(p["size"] == p["M"] * p["K"] * p["N"] for p in every)


def test_hwids_are_in_order_of_appearance(opened):
    catalogue = opened({"hwid": "z"}, {"hwid": ""}, {"hwid": "a"}, {"hwid": "z"})
    assert RunList(catalogue).hwids(10) == ["z", "a"]


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
        [],
        [],
    )
    assert not (tmp_path / "none.db").exists()


def change(path: Path, statement: str, rank: int) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(f"{statement} where run_id = ?", (f"{rank:064x}",)).rowcount == 1


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
