"""The status as of a time, of any history on both kinds of catalogue: as if all runs were judged and those up to the time
taken.
"""

from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.comparison.compare import CompareError, Comparison
from services.retention.retention import retain
from services.status import as_of_status, key_batches, rule_verdicts, status_rows
from services.status.rules import delete_rule, set_rule
from services.status.status import StatusCache
from services.status.status_rows import status_row, with_age, worst_first
from storage.acknowledgements import Acknowledgements
from storage.observation import make_observation
from storage.repository import Repository
from storage.rules import Rule
from tests.support.runs import delete_run, record_of, stored_of

RULE = Rule("nightly", 2, "main")
POINTS, FIRST_RUNS = 3, 3
FAILS = 0
"""Rate of a run that cannot be compared."""
GOOD, BAD, BEST = 100, 80, 125
DAYS = range(1, 15)


@dataclass
class History:
    """A store of runs with rates and without frames; `apply` carries out a step that a test draws."""

    repository: Repository

    def __post_init__(self):
        self.rates = {}
        self.runs = []
        self.ranks = count(1)
        set_rule(self.repository, RULE, "me")
        self.rule = RULE

    def run(self, hwid, day, rate=GOOD, branch="main"):
        rank = next(self.ranks)
        own = {"hwid": hwid, "branch": branch, "commit": f"c{rank}", "taken_from": "setting"}
        stored = stored_of(record_of(rank, taken_at=moment_text(day), **own))
        assert self.repository.catalogue.insert(stored)
        self.rates[stored.run_id] = rate
        self.runs.append(stored.run_id)

    def capture_again(self, place, day, branch="main"):
        """Capture the content of an earlier run once more."""
        stored = self._stored(place)
        if stored is not None:
            taken = {"taken_at": moment_text(day), "commit": f"d{day}", "branch": branch}
            observed = make_observation(stored.run | taken | {"taken_from": "setting"}, "me")
            assert self.repository.catalogue.observe(stored, {}, observed)

    def delete(self, place):
        stored = self._stored(place)
        if stored is not None:
            delete_run(self.repository.catalogue, stored.run_id)

    def retain(self, keep_last):
        retain(self.repository, keep_last, ["hwid"], "me")

    def change_rule(self, last, branch="main"):
        self.rule = replace(RULE, last=last, branch=branch)
        set_rule(self.repository, self.rule, "me")

    def lose_verdicts(self):
        """Delete the stored verdicts and not the stored status, as a failure to write them would."""
        with self.repository.catalogue.begin() as connection:
            connection.exec_driver_sql("DELETE FROM rule_verdicts")

    def judge(self):
        StatusCache(self.repository).status()

    def compare(self, _repository, base, new, **_more):
        """Compare rates; the reason has the runs of the base."""
        rates = [self.rates[run_id] for run_id in base]
        (rate,) = (self.rates[run_id] for run_id in new)
        if rate == FAILS:
            raise CompareError("it cannot be compared")
        verdict = (
            "regressed" if rate < min(rates) else "improved" if rate > max(rates) else "unchanged"
        )
        return Comparison("aie", [], [], [], [], [], verdict, [", ".join(base)])

    def clear(self):
        for place in range(len(self.runs)):
            self.delete(place)
        delete_rule(self.repository, RULE.name, "me")

    def _stored(self, place):
        run_id = self.runs[place % len(self.runs)] if self.runs else ""
        return self.repository.catalogue.get(run_id)


def moment_text(day):
    return f"2026-11-{day:02d}T10:00:00+00:00"


def expected_rows(history, moment):
    """The rows by the straightforward computation: all runs are judged, then cut."""
    judged = StatusCache(history.repository).judged_runs(history.rule)
    known = Acknowledgements(history.repository.catalogue).of(RULE.name)
    rows = []
    for key, all_runs in judged.items():
        runs = [one for one in all_runs if history.rule.has_member(one.run.branch)]
        shown = runs[: bisect_right(runs, moment.isoformat(), key=lambda one: one.run.date)]
        rows += [with_age(status_row(key, shown, known, ""), moment)] if shown else []
    return worst_first(rows)


def step(name, *values):
    return st.tuples(st.just(name), *values)


