"""Trends of kept keys, on both kinds of catalogue: what judging all runs gives, whatever happened to these before."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from analysis.comparison.series import Band
from schema.likeness import run_key
from schema.metrics import METRICS
from services.baselines.members import Members
from services.trends.run_filters import FILTERS, search_runs, select_runs
from services.trends.series_events import EventComparisons
from services.trends.trend_series import make_series
from services.trends.trends import TrendsCache, View, order_series
from storage.annotations import Annotations, Change
from storage.baselines import Baselines
from storage.observation import Observation
from storage.pending import garbage
from storage.repository import Repository
from storage.tables import KEY_TRENDS, LISTING_STATE, RUNS
from tests.support.marks import quick_first
from tests.support.runs import all_values, delete_run, record_of, stored_of
from tests.support.trends import date_of

METRIC_NAMES = ("", "peak_memory", "lock_stall_share", "kernel_time", "unknown")
"""The default one; one of the list, one that only the headline has, one that no run has, and none at all."""
ASKED = (
    {},
    {"hwid": "npu1"},
    {"M": "64", "source": "aie"},
    {"tag": "fast"},
    {"tag": "look"},
    {"hwid": "none"},
)
SEARCHES = ("", "net-b", "nightly 4x4", "c1", "again", " ", "night 7", "nothing like it")
STEPS = 12


@pytest.fixture
def repository(new_database, tmp_path):
    made = Repository(new_database(), tmp_path.as_uri())
    made.catalogue.create()
    yield made
    made.catalogue.close()


def load(run_id, _settings):
    raise AssertionError(f"{run_id} has no frames")


class Answers:
    """What trends of a catalogue are until its runs or baselines change, worked out from all runs.

    Runs and baselines are read once: a step asks several times.
    """

    def __init__(self, repository):
        self.comparisons = EventComparisons(repository, load)
        self.runs = all_values(repository.catalogue)
        self.names = {name for one in self.runs for name in one.values}
        baselines = Baselines(repository.catalogue).all()
        newest_first = sorted(baselines, key=lambda each: each.changed_at, reverse=True)
        self.members = [Members(repository.catalogue, each) for each in newest_first]
        self.member_runs = [each.now() for each in self.members]
        self.expected = {}

    def expect(self, metric, filters, search):
        key = (metric, *filters.items(), search)
        if key not in self.expected:
            self.expected[key] = self._judge(metric, filters, search)
        return self.expected[key]

    def _judge(self, metric, filters, search):
        known = [one for name, one in METRICS.items() if name in self.names]
        chosen = next(
            (one for one in known if one.name == (metric or "gmacs_mean")),
            known[0] if known else None,
        )
        found = search_runs(
            [one for one in self.runs if chosen and chosen.name in one.values], search
        )
        selected = select_runs(found, filters)
        valued = {each.run_id for each in selected}
        series = make_series(selected, chosen) if chosen else []
        series = [self._with_bands(one, valued) for one in series]
        compared = (
            self.comparisons.compare_events(series, chosen, 0.0, most=200) if chosen else None
        )
        ordered = order_series(compared.series) if compared else ()
        total = len({one.run_id for one in self.runs})
        return chosen, ordered, known, choices(self.runs, found, filters), total

    def _with_bands(self, one, valued):
        values, bands = {point.run_id: point.value for point in one.points}, []
        for members, member_runs in zip(self.members, self.member_runs, strict=True):
            runs = [run for run in member_runs if run in values or run not in valued]
            own = tuple(values[run] for run in runs if run in values)
            if own:
                missing = len(runs) - len(own)
                bands.append(Band(members.baseline.name, own, len(members.deleted), missing))
        return replace(one, bands=tuple(bands))


def choices(runs, found, filters):
    counts = {}
    for name in FILTERS:
        others = {other: value for other, value in filters.items() if other != name}
        left = Counter(
            value for one in select_runs(found, others) for value in values_of(one, name)
        )
        every = {value for one in runs for value in values_of(one, name)}
        counts[name] = {value: left[value] for value in every}
    return counts


def values_of(one, name):
    return (
        one.tags
        if name == "tag"
        else [str(one.run[name])]
        if one.run[name] not in (None, "")
        else []
    )


def assert_same(trends, answers, metric="", filters=None, search=""):
    filters = filters or {}
    metric_of, series, known, counts, runs = answers.expect(metric, filters, search)
    found = trends.get(metric, filters, search=search)
    assert (found.metric, [*found.metrics]) == (metric_of, known)
    assert found.series == series
    assert (found.choices, found.runs) == (counts, runs)
    shown = trends.get(metric, filters, search=search, view=View(1, 2)).series
    assert [replace(one, points=(), bands=(), unread=None) for one in shown] == [
        replace(one, points=(), bands=()) for one in series
    ]
    assert [one.runs for one in shown] == [len(one.points) for one in series]
    assert shown[:1] == series[:1]
    assert all(
        some == other
        for some, other in zip(shown, series, strict=True)
        if some.points and other.bands == ()
    )


class Past:
    """Things that happen to a catalogue, drawn: runs come, are captured again, change, are tagged, and go."""

    def __init__(self, repository, seed):
        self.catalogue = repository.catalogue
        self.drawn = random.Random(seed)  # noqa: S311 - drawn, not secret
        self.count = 0

    def row(self, rank):
        drawn = self.drawn
        source = drawn.choice(("aie", "aie", "tinygrad"))
        key = {
            "source": source,
            "hwid": drawn.choice(("npu1", "npu2", "")),
            "M": drawn.choice((64, 256, None)),
        }
        key |= {
            "tags": drawn.choice(("", "fast problem-1", "nightly")),
            "mac_dtype": drawn.choice(("", "int8")),
        }
        key |= {"m": drawn.choice((16, 32)), "rows": 4, "cols": drawn.choice((4, None))}
        name = f"net-{drawn.choice('ab')}" if source == "tinygrad" else f"night {rank}"
        level = 100 if rank % 60 < 30 else drawn.choice((80, 80, 120))
        value = level * (1 + 0.002 * drawn.random())
        numbers = {"gmacs_mean": drawn.choice((value, value, value, None)), "peak_memory": value}
        numbers |= {"lock_stall_share": drawn.choice((value / 1000, None, float("nan")))}
        dates = {"taken_at": date_of(drawn.randrange(90)), "taken_from": "setting"}
        dates = drawn.choice((dates, dates, {"taken_at": "", "taken_from": "ingest"}))
        return {"name": name, "commit": f"c{rank % 3}", "branch": "main", **key, **numbers, **dates}

    def begin(self, few_keys, others=0):
        """Insert runs of few keys, long enough to be judged, and others of drawn keys."""
        own = {"source": "aie", "hwid": "npu1", "tags": "", "mac_dtype": ""}
        own |= {"m": 16, "rows": 4, "cols": 4}
        runs = [
            self.next_run(**own, M=self.drawn.choice((64, 256)), taken_at=date_of(rank // 2))
            for rank in range(few_keys)
        ]
        runs += [self.next_run() for _ in range(others)]
        assert self.catalogue.insert_many(runs) == few_keys + others

    def next_run(self, **own):
        self.count += 1
        row = {
            key: None if value != value else value  # noqa: PLR0124 - a float that is NaN
            for key, value in self.row(self.count).items()
        }
        created = f"2026-11-{1 + self.count % 28:02d}T10:00:00+00:00"
        return stored_of(record_of(self.count, **(row | {"created_at": created} | own)))

    def insert(self):
        assert self.catalogue.insert(self.next_run())

    def one(self):
        with self.catalogue.connect() as connection:
            run_ids = sorted(connection.scalars(select(RUNS.c.run_id)))
        return self.catalogue.get(self.drawn.choice(run_ids))

    def observe(self):
        taken_at = date_of(self.drawn.randrange(90))
        seen = Observation(taken_at, "setting", "c9", "dev", "again.json", "2026-11-29T10:00:00")
        assert self.catalogue.observe(self.one(), {}, seen)

    def replace(self):
        old = self.one()
        headline = old.headline | {"gmacs_mean": 70.0, "peak_memory": None}
        new = replace(old, prefix=f"{old.prefix}n", headline=headline)
        new = replace(new, run=new.run | {"m": 16, "hwid": "npu2"})
        assert self.catalogue.replace(old, new, garbage(old.prefix))

    def amend(self):
        old = self.one()
        assert self.catalogue.amend(old, replace(old, headline=old.headline | {"gmacs_mean": 71.0}))

    def tag(self):
        Annotations(self.catalogue).change(self.one().run_id, Change(more_tags=("look",)), "me")

    def note(self):
        Annotations(self.catalogue).change(
            self.one().run_id, Change(notes="not nightly 4x4 again"), "me"
        )

    def delete(self):
        delete_run(self.catalogue, self.one().run_id)

    def base(self):
        some = [self.one() for _ in range(3)]
        baselines, name = Baselines(self.catalogue), self.drawn.choice(("a", "b", "c"))
        if self.drawn.random() < 0.5:
            baselines.set(name, [*dict.fromkeys(one.run_id for one in some)])
        else:
            baselines.set(name, [some[0].run_id], last=4, key=run_key(some[0].run))

    def happen(self):
        self.drawn.choice(
            (
                self.insert,
                self.observe,
                self.replace,
                self.amend,
                self.tag,
                self.note,
                self.delete,
                self.base,
            )
        )()


@pytest.mark.slow
@pytest.mark.parametrize("seed", quick_first(1, 0, 2))
def test_kept_keys_give_what_judging_all_runs_gives(repository, seed):
    past, trends = Past(repository, seed), TrendsCache(repository, load)
    past.begin(few_keys=60, others=40)
    for step in range(STEPS):
        past.happen()
        answers = Answers(repository)
        metric = METRIC_NAMES[step % len(METRIC_NAMES)]
        assert_same(trends, answers, metric)
        assert_same(TrendsCache(repository, load), answers)
        assert_same(
            trends, answers, metric, ASKED[step % len(ASKED)], SEARCHES[step % len(SEARCHES)]
        )
    for filters in ASKED:
        assert_same(trends, answers, "", filters)
    assert any(one.development.steps for one in trends.get("", {}).series)


def test_an_empty_catalogue_has_no_trends(repository):
    assert_same(TrendsCache(repository, load), Answers(repository))


@pytest.mark.slow
def test_what_a_release_changed_that_keeps_no_trends_is_judged_again(repository):
    past = Past(repository, 5)
    past.begin(few_keys=40)
    assert_same(TrendsCache(repository, load), Answers(repository))
    kept = kept_rows(repository)
    past.amend()
    with (
        repository.catalogue.begin() as connection
    ):  # as if that had been done without a word to what is kept
        connection.execute(KEY_TRENDS.delete())
        connection.execute(KEY_TRENDS.insert(), kept)
        connection.execute(update(LISTING_STATE).values(version="another", kept_version="before"))
    assert_same(TrendsCache(repository, load), Answers(repository))
    with repository.catalogue.connect() as connection:
        state = connection.execute(LISTING_STATE.select()).one()
    assert state.version == state.kept_version


def test_a_change_takes_out_what_is_kept_of_its_likeness_alone(repository):
    past = Past(repository, 6)
    past.begin(few_keys=20)
    TrendsCache(repository, load).get("", {})
    kept = kept_rows(repository)
    past.amend()
    left = kept_rows(repository)
    assert (len(kept), len(left)) == (2, 1)
    assert left[0] in kept


def test_keys_that_the_list_writes_alike_stay_apart(repository):
    for rank, name in enumerate(["net\0a", "neta"] * 10):
        row = {
            "source": "tinygrad",
            "name": name,
            "kernel_time": float(rank),
            "taken_at": date_of(rank),
        }
        stored = stored_of(record_of(rank, **row))
        if repository.catalogue.is_embedded:
            assert repository.catalogue.insert(stored)
    assert_same(TrendsCache(repository, load), Answers(repository), "kernel_time")


def kept_rows(repository):
    with repository.catalogue.connect() as connection:
        return [dict(row._mapping) for row in connection.execute(KEY_TRENDS.select())]
