from collections import Counter
from itertools import groupby
from statistics import median

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schema.peak_rates import has_impossible_rates
from storage.listed_run import grid_text
from storage.run_list import RunList
from storage.run_list_statements import GROUP
from storage.run_query import EVERY_RUN, FACETS, CaptureFilter, RunFilter
from tests.support.run_lists import MANY, in_order, listed, value_of
from tests.support.runs import catalogue_of, records_of

FILTERS = {
    "": lambda _: True,
    "hwid npu2": lambda r: r["hwid"] == "npu2",
    "no hwid": lambda r: not r["hwid"],
    "M": lambda r: r["M"] in (64, None),
    "words": lambda r: r["tags"] and "07" in r["name"],
    "percent": lambda r: "100%_[x]" in r["name"],
    "rate": lambda r: (
        r["gmacs_mean"] is not None
        and not has_impossible_rates(r)
        and 1.0 <= r["gmacs_mean"] <= 2.0
    ),
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


@pytest.mark.quick_every(2)
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
        if r["gmacs_best"] is not None and not has_impossible_rates(r)
    ]
    assert totals.best == max(best, default=None)
    drawable = [
        r["gmacs_mean"]
        for r in covered
        if r["M"] is not None and r["gmacs_mean"] is not None and not has_impossible_rates(r)
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


@pytest.mark.quick_every(3)
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


@pytest.mark.quick_every(2)
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
        rated = [r for r in rows if r["gmacs_mean"] is not None and not has_impossible_rates(r)]
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


@pytest.mark.slow
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
    of_hwid = tuple(point for point in some if point.hwid == "npu2")
    assert of_hwid == filtered[: len(of_hwid)]
    assert all(point.size == point.M * point.K * point.N for point in every)


def test_hwids_are_in_order_of_appearance(opened):
    catalogue = opened({"hwid": "z"}, {"hwid": ""}, {"hwid": "a"}, {"hwid": "z"})
    assert RunList(catalogue).hwids(10) == ["z", "a"]