HWIDS = st.sampled_from(["a", "a", "a", "b"])
BRANCHES = st.sampled_from(["main", "main", "main", "other"])
NIGHTS = st.sampled_from(DAYS)
RATES = st.sampled_from([GOOD, GOOD, BAD, BAD, BEST, FAILS])
PLACES = st.integers(0, 20)
RUN = step("run", HWIDS, NIGHTS, RATES, BRANCHES)
STEPS = st.lists(
    st.one_of(
        *[RUN] * 8,
        step("capture_again", PLACES, NIGHTS, BRANCHES),
        step("delete", PLACES),
        step("retain", st.integers(1, 4)),
        step("change_rule", st.integers(1, 3), st.sampled_from(["main", ""])),
        step("lose_verdicts"),
        step("judge"),
    ),
    min_size=8,
    max_size=30,
)


@pytest.fixture(scope="module")
def repository(new_database, tmp_path_factory):
    made = Repository(new_database(), str(tmp_path_factory.mktemp("frames")))
    made.catalogue.create()
    yield made
    made.catalogue.close()


@pytest.fixture(scope="module", autouse=True)
def _few_runs():
    """A row needs few runs, so that short histories are longer than what is read first."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (as_of_status, status_rows):
            patch.setattr(module, "MAX_POINTS", POINTS)
        patch.setattr(as_of_status, "_FIRST_RUNS", FIRST_RUNS)
        patch.setattr(as_of_status, "_GROWTH", 2)
        patch.setattr(key_batches, "MAX_RUNS", 2 * FIRST_RUNS)
        yield


@contextmanager
def history_of(repository, steps):
    """Context with a history of steps; the store is empty again afterwards."""
    history = History(repository)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_verdicts, "compare", history.compare)
        try:
            for name, *values in steps:
                getattr(history, name)(*values)
            yield history
        finally:
            history.clear()


NIGHTLY = [("run", "a", day, GOOD) for day in range(1, 6)]
LONG = [("run", "a", day, BAD) for day in range(6, 14)]
LATE = [*NIGHTLY, *LONG, ("judge",), ("run", "a", 5, BEST)]


@pytest.mark.slow
@given(steps=STEPS)
@example(steps=[*NIGHTLY, *LONG, ("judge",)])
@example(steps=LATE)
@example(steps=[*LATE, ("judge",), ("retain", 2)])
@example(steps=[*NIGHTLY, *LONG, ("judge",), ("change_rule", 3), ("run", "a", 14, GOOD)])
@example(steps=[*NIGHTLY, ("capture_again", 0, 14), ("capture_again", 1, 2), ("judge",), *LONG])
@example(steps=[*NIGHTLY, *LONG, ("judge",), ("lose_verdicts",)])
@example(steps=[*NIGHTLY, ("run", "a", 6, FAILS), *LONG, ("judge",)])
def test_the_status_as_of_any_time_is_that_of_all_runs(repository, steps):
    moments = [datetime(2026, 11, day, hour, tzinfo=UTC) for day in DAYS for hour in (9, 10)]
    with history_of(repository, steps) as history:
        statuses = StatusCache(repository)
        found = {moment: statuses.status(as_of=moment) for moment in moments[::3]}
        assert [status.missing for status in found.values()] == [0] * len(found)
        for moment, status in found.items():
            assert status.rows == expected_rows(history, moment)


def test_no_run_is_compared_or_read_again(repository):
    """With final verdicts the status as of a time reads the last runs only."""
    with history_of(repository, [*NIGHTLY, *NIGHTLY, ("judge",)]) as history:
        del history.rates
        (row,) = StatusCache(repository).status(as_of=datetime(2026, 11, 3, tzinfo=UTC)).rows
        assert row.run.taken_at == moment_text(2)


@pytest.mark.slow
def test_what_there_was_no_time_for_is_missing_and_read_by_the_next_request(
    repository, monkeypatch
):
    runs = [("run", hwid, day) for hwid in "abc" for day in range(1, 9)]
    with history_of(repository, [*runs, ("judge",)]) as history:
        monkeypatch.setattr(key_batches, "MAX_LIKENESSES", 1)
        statuses = StatusCache(repository)
        moment = datetime(2026, 11, 6, tzinfo=UTC)
        seen = [statuses.status(as_of=moment, within_s=-1.0) for _ in range(3)]
        assert [len(status.rows) for status in seen] == [1, 2, 3]
        assert [status.missing for status in seen] == [2 * FIRST_RUNS, FIRST_RUNS, 0]
        assert seen[-1].rows == expected_rows(history, moment)
